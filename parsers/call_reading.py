"""Reading calls such as `click(start_box='(500,320)')` out of a reply. Nothing is ever evaluated.

A call is first cut by the ordinary rules of quotes and brackets; only where those do not hold
(an unescaped quote, full-width brackets, a lost bracket) the tolerant cut is tried. Values stay
data: a quoted text is a `str`, a text that lost its end is a `Cut`, all else is a `Bare`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

from parsers.reading import Bare, Cut, Reading, Refused, clip

_BRACKET = re.compile(r"[(（]")
_NAME_BEFORE = re.compile(r"(?<![\w.])([A-Za-z_][\w.]{0,60})[ \t]{0,3}$", re.ASCII)
_CLAUSE_ENDS = "\n:：>。;；"
_LEXEME = re.compile(
    r"\"(?:[^\"\\]|\\.)*+\"|'(?:[^'\\]|\\.)*+'|[()\[\]{},=:]|[\"'“”‘’（）［］【】，＝：]", re.DOTALL
)
_OPEN, _CLOSE = "([{", ")]}"
_NAME_AHEAD = r"[A-Za-z_]\w{0,40}\s*[=＝]"
_KEYWORD = re.compile(r"([A-Za-z_]\w{0,40})\s*[=＝]\s*")
_NUMBER_AHEAD = re.compile(r"([+-]?\d+(?:\.\d*)?|[+-]?\.\d+)\s*(?=[,，)）]|$)", re.ASCII)
_CLOSERS = {"'": "'", '"': '"', "“": '”"', "‘": "’'", "”": '”"', "’": "’'", "「": "」"}
_BRACKET_CLOSER = {"(": ")）", "[": "]］】", "{": "}", "（": "）)", "［": "］]", "【": "】]"}
_NO_COMMA = re.compile(r"[\"'”’]\s{1,3}" + _NAME_AHEAD + r"\s*[\[(（\"'\d].*[)）]\s*\Z", re.DOTALL)
_EXPRESSION = re.compile(r"[\"']\s*[+%*]\s*[\"']|[\"']\s*[.%]\s*(?:format|join)?\s*\(")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"', "/": "/", "\n": ""}
_NO_WORD = re.compile(r"\b(?:action|操作|动作)\b|</?\w{1,20}>|```\w{0,12}", re.IGNORECASE)
_DANGLING_LABEL = re.compile(
    r"(?:^|\n)[ \t*#]{0,9}(?:actions?|grounded operation|操作|动作)[ *#]{0,9}[:：][\s*`]{0,20}\Z",
    re.IGNORECASE,
)
ARGUMENTS_MAX = 40
CALLS_MAX = 40
HEADS_MAX = 2000
"""Bounds for hostile replies: an honest one has one call."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a reply.

    Attributes:
        name: As it was written.
        arguments: (keyword or None, value) in order.
        start: Where the name begins in the text.
        end: Just behind the closing bracket.
        cut: The closing bracket is lost.
        known: The dialect knows the name.
        rests: For each argument the text from its value to the closing bracket: what an unquoted
            text with commas in it was meant to be.
    """

    name: str
    arguments: tuple[tuple[str | None, object], ...]
    start: int = 0
    end: int = 0
    cut: bool = False
    known: bool = True
    rests: tuple[str, ...] = field(default=(), compare=False, repr=False)

    def same_as(self, other: Call) -> bool:
        return self.name.lower() == other.name.lower() and self.arguments == other.arguments


class _Cutting(NamedTuple):
    arguments: tuple[tuple[str | None, object], ...]
    end: int
    cut: bool
    rests: tuple[str, ...] = ()


def read_calls(text: str, knows: Callable[[str], bool], reading: Reading) -> list[Call]:
    """All calls of a text, in order. A call inside another's quoted argument is no call.

    A name that the dialect does not know is a call only where it begins a line or a clause.

    Args:
        text: What is left of the reply when the thought is off.
        knows: Whether a (lower-case) name is a function of the dialect.
        reading: Takes the repairs.
    """
    calls: list[Call] = []
    unknown: Call | None = None
    position = 0
    heads = _find_heads(text)
    for place, head in enumerate(heads):
        if head.start < position:
            continue
        if not knows(head.name.lower()):
            if unknown is None and not calls and head.begins_clause:
                unknown = Call(head.name, (), head.start, head.end, known=False)
            continue
        found = _cut_strictly(text, head.end)
        if found is None:
            following = (h.start for h in heads[place + 1 :] if _begins_line(text, h, knows))
            limit = next(following, len(text))
            found = _cut_tolerantly(text[: _trim(text, limit)], head.end, reading)
        calls.append(
            Call(head.name, found.arguments, head.start, found.end, found.cut, rests=found.rests)
        )
        position = found.end
        if len(calls) >= CALLS_MAX:
            break
    return calls if unknown is None else [unknown, *calls]


class _Head(NamedTuple):
    """A name and its opening bracket."""

    name: str
    start: int
    end: int
    begins_clause: bool


def _find_heads(text: str) -> list[_Head]:
    """Everything that looks like `name(`, looked for from the bracket backwards: it is rarer."""
    heads: list[_Head] = []
    for bracket in islice(_BRACKET.finditer(text), HEADS_MAX):
        match = _NAME_BEFORE.search(text, max(0, bracket.start() - 64), bracket.start())
        if match is None:
            continue
        start = match.start(1)
        before = text[max(0, start - 40) : start].rstrip(" \t")
        clause = match.end(1) == bracket.start() and (not before or before[-1] in _CLAUSE_ENDS)
        heads.append(_Head(match.group(1), start, bracket.end(), clause))
    return heads


def choose_call(
    calls: Sequence[Call],
    is_stop: Callable[[Call], bool],
    text: str,
    reading: Reading,
    *,
    drafts: bool = False,
) -> Call:
    """The one call that a reply means.

    The same call twice is one; several acts: the first, with a warning; an act and a stop exclude
    each other.

    Args:
        calls: In order.
        is_stop: Whether a call ends the task.
        text: The text that they stand in.
        reading: Takes the warnings.
        drafts: The dialect's thought stands untagged before the call: then calls that prose
            separates from the last ones were only thought about.

    Raises:
        Refused: `no_action`, `unknown_action` or `multiple_actions`.
    """
    if not calls:
        raise Refused("no_action", "there is no action call in the reply", clip(text))
    chosen = list(calls)
    if drafts:
        start = len(chosen) - 1
        while start > 0 and not _is_prose(text[chosen[start - 1].end : chosen[start].start]):
            start -= 1
        if start and is_stop(chosen[start]) and not all(is_stop(call) for call in chosen):
            raise Refused("multiple_actions", "an act and a stop in one reply", chosen[start].name)
        if start:
            reading.warn("a call inside the thought was left out")
        chosen = chosen[start:]
    first = chosen[0]
    if not first.known:
        raise Refused("unknown_action", "there is no such action", first.name)
    others = [call for call in chosen[1:] if not call.same_as(first)]
    if any(is_stop(call) != is_stop(first) for call in others):
        raise Refused("multiple_actions", "an act and a stop in one reply: give one", first.name)
    if others:
        if is_stop(first):
            raise Refused("multiple_actions", "two different stops in one reply", first.name)
        reading.warn("several actions in one reply: the first is taken")
    behind = text[chosen[-1].end :]
    if _DANGLING_LABEL.search(behind):
        raise Refused("no_action", "nothing stands behind the action's label", clip(behind))
    if is_stop(first) and _is_prose(behind) and _is_inside_a_line(text, first.start):
        raise Refused("no_action", "an end is mentioned inside a sentence, not given", first.name)
    if reading.from_reasoning and _is_prose(behind):
        raise Refused("no_action", "the reasoning does not end with a whole action", clip(text))
    if first.cut:
        reading.repair("the closing bracket is missing")
    return first


def unescape(text: str) -> str:
    """Resolve backslash escapes as Python and JSON know them; an unknown one stays as it is."""
    if "\\" not in text:
        return text
    plain = _ESCAPE.sub(_resolve, text)
    try:
        return plain.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        return plain


def _resolve(match: re.Match[str]) -> str:
    code = match.group(1)
    if len(code) > 1:
        return chr(int(code[1:], 16))
    return _ESCAPED.get(code, match.group(0))


# --- cutting by the ordinary rules ------------------------------------------------------------


def _cut_strictly(text: str, start: int) -> _Cutting | None:
    """Cut the arguments behind an opening bracket; None where quotes or brackets do not add up."""
    arguments: list[tuple[str | None, object]] = []
    begins: list[int] = []
    depth, begin, equals = 1, start, -1
    for match in _LEXEME.finditer(text, start):
        lexeme = match.group()
        if len(lexeme) > 1:
            continue
        if lexeme in _OPEN:
            depth += 1
            if depth > 8:
                return None
        elif lexeme in _CLOSE:
            depth -= 1
        elif lexeme == "=":
            equals = match.start() if depth == 1 and equals < 0 else equals
            continue
        elif lexeme == ":":
            continue
        elif lexeme != ",":
            return None
        if (depth == 1 and lexeme == ",") or depth == 0:
            if text[begin : match.start()].strip():
                argument = _read_argument(text, begin, match.start(), equals)
                if argument is None or len(arguments) >= ARGUMENTS_MAX:
                    return None
                arguments.append(argument)
                begins.append(equals + 1 if argument[0] is not None else begin)
            if depth == 0:
                rests = tuple(text[place : match.start()].strip() for place in begins)
                return _Cutting(tuple(arguments), match.end(), False, rests)
            begin, equals = match.end(), -1
    return None


def _read_argument(
    text: str, begin: int, end: int, equals: int
) -> tuple[str | None, object] | None:
    keyword: str | None = None
    if equals >= 0:
        keyword = text[begin:equals].strip()
        if not keyword.isidentifier() or not keyword.isascii():
            return None
        begin = equals + 1
    raw = text[begin:end].strip()
    if raw[:1] in "\"'":
        whole = _LEXEME.fullmatch(raw)
        if whole is None or len(raw) < 2:
            return None
        return keyword, unescape(raw[1:-1])
    return keyword, Bare(raw)


# --- cutting tolerantly -----------------------------------------------------------------------


def _cut_tolerantly(text: str, start: int, reading: Reading) -> _Cutting:
    """Cut the arguments of a damaged call that runs at most to the end of `text`."""
    arguments: list[tuple[str | None, object]] = []
    position = start
    while len(arguments) < ARGUMENTS_MAX:
        position = _skip(text, position, " \t\r\n,，")
        if position >= len(text):
            if text[:position].rstrip()[-1:] in ("(", "（", ",", "，"):
                arguments.append((None, Cut("")))  # one more was to come
            return _Cutting(tuple(arguments), len(text), True)
        if text[position] in ")）":
            return _Cutting(tuple(arguments), position + 1, False)
        keyword = None
        match = _KEYWORD.match(text, position)
        if match:
            keyword, position = match.group(1), match.end()
        value, position = _cut_value(text, position, reading)
        arguments.append((keyword, value))
    raise Refused("bad_arg", "the call has too many arguments", text[start : start + 200])


def _cut_value(text: str, position: int, reading: Reading) -> tuple[object, int]:
    opening = text[position : position + 1]
    if not opening:
        return Cut(""), position
    if opening in _CLOSERS:
        return _cut_quoted(text, position + 1, _CLOSERS[opening], reading)
    if opening in _BRACKET_CLOSER:
        end = _find_bracket_end(text, position)
        return (Cut(text[position:]), len(text)) if end < 0 else (Bare(text[position:end]), end)
    number = _NUMBER_AHEAD.match(text, position)
    if number:
        if number.end() >= len(text):
            return Cut(number.group(1)), len(text)
        return Bare(number.group(1)), number.end()
    following = re.compile(r"[,，]\s*" + _NAME_AHEAD).search(text, position)
    end = following.start() if following else max(text.rfind(")"), text.rfind("）"))
    if end < position:
        return Cut(text[position:]), len(text)
    return Bare(text[position:end].strip()), end


def _cut_quoted(text: str, begin: int, closers: str, reading: Reading) -> tuple[object, int]:
    """A quoted text whose quotes do not add up: the longest text that still ends the call."""
    # An escaped quote closes nothing.
    quote = rf"(?<!\\)(?:\\\\)*+(?P<quote>[{closers}])"
    end = re.compile(quote + r"\s*(?=[,，]\s*" + _NAME_AHEAD + ")").search(text, begin)
    if end is None:
        for ending in (r"\s*(?=[)）]\s*[.。;；]?\s*(?:\n|$|<|```))", r"\s*(?=[)）])", r"\s*$"):
            for found in re.compile(quote + ending).finditer(text, begin):
                end = found
            if end is not None:
                break
    if end is None:
        if _NO_COMMA.search(text, begin):
            raise Refused("bad_arg", "a comma is missing between two arguments", text[begin:])
        return Cut(text[begin:]), len(text)
    raw = text[begin : end.start("quote")]
    if _EXPRESSION.search(raw):
        raise Refused("bad_arg", "an argument must be a plain value, not an expression", raw)
    if any(closer in raw for closer in closers):
        reading.repair("an unescaped quote inside a text")
    return unescape(raw), end.end()


def _find_bracket_end(text: str, position: int) -> int:
    """Behind the bracket that matches the one at `position`, within 400 characters; else -1."""
    depth = 0
    for place in range(position, min(len(text), position + 400)):
        char = text[place]
        if char in _BRACKET_CLOSER:
            depth += 1
        elif char in ")]}）］】":
            depth -= 1
            if depth == 0:
                return place + 1
    return -1


def _skip(text: str, position: int, chars: str) -> int:
    while position < len(text) and text[position] in chars:
        position += 1
    return position


def _trim(text: str, limit: int) -> int:
    return len(text[:limit].rstrip())


def _begins_line(text: str, head: _Head, knows: Callable[[str], bool]) -> bool:
    line = text[max(0, head.start - 40) : head.start].rpartition("\n")
    alone = line[1] and not line[2].strip(" \t*").removesuffix(":").removesuffix("：").strip()
    labelled = line[1] and line[2].strip(" \t*:：").lower() == "action"
    return bool(alone or labelled) and knows(head.name.lower())


def _is_prose(gap: str) -> bool:
    """Whether words stand between two calls (labels, tags and list numbers are no words)."""
    return bool(re.search(r"[^\W\d_]", _NO_WORD.sub("", gap)))


_OPENING = "<function_calls>"


def _is_inside_a_line(text: str, position: int) -> bool:
    """Whether words stand before a call, or before the tag that opens it, on its line."""
    head = text[:position].rstrip()
    if head.endswith(_OPENING):
        position = len(head) - len(_OPENING)
    return _is_prose(text[text.rfind("\n", 0, position) + 1 : position])
