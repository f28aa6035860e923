"""What is numbered on a screen, in which order, and how the numbers look on the picture."""

from __future__ import annotations

import io

import pytest
from PIL import Image, ImageChops

from device.protocol import Bounds
from device.ui_tree import parse_ui_tree
from parsers.action import Click, Element, Size
from parsers.base import ScreenElement
from server.elements import Target, find_again, number_elements, number_grid, number_texts
from server.images import check_screenshot, read_data_url
from server.pictures.marks import draw_marks, encode_with_marks
from tests.server.core.conftest import paint

SCREEN = Size(width_px=1080, height_px=2400)


def tree_of(*nodes: str) -> str:
    inside = "\n".join(nodes)
    return (
        '<hierarchy rotation="0"><node class="android.widget.FrameLayout" enabled="true" '
        f'bounds="[0,0][1080,2400]">{inside}</node></hierarchy>'
    )


def node(bounds: str, inside: str = "", **attributes: str) -> str:
    words = {"class": "android.widget.TextView", "enabled": "true", **attributes}
    written = " ".join(f'{name.replace("_", "-")}="{value}"' for name, value in words.items())
    return f'<node {written} bounds="{bounds}">{inside}</node>'


def numbered(*nodes: str, base: int = 1) -> list[tuple[int, str]]:
    found = number_elements(parse_ui_tree(tree_of(*nodes)), SCREEN, base)
    return [(element.index, element.label) for element in found.elements]


def test_visible_enabled_meaningful_nodes_are_numbered() -> None:
    assert numbered(
        node("[0,100][1080,200]", text="a button", clickable="true"),
        node("[0,200][1080,300]", text="disabled", clickable="true", enabled="false"),
        node("[0,300][1080,300]", text="no height", clickable="true"),
        node("[0,2500][1080,2600]", text="below the screen", clickable="true"),
        node("[0,400][1080,500]"),
        node("[0,500][1080,600]", text="words to read"),
        node("[0,600][1080,700]", **{"class": "android.widget.EditText", "hint": "a name"}),
    ) == [(1, "a button"), (2, "words to read"), (3, "a name")]


def test_the_words_in_a_row_that_reacts_are_its_label_and_have_no_number() -> None:
    words = node("[40,110][500,150]", text="Bluetooth") + node("[40,150][500,190]", text="On")
    switch = node(
        "[900,120][1040,180]",
        clickable="true",
        checkable="true",
        **{"class": "android.widget.Switch", "resource_id": "com.example:id/toggle"},
    )
    assert numbered(node("[0,100][1080,200]", words + switch, clickable="true")) == [
        (1, "Bluetooth On"),
        (2, "Bluetooth On"),
    ]


def test_a_nameless_button_over_a_text_takes_its_words() -> None:
    """Compose keeps the label and the click on two nodes in the same place."""
    assert numbered(
        node("[40,110][500,150]", text="Call"),
        node("[0,100][1080,200]", clickable="true", **{"class": "android.widget.Button"}),
    ) == [(1, "Call")]


def test_of_two_nodes_in_the_same_place_one_is_numbered() -> None:
    inner = node("[0,100][1080,200]", text="Send", clickable="true")
    assert numbered(node("[0,100][1080,200]", inner, clickable="true")) == [(1, "Send")]


def test_numbers_go_row_by_row_whatever_the_order_of_the_document() -> None:
    shuffled = [
        node("[600,110][1000,210]", text="right", clickable="true"),
        node("[0,900][1080,1000]", text="low", clickable="true"),
        node("[0,100][400,220]", text="left", clickable="true"),
        node("[0,300][1080,400]", text="middle", clickable="true"),
    ]
    order = [(1, "left"), (2, "right"), (3, "middle"), (4, "low")]
    assert numbered(*shuffled) == order
    assert numbered(*reversed(shuffled)) == order


@pytest.mark.parametrize("base", [0, 1])
def test_the_first_number_is_the_dialect_s_own(base: int) -> None:
    words = [node(f"[0,{top}][1080,{top + 90}]", text=str(top)) for top in (100, 200)]
    assert [index for index, _ in numbered(*words, base=base)] == [base, base + 1]


def test_a_target_survives_its_wire_form() -> None:
    found = number_grid(SCREEN, base=1)
    target = found.target_of(Click(element=Element(index=8)))
    assert target is not None
    back = Target.from_wire(target.to_wire())
    assert (back.element.index, back.source, back.count) == (8, "grid", len(found.elements))
    assert back.element.bounds == pytest.approx(target.element.bounds, abs=0.01)


def test_an_element_is_found_again_by_its_words_and_the_nearest_of_equals_wins() -> None:
    def screen(*tops: int) -> str:
        rows = [node(f"[0,{t}][1080,{t + 90}]", text="Add", clickable="true") for t in tops]
        return tree_of(*rows, node("[0,2000][1080,2100]", text="Other", clickable="true"))

    before = number_elements(parse_ui_tree(screen(100, 500)), SCREEN, 1)
    target = before.target_of(Click(element=Element(index=2)))
    assert target is not None
    moved = number_elements(parse_ui_tree(screen(90, 470)), SCREEN, 1)
    again = find_again(target, moved)
    assert again is not None and again.index == 2
    assert find_again(target, number_elements(parse_ui_tree(screen()), SCREEN, 1)) is None


def test_texts_on_a_picture_are_numbered_in_reading_order_inside_the_screen() -> None:
    texts = [
        ("low", Bounds(0, 900, 300, 950)),
        ("right", Bounds(600, 100, 1200, 150)),
        ("left", Bounds(0, 110, 300, 160)),
        ("outside", Bounds(0, 2500, 300, 2600)),
    ]
    found = number_texts(texts, SCREEN, base=1)
    assert [(e.index, e.label) for e in found.elements] == [(1, "left"), (2, "right"), (3, "low")]
    assert found.elements[1].bounds[2] == 1000


def test_a_grid_covers_the_screen_with_cells_near_to_square() -> None:
    for size in (SCREEN, Size(width_px=2400, height_px=1080)):
        cells = number_grid(size, base=1).elements
        assert [cell.index for cell in cells] == list(range(1, len(cells) + 1))
        area = sum((c.bounds[2] - c.bounds[0]) * (c.bounds[3] - c.bounds[1]) for c in cells)
        assert area == pytest.approx(1_000_000)
        left, top, right, bottom = cells[0].bounds
        ratio = (right - left) * size.width_px / ((bottom - top) * size.height_px)
        assert 0.8 < ratio < 1.25


# --- the picture with numbers -----------------------------------------------------------------


def element(index: int, left: float, top: float, right: float, bottom: float) -> ScreenElement:
    return ScreenElement(index, "", "Button", (left, top, right, bottom), clickable=True)


@pytest.mark.parametrize("ground", ["white", "black", "#808080", "#b3001b"])
def test_a_mark_stands_out_on_any_ground(ground: str) -> None:
    plain = Image.new("RGB", (540, 1200), ground)
    marked = plain.copy()
    draw_marks(marked, [element(1, 100, 100, 900, 200)])
    colors = {color for _, color in marked.getcolors(1 << 20) or []}
    contrast = [abs(sum(color) - sum(plain.getpixel((0, 0)))) for color in colors]  # type: ignore[arg-type]
    assert max(contrast) > 250
    assert (255, 255, 255) in colors


def test_a_tag_goes_where_nothing_is_written() -> None:
    """A row whose left half is full of lines: its tag is in the right half."""
    plain = Image.new("RGB", (1000, 1000), "white")
    for x in range(0, 500, 6):
        plain.paste("black", (x, 400, x + 3, 500))
    marked = plain.copy()
    draw_marks(marked, [element(1, 0, 400, 1000, 500)])
    left = ImageChops.difference(plain.crop((8, 408, 480, 492)), marked.crop((8, 408, 480, 492)))
    assert left.getbbox() is None
    right = ImageChops.difference(
        plain.crop((520, 405, 995, 495)), marked.crop((520, 405, 995, 495))
    )
    assert right.getbbox() is not None


def test_tags_do_not_lie_on_each_other() -> None:
    """Ten elements in nearly the same place still show ten numbers."""
    nested = [element(n, n * 2, n * 2, 1000 - n * 2, 1000 - n * 2) for n in range(1, 11)]
    plain = Image.new("RGB", (1000, 1000), "white")
    marked = plain.copy()
    draw_marks(marked, nested)
    colors = marked.getcolors(1 << 20) or []
    filled = [color for count, color in colors if color != (255, 255, 255) and count > 200]
    assert len(filled) >= 8  # of eight colours each has the area of a tag


def test_an_element_of_no_size_or_at_the_edge_harms_nothing() -> None:
    image = Image.new("RGB", (60, 90), "white")
    draw_marks(image, [element(1, 500, 500, 500, 500), element(999, 990, 990, 1000, 1000)])
    assert image.size == (60, 90)


def test_the_marked_picture_has_the_planned_size_and_differs_where_the_element_is() -> None:
    shot = check_screenshot(paint(216, 480), max_bytes=1 << 20, max_pixels=1 << 20)
    sent = encode_with_marks(
        shot, Size(width_px=108, height_px=240), [element(1, 0, 600, 500, 700)]
    )
    data = read_data_url(sent.data_url, max_bytes=1 << 20)
    with Image.open(io.BytesIO(data)) as marked:
        assert (marked.format, marked.size) == ("JPEG", (108, 240))
        plain = Image.open(io.BytesIO(paint(216, 480))).convert("RGB").resize((108, 240))
        strong = ImageChops.difference(plain, marked.convert("RGB")).point(
            lambda value: 255 if value > 90 else 0
        )
    left, top, right, bottom = strong.getbbox() or (0, 0, 0, 0)
    assert left >= 0 and right <= 60 and top >= 120 and bottom <= 190
