"""The numbered list that element dialects put into their prompts, and where its things stand.

The list tells names and states but no places; the picture has texts with places. Both are in
reading order, so that the first row of a name in the list is the first text of that name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from server.model.demo.labels import means_adding, normalise
from server.model.demo.pixels import Switch
from server.model.demo.screen import Box, Screen, Text

_LINE = re.compile(
    r'^\[(?P<index>\d{1,4})\] (?P<kind>\w+)(?: "(?P<label>.*)")?(?: \((?P<traits>[a-z, ]+)\))?$',
    re.MULTILINE,
)
_STATES = {"on": True, "off": False}
SWITCH_COLUMN = (0.78, 0.93)
"""Where a row's switch stands, as shares of the width; its height comes from the row's text."""
NEAR_SHARE = 0.05
"""How far from a text, as a share of the height, a tap may still mean what it names."""


@dataclass(frozen=True, slots=True)
class Listed:
    """One line of the list.

    Attributes:
        index: Its number, as the dialect counts.
        kind: Its class ("Switch", "EditText").
        label: What it is called; "" where it has no name.
        on: The state of what can be switched; None for all else.
        is_field: Text can be typed into it.
    """

    index: int
    kind: str
    label: str
    on: bool | None = None
    is_field: bool = False


def read_list(prompt: str) -> tuple[Listed, ...]:
    """The list of a prompt, in its order; the last one where there are several."""
    found: list[Listed] = []
    for line in _LINE.finditer(prompt):
        traits = (line["traits"] or "").split(", ")
        on = next((_STATES[trait] for trait in traits if trait in _STATES), None)
        listed = Listed(
            int(line["index"]), line["kind"], line["label"] or "", on, "text field" in traits
        )
        if found and listed.index <= found[-1].index:
            found = []
        found.append(listed)
    return tuple(found)


def drop_marks(screen: Screen, elements: Sequence[Listed]) -> Screen:
    """The screen without the numbers that are drawn on it: they are no words of the phone's."""
    numbers = {str(element.index) for element in elements}
    return replace(
        screen, read_texts=lambda _: [t for t in screen.texts if t.text.strip() not in numbers]
    )


def find_listed_switches(elements: Sequence[Listed], screen: Screen) -> list[Switch]:
    """The switches of the list, each in the row of the text that has its name."""
    texts = _place_by_text(elements, screen)
    return [
        Switch(_switch_box(texts[element.index].box, screen), element.on)
        for element in elements
        if element.on is not None and element.index in texts
    ]


def number_at(
    elements: Sequence[Listed], screen: Screen, x_px: float, y_px: float, *, typing: bool = False
) -> int | None:
    """The number of what stands at a place; None where nothing of the list can be told there.

    Args:
        elements: The list.
        screen: The picture that it belongs to.
        x_px: Place on the picture.
        y_px: The same.
        typing: A field is wanted.
    """
    texts = _place_by_text(elements, screen)
    wanted = [e for e in elements if e.is_field] if typing else list(elements)
    is_right = x_px >= SWITCH_COLUMN[0] * screen.width_px
    near: list[tuple[float, int]] = []
    for element in wanted:
        text = texts.get(element.index)
        if text is None:
            continue
        box = text.box
        away = abs(box.y - y_px) + (0.0 if box.left <= x_px <= box.right else 0.3) * box.height
        # A switch and its row have one name: the right end of the row is the switch.
        if element.on is not None and element.kind != "LinearLayout":
            away += 0.0 if is_right else box.height
            away -= box.height if is_right else 0.0
        near.append((away, element.index))
    limit_px = NEAR_SHARE * screen.height_px
    if near and min(near)[0] <= limit_px:
        return min(near)[1]
    if typing:
        return wanted[0].index if len(wanted) == 1 else None
    adding = [e.index for e in elements if e.index not in texts and means_adding(e.label)]
    return adding[0] if len(adding) == 1 else None


def _place_by_text(elements: Sequence[Listed], screen: Screen) -> dict[int, Text]:
    """The text with each element's name: the first that is left, from the top."""
    left = sorted(screen.texts, key=lambda text: (text.box.top, text.box.left))
    found: dict[int, Text] = {}
    before: Listed | None = None
    for element in elements:
        name = normalise(element.label)
        if before is not None and before.label == element.label and before.index in found:
            found[element.index] = found[before.index]
        elif name:
            said = [text for text in left if _begins(name, normalise(text.text))]
            if said:
                found[element.index] = said[0]
                left.remove(said[0])
        before = element
    return found


def _begins(name: str, seen: str) -> bool:
    return bool(seen) and (name == seen or (len(seen) > 1 and name.startswith(seen)))


def _switch_box(row: Box, screen: Screen) -> Box:
    left, right = (share * screen.width_px for share in SWITCH_COLUMN)
    half_px = max(row.height, 0.02 * min(screen.width_px, screen.height_px))
    return Box(left, row.y - half_px, right, row.y + half_px)
