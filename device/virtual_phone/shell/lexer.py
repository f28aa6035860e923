"""Splits a command line into words and operators.

A word keeps its parts apart (literal text, variables, substitutions; quoted or not), because what
is quoted is neither split into fields nor matched against file names.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

OPERATORS: Final = (
    ";;", "&&", "||", ">>", "<<", ">&", "<&", "&>", "|", "&", ";", "<", ">", "(", ")", "\n",
)  # fmt: skip
_NAME_START: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_")
_NAME: Final = _NAME_START | frozenset("0123456789")
_WORD_END: Final = frozenset(" \t\n|&;<>()")
_MAX_LENGTH: Final = 1_000_000


class ShellSyntaxError(ValueError):
    """A command line that the shell can't read; the text is what mksh prints after its name."""


@dataclass(frozen=True, slots=True)
class Literal:
    """Plain text."""

    text: str
    quoted: bool


@dataclass(frozen=True, slots=True)
class Variable:
    """`$NAME`, `${NAME}`, `${NAME:-default}`, `$?`, `$1`, `$@`."""

    name: str
    quoted: bool
    operator: str = ""
    argument: str = ""


@dataclass(frozen=True, slots=True)
class Substitution:
    """`$(command)` or backticks: replaced by the command's output."""

    source: str
    quoted: bool


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """`$((expression))`: replaced by its value."""

    expression: str
    quoted: bool


Part = Literal | Variable | Substitution | Arithmetic


@dataclass(frozen=True, slots=True)
class Word:
    """One word, in parts."""

    parts: tuple[Part, ...]

    def plain(self) -> str | None:
        """The text of a word that is neither quoted nor expanded; None for other words."""
        if len(self.parts) == 1 and isinstance(self.parts[0], Literal):
            return None if self.parts[0].quoted else self.parts[0].text
        return None


@dataclass(frozen=True, slots=True)
class Operator:
    """`|`, `&&`, `>` and so on; for a redirect also the descriptor written before it."""

    text: str
    descriptor: int | None = None


Token = Word | Operator


def split_tokens(source: str) -> list[Token]:
    """Reads a whole command line.

    Raises:
        ShellSyntaxError: A quote or parenthesis isn't closed.
    """
    if len(source) > _MAX_LENGTH:
        raise ShellSyntaxError("command line too long")
    return _Lexer(source).tokens()


class _Lexer:
    def __init__(self, source: str) -> None:
        self._source = source
        self._at = 0

    def tokens(self) -> list[Token]:
        found: list[Token] = []
        while self._at < len(self._source):
            char = self._source[self._at]
            if char in " \t\r":
                self._at += 1
            elif self._source.startswith("\\\n", self._at):
                self._at += 2
            elif char == "#":
                self._skip_comment()
            elif (operator := self._operator()) is not None:
                found.append(operator)
            else:
                found.append(self._word())
        return found

    def _skip_comment(self) -> None:
        end = self._source.find("\n", self._at)
        self._at = len(self._source) if end < 0 else end

    def _operator(self) -> Operator | None:
        at = self._at
        descriptor = None
        if self._source[at] in "0123456789" and self._source[at + 1 : at + 2] in ("<", ">"):
            descriptor = int(self._source[at])
            at += 1
        for text in OPERATORS:
            if self._source.startswith(text, at):
                self._at = at + len(text)
                return Operator(text, descriptor)
        return None

    def _word(self) -> Word:
        parts: list[Part] = []
        text = ""
        while self._at < len(self._source) and self._source[self._at] not in _WORD_END:
            char = self._source[self._at]
            if char in "\\'\"$`":
                if text:
                    parts.append(Literal(text, quoted=False))
                    text = ""
                parts.extend(self._special(char))
            else:
                text += char
                self._at += 1
        if text:
            parts.append(Literal(text, quoted=False))
        return Word(tuple(parts))

    def _special(self, char: str) -> list[Part]:
        match char:
            case "\\":
                escaped = self._source[self._at + 1 : self._at + 2]
                self._at += 2
                if escaped == "\n":
                    return []
                return [Literal(escaped or "\\", quoted=True)]
            case "'":
                return [self._single_quoted()]
            case '"':
                return self._double_quoted()
            case _:
                return [self._expansion(quoted=False)]

    def _single_quoted(self) -> Literal:
        end = self._source.find("'", self._at + 1)
        if end < 0:
            raise ShellSyntaxError("no closing quote")
        text = self._source[self._at + 1 : end]
        self._at = end + 1
        return Literal(text, quoted=True)

    def _double_quoted(self) -> list[Part]:
        parts: list[Part] = []
        text = ""
        self._at += 1
        while self._at < len(self._source):
            char = self._source[self._at]
            if char == '"':
                self._at += 1
                return [*parts, Literal(text, quoted=True)]
            if char == "\\" and self._source[self._at + 1 : self._at + 2] in tuple('$`"\\\n'):
                escaped = self._source[self._at + 1]
                text += "" if escaped == "\n" else escaped
                self._at += 2
            elif char in "$`":
                parts.append(Literal(text, quoted=True))
                parts.append(self._expansion(quoted=True))
                text = ""
            else:
                text += char
                self._at += 1
        raise ShellSyntaxError("no closing quote")

    def _expansion(self, *, quoted: bool) -> Part:
        source, at = self._source, self._at
        if source[at] == "`":
            return self._backticks(quoted=quoted)
        if source.startswith("$((", at):
            end = self._closing(at + 3, depth=2)
            if source[end - 1] == ")":
                self._at = end + 1
                return Arithmetic(source[at + 3 : end - 1], quoted)
        if source.startswith("$(", at):
            end = self._closing(at + 2, depth=1)
            self._at = end + 1
            return Substitution(source[at + 2 : end], quoted)
        if source.startswith("${", at):
            return self._braced(quoted=quoted)
        following = source[at + 1 : at + 2]
        if following and following in "?$!#@*-0123456789":
            self._at += 2
            return Variable(following, quoted)
        end = at + 1
        if following in _NAME_START:
            while end < len(source) and source[end] in _NAME:
                end += 1
        self._at = end
        return Variable(source[at + 1 : end], quoted) if end > at + 1 else Literal("$", quoted)

    def _backticks(self, *, quoted: bool) -> Substitution:
        text = ""
        at = self._at + 1
        while at < len(self._source):
            char = self._source[at]
            if char == "`":
                self._at = at + 1
                return Substitution(text, quoted)
            if char == "\\" and self._source[at + 1 : at + 2] in ("`", "\\", "$"):
                at += 1
                char = self._source[at]
            text += char
            at += 1
        raise ShellSyntaxError("no closing quote")

    def _braced(self, *, quoted: bool) -> Variable:
        end = self._source.find("}", self._at)
        if end < 0:
            raise ShellSyntaxError("no closing quote")
        inside = self._source[self._at + 2 : end]
        self._at = end + 1
        length = len(inside) - len(inside.lstrip("".join(_NAME)))
        name, rest = inside[:length], inside[length:]
        if inside in ("?", "$", "#", "@", "*"):
            return Variable(inside, quoted)
        if inside.startswith("#") and len(inside) > 1 and set(inside[1:]) <= _NAME:
            return Variable(inside[1:], quoted, "length")
        for operator in (":-", ":+", ":=", "-", "+", "##", "#", "%%", "%"):
            if name and rest.startswith(operator):
                return Variable(name, quoted, operator, rest[len(operator) :])
        if not name or rest:
            raise ShellSyntaxError(f"${{{inside}}}: bad substitution")
        return Variable(name, quoted)

    def _closing(self, start: int, depth: int) -> int:
        """Position of the parenthesis that closes the open ones, quotes left out."""
        at = start
        while at < len(self._source):
            char = self._source[at]
            if char == "\\":
                at += 1
            elif char in "'\"`":
                end = at + 1
                while end < len(self._source) and self._source[end] != char:
                    end += 2 if self._source[end] == "\\" and char != "'" else 1
                at = end
            elif char == "(":
                depth += 1
            elif char == ")":
                depth -= 1
                if depth == 0:
                    return at
            at += 1
        raise ShellSyntaxError("no closing quote")
