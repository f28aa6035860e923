"""Intents as `am` and `cmd package` read them from their arguments."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

_EXTRAS: Final = frozenset({
    "-e", "--es", "--esa", "--ei", "--eia", "--el", "--ela", "--ef", "--efa", "--ez", "--eu",
    "--ecn", "--esal", "--eial",
})  # fmt: skip
_VALUED: Final = frozenset(
    {"--user", "--display", "--windowingMode", "-R", "--receiver-permission"}
)


class IntentError(ValueError):
    """Arguments that are no intent; the message is what Android's exception says."""


@dataclass(slots=True)
class Intent:
    """One intent.

    Attributes:
        action: `-a`.
        data: `-d`.
        mime: `-t`.
        categories: Every `-c`.
        component: `-n`.
        package: `-p`, or a last argument that is a bare package name.
        user: `--user`.
        flags: `-f`.
        extras: By name, as text; arrays as lists.
        options: Flags of the command itself, such as `-W`.
    """

    action: str | None = None
    data: str | None = None
    mime: str | None = None
    categories: list[str] = field(default_factory=list)
    component: str | None = None
    package: str | None = None
    user: str = ""
    flags: int = 0
    extras: dict[str, str | list[str]] = field(default_factory=dict)
    options: set[str] = field(default_factory=set)

    def describe(self, flags: int | None = None) -> str:
        """`Intent { act=... cmp=... (has extras) }`, as Android prints it."""
        flags = self.flags if flags is None else flags
        parts = [
            f"act={self.action}" if self.action else "",
            f"cat=[{','.join(self.categories)}]" if self.categories else "",
            f"dat={_shown_data(self.data)}" if self.data else "",
            f"typ={self.mime}" if self.mime else "",
            f"flg={flags:#x}" if flags else "",
            f"pkg={self.package}" if self.package else "",
            f"cmp={self.component}" if self.component else "",
            "(has extras)" if self.extras else "",
        ]
        return "Intent { " + "".join(part + " " for part in parts if part) + "}"


def _shown_data(data: str) -> str:
    """Android keeps what may be personal out of its output."""
    scheme, colon, _ = data.partition(":")
    if scheme in ("http", "https"):
        host = data.partition("//")[2].partition("/")[0]
        return f"{scheme}://{host}/..."
    return f"{scheme}:xxx" if colon and scheme in ("tel", "sms", "smsto", "mailto") else data


def read_intent(args: list[str]) -> Intent:
    """Reads an intent.

    Raises:
        IntentError: An unknown option, or one without its value.
    """
    intent = Intent()
    rest = list(args)
    while rest:
        arg = rest.pop(0)
        if arg in ("-a", "-d", "-t", "-c", "-n", "-p", "-f") or arg in _VALUED:
            if not rest:
                raise IntentError(f'Argument expected after "{arg}"')
            _set(intent, arg, rest.pop(0))
        elif arg in _EXTRAS:
            _add_extra(intent, arg, rest)
        elif arg == "--esn" and rest:
            intent.extras[rest.pop(0)] = ""
        elif arg.startswith("-") and len(arg) > 1:
            if not arg.startswith("--") and arg not in ("-W", "-S", "-D", "-N"):
                raise IntentError(f"Unknown option: {arg}")
            intent.options.add(arg)
        elif arg:
            _set_operand(intent, arg)
    return intent


def _set(intent: Intent, option: str, value: str) -> None:
    match option:
        case "-a":
            intent.action = value
        case "-d":
            intent.data = value
        case "-t":
            intent.mime = value
        case "-c":
            intent.categories.append(value)
        case "-n":
            if "/" not in value:
                raise IntentError(f"Bad component name: {value}")
            intent.component = value
        case "-p":
            intent.package = value
        case "--user":
            intent.user = value
        case "-f":
            try:
                intent.flags = int(value, 0)
            except ValueError:
                raise IntentError(f'For input string: "{value}"') from None


def _add_extra(intent: Intent, option: str, rest: list[str]) -> None:
    """Takes a name and a value; a missing value is the trace of a lost empty argument."""
    if len(rest) < 2:
        raise IntentError(f'Argument expected after "{rest[0] if rest else option}"')
    name, value = rest.pop(0), rest.pop(0)
    intent.extras[name] = value.split(",") if option in ("--eia", "--ela", "--esa") else value


def _set_operand(intent: Intent, text: str) -> None:
    if "/" in text and ":" not in text:
        intent.component = text
    elif ":" in text:
        intent.data = text
    else:
        intent.package = text
