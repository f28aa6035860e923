"""An action becomes input on a phone: points to pixels, elements to boxes, names to packages."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, assert_never

from device.errors import AppNotStartedError
from device.protocol import App, Device, Screenshot, UiTree
from parsers.action import (
    POINT_MAX,
    Abort,
    Action,
    Answer,
    Awake,
    Back,
    CallApi,
    Click,
    Complete,
    Direction,
    DoubleClick,
    Element,
    Grid,
    Home,
    HotKey,
    Info,
    LongPress,
    Note,
    Point,
    Scroll,
    Size,
    Slide,
    TakeOver,
    Type,
    Wait,
)
from parsers.base import ScreenElement
from server.elements import Target, find_again, number_elements
from server.errors import ServerError

LONG_PRESS_S = 0.8
SLIDE_S = 0.4
SCROLL_S = 0.5
SCROLL_DISTANCE = 500.0
"""Share of the screen (0-1000) that a scroll without a distance moves."""
SCROLL_MARGIN = 0.1
"""Share of each side that a scroll keeps off: the system's own gestures start there."""


class ElementNotFoundError(ServerError):
    """The action names an element that the screen's tree does not have."""

    code: ClassVar[str] = "action.element_not_found"
    status: ClassVar[int] = 422


@dataclass(frozen=True, slots=True)
class Observation:
    """What was seen before an action was chosen.

    Attributes:
        screenshot: The picture whose pixels are the frame for taps.
        ui_tree: The tree of the same moment, where one was read.
        foreground: The app in front, where known.
        target: The element that the action names, as the server numbered it.
    """

    screenshot: Screenshot
    ui_tree: UiTree | None = None
    foreground: App | None = None
    target: Target | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of an action on the phone.

    Attributes:
        status: `ok`; `no_effect` for actions that are not for the phone; `failed` where the phone
            said so; `unknown` where the connection broke in the middle; `withheld` where a person
            or the policy kept it from the phone.
        code: The error's code, else "".
        message: The error's words, else what was done.
        details: JSON-able facts (pixels, package, how text was typed).
    """

    status: Literal["ok", "no_effect", "failed", "unknown", "withheld"]
    code: str = ""
    message: str = ""
    details: dict[str, Any] | None = None

    def to_wire(self) -> dict[str, Any]:
        wire: dict[str, Any] = {"status": self.status}
        if self.code:
            wire["code"] = self.code
        if self.message:
            wire["message"] = self.message
        return wire | ({"details": self.details} if self.details else {})


def act_on_device(
    action: Action,
    device: Device,
    observation: Observation,
    *,
    reflush_app: bool = False,
    before_input: Callable[[], None] = lambda: None,
    sleep: Callable[[float], None] = time.sleep,
) -> Outcome:
    """Do one action on one phone.

    Args:
        action: What to do.
        device: Where.
        observation: What was on the screen when the action was chosen: it frames the points and
            numbers the elements.
        reflush_app: Stop an app before it is launched, so that it starts from its first page.
        before_input: Called before each single input; it raises to withhold it (a stop).
        sleep: How to wait (WAIT).

    Returns:
        An outcome of status `ok` or `no_effect`; everything else is raised.

    Raises:
        DeviceError: The phone refused, or could not be reached.
        ElementNotFoundError: The element is not on this screen.
    """
    shot = observation.screenshot
    match action:
        case Click():
            x_px, y_px = _target(action, device, observation)
            before_input()
            device.tap(x_px, y_px)
            return _done(x_px=x_px, y_px=y_px)
        case DoubleClick():
            x_px, y_px = _target(action, device, observation)
            before_input()
            device.double_tap(x_px, y_px)
            return _done(x_px=x_px, y_px=y_px)
        case LongPress():
            x_px, y_px = _target(action, device, observation)
            before_input()
            device.long_press(x_px, y_px, action.duration_s or LONG_PRESS_S)
            return _done(x_px=x_px, y_px=y_px)
        case Type():
            return _type(action, device, observation, before_input)
        case Slide():
            start = action.point1.to_px(shot.width_px, shot.height_px)
            end = action.point2.to_px(shot.width_px, shot.height_px)
            before_input()
            duration_s = action.duration_s or SLIDE_S
            device.swipe(*start, *end, duration_s, from_edge=action.from_edge)
            return _done(from_px=start, to_px=end)
        case Scroll():
            start, end = _scroll_path(action, device, observation)
            before_input()
            device.swipe(*start, *end, SCROLL_S)
            return _done(from_px=start, to_px=end)
        case Awake():
            return _open_app(action.value, device, reflush_app, before_input)
        case Back():
            return _press("BACK", device, before_input)
        case Home():
            return _press("HOME", device, before_input)
        case HotKey():
            return _press(action.key, device, before_input)
        case Wait():
            sleep(action.value)
            return Outcome("no_effect", details={"waited_s": action.value})
        case Info() | Answer() | Complete() | Abort() | TakeOver() | Note() | CallApi() | Grid():
            return Outcome("no_effect")
        case _:
            assert_never(action)


def _done(**details: Any) -> Outcome:
    return Outcome("ok", details=details)


def _press(key: str, device: Device, before_input: Callable[[], None]) -> Outcome:
    before_input()
    device.press_key(key)
    return _done(key=key)


def _type(
    action: Type,
    device: Device,
    observation: Observation,
    before_input: Callable[[], None],
) -> Outcome:
    has_target = action.point is not None or action.element is not None
    at_px = None
    if has_target and not action.keyboard_exists:
        at_px = _target(action, device, observation)
    typed = device.type_text(
        action.value,
        at_px=at_px,
        clear=action.clear,
        submit=action.submit,
        before_input=before_input,
    )
    return _done(method=typed.method, verified=typed.verified)


def _open_app(
    name: str, device: Device, reflush_app: bool, before_input: Callable[[], None]
) -> Outcome:
    package = device.resolve_app(name)
    if reflush_app:
        before_input()
        device.stop_app(package)
    before_input()
    front = device.open_app(package)
    if front.package != package:
        raise AppNotStartedError(
            f"{name!r} was launched, but {front.package or 'another window'} is in front; "
            "look at the screen: a dialog or a sign-in may be in the way",
            package=package,
            foreground=front.package,
        )
    return _done(package=package)


def _target(
    action: Click | DoubleClick | LongPress | Type | Scroll,
    device: Device,
    observation: Observation,
) -> tuple[int, int]:
    """The pixel that the action means."""
    shot = observation.screenshot
    if action.element is not None:
        found = _find_element(action.element, device, observation)
        return found.middle.to_px(shot.width_px, shot.height_px)
    point = action.point or Point(x=POINT_MAX / 2, y=POINT_MAX / 2)  # only a SCROLL has neither
    return point.to_px(shot.width_px, shot.height_px)


def _find_element(element: Element, device: Device, observation: Observation) -> ScreenElement:
    """The element on the screen as it is now: the model took a while to think.

    A picture is quickly taken; a tree is read again only where the picture is another one.

    Raises:
        ElementNotFoundError: There is no such number, or the element is gone.
    """
    shot = observation.screenshot
    target = observation.target or _number_of(element, observation)
    if target.source != "tree" or device.screenshot().data == shot.data:
        return target.element
    tree = device.ui_tree()
    size = Size(width_px=shot.width_px, height_px=shot.height_px)
    now = number_elements(tree, size, element.base) if tree is not None else None
    found = find_again(target, now) if now is not None else None
    if found is None:
        count = len(now.elements) if now is not None else 0
        raise ElementNotFoundError(
            f"element {element.index} ({target.element.label!r}) is no longer on the screen"
            f"{_describe_range(element.base, count)}; look at the new list",
            count=count,
            span=str(element.index),
        )
    return found


def _number_of(element: Element, observation: Observation) -> Target:
    """The element by the observation's own tree, where the server told none."""
    if observation.ui_tree is None:
        raise ElementNotFoundError(
            f"element {element.index} was named, but this screen gave no UI tree; use a point"
        )
    shot = observation.screenshot
    size = Size(width_px=shot.width_px, height_px=shot.height_px)
    numbered = number_elements(observation.ui_tree, size, element.base)
    count = len(numbered.elements)
    if not 0 <= element.position < count:
        raise ElementNotFoundError(
            f"element {element.index} was named{_describe_range(element.base, count)}; "
            "name one of the list",
            count=count,
            span=str(element.index),
        )
    return Target(numbered.elements[element.position], numbered.source, count)


def _describe_range(base: int, count: int) -> str:
    if count == 0:
        return "; there are no numbered elements on this screen"
    return f"; the elements {base}-{base + count - 1} exist"


def _scroll_path(
    action: Scroll, device: Device, observation: Observation
) -> tuple[tuple[int, int], tuple[int, int]]:
    shot = observation.screenshot
    at_px = _target(action, device, observation)
    return scroll_path(at_px, (shot.width_px, shot.height_px), action.finger, action.distance)


def scroll_path(
    at_px: tuple[int, int], size_px: tuple[int, int], finger: Direction, distance: float | None
) -> tuple[tuple[int, int], tuple[int, int]]:
    """Where the finger goes: centred on the target, off the edges where system gestures start.

    Args:
        at_px: The target.
        size_px: Width and height of the screen.
        finger: Which way it moves.
        distance: Share of the screen, 0-1000; None takes the usual one.
    """
    x_px, y_px = at_px
    width_px, height_px = size_px
    share = (distance or SCROLL_DISTANCE) / POINT_MAX
    if finger in ("up", "down"):
        near, far = _span(y_px, share, height_px)
        low, high = (x_px, near), (x_px, far)
    else:
        near, far = _span(x_px, share, width_px)
        low, high = (near, y_px), (far, y_px)
    return (high, low) if finger in ("up", "left") else (low, high)


def _span(center_px: int, share: float, length_px: int) -> tuple[int, int]:
    """A stretch of `share` of the length around the center, moved and cut to fit the margins."""
    low_limit = round(length_px * SCROLL_MARGIN)
    high_limit = length_px - 1 - low_limit
    reach = min(round(length_px * share), high_limit - low_limit)
    low = min(max(center_px - reach // 2, low_limit), high_limit - reach)
    return low, low + reach
