"""Finding places that a task names loosely: a field to type into, the nth of a list, a value."""

from __future__ import annotations

import re

from server.model.demo.clauses import FieldKind
from server.model.demo.labels import find_labels, normalise
from server.model.demo.pixels import find_pictures, find_wide_boxes
from server.model.demo.screen import Box, Screen, Text

_HINT = re.compile(
    r"搜索|查找|输入|填写|说点什么|写点什么|发消息|标题|内容|正文|备注|姓名|名字"
    r"|search|type|enter|message|write|title|note|name|say something",
    re.IGNORECASE,
)
_SEARCH_HINT = re.compile(r"搜索|查找|搜一搜|search|find", re.IGNORECASE)
_MESSAGE_HINT = re.compile(r"消息|说点什么|回复|输入|message|reply|say something", re.IGNORECASE)
_PRICE = re.compile(r"^[¥￥$€]\s?\d")
_PRODUCT = re.compile(r"商品|产品|宝贝|product|item|goods", re.IGNORECASE)
_PICTURE = re.compile(r"图片|照片|图|picture|photo|image", re.IGNORECASE)
_VALUE_FORMS = (
    (re.compile(r"价格|价钱|多少钱|(?:the )?(?:price|cost)", re.IGNORECASE), _PRICE),
    (
        re.compile(r"(?:电话|手机)?号码?|电话|(?:the )?(?:phone ?)?(?:number)?", re.IGNORECASE),
        re.compile(r"^\+?\d[\d -]{6,}\d$"),
    ),
)
"""Values that are known by their own form where no label stands with them."""
BOTTOM_BAR_DP = 84.0


def find_field(screen: Screen, kind: FieldKind, label: str = "") -> Box | None:
    """Where to tap so that text can be typed; None where the focus must be trusted."""
    if kind == "named":
        matches = find_labels(screen, label)
        return matches[0].text.box if matches else None
    if kind == "search":
        hints = [t for t in screen.content if _SEARCH_HINT.search(t.text)]
        upper = [t for t in hints if t.box.y < screen.height_px * 0.4]
        return (
            min(upper or hints, key=lambda t: (t.box.left > screen.width_px * 0.7, t.box.top)).box
            if hints
            else None
        )
    if screen.keyboard_top_px is not None:
        return None
    if kind == "message":
        low = [t for t in screen.content if t.box.y > screen.height_px * 0.7]
        hints = [t for t in low if _MESSAGE_HINT.search(t.text)]
        if hints:
            return hints[-1].box
        boxes = [b for b in find_wide_boxes(screen) if b.y > screen.height_px * 0.8]
        return boxes[-1] if boxes else None
    hints = [t for t in screen.content if _HINT.search(t.text) and not screen.is_in_top_bar(t)]
    if hints:
        return hints[-1].box if kind == "any" else hints[0].box
    boxes = find_wide_boxes(screen)
    return boxes[0] if boxes else None


def find_nth(screen: Screen, noun: str, nth: int) -> Box | None:
    """The nth thing of the list or grid on the screen, counted as one reads; from 1."""
    prices = [t for t in screen.content if _PRICE.match(t.text)]
    if _PICTURE.search(noun):
        boxes: list[Box] = find_pictures(screen)
    elif _PRODUCT.search(noun) or (prices and not noun):
        # A thing for sale has a price; without one there is none, whatever else is written.
        boxes = [_name_above(screen, price) for price in _in_reading_order(prices, screen)]
    else:
        boxes = [group[0].box for group in _groups(screen)]
    return boxes[nth - 1] if 0 < nth <= len(boxes) else None


def find_value(screen: Screen, label: str) -> str | None:
    """What stands with a label: behind it, beside it, or under it."""
    for match in find_labels(screen, label):
        box = match.text.box
        behind = re.search(r"[：:]\s*(\S.*)$", match.text.text)
        if behind is not None:
            return behind[1].strip()
        if match.is_title:
            continue
        others = [t for t in screen.content if t is not match.text and normalise(t.text)]
        beside = [
            t for t in others if abs(t.box.y - box.y) < 0.6 * box.height and t.box.left >= box.right
        ]
        if beside:
            return min(beside, key=lambda t: t.box.left).text
        reach_px = 34 * screen.px_per_dp
        under = [
            t
            for t in others
            if 0 < t.box.y - box.y < reach_px and abs(t.box.left - box.left) < 16 * screen.px_per_dp
        ]
        if under:
            return min(under, key=lambda t: t.box.y).text
    for name, form in _VALUE_FORMS:
        values = [t.text for t in screen.content if form.match(t.text)]
        if name.fullmatch(label) and len(values) == 1:  # of several, whose would it be?
            return values[0]
    return None


def _in_reading_order(texts: list[Text], screen: Screen) -> list[Text]:
    """By rows, then from the left; texts of one row may differ a little in height."""
    row_px = 24 * screen.px_per_dp
    ordered: list[Text] = []
    rest = sorted(texts, key=lambda t: t.box.y)
    while rest:
        row = [t for t in rest if t.box.y - rest[0].box.y < row_px]
        ordered.extend(sorted(row, key=lambda t: t.box.left))
        rest = rest[len(row) :]
    return ordered


def _name_above(screen: Screen, price: Text) -> Box:
    """The name of a product stands over its price."""
    over = [
        t
        for t in screen.content
        if 0 < price.box.y - t.box.y < 90 * screen.px_per_dp
        and abs(t.box.left - price.box.left) < 24 * screen.px_per_dp
        and not _PRICE.match(t.text)
        and len(normalise(t.text)) > 1
    ]
    return max(over, key=lambda t: t.box.y).box if over else price.box


def _groups(screen: Screen) -> list[list[Text]]:
    """List rows: texts close under one another, and of those groups the ones that share an edge.

    So headings, which stand further left than the rows, are no rows.
    """
    bottom_px = screen.height_px - BOTTOM_BAR_DP * screen.px_per_dp
    upper_px = screen.height_px * 0.25
    fields = [box for box in find_wide_boxes(screen) if box.y < upper_px]
    body = [
        t
        for t in screen.content
        if not screen.is_in_top_bar(t)
        and t.box.y < bottom_px
        and len(normalise(t.text)) > 1  # no avatar letters, section letters, drawn icons
        and not (_SEARCH_HINT.search(t.text) and t.box.y < upper_px)
        and not any(box.top < t.box.y < box.bottom for box in fields)
    ]
    groups: list[list[Text]] = []
    for text in sorted(body, key=lambda t: t.box.top):
        last = groups[-1][-1] if groups else None
        if last is not None and text.box.top - last.box.bottom < 8 * screen.px_per_dp:
            groups[-1].append(text)
        else:
            groups.append([text])
    columns: list[list[list[Text]]] = []
    for group in groups:
        for column in columns:
            if abs(column[0][0].box.left - group[0].box.left) < 8 * screen.px_per_dp:
                column.append(group)
                break
        else:
            columns.append([group])
    return max(columns, key=len, default=[])
