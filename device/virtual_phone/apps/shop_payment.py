"""The pages of the shop where money moves: PIN pad, result, and the question before leaving."""

from __future__ import annotations

from typing import TYPE_CHECKING

from device.virtual_phone.ui.view import (
    FILL,
    View,
    column,
    icon,
    insets,
    row,
    scroll,
    space,
    stack,
    text,
)
from device.virtual_phone.ui.widgets import (
    button,
    dialog_card,
    page,
    quiet_button,
    text_button,
    toolbar,
)

if TYPE_CHECKING:
    from device.virtual_phone.apps.shop import ShopApp


def pay_page(app: ShopApp) -> View:
    """The amount, six dots, ten digits."""
    say = app.host.say
    dots = row(
        *(
            column(
                width=16,
                height=16,
                radius=8,
                background="on_surface" if index < len(app.pin) else "outline",
            )
            for index in range(6)
        ),
        gap=22,
        justify="center",
        resource_id="pin_dots",
    )
    rows = [row(*(_digit(digit) for digit in digits), gap=2) for digits in ("123", "456", "789")]
    last = row(
        column(weight=1, height=64, background="key_special"),
        _digit("0"),
        column(
            icon("backspace", 26, color="on_surface"),
            weight=1,
            height=64,
            align="center",
            justify="center",
            background="key_special",
            content_desc=say("删除", "Delete"),
            on_click=("undo",),
        ),
        gap=2,
    )
    body = column(
        space(12),
        space(weight=1),
        text(say("请输入支付密码", "Enter your payment PIN"), 18, align="center", width=FILL),
        text(
            app.money(app.total(app.wanted)),
            44,
            bold=True,
            align="center",
            width=FILL,
            resource_id="amount",
        ),
        space(24),
        dots,
        space(24),
        space(weight=1),
        column(*rows, last, gap=2, background="keyboard"),
    )
    return page(toolbar(say("支付", "Pay"), back=say("返回", "Navigate up")), scroll("pay", body))


def done_page(app: ShopApp) -> View:
    """The order is paid."""
    say = app.host.say
    paid = app.money(app.orders[-1]["total"]) if app.orders else ""
    body = column(
        space(80),
        stack(
            icon("check", 52, color="#ffffff"),
            width=92,
            height=92,
            radius=46,
            background="#2fa45a",
            align="center",
            justify="center",
        ),
        text(say("支付成功", "Payment successful"), 26, bold=True),
        text(paid, 22, color="on_surface_variant"),
        space(weight=1),
        column(
            quiet_button(say("查看订单", "View orders"), ("tab", "orders"), width=FILL),
            button(say("完成", "Done"), ("finish",), width=FILL),
            gap=12,
            padding=insets(32, 30),
        ),
        align="center",
        gap=16,
    )
    return page(scroll("done", body))


def leave_dialog(app: ShopApp) -> View:
    """The question before a payment is given up."""
    say = app.host.say
    return dialog_card(
        say("放弃支付？", "Leave the payment?"),
        text(say("订单还没有付款。", "The order has not been paid."), 16),
        buttons=(
            text_button(say("放弃", "Leave"), ("leave",)),
            text_button(say("继续支付", "Go on"), ("dismiss",)),
        ),
    )


def _digit(digit: str) -> View:
    return column(
        text(digit, 26),
        weight=1,
        height=64,
        align="center",
        justify="center",
        background="key",
        content_desc=digit,
        on_click=("digit", digit),
    )
