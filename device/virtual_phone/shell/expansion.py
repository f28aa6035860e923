"""Turns words into arguments: variables, substitutions, field splitting, file name patterns."""

from __future__ import annotations

import fnmatch
import glob
from collections.abc import Awaitable, Callable, Mapping
from typing import Final, assert_never

from device.virtual_phone.fs import FileSystem
from device.virtual_phone.shell.arithmetic import compute
from device.virtual_phone.shell.lexer import (
    Arithmetic,
    Literal,
    Part,
    Substitution,
    Variable,
    Word,
)

_BLANKS: Final = " \t\n"

#: A field under construction: pieces of text, each quoted or not.
Field = list[tuple[str, bool]]


class Expander:
    """Expands the words of one interpreter."""

    def __init__(
        self,
        fs: FileSystem,
        cwd: str,
        variables: Mapping[str, str],
        parameters: list[str],
        run: Callable[[str], Awaitable[str]],
    ) -> None:
        """Takes what the words may refer to.

        Args:
            fs: For file name patterns.
            cwd: Directory that relative patterns start from.
            variables: Values by name, `?` and `$` among them.
            parameters: `$0`, `$1`, ...
            run: Runs a command line and gives its output.
        """
        self._fs = fs
        self._cwd = cwd
        self._variables = variables
        self._parameters = parameters
        self._run = run

    async def fields(self, words: tuple[Word, ...]) -> list[str]:
        """All words as arguments; one word may become none or many."""
        found: list[str] = []
        for word in words:
            plain = word.plain()
            if plain is not None and not _has_pattern(plain) and not plain.startswith("~"):
                found.append(plain)
                continue
            for field in await self._split(word):
                found.extend(self._match_files(field))
        return found

    async def text(self, word: Word) -> str:
        """A word as one text, without splitting: for assignments and redirects."""
        return "".join([await self._value(part) for part in word.parts])

    async def _split(self, word: Word) -> list[Field]:
        fields: list[Field] = []
        current: Field | None = None
        for part in word.parts:
            if isinstance(part, Variable) and part.name == "@" and part.quoted:
                for position, parameter in enumerate(self._parameters[1:]):
                    if position > 0 and current is not None:
                        fields.append(current)
                        current = None
                    current = [*(current or []), (parameter, True)]
                continue
            value = await self._value(part)
            if part.quoted or isinstance(part, Literal):
                current = [*(current or []), (value, part.quoted)]
                continue
            if value[:1] and value[0] in _BLANKS and current is not None:
                fields.append(current)
                current = None
            chunks = value.split()
            for position, chunk in enumerate(chunks):
                if position > 0 and current is not None:
                    fields.append(current)
                    current = None
                current = [*(current or []), (chunk, False)]
            if chunks and value[-1] in _BLANKS and current is not None:
                fields.append(current)
                current = None
        if current is not None:
            fields.append(current)
        return fields

    async def _value(self, part: Part) -> str:
        match part:
            case Literal():
                return part.text
            case Substitution():
                return (await self._run(part.source)).rstrip("\n")
            case Arithmetic():
                return str(compute(part.expression, self._variables))
            case Variable():
                return self._variable(part)
            case _ as never:
                assert_never(never)

    def _variable(self, part: Variable) -> str:
        value = self._lookup(part.name)
        argument = part.argument.strip("\"'")
        match part.operator:
            case "length":
                return str(len(value or ""))
            case ":-" | "-" | ":=":
                missing = value is None if part.operator == "-" else not value
                return argument if missing else value or ""
            case ":+" | "+":
                present = value is not None if part.operator == "+" else bool(value)
                return argument if present else ""
            case "#" | "##":
                return _cut_prefix(value or "", argument, longest=part.operator == "##")
            case "%" | "%%":
                return _cut_suffix(value or "", argument, longest=part.operator == "%%")
            case _:
                return value or ""

    def _lookup(self, name: str) -> str | None:
        if name in ("@", "*"):
            return " ".join(self._parameters[1:])
        if name == "#":
            return str(max(0, len(self._parameters) - 1))
        if name.isdecimal():
            index = int(name[:6])
            return self._parameters[index] if index < len(self._parameters) else None
        return self._variables.get(name)

    def _match_files(self, field: Field) -> list[str]:
        plain = "".join(text for text, _ in field)
        if not any(_has_pattern(text) for text, quoted in field if not quoted):
            return [plain]
        pattern = "".join(glob.escape(text) if quoted else text for text, quoted in field)
        return self._fs_matches(pattern) or [plain]

    def _fs_matches(self, pattern: str) -> list[str]:
        absolute = pattern.startswith("/")
        found = ["/" if absolute else ""]
        for step in (part for part in pattern.split("/") if part):
            grown: list[str] = []
            for base in found:
                directory = self._fs.join(self._cwd, base or ".")
                names = self._fs.names(directory)
                hidden = step.startswith(".")
                grown += [
                    f"{base}{'' if base in ('', '/') else '/'}{name}"
                    for name in names
                    if fnmatch.fnmatchcase(name, step) and (hidden or not name.startswith("."))
                ]
            found = grown
        return sorted(found)


def _has_pattern(text: str) -> bool:
    return any(char in text for char in "*?[")


def _cut_prefix(value: str, pattern: str, *, longest: bool) -> str:
    lengths = range(len(value) + 1)
    for length in reversed(lengths) if longest else lengths:
        if fnmatch.fnmatchcase(value[:length], pattern):
            return value[length:]
    return value


def _cut_suffix(value: str, pattern: str, *, longest: bool) -> str:
    starts = range(len(value) + 1)
    for start in starts if longest else reversed(starts):
        if fnmatch.fnmatchcase(value[start:], pattern):
            return value[:start]
    return value
