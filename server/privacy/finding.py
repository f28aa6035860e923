"""Private lines of text: what in them is private, and of which kind.

Found by form (numbers, addresses, mail), by words (names) and by what announces a value
(`余额: …`). When in doubt it is private: a masked price costs a look, a leaked one cannot be
taken back. What the person's own words name stays readable: the task is about it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from server.privacy import forms
from server.privacy.words import PrivateWords

Kind = str
"""`password`, `notification`, `status_bar`, `unread`, `typed`, `always`, or one of `forms`."""


@dataclass(frozen=True, slots=True)
class Found:
    """A private stretch of a line."""

    kind: Kind
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class OwnWords:
    """What the person said: the task, replies. What it names may be read.

    Attributes:
        text: All of it, without spaces and punctuation, in lower case.
    """

    text: str = field(repr=False)

    @classmethod
    def of(cls, texts: Iterable[str]) -> OwnWords:
        return cls("\n".join(_squeeze(text) for text in texts if text))

    def name(self, text: str) -> bool:
        """Whether they name this very text."""
        squeezed = _squeeze(text)
        if not squeezed:
            return True
        if squeezed.isdigit():  # 1234 is not named by 512345
            return re.search(rf"(?<!\d){squeezed}(?!\d)", self.text) is not None
        return squeezed in self.text


class Finder:
    """Finds what is private in a text.

    Args:
        words: Names and labels.
        own: What the person named.
    """

    def __init__(self, words: PrivateWords, own: OwnWords) -> None:
        self.words = words
        self._own = own
        self._learnt: dict[str, Kind] = {}
        self._short: dict[str, Kind] = {}
        self._all_amounts = False
        self._all_dates = False

    def notice(self, texts: Iterable[str], packages: Iterable[str]) -> None:
        """What the screen is about: a bank's amounts are all private, so are dates of birthdays."""
        joined = "\n".join(texts).lower()
        self._all_amounts = any(forms.MONEY_PACKAGES.search(name) for name in packages) or any(
            label in joined for label in ("余额", "balance", "总资产", "账单明细", "工资")
        )
        self._all_dates = forms.BIRTHDAY_WORDS.search(joined) is not None

    def learn(self, kind: Kind, text: str) -> None:
        """From now on this text is private wherever it stands (a name from a title, a code)."""
        text = text.strip()
        is_long = len(text) >= (2 if forms.HAN_WORD.search(text) else 4)
        if self.is_public(text):
            return
        if is_long and not _is_plain(text):
            self._learnt[text.lower()] = kind
        elif any(letter.isdigit() for letter in text) and len(text) >= 3:
            self._short[text.lower()] = kind

    @property
    def learnt(self) -> dict[str, Kind]:
        return self._learnt

    def mask(self, text: str) -> str:
        """A text whose private lines say their kinds only."""
        if "\n" not in text:
            found = self.find(text)
            return placeholder(one.kind for one in found) if found else text
        lines = text.split("\n")
        for number, found in enumerate(self.find_in_lines(text)):
            if found:
                lines[number] = placeholder(one.kind for one in found)
        return "\n".join(lines)

    def find_in_lines(self, text: str) -> list[list[Found]]:
        """What is private in each line; a label in one announces the value in the next."""
        lines = text.split("\n")
        found = [self.find(line) for line in lines]
        for number, line in enumerate(lines[1:], start=1):
            kind = self.label_kind(lines[number - 1])
            is_value = kind is not None and may_be(kind, line) and not self.is_public(line)
            if kind is not None and is_value and not found[number]:
                found[number] = [Found(kind, 0, len(line))]
        return found

    def mask_spans(self, text: str) -> str:
        """Prose about a screen in which each private stretch says its kind only.

        Short numbers that are private on the screen are masked too: `734` under `CVV`.
        """
        lines = text.split("\n")
        for number, line in enumerate(lines):
            for one in reversed(self.find(line)):
                line = f"{line[: one.start]}[{one.kind}]{line[one.end :]}"
            for short, kind in self._short.items():
                for one in reversed(list(_everywhere(kind, short, line.lower()))):
                    line = f"{line[: one.start]}[{kind}]{line[one.end :]}"
            lines[number] = line
        return "\n".join(lines)

    def mask_stretches(self, text: str, learnt: Mapping[str, Kind]) -> str:
        """A text in which only the private stretches are masked: for prompts, which hold more
        than what stands on a screen. What is sure by its form, and what was `learnt` on a screen.
        """
        for known, kind in learnt.items():
            for one in reversed(list(_everywhere(kind, known, text.lower()))):
                if not self.is_public(text[one.start : one.end]):
                    text = f"{text[: one.start]}[{kind}]{text[one.end :]}"
        for kind, pattern in forms.SURE:
            for match in reversed(list(pattern.finditer(text))):
                if not self.is_public(match[0]):
                    text = f"{text[: match.start()]}[{kind}]{text[match.end() :]}"
        return text

    def is_public(self, text: str) -> bool:
        """Whether the person named it, or the configuration says that it is never private."""
        return self._own.name(text) or text.strip().lower() in self.words.never

    def label_kind(self, text: str) -> Kind | None:
        """The kind of value that this text announces, if it is a label: all of it or its end."""
        said = text.strip().rstrip(":：").strip().lower()
        labels = self.words.labels
        if said in labels or len(said) > 30:
            return labels.get(said)
        if forms.HAN_WORD.fullmatch(said):
            ends = (said[-size:] for size in (4, 3, 2)) if len(said) <= 8 else ()
        else:
            parts = said.split()
            ends = (" ".join(parts[-size:]) for size in (2, 1)) if len(parts) <= 4 else ()
        return next((labels[end] for end in ends if end in labels), None)

    def find(self, line: str) -> list[Found]:
        """What is private in one line, in order, without what the person named."""
        if line.strip().lower() in self.words.never:
            return []
        taken = [False] * len(line)
        found: list[Found] = []
        for one in self._candidates(line):
            text = line[one.start : one.end]
            if any(taken[one.start : one.end]):
                continue
            taken[one.start : one.end] = [True] * (one.end - one.start)
            if one.kind != "public" and not self.is_public(text):
                found.append(one)
        return sorted(found, key=lambda one: one.start)

    def _candidates(self, line: str) -> Iterator[Found]:
        """Everything that might be private; the surest kind of a stretch first."""
        lower = line.lower()
        for text in self.words.always:
            yield from _everywhere("always", text, lower)
        for text, kind in self._learnt.items():
            yield from _everywhere(kind, text, lower)
        labelled = forms.LABELLED.fullmatch(line)
        if labelled is not None:
            announced = self.label_kind(labelled[1])
            if announced is not None and may_be(announced, labelled[2]):
                yield Found(announced, *labelled.span(2))
        for match in forms.CODE_NEAR.finditer(line):
            group = 1 if match[1] is not None else 2
            if any(letter.isdigit() for letter in match[group]):
                yield Found("code", *match.span(group))
        for kind, pattern in forms.RULES:
            for match in pattern.finditer(line):
                yield Found(kind, *match.span())
        if self._all_dates:
            for pattern in forms.DATES:
                for match in pattern.finditer(line):
                    yield Found("birthday", *match.span())
        for match in forms.PASSWORD.finditer(line):
            if "://" not in match[0] and not match[0].startswith(("+", "@", "#", "$")):
                yield Found("password", *match.span())
        yield from self._persons(line)
        if self._all_amounts:
            for match in forms.BARE_AMOUNT.finditer(line):
                yield Found("balance", *match.span())
        for match in forms.AMOUNT.finditer(line):
            if self._is_private_amount(line, match[0]):
                yield Found("balance", *match.span())
        for pattern in forms.PUBLIC:
            for match in pattern.finditer(line):
                yield Found("public", *match.span())
        for match in forms.NUMBER.finditer(line):
            yield Found("number", *match.span())
        for match in forms.TOKEN.finditer(line):
            if len(match[0]) >= 6:
                yield Found("code", *match.span())
        for match in forms.LONG_TOKEN.finditer(line):
            yield Found("code", *match.span())

    def _is_private_amount(self, line: str, amount: str) -> bool:
        """Large, signed, or beside a word for what somebody owns or earns: no price of a thing."""
        if self._all_amounts or forms.THOUSANDS.search(amount) or forms.SIGNED.match(amount):
            return True
        lower = line.lower()
        return any(label in lower for label, kind in self.words.labels.items() if kind == "balance")

    def _persons(self, line: str) -> Iterator[Found]:
        words = self.words
        stripped = line.strip()
        if stripped.lower() in words.family:
            start = line.index(stripped)
            yield Found("person", start, start + len(stripped))
        if len(stripped) <= 12:
            for match in forms.RELATIVE.finditer(line):
                yield Found("person", *match.span())
        for match in forms.FOREIGN.finditer(line):
            yield Found("person", *match.span())
        for match in forms.HAN_WORD.finditer(line):
            yield from self._han_names(line, match.start(), match.end())
        for match in forms.HONORIFIC.finditer(line):
            yield Found("person", *match.span())
        for match in forms.GREETED.finditer(line):
            yield Found("person", *match.span(1))
        for pattern in (forms.WITH_NAME, forms.OWNED):
            for match in pattern.finditer(line):
                if match[1].split(" ")[0].lower() not in words.not_first_names:
                    yield Found("person", *match.span(1))
        for match in forms.LATIN_NAME.finditer(line):
            yield from self._latin_names(match)

    def _han_names(self, line: str, start: int, end: int) -> Iterator[Found]:
        """Chinese names in a run of characters: a family name, then a given name or a title."""
        words = self.words
        place = start
        while place < end - 1:
            double = line[place : place + 2] in words.double_surnames
            length = 2 if double else 1
            if not double and line[place] not in words.surnames:
                place += 1
                continue
            title = next(
                (t for t in words.titles if line.startswith(t, place + length)
                 and place + length + len(t) <= end), None
            )  # fmt: skip
            given = 0
            while given < 2 and place + length + given < end:
                if not double and line[place + length + given] not in words.given:
                    break
                given += 1
            size = 0
            if title is not None:
                size = length + len(title)
            elif given:
                size = self._name_length(line, (start, end), place, length, given)
            if size and line[place : place + size] not in words.not_names:
                yield Found("person", place, place + size)
                place += size
            else:
                place += 1

    def _name_length(
        self, line: str, run: tuple[int, int], place: int, surname: int, given: int
    ) -> int:
        """How many characters the name has; 0: it is none. Short ones need two borders."""
        start, end = run
        for size in range(surname + given, surname, -1):
            text = line[place : place + size]
            if text in self.words.not_names or text[:2] in self.words.not_names:
                continue
            after = line[place + size : place + size + 1]
            ends = place + size == end or after in forms.AFTER_NAME
            begins = place == start or line[place - 1] in forms.BEFORE_NAME
            if size >= 3 and (begins or ends):
                return size
            if begins and (ends or (place > start and line[place - 1] in forms.JOINS)):
                return size
        return 0

    def _latin_names(self, match: re.Match[str]) -> Iterator[Found]:
        """Latin names: a known first or family name among capitalised words."""
        words = self.words
        parts = [
            (part.start() + match.start(), part[0])
            for part in re.finditer(r"[A-Z][\w'’.]*", match[0])
        ]
        place = 0
        while place < len(parts):
            first = parts[place][1].lower()
            rest = [text.lower().rstrip(".") for _, text in parts[place + 1 : place + 3]]
            is_first = first in words.first_names
            size = 0
            if is_first:
                size = 2 if rest and (len(rest[0]) == 1 or rest[0] not in words.labels) else 1
                size += size == 2 and len(rest) == 2 and len(rest[0]) == 1
                if size == 1 and first in words.not_first_names:
                    size = 0
            elif rest and rest[0] in words.last_names and len(parts) <= 3:
                size = 2
            elif rest and rest[0] in words.first_names and first in words.last_names:
                size = 2  # the family name first
            if size:
                last_start, last = parts[place + size - 1]
                yield Found("person", parts[place][0], last_start + len(last))
            place += max(size, 1)


def placeholder(kinds: Iterable[Kind]) -> str:
    """What stands in the place of a private line."""
    return f"[{', '.join(dict.fromkeys(kinds))}]"


def _everywhere(kind: Kind, text: str, lower: str) -> Iterator[Found]:
    place = lower.find(text)
    while place >= 0:
        end = place + len(text)
        inside = text[0].isalnum() and place > 0 and _same_run(lower[place - 1], text[0])
        inside = inside or (end < len(lower) and _same_run(lower[end], text[-1]))
        if not inside:
            yield Found(kind, place, end)
        place = lower.find(text, end)


def _same_run(one: str, other: str) -> bool:
    """Whether two neighbours belong to one word or number; Chinese has no borders."""
    return one.isascii() and other.isascii() and one.isalnum() and other.isalnum()


def may_be(kind: Kind, value: str) -> bool:
    """Whether a value can be of the kind that its label announces."""
    if kind in ("person", "address", "password", "email"):
        return True
    return any(letter.isdigit() or letter in "*•●" for letter in value)


def _is_plain(text: str) -> bool:
    """Whether a text is a small number or time, which stands on many screens by chance."""
    digits = sum(letter.isdigit() for letter in text)
    letters = sum(letter.isalpha() for letter in text)
    return letters == 0 and digits < 5


def _squeeze(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.lower())
