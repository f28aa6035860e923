"""What typing, the Enter key and a drag may do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from device.protocol import UiNode
from parsers.action import Point
from server.policy.app_kinds import AppKind
from server.policy.decision import Finding, RiskClass
from server.policy.labels import read_label
from server.policy.screen import ScreenView, Touched, TouchKind, texts_of
from server.policy.touch import Touch
from server.policy.touch_rules import find_in_touch
from server.policy.wording import joined, words_of_id

_SECRET = re.compile(
    r"密码|口令|\bpin\b|pin码|pass ?(?:word|code|phrase)|\bpwd\b|\bcvv2?\b|\bcvc\b|security code"
    r"|密保|助记词|seed phrase"
    r"|recovery (?:phrase|key|code)|private key|私钥|安全码"
)
_CODE = re.compile(
    r"验证码|校验码|动态码|短信码|verification code|\botp\b|one[- ]time|\b2fa\b"
    r"|auth(?:entication)? code|captcha|图形码"
    r"|sms code|6[- ]digit|access code|confirmation code|enter (?:the |your )?code|\bcode\b"
)
_PAY_PAGE = re.compile(
    r"支付密码|付款密码|交易密码|取款密码|payment (?:password|pin)|支付|付款|\bpay\b|transfer"
    r"|转账|cvv|cvc|安全码"
)
_CARD = re.compile(r"卡号|card number|身份证|\bssn\b|social security|iban|有效期|expiry|expiration")
_SEARCH = re.compile(
    r"search|搜索|查找|query|\burl\b|address bar|网址|find|filter|筛选|搜一搜|url_bar|location_bar"
)
_CODE_VALUE = re.compile(r"[0-9A-Za-z]{1,8}")
_TALKS = re.compile(
    r"message|reply|comment|chat|post|tweet|发消息|评论|回复|聊天|说点什么|弹幕|^#| #\w|群\b|群$"
)
_DIAL_CODE = re.compile(r"[*#][0-9*#]{2,}#?")
_SLIDES = re.compile(
    r"^(?:slide|swipe|drag|pull)\b|\bhold\b.*\b(?:to|right|left)\b|^.?[向]?[左右]?(?:滑|拖动|按住)"
)
_SLIDE_DELETES = re.compile(
    r"(?:swipe|slide)(?: \w+)*(?: to|:) (?:delete|remove|archive)|release to delete"
    r"|[左右]滑.{0,4}(?:删除|移除)"
)
_SLIDER = re.compile(r"slid|swipe|seek|drag|滑")
_NEWLINE_KINDS: frozenset[AppKind] = frozenset({"notes"})
_MIN_SLIDE_SHARE = 0.2


def find_in_typing(
    screen: ScreenView, kind: AppKind, text: str, field: UiNode | None
) -> Iterator[Finding]:
    """Secrets are the person's to type: passwords, PINs, codes.

    Args:
        screen: What is on the screen.
        kind: The kind of app.
        text: What is typed; "" where only the clipboard is pasted.
        field: Where it goes, as far as that can be told.
    """
    if kind == "dialer" and _DIAL_CODE.fullmatch(text.strip()):
        yield Finding("security", "dial_code", f"“{text}” is a code to the phone itself")
    if field is None:
        return
    about = _words_of(screen, field)
    page = " ".join(joined(text) for node in screen.nodes for text in texts_of(node))
    is_secret = field.password or bool(_SECRET.search(about))
    is_code = bool(_CODE.search(about)) or (
        bool(_CODE.search(page)) and not about.strip() and bool(_CODE_VALUE.fullmatch(text))
    )
    if is_secret or is_code:
        pays = bool(_PAY_PAGE.search(about)) or (
            bool(_PAY_PAGE.search(page)) and not re.search("登录|log ?in|sign ?in", page)
        )
        risk: RiskClass = "pay" if pays and not is_code else "sign_in"
        what = "a code" if is_code and not is_secret else "a password or PIN"
        yield Finding(risk, "secret_field", f"{what} is typed into “{_name(field)}”", "hand_over")
    elif _CARD.search(about):
        yield Finding("pay", "card_field", f"a card or identity number goes into “{_name(field)}”")


def find_in_enter(screen: ScreenView, kind: AppKind, field: UiNode | None) -> Iterator[Finding]:
    """The Enter key: like touching the button that it stands for."""
    focused = field
    if kind == "terminal":
        yield Finding("unknown", "enter", "Enter runs a command")
        return
    if focused is None:
        index = next((i for i in screen.reacting if screen.nodes[i].focused), None)
        if index is not None:
            yield from find_in_touch(Touch(screen, screen.describe(index), kind))
        return
    about = _words_of(screen, focused)
    talks = bool(_TALKS.search(f"{about} {joined(screen.title)}"))
    names = f"{focused.hint} {focused.content_desc} {words_of_id(focused.resource_id)}"
    is_at_top = focused.bounds.top < 0.14 * screen.height_px and not (
        kind == "chat" or _has_sender(screen, focused)
    )
    is_search = is_at_top or _SEARCH.search(joined(names))
    if is_search and not (talks or focused.password or _SECRET.search(about)):
        return
    if focused.password or _SECRET.search(about) or _CODE.search(about):
        yield Finding("sign_in", "enter", f"Enter in “{_name(focused)}” hands a secret in")
        return
    if kind in _NEWLINE_KINDS:
        return
    found: set[str] = set()
    for index in screen.reacting:
        touched = screen.describe(index)
        if touched.kind not in ("button", "icon"):
            continue
        for text in (*touched.labels, touched.id_words):
            for risk, strength in read_label(text).acts.items():
                is_submit = risk in ("send", "pay", "transfer", "order", "sign_in")
                if strength == 3 and is_submit and risk not in found:
                    found.add(risk)
                    yield Finding(risk, "enter", f"Enter may do what “{touched.name}” does")
    is_talk = kind == "chat" or talks or focused.bounds.top > 0.5 * screen.height_px
    if is_talk and not found:
        yield Finding("send", "enter", "Enter may send what is written")


def _has_sender(screen: ScreenView, field: UiNode) -> bool:
    """Whether a button without words stands right of a field, as beside a message."""
    box = field.bounds
    return any(
        not texts_of(node)
        and node.class_name.endswith(("ImageView", "ImageButton", "Image"))
        and node.bounds.left >= box.right - 20
        and box.top <= node.bounds.center[1] <= box.bottom
        for node in screen.nodes
    )


def find_in_slide(
    screen: ScreenView,
    kind: AppKind,
    is_careful: bool,
    start: tuple[float, float],
    end: tuple[float, float],
) -> Iterator[Finding]:
    """A drag: a slider that confirms, a row that a swipe deletes, a place to drop on."""
    moved_x = abs(end[0] - start[0]) / screen.width_px
    moved_y = abs(end[1] - start[1]) / screen.height_px
    if moved_x < _MIN_SLIDE_SHARE and moved_y < _MIN_SLIDE_SHARE:
        return
    touched = _slider_at(screen, start) if moved_x >= _MIN_SLIDE_SHARE else None
    if touched is not None:
        found = list(find_in_touch(Touch(screen, touched, kind, is_careful)))
        yield from found
        if not found:
            about = Touch(screen, touched, kind).about
            for risk in sorted(about):
                yield Finding(risk, "slider", f"“{touched.name}” is slid to confirm")
            if not about and any(_SLIDES.search(joined(text)) for text in touched.labels):
                yield Finding("unknown", "slider", f"“{touched.name}” is slid")
    if moved_x >= 0.3 and moved_y < 0.1 and screen.has_word(_SLIDE_DELETES):
        yield Finding("delete", "swipe_deletes", "a swipe over a row deletes it here")
    dropped = screen.touched(*end)
    named = {
        risk
        for text in dropped.labels
        for risk, strength in read_label(text).acts.items()
        if strength == 3
    }
    if "delete" in named and dropped.node is not None and not _contains(dropped.node, start):
        yield Finding("delete", "dropped", f"dropped on “{dropped.name}”")


def _slider_at(screen: ScreenView, start: tuple[float, float]) -> Touched | None:
    """What is slid, if its words, its id or its class say that it is a slider that confirms."""
    touched = screen.touched(*start)
    hits = [i for i, node in enumerate(screen.nodes) if _contains(node, start)]
    line = _line_at(screen, start[1])
    words = " ".join(joined(text) for text in (*touched.labels, *line))
    sliders = [i for i in hits if screen.nodes[i].class_name.endswith(("SeekBar", "Slider"))]
    if not (sliders or _SLIDES.search(words) or _SLIDER.search(touched.id_words)):
        return None
    index = (
        sliders[-1]
        if sliders
        else touched.index
        if touched.node is not None
        else hits[-1]
        if hits
        else -1
    )
    if index < 0:
        return None
    labels = tuple(dict.fromkeys((*touched.labels, *line)))
    kind: TouchKind = "button" if labels else "icon"
    return replace(touched, kind=kind, index=index, node=screen.nodes[index], labels=labels)


def _line_at(screen: ScreenView, middle: float) -> tuple[str, ...]:
    """The texts at a height: a slider's handle lies over the slider's words."""
    return tuple(
        other.text or other.content_desc
        for other in screen.nodes
        if (other.text.strip() or other.content_desc.strip())
        and other.bounds.top <= middle <= other.bounds.bottom
        and other.bounds.height_px < 0.15 * screen.height_px
    )


def _contains(node: UiNode, point: tuple[float, float]) -> bool:
    box = node.bounds
    return box.left <= point[0] < box.right and box.top <= point[1] < box.bottom


def _words_of(screen: ScreenView, field: UiNode) -> str:
    """What a field is for: its hint, description and id, and the label above or beside it."""
    box = field.bounds
    labels = [
        node.text
        for node in screen.nodes
        if node.text.strip()
        and node is not field
        and len(node.text) <= 40
        and (
            (
                0 <= box.top - node.bounds.bottom < 1.2 * max(60, box.height_px)
                and node.bounds.left < box.right
            )
            or (
                node.bounds.top <= (box.top + box.bottom) / 2 <= node.bounds.bottom
                and node.bounds.right <= box.left + 5
            )
        )
    ]
    hint = field.text if len(field.text) <= 30 and not field.password else ""
    parts = (field.hint, field.content_desc, hint, words_of_id(field.resource_id), *labels[-2:])
    return " ".join(joined(part) for part in parts if part.strip())


def _name(field: UiNode) -> str:
    return field.hint or field.content_desc or words_of_id(field.resource_id) or "a field"


def point_px(point: Point, screen: ScreenView) -> tuple[float, float]:
    """A point of the action vocabulary in pixels of the screenshot."""
    x_px, y_px = point.to_px(screen.width_px, screen.height_px)
    return float(x_px), float(y_px)
