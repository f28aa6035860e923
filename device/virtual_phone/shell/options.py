"""Command-line options as toybox reads them."""

from __future__ import annotations

from dataclasses import dataclass, field


class UsageError(ValueError):
    """An option that the command doesn't know; the text follows the command's name."""


@dataclass(frozen=True, slots=True)
class Options:
    """What was given.

    Attributes:
        flags: Letters and long names without a value.
        values: Values of options that take one; the last one counts.
        operands: Everything else, in order.
    """

    flags: set[str] = field(default_factory=set)
    values: dict[str, str] = field(default_factory=dict)
    operands: list[str] = field(default_factory=list)

    def has(self, *names: str) -> bool:
        """Whether one of the flags was given."""
        return any(name in self.flags for name in names)


def read_options(args: list[str], flags: str = "", values: str = "") -> Options:
    """Reads short options, joined or apart, and `--long` ones without values.

    Args:
        args: The arguments after the command's name.
        flags: Letters of options without a value.
        values: Letters of options with one.

    Raises:
        UsageError: An unknown letter, or a missing value.
    """
    found = Options()
    rest = list(args)
    while rest:
        arg = rest.pop(0)
        if arg == "--":
            found.operands.extend(rest)
            break
        if arg.startswith("--"):
            found.flags.add(arg[2:])
        elif len(arg) < 2 or not arg.startswith("-"):
            found.operands.append(arg)
        else:
            _read_letters(arg[1:], rest, flags, values, found)
    return found


def _read_letters(letters: str, rest: list[str], flags: str, values: str, found: Options) -> None:
    for at, letter in enumerate(letters):
        if letter in flags:
            found.flags.add(letter)
        elif letter in values:
            value = letters[at + 1 :]
            if not value:
                if not rest:
                    raise UsageError(f"Missing argument to -{letter}")
                value = rest.pop(0)
            found.values[letter] = value
            return
        else:
            raise UsageError(f"Unknown option '{letter}' (see \"--help\")")


def read_count(text: str, what: str = "number") -> int:
    """A whole number, with toybox's suffixes k and m.

    Raises:
        UsageError: It isn't one.
    """
    factor = {"k": 1024, "K": 1024, "m": 1024**2, "M": 1024**2}.get(text[-1:], 1)
    digits = text[:-1] if factor > 1 else text
    if not digits.lstrip("+-").isdecimal() or len(digits) > 12:
        raise UsageError(f"not {what}: {text}")
    return int(digits) * factor
