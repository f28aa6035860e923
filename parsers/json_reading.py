"""Tolerant JSON: what language models write when they mean JSON.

Good JSON goes through the standard decoder. What that refuses is read by a small parser of our own
that repairs slips whose meaning is plain (Python quotes and literals, trailing commas, lost
brackets, raw newlines and unescaped quotes in strings, full-width punctuation between tokens) and
refuses the rest with a code. Nothing is evaluated. Time is linear in the reply and depth is
bounded, so a hostile reply costs no more than a long one.

Two values are told apart from JSON's own: an unquoted word is a `BareWord`, and an empty place in
a list (`[,,]`) is None.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import Any, Literal, NoReturn

MAX_DEPTH = 64
MAX_OBJECTS = 64
MAX_BRACES = 512

FaultCode = Literal["truncated", "bad_arg", "conflict"]


class BareWord(str):
    """A word that stood without quotes where a value belongs."""

    __slots__ = ()


class JsonFault(ValueError):
    """Text that begins like an object and cannot be read as one.

    Attributes:
        code: The rejection code that fits.
        message: What is wrong, in plain words.
        start: Where the object began.
        end: How far reading came.
        started: Whether at least one `key:` was read, so that it is more than a brace in prose.
        final: Whether nothing after it can be trusted either.
    """

    def __init__(
        self,
        code: FaultCode,
        message: str,
        start: int,
        end: int,
        started: bool,
        final: bool = False,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.start = start
        self.end = end
        self.started = started
        self.final = final


@dataclass(frozen=True, slots=True)
class JsonObject:
    """One object found in a text.

    Attributes:
        value: Its content.
        start: Index of its opening brace.
        end: Index after its closing brace.
        repairs: What had to be mended to read it.
    """

    value: dict[str, Any]
    start: int
    end: int
    repairs: tuple[str, ...] = ()


class DuplicateKeyError(Exception):
    """A key of an object stands twice with different values."""


def pairs_to_dict(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A hook for `json`: an object whose keys do not contradict each other.

    Raises:
        DuplicateKeyError: Two of them do.
    """
    result = dict(pairs)
    if len(result) != len(pairs):
        for key, value in pairs:
            if not _same(result[key], value):
                raise DuplicateKeyError(key)
    return result


def _same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and bool(one == other)


def _read_int(digits: str) -> int | float:
    # Python refuses to convert very long digit runs; as a float they are merely out of range.
    return int(digits) if len(digits) < 20 else float(digits)


_STRICT = json.JSONDecoder(
    object_pairs_hook=pairs_to_dict, parse_int=_read_int, strict=False, parse_float=float
)

_END_MARK = re.compile(
    r"</?tool_call>|</answer>|</action>|<conclusion>|<\|(?:im_end|end_of_box|endoftext)\|>"
    r"|^[ \t]*```|⚗|📐|^### ",
    re.MULTILINE,
)
_JSON_BEGINS = re.compile(r'\{\s*["}]')
_SPACE = re.compile(r"(?:\s|//[^\n]*)*")
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.])", re.ASCII)
_LITERALS: dict[str, Any] = {
    "true": True,
    "True": True,
    "false": False,
    "False": False,
    "null": None,
    "None": None,
    "NaN": float("nan"),
    "nan": float("nan"),
    "Infinity": float("inf"),
    "-Infinity": float("-inf"),
    "inf": float("inf"),
    "-inf": float("-inf"),
}
_BARE = re.compile(
    r"[^\s,，、:：{}\[\]()\"'“”](?:[^,，{}\[\]()\"'“”\n]{0,200}[^\s,，{}\[\]()\"'“”])?"
)
_QUOTED_KEY = re.compile(r"[\"'“]([^\"'“”\\\n]{1,80})[\"'”]\s*[:：]")
_BARE_KEY = re.compile(r"([A-Za-z_][\w -]{0,60}?)\s*[:：]")
_CUT_KEY = re.compile(r"[\"'“]?[\w -]{0,80}\Z")
_STRING_STEP = {
    '"': re.compile(r'[^"\\]*(?:\\.[^"\\]*)*', re.DOTALL),
    "'": re.compile(r"[^'\\]*(?:\\.[^'\\]*)*", re.DOTALL),
    "“": re.compile(r"[^”\"\\]*(?:\\.[^”\"\\]*)*", re.DOTALL),
}
_ENDS_VALUE = re.compile(
    r"\s*(?:[,，]\s*(?:[\"'“][^\"'“”\\\n]{1,80}[\"'”]|[A-Za-z_]\w{0,60})\s*[:：]"
    r"|[,，]?\s*[}\]][\s}\])]*+(?![\"'”])"
    r"|\Z)"
)
_ENDS_ITEM = re.compile(r"\s*(?:[,，]\s*[\"'“\d\[{(-]|[,，]?\s*[\])])")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_CLOSER = {"[": "]", "(": ")"}


def read_objects(text: str, start: int = 0) -> list[JsonObject | JsonFault]:
    """Find the outermost JSON objects in a text, in order.

    A damaged object reaches at most to the next end mark (a closing tag, a fence, an end token);
    a good one may hold such a mark inside a text. Before a mark the last value is known to be
    whole even where its brackets are lost; at the bare end of the text it may have been cut.

    Returns:
        Objects and, in their place, what began like an object and could not be read. Braces in
        prose are passed over.
    """
    found: list[JsonObject | JsonFault] = []
    marks: list[int] | None = None
    braces = 0
    position = text.find("{", start)
    while position >= 0:
        piece = _read_strictly(text, position)
        if piece is None:
            if marks is None:
                marks = [mark.start() for mark in _END_MARK.finditer(text, position)]
            place = bisect_right(marks, position)
            closed = place < len(marks)
            limit = marks[place] if closed else len(text)
            piece = _Reader(text, position, limit, closed).read()
        if isinstance(piece, JsonObject) or piece.started:
            found.append(piece)
        if isinstance(piece, JsonFault) and piece.final:
            break
        braces += 1
        if len(found) >= MAX_OBJECTS or braces >= MAX_BRACES:
            end = len(text)
            found.append(JsonFault("bad_arg", "far too many braces", position, end, True, True))
            break
        position = text.find("{", max(piece.end, position + 1))
    return found


def _read_strictly(text: str, start: int) -> JsonObject | JsonFault | None:
    """Read good JSON; None where it is not good."""
    if _JSON_BEGINS.match(text, start) is None:
        return None
    try:
        value, stop = _STRICT.raw_decode(text, start)
    except DuplicateKeyError as error:
        message = f"the key {error} stands twice with different values"
        return JsonFault("conflict", message, start, len(text), True)
    except RecursionError:
        return JsonFault("bad_arg", "brackets nested too deeply", start, len(text), True, True)
    except ValueError:
        return None
    # A quote right after the object means that it ended inside a text with loose quotes.
    return None if text.startswith(('"', "'"), stop) else JsonObject(value, start, stop)


class _Reader:
    """Reads one object tolerantly; keeps its place, its repairs and where it ends."""

    def __init__(self, text: str, start: int, limit: int, closed: bool) -> None:
        self.text = text
        self.start = start
        self.position = start
        self.limit = limit
        self.closed = closed
        self.started = False
        self.repairs: dict[str, None] = {}

    def read(self) -> JsonObject | JsonFault:
        try:
            value = self._object(0)
        except JsonFault as fault:
            return fault
        return JsonObject(value, self.start, self.position, tuple(self.repairs))

    def _fail(self, code: FaultCode, message: str, final: bool = False) -> NoReturn:
        raise JsonFault(code, message, self.start, self.position, self.started, final)

    def _peek(self) -> str:
        """The next character that is not space, or "" at the limit."""
        match = _SPACE.match(self.text, self.position, self.limit)
        self.position = match.end() if match else self.position
        return self.text[self.position] if self.position < self.limit else ""

    def _repair(self, what: str) -> None:
        self.repairs[what] = None

    def _object(self, depth: int) -> dict[str, Any]:
        if depth > MAX_DEPTH:
            self._fail("bad_arg", "brackets nested too deeply", final=True)
        self.position += 1
        result: dict[str, Any] = {}
        whole = False
        while True:
            mark = self._peek()
            if mark == "}":
                self.position += 1
                return result
            if mark == "":
                # After a comma another pair was to come: what is there may not be all.
                if whole:
                    self._repair("lost closing bracket")
                    return result
                self._fail("truncated", "the object breaks off")
            if mark in ",，":
                whole = False
                self.position += 1
                continue
            if mark == "]" and whole:
                # One bracket too many or the wrong kind; the pairs are whole all the same.
                self.position += 1
                self._repair("wrong closing bracket")
                continue
            key = self._key()
            value = self._value(depth + 1, key)
            if key in result and not _same(result[key], value):
                self._fail("conflict", f"the key {key} stands twice with different values")
            result[key] = value
            whole = True
            after = self._peek()
            if after and after not in ",，}]\"'“":
                self._fail("bad_arg", f"unexpected text after the value of {key}")

    def _key(self) -> str:
        match = _QUOTED_KEY.match(self.text, self.position, self.limit)
        if match is None:
            match = _BARE_KEY.match(self.text, self.position, self.limit)
            if match is not None:
                self._repair("key without quotes")
        if match is None:
            if self.started and _CUT_KEY.match(self.text, self.position, self.limit):
                self.position = self.limit
                self._fail("truncated", "the object breaks off inside a key")
            self._fail("bad_arg", "not a key")
        self.position = match.end()
        self.started = True
        return match.group(1)

    def _value(self, depth: int, key: str) -> Any:
        mark = self._peek()
        if mark == "":
            self._fail("truncated", f"the value of {key} is missing")
        if mark in "\"'“":
            return self._string(mark, _ENDS_VALUE)
        if mark == "{":
            return self._object(depth)
        if mark in "[(":
            return self._list(depth)
        return self._scalar()

    def _list(self, depth: int) -> list[Any]:
        if depth > MAX_DEPTH:
            self._fail("bad_arg", "brackets nested too deeply", final=True)
        closer = _CLOSER[self.text[self.position]]
        self.position += 1
        items: list[Any] = []
        whole = False
        while True:
            mark = self._peek()
            if mark == "":
                if self.closed and whole:
                    self._repair("lost closing bracket")
                    return items
                self._fail("truncated", "the list breaks off")
            if mark in "])":
                if mark != closer:
                    self._repair("wrong closing bracket")
                self.position += 1
                return items
            if mark == "}" and whole:
                self._repair("lost closing bracket")
                return items
            if mark in ",，":
                if not whole:
                    items.append(None)
                whole = False
                self.position += 1
                continue
            if mark in "\"'“":
                items.append(self._string(mark, _ENDS_ITEM))
            elif mark == "{":
                items.append(self._object(depth + 1))
            elif mark in "[(":
                items.append(self._list(depth + 1))
            else:
                items.append(self._scalar())
            whole = True

    def _scalar(self) -> Any:
        match = _NUMBER.match(self.text, self.position, self.limit)
        if match is None:
            match = _BARE.match(self.text, self.position, self.limit)
        if match is None:
            self._fail("bad_arg", "not a value")
        self.position = match.end()
        word = match.group()
        if word in _LITERALS:
            return _LITERALS[word]
        if match.end() == self.limit and not self.closed:
            self._fail("truncated", "the last value breaks off")
        if match.re is _NUMBER:
            number = word.lstrip("+")
            return float(number) if any(c in number for c in ".eE") else _read_int(number)
        self._repair("value without quotes")
        return BareWord(word)

    def _string(self, quote: str, ends: re.Pattern[str]) -> str:
        step = _STRING_STEP[quote]
        begin = at = self.position + 1
        first = self.limit  # where the first quote stands
        while True:
            match = step.match(self.text, at, self.limit)
            at = match.end() if match else self.limit
            first = min(first, at)
            if at >= self.limit:
                self.position = self.limit
                self._fail("truncated", "a text breaks off before its closing quote")
            if self.text[at] == "\\":
                # A lone backslash as the very last character.
                self.position = self.limit
                self._fail("truncated", "a text breaks off before its closing quote")
            if ends.match(self.text, at + 1, self.limit):
                if at > first and not self.text[at + 1 : self.limit].strip():
                    # Closed by a guess alone: the next key may have been on its way.
                    self._fail("truncated", "a text breaks off, or its object does")
                self.position = at + 1
                if quote != '"':
                    self._repair("quotes that are not JSON's")
                return _unescape(self.text[begin:at])
            self._repair("unescaped quote in a text")
            at += 1


def _unescape(text: str) -> str:
    if "\\" not in text:
        return text
    plain = _ESCAPE.sub(_unescape_one, text)
    try:
        # \ud83d\ude00 is one character written as two halves.
        return plain.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    except UnicodeDecodeError:
        return plain


def _unescape_one(match: re.Match[str]) -> str:
    what = match.group(1)
    if len(what) == 5:
        return chr(int(what[1:], 16))
    if what in _ESCAPED:
        return _ESCAPED[what]
    # Not an escape of JSON: a path such as C:\dir keeps its backslash.
    return what if what in "\"'\\/\n“”" else "\\" + what
