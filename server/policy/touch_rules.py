"""What a touch may do: rules on the words of what is touched and of what stands around it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from server.policy.answers import (
    ANSWERS,
    ANSWERS_TEXT,
    BEGINS,
    HOLDS,
    IS_ASKED,
    KEEPS,
    PHONE_NUMBER,
    REFUSES,
    STORE_ACTS,
)
from server.policy.app_kinds import AppKind
from server.policy.decision import Finding, RiskClass
from server.policy.labels import ReadLabel, asks_about, read_label
from server.policy.screen import texts_of
from server.policy.settings_pages import find_security
from server.policy.touch import Touch
from server.policy.wording import joined

_PIN_CONTEXT = re.compile(
    r"密码|\bpin\b|pass(?:code|word)|验证码|\bcvv\b|\bcvc\b|\botp\b|verification code|security "
    r"code|解锁"
    r"|unlock"
)
_PAY_CONTEXT = re.compile(r"支付|付款|转账|提现|pay|transfer|purchase|card|withdraw")
_ACCEPTS_CODE = re.compile(r"验证码|verification|\botp\b|one-time|captcha")
_KEY = re.compile(r"\d|[#*⌫✓√]|ok|enter|确定|完成")
_SEARCHES = re.compile(r"search|搜索|查找|搜一搜|find|url|网址")
_SELECTING = re.compile(
    r"(?:已选(?:择|中)?|选中)\W*\d+|\d+ ?(?:selected|items? selected)|select(?:ed)? \d+"
)
_NOT_BY_SOFT_WORDS: frozenset[RiskClass] = frozenset({"sign_in", "security"})
_BY_ANY_WORD: frozenset[RiskClass] = frozenset(
    {"pay", "transfer", "permission", "security", "install", "send"}
)
_TILE_ACTS: frozenset[RiskClass] = frozenset({"delete", "send", "permission", "security"})
_CHOICES_ACT: frozenset[AppKind] = frozenset({"settings", "permission", "installer"})
_LAUNCHER_ACTS: frozenset[RiskClass] = frozenset({"delete", "install", "permission"})


def find_in_touch(touch: Touch) -> Iterator[Finding]:
    """All that a touch may be, the surest first."""
    if touch.touched.kind == "field":
        return  # it gets the focus; what is typed into it is looked at then
    yield from _by_pin_pad(touch)
    yield from find_security(touch.kind, touch.screen, touch.touched)
    yield from _by_refusal(touch)
    keeps = any(re.fullmatch(r"keep|保留", read.plain) for read in touch.labels)
    if touch.is_no and not (keeps and "install" in touch.about):
        return
    named = list(_by_label(touch))
    yield from named
    if not named:
        yield from _by_app(touch)
        yield from _by_context(touch)
        yield from _by_looks(touch)


def _by_label(touch: Touch) -> Iterator[Finding]:
    """Its own words name an act."""
    allowed = _allowed_classes(touch)
    found: set[str] = set()
    for read in touch.labels:
        for risk, strength in read.acts.items():
            is_allowed = allowed is None or risk in allowed
            if is_allowed and risk not in found and strength >= _needed(touch, read):
                found.add(risk)
                yield Finding(risk, "label", f"“{read.text}” is touched")
    if not found and touch.touched.is_picture:
        for read in map(read_label, touch.touched.beside):
            for risk, strength in read.acts.items():
                if strength == 3 and risk not in found:
                    found.add(risk)
                    yield Finding(risk, "caption", f"“{read.text}” stands beside it")
    if not found and touch.touched.kind == "icon":
        for risk in read_label(touch.touched.id_words).acts:
            yield Finding(risk, "id", f"its id says “{touch.touched.id_words}”")


def _needed(touch: Touch, read: ReadLabel) -> int:
    """How surely a label must name an act, for what kind of thing it is on."""
    match touch.touched.kind:
        case "button" | "switch":
            return 1
        case "choice":
            return 1 if touch.kind in _CHOICES_ACT else 3
        case "icon":
            is_told = touch.is_long and any(HOLDS.search(one.plain) for one in touch.labels)
            return 1 if read.amount or is_told else 2
        case "row" | "tile":
            return 2 if touch.in_panel else 3
        case "text":
            return 4 if touch.screen.reacting else 3
        case "field" | "nothing":
            return 4


def _allowed_classes(touch: Touch) -> frozenset[RiskClass] | None:
    if touch.kind == "launcher":
        return _LAUNCHER_ACTS
    if touch.touched.kind == "tile":
        return _TILE_ACTS
    return None


def _by_refusal(touch: Touch) -> Iterator[Finding]:
    """A no that is sent to whoever asked."""
    refuses = any(REFUSES.fullmatch(read.plain) for read in touch.labels)
    if refuses and any(ANSWERS.search(joined(text)) for text in touch.context):
        yield Finding("send", "refusal", f"“{touch.touched.name}” is told to whoever asked")


def _by_app(touch: Touch) -> Iterator[Finding]:
    """Dialogs of the system: every yes in them is one act."""
    affirms = (
        touch.touched.kind in ("button", "icon", "switch", "choice", "row")
        and not touch.looks_around
    )
    if touch.kind == "permission" and affirms:
        yield Finding(
            "permission", "permission_dialog", f"“{touch.touched.name}” in a system dialog"
        )
    if touch.kind == "store" and any(STORE_ACTS.fullmatch(read.plain) for read in touch.labels):
        yield Finding("install", "store_button", f"“{touch.touched.name}” in an app store")
    if touch.kind == "installer" and affirms:
        removes = "delete" in touch.about and "install" not in touch.about
        yield Finding(
            "delete" if removes else "install",
            "installer_dialog",
            f"“{touch.touched.name}” in the package installer",
        )


def _by_context(touch: Touch) -> Iterator[Finding]:
    """A button that does not say what it does: what for stands around it."""
    kind, name = touch.touched.kind, touch.touched.name
    if kind != "button" and not (touch.in_panel and kind in ("row", "switch")):
        return
    if touch.sends_text:
        yield Finding("send", "written", f"“{name}” where something is written")
        return
    about = touch.about
    goes_on = any(KEEPS.fullmatch(read.plain) for read in touch.labels)
    sells = touch.is_yes or (touch.is_prominent and (goes_on or not touch.looks_around))
    if touch.renews and not touch.is_no and sells:
        yield Finding("pay", "renews", f"“{name}” where something is paid again and again")
        return
    if touch.looks_around and touch.is_question and not touch.is_yes:
        # In front of a no, even a “See more” is the yes.
        about = about & _BY_ANY_WORD
        if not about or any(read.names_place for read in touch.labels):
            return
    elif not touch.is_yes and (touch.looks_around or not touch.is_prominent):
        return
    if touch.is_soft and not touch.is_yes:
        about = about - _NOT_BY_SOFT_WORDS
        if any(ANSWERS_TEXT.fullmatch(read.plain) for read in touch.labels):
            about = about & {"send", "permission"}
    for risk in sorted(about):
        yield Finding(risk, "context", f"“{name}” answers to “{_said(touch, risk)}”")
    if not about and kind == "button":
        yield from _by_page(touch)


def _by_page(touch: Touch) -> Iterator[Finding]:
    """A button on a page whose words are about nothing that is known: a price, a question."""
    name = touch.touched.name
    begins = touch.is_soft and any(BEGINS.match(read.plain) for read in touch.labels)
    if touch.has_money and (touch.is_yes or begins):
        yield Finding("pay", "price_page", f"“{name}” on a page with a price")
    elif touch.is_yes and touch.is_statement:
        yield Finding("unknown", "consent", f"touching “{name}” is a statement")
    elif touch.is_yes and any(IS_ASKED.search(joined(text)) for text in touch.context):
        yield Finding("unknown", "question", f"“{name}” answers a question")
    elif touch.is_soft:
        return
    elif touch.is_question:
        yield Finding("unknown", "question", f"“{name}” answers a question")
    elif not (touch.is_yes or touch.is_shaped_otherwise):
        yield Finding("unknown", "unknown_words", f"what “{name}” does is not known")


def _said(touch: Touch, risk: RiskClass) -> str:
    return next((text for text in touch.context if risk in asks_about(text)), "")[:80]


def _by_looks(touch: Touch) -> Iterator[Finding]:
    """What its place says: a price on a button, a picture where a button must be."""
    touched, screen = touch.touched, touch.screen
    amount = next((read.amount for read in touch.labels if read.amount), "")
    if touched.kind == "button" and amount:
        yield Finding("pay", "price_button", f"a button with a price: “{touched.name}”")
    if touched.kind == "nothing" and touch.is_careful:
        yield Finding("unknown", "no_words", "a place without words in an app where money is")
    if touched.kind != "icon":
        return
    if any(PHONE_NUMBER.fullmatch(joined(text)) for text in touched.beside):
        yield Finding("send", "call", f"a button without words beside {touched.beside[0]}")
        return
    if touch.is_long and any(HOLDS.search(joined(text)) for text in touch.context):
        risk: RiskClass = next(iter(sorted(touch.about)), "unknown")
        yield Finding(risk, "held", "what is said to do something when it is held")
        return
    if touch.looks_around or touch.is_captioned:
        return
    if _is_beside_message(touch):
        yield Finding("send", "beside_message", "the button beside a message that is written")
    elif touch.is_in_header:
        return
    elif touch.about or touch.has_money:
        risk = next(iter(sorted(touch.about)), "pay")
        yield Finding(risk, "wordless", "a button without words on a page of this kind")
    elif touch.is_careful:
        yield Finding("unknown", "wordless", "a button without words in an app where money is")
    elif screen.has_word(_SELECTING):
        yield Finding("unknown", "wordless", "a button without words while things are selected")


def _is_beside_message(touch: Touch) -> bool:
    """Right of a field with text in it that is no search field; or the top of a mail's page."""
    node = touch.touched.node
    if node is None:
        return False
    box = node.bounds
    for field in touch.screen.fields:
        words = joined(f"{field.text} {field.hint} {field.content_desc}")
        is_search = _SEARCHES.search(words) or field.bounds.top < 0.14 * touch.screen.height_px
        if is_search or not field.text.strip() or field.text == field.hint:
            continue
        middle = (box.top + box.bottom) / 2
        is_level = field.bounds.top - 40 <= middle <= field.bounds.bottom + 40
        if is_level and box.left >= field.bounds.right - 20:
            return True
        if touch.kind == "mail" and touch.is_in_header and box.left > 0.5 * touch.screen.width_px:
            return True
    return False


def _by_pin_pad(touch: Touch) -> Iterator[Finding]:
    """A key of a pad on which a PIN or a code is entered."""
    labels = touch.touched.labels
    if not labels or not _KEY.fullmatch(read_label(labels[0]).plain or labels[0].strip()):
        return
    keys = (touch.screen.words_of(i) for i in touch.screen.reacting)
    digits = {text for words in keys for text in words if re.fullmatch(r"\d", text)}
    if len(digits) < 9:
        return
    around = " ".join(joined(text) for node in touch.screen.nodes for text in texts_of(node))
    is_secret = any(node.password for node in touch.screen.nodes)
    if not is_secret and not _PIN_CONTEXT.search(around):
        return
    is_payment = bool(_PAY_CONTEXT.search(around)) and not _ACCEPTS_CODE.search(around)
    risk: RiskClass = "pay" if is_payment else "sign_in"
    yield Finding(risk, "pin_pad", "a PIN or a code is entered here", "hand_over")
