"""To whom something goes, and whether the user's own words already asked for just that."""

from __future__ import annotations

import re

from server.policy.answers import MONEY
from server.policy.screen import ScreenView
from server.policy.touch import Touch
from server.policy.wording import joined, words_of_id

_TO_FIELD = re.compile(r"\bto\b|recipient|收件人|发给|接收")
_ONLINE = re.compile(r"online|typing|在线|输入中|last seen")
_CALLS = re.compile(r"\b(?:call|dial|phone|ring)\b|打电话|拨打|拨通|呼叫|通话|致电|拨号")
_CALL_LABEL = re.compile(r"\b(?:call|dial)\b|拨|呼叫|电话|通话")
_SENDS = re.compile(
    r"\b(?:send|text|message|reply|tell|write|post|email)\b|发|回复|告诉|说|通知|写信"
)
_PAYEE = re.compile(
    r"(?:收款(?:人|方|账户)|商家|付款给|转给|向|payee|recipient|paying|pay to|merchant|to)[:： "
    r"]*([^\n,，。;；¥$€£]{1,40})"
)


def recipient_of(screen: ScreenView) -> str:
    """Whom the page is about: what the field `To` says, else the page's title."""
    for field in screen.fields:
        about = joined(f"{field.hint} {field.content_desc} {words_of_id(field.resource_id)}")
        if _TO_FIELD.search(about) and field.text.strip() and field.text != field.hint:
            return field.text.strip()
    title = screen.title
    return "" if _ONLINE.search(joined(title)) else title


def is_named_by_task(touch: Touch, recipient: str, task: str) -> bool:
    """Whether the task itself names the recipient and all that is sent.

    Only the user's own words count: the recipient and every text that stands in a field must be
    in them.
    """
    whom = joined(recipient)
    if len(whom) < 2 or whom not in task:
        return False
    texts = [joined(text) for text in touch.screen.typed_texts if joined(text) != whom]
    if texts:
        return bool(_SENDS.search(task)) and all(len(text) >= 1 and text in task for text in texts)
    is_call = any(_CALL_LABEL.search(read.plain) for read in touch.labels)
    return is_call and bool(_CALLS.search(task))


def facts_for_person(touch: Touch, recipient: str) -> dict[str, str]:
    """What a person who is asked should see: what is touched, the amount, who gets it."""
    facts = {"label": touch.touched.name[:120]}
    texts = (*touch.touched.labels, *touch.context)
    amounts = [amount[0] for text in texts if (amount := MONEY.search(joined(text)))]
    if amounts:
        facts["amount"] = amounts[0]
    payee = next((found[1] for text in texts if (found := _PAYEE.search(joined(text)))), "")
    if payee.strip():
        facts["payee"] = payee.strip()
    if recipient:
        facts["recipient"] = recipient[:80]
    return {name: value for name, value in facts.items() if value}
