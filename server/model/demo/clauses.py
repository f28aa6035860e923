"""The kinds of clause that the demo model understands; a task is a list of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Language = Literal["zh", "en"]
Direction = Literal["up", "down", "left", "right"]
TapKind = Literal["tap", "double", "long"]
FieldKind = Literal["any", "named", "search", "message"]


@dataclass(frozen=True, slots=True)
class Open:
    """Open an app, or what is called so on the present screen."""

    name: str


@dataclass(frozen=True, slots=True)
class Enter:
    """Go to the page behind a label; nothing to do when its title is already there."""

    label: str


@dataclass(frozen=True, slots=True)
class Tap:
    """Tap, double tap or long press a label, or the nth thing of a list (`label` says of what).

    `exact` allows no text that says more than the label: a message goes to nobody else.
    """

    label: str
    nth: int | None = None
    how: TapKind = "tap"
    exact: bool = False


@dataclass(frozen=True, slots=True)
class Fill:
    """Type a text into a field; `text` None means the user's last answer."""

    text: str | None
    field: FieldKind = "any"
    label: str = ""


@dataclass(frozen=True, slots=True)
class Submit:
    """Send off what was typed: a search button, or Enter."""


@dataclass(frozen=True, slots=True)
class Flip:
    """Bring a switch to a state."""

    label: str
    on: bool


@dataclass(frozen=True, slots=True)
class Scroll:
    """Reveal more on one side; `to_end` goes on until nothing moves any more."""

    side: Direction
    to_end: bool = False


@dataclass(frozen=True, slots=True)
class ScrollTo:
    """Scroll until a label is seen."""

    label: str


@dataclass(frozen=True, slots=True)
class GoBack:
    """One page back."""


@dataclass(frozen=True, slots=True)
class GoHome:
    """To the home screen."""


@dataclass(frozen=True, slots=True)
class Pause:
    """Wait."""

    duration_s: float


@dataclass(frozen=True, slots=True)
class Tell:
    """Read the value that stands with a label."""

    label: str


@dataclass(frozen=True, slots=True)
class Ask:
    """Ask the user something."""

    question: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """Words that fit no form: the plan ends here and says so."""

    words: str


Clause = (
    Open
    | Enter
    | Tap
    | Fill
    | Submit
    | Flip
    | Scroll
    | ScrollTo
    | GoBack
    | GoHome
    | Pause
    | Tell
    | Ask
    | Unknown
)
