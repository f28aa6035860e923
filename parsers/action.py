"""The canonical action: one frozen, discriminated union that every dialect is read into.

Coordinates are floats in 0-1000 of the *upright screenshot*: origin top left, x right, y down.
Dialects that speak pixels, 0-999 or 0-1 are converted by their parser with the size that was sent.

Each kind has just its own fields, so that a CLICK without a target cannot exist. What a model wrote
and could not be read is a `Rejection`: never a default point, never BACK, never COMPLETE.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    field_validator,
    model_validator,
)

from parsers.errors import InvalidActionError

POINT_MAX = 1000.0
WAIT_MAX_S = 60.0
LONGPRESS_MAX_S = 10.0

RejectionCode = Literal[
    "empty",
    "no_action",
    "unknown_action",
    "missing_arg",
    "bad_arg",
    "bad_point",
    "out_of_range",
    "bad_element",
    "multiple_actions",
    "truncated",
    "conflict",
]
Direction = Literal["up", "down", "left", "right"]
Key = Literal[
    "ENTER",
    "BACK",
    "HOME",
    "MENU",
    "RECENT",
    "DELETE",
    "TAB",
    "SPACE",
    "ESCAPE",
    "SEARCH",
    "POWER",
    "VOLUME_UP",
    "VOLUME_DOWN",
    "VOLUME_MUTE",
    "WAKEUP",
    "PASTE",
    "COPY",
    "CUT",
    "SELECT_ALL",
    "DPAD_UP",
    "DPAD_DOWN",
    "DPAD_LEFT",
    "DPAD_RIGHT",
    "PAGE_UP",
    "PAGE_DOWN",
    "MOVE_HOME",
    "MOVE_END",
    "CAMERA",
    "MEDIA_PLAY_PAUSE",
]
OPPOSITE: dict[Direction, Direction] = {
    "up": "down",
    "down": "up",
    "left": "right",
    "right": "left",
}


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class Point(_Frozen):
    """A place on the upright screenshot, 0-1000 on both axes."""

    x: float = Field(ge=0, le=POINT_MAX, allow_inf_nan=False)
    y: float = Field(ge=0, le=POINT_MAX, allow_inf_nan=False)

    def to_px(self, width_px: int, height_px: int) -> tuple[int, int]:
        """Map to the pixel under the point, clamped into the picture.

        Args:
            width_px: Width of the picture that is the frame for taps.
            height_px: Its height.
        """
        return (
            _scale_to_px(self.x, POINT_MAX, width_px),
            _scale_to_px(self.y, POINT_MAX, height_px),
        )

    def to_wire(self) -> list[int | float]:
        return [_whole(self.x), _whole(self.y)]


class Element(_Frozen):
    """A numbered thing on the screen, counted as the dialect counts (`base` 0 or 1)."""

    index: int = Field(ge=0)
    base: Literal[0, 1] = 1

    @property
    def position(self) -> int:
        """Zero-based place in the element list of the same observation."""
        return self.index - self.base


class Size(_Frozen):
    """Width and height in pixels."""

    width_px: int = Field(gt=0)
    height_px: int = Field(gt=0)


class ActionMeta(_Frozen):
    """Where an action came from and what had to be repaired to read it."""

    dialect: str = ""
    variant: str | None = None
    space: str = ""
    sent_size: Size | None = None
    repairs: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    raw: str = Field(default="", repr=False)


class _Base(_Frozen):
    """What travels with every action."""

    cot: str = Field(default="", description="The model's thought.")
    explain: str = Field(default="", description="What this action is for.")
    summary: str = Field(default="", description="The history that the model carries on.")
    confirm: str | None = Field(
        default=None, description="The model itself asks for a person's yes, with this message."
    )
    then: Literal["COMPLETE"] | None = Field(
        default=None, description="The dialect lets an act carry the end of the task."
    )
    meta: ActionMeta = ActionMeta()

    def to_wire(self, *, include_meta: bool = True) -> dict[str, Any]:
        """JSON-able dict with the field's names: `point: [x, y]`, `return`, no empty fields.

        `cot`, `explain`, `action` and `summary` are always there, as Step-GUI tools expect. The raw
        reply is not in it: it has its own place in the log.
        """
        return _to_wire(self, include_meta)


def _target_is_exactly_one(point: Point | None, element: Element | None) -> None:
    if (point is None) == (element is None):
        raise ValueError("a target is exactly one of point or element")


class _Targeted(_Base):
    point: Point | None = None
    element: Element | None = None

    @model_validator(mode="after")
    def _one_target(self) -> Self:
        _target_is_exactly_one(self.point, self.element)
        return self


class _MaybeTargeted(_Base):
    point: Point | None = None
    element: Element | None = None

    @model_validator(mode="after")
    def _at_most_one_target(self) -> Self:
        if self.point is not None and self.element is not None:
            raise ValueError("a target is one of point or element, not both")
        return self


NonEmpty = Annotated[str, Field(min_length=1)]


class Click(_Targeted):
    action: Literal["CLICK"] = "CLICK"


class DoubleClick(_Targeted):
    action: Literal["DOUBLE_CLICK"] = "DOUBLE_CLICK"


class LongPress(_Targeted):
    action: Literal["LONGPRESS"] = "LONGPRESS"
    duration_s: float | None = Field(default=None, gt=0, le=LONGPRESS_MAX_S)


class Type(_MaybeTargeted):
    """Type text; the target is tapped first unless the keyboard is already there."""

    action: Literal["TYPE"] = "TYPE"
    value: NonEmpty
    keyboard_exists: bool = False
    clear: bool = False
    submit: bool = False


class Slide(_Base):
    """Move the finger from `point1` to `point2`.

    A path that begins where the system's own gestures begin (BACK at the sides, HOME at the bottom)
    begins just beside, unless `from_edge` asks for that gesture.
    """

    action: Literal["SLIDE"] = "SLIDE"
    point1: Point
    point2: Point
    duration_s: float | None = Field(default=None, gt=0, le=LONGPRESS_MAX_S)
    from_edge: bool = False


class Scroll(_MaybeTargeted):
    """Reveal more of the content: `direction` is the side revealed, `finger` its opposite.

    `distance` is a share of the screen in 0-1000 where the dialect gives one.
    """

    action: Literal["SCROLL"] = "SCROLL"
    direction: Direction
    finger: Direction
    distance: float | None = Field(default=None, gt=0, le=POINT_MAX)

    @model_validator(mode="after")
    def _finger_is_opposite(self) -> Self:
        if self.finger != OPPOSITE[self.direction]:
            raise ValueError("finger is the opposite of direction")
        return self


class Awake(_Base):
    """Launch an app by the name a person would use, or by package."""

    action: Literal["AWAKE"] = "AWAKE"
    value: NonEmpty


class Back(_Base):
    action: Literal["BACK"] = "BACK"


class Home(_Base):
    action: Literal["HOME"] = "HOME"


class HotKey(_Base):
    action: Literal["HOT_KEY"] = "HOT_KEY"
    key: Key


class Wait(_Base):
    """Do nothing for `value` seconds (at most 60)."""

    action: Literal["WAIT"] = "WAIT"
    value: float = Field(ge=0, allow_inf_nan=False)

    @field_validator("value")
    @classmethod
    def _clamp(cls, value: float) -> float:
        return min(value, WAIT_MAX_S)


class Info(_Base):
    """Ask the user; the task waits for the answer."""

    action: Literal["INFO"] = "INFO"
    value: NonEmpty


class Answer(_Base):
    """Tell the user something without ending the task."""

    action: Literal["ANSWER"] = "ANSWER"
    value: NonEmpty


class Complete(_Base):
    """The model says that the task is done; `return` is what it tells the user."""

    action: Literal["COMPLETE"] = "COMPLETE"
    return_: str = Field(default="", alias="return")


class Abort(_Base):
    action: Literal["ABORT"] = "ABORT"
    value: str = ""


class TakeOver(_Base):
    """Hand the phone to the person (a login, a captcha)."""

    action: Literal["TAKE_OVER"] = "TAKE_OVER"
    value: str = ""


class Note(_Base):
    """The model notes something down; no effect on the phone."""

    action: Literal["NOTE"] = "NOTE"
    value: str = ""


class CallApi(_Base):
    """The model asks its own tool to be called; no effect on the phone."""

    action: Literal["CALL_API"] = "CALL_API"
    value: str = ""


class Grid(_Base):
    """The model asks for a grid over the next screenshot; no effect on the phone."""

    action: Literal["GRID"] = "GRID"


Action = Annotated[
    Click
    | DoubleClick
    | LongPress
    | Type
    | Slide
    | Scroll
    | Awake
    | Back
    | Home
    | HotKey
    | Wait
    | Info
    | Answer
    | Complete
    | Abort
    | TakeOver
    | Note
    | CallApi
    | Grid,
    Field(discriminator="action"),
]
ActionKind = Literal[
    "CLICK",
    "DOUBLE_CLICK",
    "LONGPRESS",
    "TYPE",
    "SLIDE",
    "SCROLL",
    "AWAKE",
    "BACK",
    "HOME",
    "HOT_KEY",
    "WAIT",
    "INFO",
    "ANSWER",
    "COMPLETE",
    "ABORT",
    "TAKE_OVER",
    "NOTE",
    "CALL_API",
    "GRID",
]
_ADAPTER: TypeAdapter[Action] = TypeAdapter(Action)


class Rejection(_Frozen):
    """Why a reply could not be read, told so that the model can mend it.

    Attributes:
        code: One of `RejectionCode`.
        message: What is wrong and what would be right, in plain words.
        span: The offending piece of the reply (at most 200 characters).
        raw: The whole reply.
    """

    code: RejectionCode
    message: str
    span: str = ""
    raw: str = Field(default="", repr=False)


def action_from_wire(wire: dict[str, Any]) -> Action:
    """Read what `to_wire` wrote; the strict inverse, for logs and for the HTTP API.

    Raises:
        InvalidActionError: The dict is not one valid action.
    """
    data = dict(wire)
    for name in ("point", "point1", "point2"):
        value = data.get(name)
        if isinstance(value, list | tuple) and len(value) == 2:
            data[name] = {"x": value[0], "y": value[1]}
    try:
        return _ADAPTER.validate_python(data)
    except ValidationError as error:
        raise InvalidActionError(
            f"not a valid action: {describe_validation_error(error)}", action=data.get("action")
        ) from error


def describe_validation_error(error: ValidationError) -> str:
    """One line: the first wrong field and why."""
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    return f"{where}: {first['msg']}" if where else first["msg"]


def _to_wire(action: _Base, include_meta: bool) -> dict[str, Any]:
    wire: dict[str, Any] = {
        "cot": action.cot,
        "explain": action.explain,
        "action": getattr(action, "action"),  # noqa: B009 - every member of the union has it
    }
    for name, field in type(action).model_fields.items():
        if name in ("cot", "explain", "action", "summary", "meta"):
            continue
        value = getattr(action, name)
        if value is None or (value is False and field.default is False):
            continue
        wire[field.alias or name] = _wire_value(value)
    wire["summary"] = action.summary
    if include_meta and action.meta != ActionMeta():
        wire["meta"] = action.meta.model_dump(exclude={"raw"}, exclude_defaults=True, mode="json")
    return wire


def _wire_value(value: Any) -> Any:
    if isinstance(value, Point):
        return value.to_wire()
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    return _whole(value) if isinstance(value, float) else value


def _whole(value: float) -> int | float:
    return int(value) if float(value).is_integer() else value


def _scale_to_px(value: float, scale: float, length_px: int) -> int:
    return min(max(math.floor(value * length_px / scale + 0.5), 0), length_px - 1)
