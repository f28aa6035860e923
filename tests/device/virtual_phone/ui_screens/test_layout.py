"""Layout: sizes, shares of left-over room, alignment, hit testing."""

from __future__ import annotations

from device.virtual_phone.ui.geometry import Rect
from device.virtual_phone.ui.hierarchy import write_hierarchy
from device.virtual_phone.ui.layout import Layout
from device.virtual_phone.ui.touch import find, scroll_at
from device.virtual_phone.ui.view import FILL, Insets, column, row, scroll, space, stack, text
from device.virtual_phone.ui.widgets import button

SCREEN = Rect(0, 0, 400, 800)


def place(view, offsets=None):
    return Layout(2.0, 1.0, offsets).place(view, SCREEN)


def test_weights_share_what_fixed_children_leave():
    box = place(row(space(10, 50), space(10, weight=1), space(10, weight=3), height=FILL))
    assert [child.bounds[::2] for child in box.children] == [(0, 100), (100, 175), (175, 400)]


def test_padding_and_gap_are_in_dp():
    box = place(column(space(10), space(20), padding=Insets(5, 10, 5, 0), gap=4))
    assert [child.bounds[1::2] for child in box.children] == [(20, 40), (48, 88)]
    assert box.children[0].bounds.left == 10


def test_a_child_that_fills_takes_the_left_over_height():
    box = place(column(space(50), column(height=FILL), space(30), height=FILL))
    assert box.children[1].bounds == Rect(0, 100, 400, 740)


def test_alignment_places_children_across():
    for align, left in (("start", 0), ("center", 150), ("end", 300)):
        box = place(column(column(width=50, height=10), align=align))
        assert box.children[0].bounds.left == left


def test_room_goes_between_children_when_asked():
    box = place(row(space(1, 20), space(1, 20), space(1, 20), justify="between"))
    assert [child.bounds.left for child in box.children] == [0, 180, 360]


def test_a_scroll_offset_never_leaves_its_limits():
    tall = column(scroll("list", column(*(space(100) for _ in range(10)))), height=FILL)
    for wanted, given in ((-50, 0), (300, 300), (99_999, 1200)):
        inner = place(tall, {"list": wanted}).children[0]
        assert (inner.offset_px, inner.limit_px) == (given, 1200)
        assert inner.children[0].bounds.top == -given


def test_content_that_fits_fills_its_scroll_container():
    inner = place(column(scroll("list", column(space(10))), height=FILL)).children[0]
    assert (inner.limit_px, inner.children[0].bounds) == (0, SCREEN)


def test_larger_text_takes_more_lines():
    words = text("The quick brown fox jumps over the lazy dog", 16)
    normal = Layout(2.0, 1.0).measure(words, 400)
    large = Layout(2.0, 1.5).measure(words, 400)
    assert large[1] > normal[1]


def test_a_touch_finds_the_view_in_front_and_passes_through_decoration():
    below = column(height=FILL, on_click=("below",))
    glass = column(height=FILL)
    small = column(width=20, height=20, on_click=("front",))
    box = place(stack(below, glass, small, height=FILL))

    def clickable(view):
        return view.on_click is not None

    front, behind = find(box, 10, 10, clickable), find(box, 300, 300, clickable)
    assert front is not None and front.view.on_click == ("front",)
    assert behind is not None and behind.view.on_click == ("below",)
    assert find(box, 500, 10, clickable) is None


def test_the_innermost_scroll_container_is_found():
    inner = scroll("inner", column(*(space(100) for _ in range(9))))
    page = column(scroll("outer", column(column(inner, height=300), space(900))), height=FILL)
    box = place(page)
    found, outside = scroll_at(box, 200, 100), scroll_at(box, 200, 700)
    assert found is not None and found.view.key == "inner"
    assert outside is not None and outside.view.key == "outer"


def test_the_tree_of_a_button_is_what_uiautomator_writes():
    root = place(column(button("OK & go", ("ok",), resource_id="ok", width=100)))
    assert write_hierarchy(root, "com.a", 0, 34) == (
        "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation=\"0\">"
        '<node index="0" text="" resource-id="" class="android.widget.LinearLayout" '
        'package="com.a" content-desc="" checkable="false" checked="false" clickable="false" '
        'enabled="true" focusable="false" focused="false" scrollable="false" '
        'long-clickable="false" password="false" selected="false" bounds="[0,0][400,800]">'
        '<node index="0" text="OK &amp; go" resource-id="com.a:id/ok" '
        'class="android.widget.Button" package="com.a" content-desc="" checkable="false" '
        'checked="false" clickable="true" enabled="true" focusable="true" focused="false" '
        'scrollable="false" long-clickable="false" password="false" selected="false" '
        'bounds="[0,0][200,88]" /></node></hierarchy>'
    )
