"""Turns tokens into a tree of commands: the part of POSIX sh that device scripts use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from device.virtual_phone.shell.lexer import (
    Literal,
    Operator,
    ShellSyntaxError,
    Token,
    Word,
    split_tokens,
)

_MAX_DEPTH: Final = 40
_RESERVED_ENDS: Final = frozenset({"then", "else", "elif", "fi", "do", "done", "}"})
_REDIRECTS: Final = frozenset({">", ">>", "<", ">&", "<&", "&>"})


@dataclass(frozen=True, slots=True)
class Redirect:
    """`2>file`: the descriptor, the operator and the target word."""

    descriptor: int
    operator: str
    target: Word


@dataclass(frozen=True, slots=True)
class Simple:
    """`NAME=value command argument >file`."""

    assignments: tuple[tuple[str, Word], ...]
    words: tuple[Word, ...]
    redirects: tuple[Redirect, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """`{ ...; }`, or `( ... )` with its own variables and directory."""

    body: Script
    subshell: bool
    redirects: tuple[Redirect, ...]


@dataclass(frozen=True, slots=True)
class If:
    """`if ...; then ...; elif ...; else ...; fi`."""

    branches: tuple[tuple[Script, Script], ...]
    otherwise: Script | None


@dataclass(frozen=True, slots=True)
class For:
    """`for name in words; do ...; done`."""

    name: str
    words: tuple[Word, ...]
    body: Script


@dataclass(frozen=True, slots=True)
class While:
    """`while ...; do ...; done`, or `until`."""

    condition: Script
    body: Script
    until: bool


Node = Simple | Group | If | For | While


@dataclass(frozen=True, slots=True)
class Pipeline:
    """`! a | b`."""

    commands: tuple[Node, ...]
    negated: bool


@dataclass(frozen=True, slots=True)
class AndOr:
    """`a && b || c`; the first operator is empty."""

    links: tuple[tuple[str, Pipeline], ...]
    background: bool


@dataclass(frozen=True, slots=True)
class Script:
    """Commands one after the other."""

    statements: tuple[AndOr, ...]


def parse_script(source: str) -> Script:
    """Reads a whole command line.

    Raises:
        ShellSyntaxError: It isn't one.
    """
    parser = _Parser(split_tokens(source))
    script = parser.script()
    parser.expect_end()
    return script


class _Parser:
    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._at = 0
        self._depth = 0

    def expect_end(self) -> None:
        if self._at < len(self._tokens):
            raise self._unexpected()

    def script(self) -> Script:
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise ShellSyntaxError("commands are nested too deep")
        statements: list[AndOr] = []
        self._skip_newlines(also=";")
        while self._starts_command():
            statement = self._and_or()
            separator = self._operator()
            if separator in (";", "&", "\n"):
                self._at += 1
            statements.append(AndOr(statement, background=separator == "&"))
            if separator not in (";", "&", "\n"):
                break
            self._skip_newlines()
        self._depth -= 1
        return Script(tuple(statements))

    def _and_or(self) -> tuple[tuple[str, Pipeline], ...]:
        links = [("", self._pipeline())]
        while (operator := self._operator()) in ("&&", "||"):
            self._at += 1
            self._skip_newlines()
            links.append((operator, self._pipeline()))
        return tuple(links)

    def _pipeline(self) -> Pipeline:
        negated = False
        while self._reserved() == "!":
            self._at += 1
            negated = not negated
        commands = [self._command()]
        while self._operator() == "|":
            self._at += 1
            self._skip_newlines()
            commands.append(self._command())
        return Pipeline(tuple(commands), negated)

    def _command(self) -> Node:
        if self._operator() == "(":
            self._at += 1
            body = self.script()
            self._take_operator(")")
            return Group(body, subshell=True, redirects=self._redirects())
        match self._reserved():
            case "{":
                self._at += 1
                body = self.script()
                self._take("}")
                return Group(body, subshell=False, redirects=self._redirects())
            case "if":
                return self._if()
            case "for":
                return self._for()
            case "while" | "until" as keyword:
                self._at += 1
                condition = self.script()
                return While(condition, self._do_body(), until=keyword == "until")
            case _:
                return self._simple()

    def _if(self) -> If:
        branches: list[tuple[Script, Script]] = []
        while self._reserved() in ("if", "elif"):
            self._at += 1
            condition = self.script()
            self._take("then")
            branches.append((condition, self.script()))
        otherwise = None
        if self._reserved() == "else":
            self._at += 1
            otherwise = self.script()
        self._take("fi")
        return If(tuple(branches), otherwise)

    def _for(self) -> For:
        self._at += 1
        name = self._reserved()
        if name is None or not name.isidentifier():
            raise self._unexpected()
        self._at += 1
        self._take("in")
        words: list[Word] = []
        while isinstance(token := self._peek(), Word):
            words.append(token)
            self._at += 1
        self._skip_newlines(also=";")
        return For(name, tuple(words), self._do_body())

    def _do_body(self) -> Script:
        self._take("do")
        body = self.script()
        self._take("done")
        return body

    def _simple(self) -> Simple:
        assignments: list[tuple[str, Word]] = []
        words: list[Word] = []
        redirects: list[Redirect] = []
        while (token := self._peek()) is not None:
            if isinstance(token, Operator):
                if token.text not in _REDIRECTS:
                    break
                redirects.extend(self._redirect(token))
                continue
            self._at += 1
            assignment = None if words else _as_assignment(token)
            if assignment is None:
                words.append(token)
            else:
                assignments.append(assignment)
        if not (assignments or words or redirects):
            raise self._unexpected()
        return Simple(tuple(assignments), tuple(words), tuple(redirects))

    def _redirects(self) -> tuple[Redirect, ...]:
        found: list[Redirect] = []
        while isinstance(token := self._peek(), Operator) and token.text in _REDIRECTS:
            found.extend(self._redirect(token))
        return tuple(found)

    def _redirect(self, token: Operator) -> list[Redirect]:
        self._at += 1
        target = self._peek()
        if not isinstance(target, Word):
            raise self._unexpected()
        self._at += 1
        if token.text == "&>":
            one = Word((Literal("1", quoted=False),))
            return [Redirect(1, ">", target), Redirect(2, ">&", one)]
        default = 0 if token.text.startswith("<") else 1
        descriptor = default if token.descriptor is None else token.descriptor
        return [Redirect(descriptor, token.text, target)]

    def _peek(self) -> Token | None:
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def _operator(self) -> str | None:
        token = self._peek()
        return token.text if isinstance(token, Operator) else None

    def _reserved(self) -> str | None:
        token = self._peek()
        return token.plain() if isinstance(token, Word) else None

    def _starts_command(self) -> bool:
        token = self._peek()
        if isinstance(token, Word):
            return token.plain() not in _RESERVED_ENDS
        return token is not None and (token.text == "(" or token.text in _REDIRECTS)

    def _skip_newlines(self, also: str = "") -> None:
        while self._operator() in ("\n", also or "\n"):
            self._at += 1

    def _take(self, keyword: str) -> None:
        if self._reserved() != keyword:
            raise self._unexpected()
        self._at += 1

    def _take_operator(self, text: str) -> None:
        if self._operator() != text:
            raise self._unexpected()
        self._at += 1

    def _unexpected(self) -> ShellSyntaxError:
        token = self._peek()
        if token is None:
            return ShellSyntaxError("syntax error: unexpected EOF")
        text = token.text if isinstance(token, Operator) else (token.plain() or "word")
        shown = "newline" if text == "\n" else text
        return ShellSyntaxError(f"syntax error: unexpected '{shown}'")


def _as_assignment(word: Word) -> tuple[str, Word] | None:
    first = word.parts[0] if word.parts else None
    if not isinstance(first, Literal) or first.quoted or "=" not in first.text:
        return None
    name, _, value = first.text.partition("=")
    if not (name.isascii() and name.isidentifier()):
        return None
    rest = (Literal(value, quoted=False), *word.parts[1:]) if value else word.parts[1:]
    return name, Word(rest)
