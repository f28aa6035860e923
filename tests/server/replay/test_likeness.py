"""Screens are compared by what is drawn and by what is named."""

from __future__ import annotations

import io

from PIL import Image, ImageDraw

from device.ui_tree import parse_ui_tree
from server.replay.likeness import Likeness, compare_pictures, compare_trees


def page(*rows: int, clock: str = "10:24", size: tuple[int, int] = (540, 1200)) -> bytes:
    """A white page with dark rows at these heights."""
    image = Image.new("RGB", size, "white")
    draw = ImageDraw.Draw(image)
    draw.text((10, 10), clock, fill="black")
    for top in rows:
        draw.rectangle((40, top, 300, top + 40), fill="black")
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


def tree(*words: str) -> str:
    rows = "".join(
        f'<node class="android.widget.TextView" text="{word}" bounds="[0,{n}][9,{n + 9}]"/>'
        for n, word in enumerate(words)
    )
    return f"<hierarchy>{rows}</hierarchy>"


def test_the_same_page_is_alike_whatever_the_clock_says() -> None:
    assert compare_pictures(page(200, 400), page(200, 400, clock="23:59")) == 1.0
    assert compare_pictures(page(), page()) == 1.0


def test_two_white_pages_with_other_rows_are_not() -> None:
    assert compare_pictures(page(200, 400, 600), page(300, 500, 700)) < 0.3
    assert compare_pictures(page(200, 400), page()) == 0.0


def test_trees_are_compared_by_their_names() -> None:
    one, other = parse_ui_tree(tree("a", "b", "b")), parse_ui_tree(tree("a", "b", "c"))
    assert compare_trees(one, one) == 1.0
    assert compare_trees(one, other) == 0.5
    assert compare_trees(one, None) is None


def test_the_score_rests_on_what_says_something() -> None:
    assert Likeness(0.4).score == 0.4
    assert Likeness(0.4, 1.0).score == 0.7
    assert Likeness(0.1, 0.9, is_same_size=False).score == 0.9
