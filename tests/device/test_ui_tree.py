"""UI dumps with every oddity of real phones are read; broken ones are refused by name."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from device.errors import AutomationBusyError, DeviceError, UiTreeEncodingError, UiTreeError
from device.protocol import Bounds, UiNode, UiTree
from device.ui_tree import (
    focused_field,
    has_empty_web_view,
    is_focus_elsewhere,
    label,
    parse_ui_tree,
)

HEAD = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>"


def dump(inner: str, rotation: str = "0") -> str:
    return f'{HEAD}<hierarchy rotation="{rotation}">{inner}</hierarchy>'


def node(inner: str = "", **attributes: str) -> str:
    words = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in attributes.items())
    return f"<node{words}>{inner}</node>"


def nodes(tree: UiTree) -> list[UiNode]:
    return list(tree.nodes())


def texts(tree: UiTree) -> list[str]:
    return [n.text for n in tree.nodes()]


def test_every_attribute_is_read() -> None:
    row = node(
        index="0",
        text="蓝牙",
        resource_id="android:id/title",
        **{"class": "android.widget.Switch"},
        package="com.android.settings",
        content_desc="Bluetooth",
        hint="h",
        checkable="true",
        checked="true",
        clickable="true",
        enabled="false",
        focusable="true",
        focused="true",
        scrollable="true",
        long_clickable="true",
        password="true",
        selected="true",
        bounds="[10,20][30,60]",
    )
    tree = parse_ui_tree(dump(row, rotation="3"))
    assert tree.rotation == 3
    assert tree.root == UiNode(
        class_name="android.widget.Switch",
        package="com.android.settings",
        text="蓝牙",
        content_desc="Bluetooth",
        resource_id="android:id/title",
        hint="h",
        bounds=Bounds(10, 20, 30, 60),
        clickable=True,
        long_clickable=True,
        checkable=True,
        checked=True,
        scrollable=True,
        focusable=True,
        focused=True,
        enabled=False,
        password=True,
        selected=True,
        depth=0,
    )
    assert tree.root.bounds.center == (20, 40)


def test_every_attribute_may_be_missing() -> None:
    (only,) = nodes(parse_ui_tree(dump("<node/>")))
    assert (only.text, only.resource_id, only.bounds, only.enabled) == (
        "",
        "",
        Bounds(0, 0, 0, 0),
        True,
    )


@pytest.mark.parametrize(
    ("before", "behind"),
    [
        ("UI hierchary dumped to: /sdcard/window_dump.xml\n", ""),
        ("", "UI hierchary dumped to: /dev/tty\n"),
        ("java.io.FileNotFoundException: /data/system/theme_config/t.xml\n\tat a.b\n", "\n"),
        ("\ufeff", "\r\n\x00"),
    ],
)
def test_text_around_the_document_is_cut_off(before: str, behind: str) -> None:
    assert texts(parse_ui_tree(before + dump(node(text="a")) + behind)) == ["a"]


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        # a dump that was tried again: the last whole document counts
        (dump(node(text="old")) + "\n" + dump(node(text="new")), ["new"]),
        (dump(node(text="whole")) + '<hierarchy rotation="0"><node text="cut', ["whole"]),
        ('<hierarchy rotation="0"><node text="cut\n' + dump(node(text="whole")), ["whole"]),
        ("\ufeff" + dump(node(text="behind a byte order mark")), ["behind a byte order mark"]),
        (dump(node(text="a")).replace("><", ">\r\n  <"), ["a"]),
        (dump(node(text="a &amp;nbsp; b")), ["a &nbsp; b"]),
        (dump(node(text="a&nbsp;b")), ["a&nbsp;b"]),
        (dump(node(text="1 &lt;hierarchy> 2 &lt;/hierarchy>")), ["1 <hierarchy> 2 </hierarchy>"]),
        (dump("<!-- made by a vendor -->" + node(text="a")), ["a"]),
        (dump(node("<![CDATA[ nothing ]]>", text="a")), ["a"]),
        (dump(node(text="line 1&#10;line 2")), ["line 1\nline 2"]),
        (dump(node(text="\x00a\x1bb")), ["ab"]),
        (dump(node(NAF="true", text="")), [""]),
        (dump(node(text="x", invented_by_a_vendor="7")), ["x"]),
        (dump(node(**{"class": "android.view.SurfaceView", "package": "com.unity"})), [""]),
        ("<hierarchy>" + node(text="no rotation") + "</hierarchy>", ["no rotation"]),
        (dump(node(text="日本語 العربية 😀 é")), ["日本語 العربية 😀 é"]),
        (dump("".join(node(text=str(n)) for n in range(3))), ["0", "1", "2"]),
    ],
)
def test_nasty_documents_are_read(text: str, texts: list[str]) -> None:
    assert [n.text for n in nodes(parse_ui_tree(text))] == texts


@pytest.mark.parametrize(
    ("bounds", "box"),
    [
        ("[0,0][1080,2400]", Bounds(0, 0, 1080, 2400)),
        ("[0, 63][1080, 210]", Bounds(0, 63, 1080, 210)),
        ("[-20,-5][40,30]", Bounds(-20, -5, 40, 30)),
        ("", Bounds(0, 0, 0, 0)),
        ("[0,0]", Bounds(0, 0, 0, 0)),
        ("[NaN,0][1,1]", Bounds(0, 0, 0, 0)),
        ("[0,0][99999999999999999999,1]", Bounds(0, 0, 99999999999999999999, 1)),
    ],
)
def test_bounds_are_read_or_empty(bounds: str, box: Bounds) -> None:
    assert nodes(parse_ui_tree(dump(node(bounds=bounds))))[0].bounds == box


def test_several_top_nodes_are_all_there_in_order() -> None:
    tree = parse_ui_tree(dump(node(node(text="b"), text="a") + node(text="c")))
    assert texts(tree) == ["a", "b", "c"]
    assert [n.depth for n in tree.nodes()] == [0, 1, 0]


def test_a_tree_without_nodes_has_no_root() -> None:
    assert parse_ui_tree(f'{HEAD}\n<hierarchy rotation="0" />\n').root is None
    assert parse_ui_tree(dump("")).root is None


def test_surrogates_and_controls_written_as_references_are_repaired() -> None:
    inner = node(text="a&#55357;&#56832;b &#xD83D;&#xDE00; &#xd83d; c&#0;&#11;&#xFFFF;d&#10;e&#9;f")
    tree = parse_ui_tree(dump(inner))
    assert texts(tree) == ["a😀b 😀 \ufffd cd\ne\tf"]
    assert tree.repairs == ("references", "surrogates")
    # What is kept as the document can be read again by any parser.
    assert texts(parse_ui_tree(tree.xml)) == texts(tree)


def test_raw_control_characters_and_bare_ampersands_are_repaired() -> None:
    tree = parse_ui_tree(dump(node(text="Q\x01&A &amp; R&D; &lt;x&gt;")))
    assert texts(tree) == ["Q&A & R&D; <x>"]
    assert tree.repairs == ("control_characters", "ampersands")


def test_thousands_of_levels_are_read() -> None:
    deep = 3000
    tree = parse_ui_tree(dump('<node text="x">' * deep + "</node>" * deep))
    assert sum(1 for _ in tree.nodes()) == deep
    assert max(n.depth for n in tree.nodes()) == deep - 1


@pytest.mark.parametrize(
    ("text", "bounds", "empty", "on_screen"),
    [
        ("[0,0][1080,2400]", Bounds(0, 0, 1080, 2400), False, Bounds(0, 0, 1080, 2400)),
        ("[-40,100][60,200]", Bounds(-40, 100, 60, 200), False, Bounds(0, 100, 60, 200)),
        ("[0,2300][1080,2500]", Bounds(0, 2300, 1080, 2500), False, Bounds(0, 2300, 1080, 2400)),
        ("[0,2450][1080,2401]", Bounds(0, 2450, 1080, 2401), True, None),
        ("[5,5][5,5]", Bounds(5, 5, 5, 5), True, None),
        ("[1080,0][2160,100]", Bounds(1080, 0, 2160, 100), False, None),
        ("garbage", Bounds(0, 0, 0, 0), True, None),
    ],
)
def test_odd_bounds_give_no_target_outside_the_screen(
    text: str, bounds: Bounds, empty: bool, on_screen: Bounds | None
) -> None:
    (only,) = nodes(parse_ui_tree(dump(node(bounds=text))))
    assert (only.bounds, only.bounds.is_empty) == (bounds, empty)
    clipped = only.bounds.clip(1080, 2400)
    assert (None if clipped.is_empty else clipped) == on_screen


def test_a_label_is_found_where_compose_and_flutter_put_it() -> None:
    inside = node(node(node(text="Send") + node(content_desc="to&#10;Ann")), clickable="true")
    (button, *_rest) = nodes(parse_ui_tree(dump(inside)))
    assert label(button) == "Send to\nAnn"
    (own,) = nodes(parse_ui_tree(dump(node(content_desc="Back", text=""))))
    assert label(own) == "Back"
    row = node(node(text="Wi-Fi") + node(node(text="On"), clickable="true"), clickable="true")
    assert label(nodes(parse_ui_tree(dump(row)))[0]) == "Wi-Fi"


def test_an_empty_web_view_is_worth_another_read() -> None:
    web = {"class": "android.webkit.WebView"}
    assert has_empty_web_view(parse_ui_tree(dump(node(**web))))
    assert not has_empty_web_view(parse_ui_tree(dump(node(node(text="hi"), **web))))


def test_the_focused_text_field_is_preferred_to_what_is_focused_around_it() -> None:
    field = node(text="hi", focused="true", **{"class": "android.widget.EditText"})
    tree = parse_ui_tree(dump(node(field, focused="true", **{"class": "android.view.View"})))
    found = focused_field(tree)
    assert found is not None
    assert found.text == "hi"


@pytest.mark.parametrize(
    ("focused", "at_px", "elsewhere"),
    [
        ("name", (50, 150), True),
        ("phone", (50, 150), False),
        ("name", (50, 50), False),
        ("name", (50, 500), False),  # a label was tapped
        ("", (50, 150), False),  # this screen tells no focus
    ],
)
def test_a_focus_elsewhere_is_known_only_between_two_fields(
    focused: str, at_px: tuple[int, int], elsewhere: bool
) -> None:
    rows = {"name": "[0,0][100,100]", "phone": "[0,100][100,200]"}
    fields = [
        node(bounds=b, focused=str(n == focused).lower(), **{"class": "android.widget.EditText"})
        for n, b in rows.items()
    ]
    assert is_focus_elsewhere(parse_ui_tree(dump(node("".join(fields)))), at_px) is elsewhere


@pytest.mark.parametrize(
    ("text", "error", "reason"),
    [
        ("", UiTreeError, "no_document"),
        ("ERROR: could not get idle state.\n", UiTreeError, "no_idle"),
        (
            "ERROR: null root node returned by UiTestAutomationBridge.\n",
            UiTreeError,
            "null_root",
        ),
        ("Killed \n", AutomationBusyError, "killed"),
        ("java.lang.IllegalStateException: UiAutomationService x already registered!",
         AutomationBusyError, "automation_busy"),
        ("java.lang.IllegalArgumentException: Illegal character (d83d)",
         UiTreeEncodingError, "ui_tree_encoding"),
        (HEAD + '<hierarchy rotation="0"><node class="a"', UiTreeError, "truncated"),
        (HEAD + "<!DOCTYPE x [<!ENTITY a 'b'>]>" + dump("")[len(HEAD):], UiTreeError, "doctype"),
        (dump("<node text='<'></node>"), UiTreeError, "broken"),
        (dump("<node><node></node>"), UiTreeError, "broken"),
    ],
)  # fmt: skip
def test_what_is_no_tree_is_refused_by_name(
    text: str, error: type[UiTreeError], reason: str
) -> None:
    with pytest.raises(error) as caught:
        parse_ui_tree(text)
    assert type(caught.value) is error
    assert caught.value.details["reason"] == reason


@settings(max_examples=200, deadline=None)
@given(
    st.text(max_size=200)
    | st.text(alphabet="<>/&;#x'\" nodehirchy=[]0123456789\ud83d", max_size=200)
)
def test_any_text_is_read_or_refused(text: str) -> None:
    for document in (text, dump(text), dump(node(text="a") + text)):
        try:
            tree = parse_ui_tree(document)
        except DeviceError:
            continue
        assert isinstance(tree, UiTree)
