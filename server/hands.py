"""Single inputs to a phone, given by a person or a program: under the same leases and policy."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from PIL import Image

from device.errors import DeviceError
from device.protocol import App, Device, Screenshot, UiTree
from parsers.action import POINT_MAX, Action, Point, Size
from server.act import Observation, Outcome, act_on_device
from server.elements import number_elements
from server.errors import BadRequestError, PolicyDeniedError
from server.leases import Leases
from server.loop.rule import fingerprint_screen
from server.observe import check_visible
from server.phones import Phones
from server.policy.decision import Decision
from server.policy.rule_policy import Facts, Policy
from server.policy.screen import ScreenView

Unit = Literal["relative", "px"]
PICTURE_FORMATS = {"jpeg": "image/jpeg", "webp": "image/webp"}
QUALITIES = (85, 70, 55, 40)
SHRINK = 0.75
MIN_SIDE_PX = 200


@dataclass(frozen=True, slots=True)
class Picture:
    """A screenshot made small enough to send."""

    data: bytes
    media_type: str
    width_px: int
    height_px: int
    screen: Screenshot


@dataclass(frozen=True, slots=True)
class Intent:
    """An input that was checked but not yet given.

    Attributes:
        device: Where.
        action: What.
        seen: The screen that it is meant for.
        screen: That screen's fingerprint.
        decision: What the policy says.
    """

    device: Device
    action: Action
    seen: Observation
    screen: bytes
    decision: Decision


class Hands:
    """Looks at phones and gives them single inputs. All calls block; all may raise `DeviceError`.

    Args:
        phones: Where phones come from.
        leases: Who drives them.
        policy: What needs a person.
    """

    def __init__(self, phones: Phones, leases: Leases, policy: Policy) -> None:
        self._phones = phones
        self._leases = leases
        self._policy = policy

    def open(self, serial: str | None) -> Device:
        """The phone of that serial or name, or the only ready one."""
        return self._phones.open(serial)

    def look(self, serial: str | None, *, max_side_px: int, max_bytes: int, kind: str) -> Picture:
        """What the phone shows, as a picture of at most so many bytes.

        Raises:
            BlackScreenError: The screen cannot be seen (off, locked, protected).
        """
        shot = self._phones.open(serial).screenshot()
        check_visible(shot)
        return shrink_picture(shot, max_side_px, max_bytes, kind)

    def wake(self, device: Device) -> None:
        """Switch the screen on.

        Raises:
            PhoneLeasedError: A task drives the phone.
        """
        with self._leases.single_input(device.serial):
            device.wake()

    def read_tree(self, serial: str | None) -> tuple[Device, Screenshot, UiTree | None, App | None]:
        """What is on the screen in words; the tree is None where the screen gives none."""
        device = self._phones.open(serial)
        return device, device.screenshot(), device.ui_tree(), device.foreground()

    def point(self, device: Device, x: float, y: float, unit: Unit) -> Point:
        """A point of the action vocabulary from one in 0-1000 or in pixels of the screen.

        Raises:
            BadRequestError: It is not on the screen.
        """
        if unit == "px":
            shot = device.screenshot()
            x, y = x * POINT_MAX / shot.width_px, y * POINT_MAX / shot.height_px
        if not (0 <= x <= POINT_MAX and 0 <= y <= POINT_MAX):
            raise BadRequestError(
                "the point is not on the screen; give 0-1000 from the top left, "
                "or unit `px` with pixels of the screen",
                field="x, y",
            )
        return Point(x=x, y=y)

    def prepare(self, device: Device, action: Action, *, lease_id: str | None = None) -> Intent:
        """Look at the screen and ask the policy about an input.

        Raises:
            PhoneLeasedError: A task drives the phone.
            PolicyDeniedError: The policy forbids it.
        """
        with self._leases.single_input(device.serial, lease_id=lease_id):
            shot = device.screenshot()
            front = device.foreground()
            package = front.package if front else None
            tree = self._tree_for(device, action, package)
        screen = ScreenView(tree, shot.width_px, shot.height_px) if tree else None
        facts = Facts(package, screen, was_looked=True, is_black=shot.black is not None)
        decision = self._policy.decide(action, facts, self._policy.terms_for(""))
        if decision.level in ("deny", "hand_over"):
            raise PolicyDeniedError(
                f"{decision.reason or 'the policy forbids this'}; do it by hand",
                **{"class": decision.risk},
            )
        seen = Observation(shot, tree, front)
        return Intent(device, action, seen, fingerprint_screen(shot.data), decision)

    def do(
        self,
        intent: Intent,
        *,
        checkpoint: Callable[[], None] = lambda: None,
        lease_id: str | None = None,
    ) -> Outcome:
        """Give the input.

        Raises:
            PhoneLeasedError: A task drives the phone.
            DeviceError: The phone refused it, or could not be reached.
        """
        with self._leases.single_input(intent.device.serial, lease_id=lease_id):
            return act_on_device(intent.action, intent.device, intent.seen, before_input=checkpoint)

    def _tree_for(self, device: Device, action: Action, package: str | None) -> UiTree | None:
        if not self._policy.needs_look(action, package):
            return None
        try:
            return device.ui_tree()
        except DeviceError:
            return None  # the policy then decides without words, and is the stricter for it


def shrink_picture(shot: Screenshot, max_side_px: int, max_bytes: int, kind: str) -> Picture:
    """Encode a screenshot so that it fits, giving up quality first and size then.

    Args:
        shot: The screenshot.
        max_side_px: Longest side.
        max_bytes: Most bytes.
        kind: `jpeg` or `webp`.
    """
    with Image.open(io.BytesIO(shot.data)) as png:
        picture = png.convert("RGB")
    picture.thumbnail((max_side_px, max_side_px), Image.Resampling.LANCZOS)
    while True:
        for quality in QUALITIES:
            out = io.BytesIO()
            picture.save(out, kind.upper(), quality=quality)
            if out.tell() <= max_bytes:
                size = picture.size
                return Picture(out.getvalue(), PICTURE_FORMATS[kind], *size, screen=shot)
        if min(picture.size) <= MIN_SIDE_PX:
            raise BadRequestError("max_bytes is too small for a picture; allow more")
        width_px, height_px = (max(1, round(side * SHRINK)) for side in picture.size)
        picture = picture.resize((width_px, height_px), Image.Resampling.LANCZOS)


def describe_screen(
    device: Device, shot: Screenshot, tree: UiTree | None, front: App | None
) -> dict[str, Any]:
    """The elements of a screen as a program reads them; boxes and centers in 0-1000."""
    size = Size(width_px=shot.width_px, height_px=shot.height_px)
    elements = number_elements(tree, size, base=1).elements if tree else ()
    return {
        "device": device.serial,
        "foreground": front.package if front else None,
        "width_px": shot.width_px,
        "height_px": shot.height_px,
        "has_tree": tree is not None,
        "elements": [
            {
                "label": element.label,
                "kind": element.kind,
                "center": [
                    round((element.bounds[0] + element.bounds[2]) / 2),
                    round((element.bounds[1] + element.bounds[3]) / 2),
                ],
                "bounds": [round(side) for side in element.bounds],
                **{
                    name: True
                    for name in ("clickable", "editable", "checkable", "checked", "scrollable")
                    if getattr(element, name)
                },
            }
            for element in elements
        ],
    }
