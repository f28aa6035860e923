"""How far two actions for the same screen agree: kind, place, text."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from device.protocol import Bounds, UiTree
from parsers.action import Action, Awake, Back, Home, HotKey, Point, Scroll, Size, Slide, Type

POINT_REACH = 140.0
"""How far (0-1000) a point may be from the recorded one where no tree tells its target: the 14 %
of the screen that the published benchmarks of phone agents allow."""

Box = tuple[float, float, float, float]
"""Left, top, right, bottom in 0-1000."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Two actions compared; None where the recorded action has nothing of the kind.

    Attributes:
        kind: Both do the same sort of thing.
        place: The point is inside the recorded target, or the finger goes the same way.
        text: The typed text, the app or the key is the same.
    """

    kind: bool
    place: bool | None = None
    text: bool | None = None

    @property
    def whole(self) -> bool:
        return self.kind and self.place is not False and self.text is not False


def compare_actions(
    recorded: Action,
    other: Action,
    *,
    target: Box | None,
    points: tuple[Point | None, Point | None],
) -> Agreement:
    """Score an action against the recorded one.

    Args:
        recorded: What was done.
        other: What is proposed for the same screen.
        target: The box that the recorded action means, where it is known.
        points: Where the recorded and the other action touch (elements by their middle).
    """
    kind = _kind_of(recorded) == _kind_of(other)
    if not kind:
        return Agreement(
            False, False if _has_place(recorded) else None, False if _text_of(recorded) else None
        )
    place: bool | None = None
    if isinstance(recorded, Slide | Scroll) and isinstance(other, Slide | Scroll):
        place = _finger_of(recorded) == _finger_of(other)
    elif points[0] is not None:
        place = points[1] is not None and _is_inside(points[1], points[0], target)
    text = _text_of(recorded)
    return Agreement(True, place, None if text is None else text == _text_of(other))


def find_target(
    point: Point | None, tree: UiTree | None, size: Size, listed: Sequence[float] | None
) -> Box | None:
    """The box that a point means: the listed element's, else the smallest one that reacts there."""
    if listed is not None and len(listed) == 4:
        left, top, right, bottom = (float(side) for side in listed)
        return left, top, right, bottom
    if point is None or tree is None:
        return None
    x_px, y_px = point.to_px(size.width_px, size.height_px)
    hit = [
        node.bounds
        for node in tree.nodes()
        if node.bounds.contains(x_px, y_px)
        and (node.clickable or node.long_clickable or node.checkable or node.focusable)
    ]
    if not hit:
        return None
    return _to_shares(min(hit, key=lambda box: box.width_px * box.height_px), size)


def _is_inside(point: Point, recorded: Point, target: Box | None) -> bool:
    if target is not None:
        left, top, right, bottom = target
        return left <= point.x <= right and top <= point.y <= bottom
    away = ((point.x - recorded.x) ** 2 + (point.y - recorded.y) ** 2) ** 0.5
    return bool(away <= POINT_REACH)


def _kind_of(action: Action) -> str:
    """Kinds that differ in the dialect alone count as one."""
    match action:
        case Slide() | Scroll():
            return "MOVE"
        case Back() | HotKey(key="BACK"):
            return "BACK"
        case Home() | HotKey(key="HOME"):
            return "HOME"
        case _:
            return str(action.action)


def _has_place(action: Action) -> bool:
    return (
        isinstance(action, Slide | Scroll)
        or getattr(action, "point", None) is not None
        or getattr(action, "element", None) is not None
    )


def _text_of(action: Action) -> str | None:
    """What must be the same to the letter (width, case and outer space apart)."""
    match action:
        case Type() | Awake():
            return unicodedata.normalize("NFKC", action.value).casefold().strip()
        case HotKey():
            return action.key
        case _:
            return None


def _finger_of(action: Slide | Scroll) -> str:
    if isinstance(action, Scroll):
        return action.finger
    across, down = action.point2.x - action.point1.x, action.point2.y - action.point1.y
    if abs(across) > abs(down):
        return "right" if across > 0 else "left"
    return "down" if down > 0 else "up"


def _to_shares(box: Bounds, size: Size) -> Box:
    return (
        box.left / size.width_px * 1000,
        box.top / size.height_px * 1000,
        box.right / size.width_px * 1000,
        box.bottom / size.height_px * 1000,
    )


def share(scores: Sequence[bool | None]) -> float | None:
    """Which share of the scores that there are is true; None where there are none."""
    given = [score for score in scores if score is not None]
    return round(sum(given) / len(given), 4) if given else None


def summarise(agreements: Sequence[Agreement]) -> dict[str, Any]:
    """Shares over a session: `{steps, agree, kind, place, text}`."""
    return {
        "steps": len(agreements),
        "agree": share([one.whole for one in agreements]),
        "kind": share([one.kind for one in agreements]),
        "place": share([one.place for one in agreements]),
        "text": share([one.text for one in agreements]),
    }
