"""The pages of the shop up to the checkout."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from device.virtual_phone.apps.goods import PRODUCTS, Product, product
from device.virtual_phone.ui.view import (
    FILL,
    Event,
    Insets,
    View,
    column,
    icon,
    insets,
    picture,
    row,
    scroll,
    space,
    text,
)
from device.virtual_phone.ui.widgets import (
    bottom_tabs,
    button,
    card,
    empty_note,
    icon_button,
    list_row,
    page,
    quiet_button,
    section,
    toolbar,
)

if TYPE_CHECKING:
    from device.virtual_phone.apps.shop import ShopApp

_ORANGE = "#e2572f"


def home_page(app: ShopApp) -> View:
    """Search box, a banner, everything there is."""
    say = app.host.say
    search = row(
        icon("search", 22),
        text(say("搜索商品", "Search products"), 16, color="hint"),
        gap=12,
        padding=insets(18, 0),
        height=50,
        radius=25,
        background="surface",
        content_desc=say("搜索商品", "Search products"),
        on_click=("search",),
        resource_id="search_bar",
    )
    banner = column(
        text(say("冬季上新", "New for winter"), 24, color="#ffffff", bold=True),
        text(say("精选好物，次日送达", "Picked for you, delivered tomorrow"), 15, color="#ffffff"),
        gap=4,
        padding=insets(22, 22),
        radius=20,
        background=_ORANGE,
    )
    body = column(search, banner, _grid(app, PRODUCTS), space(8), gap=14, padding=insets(16, 12))
    return page(scroll("home", body), _tabs(app, 0))


def results_page(app: ShopApp) -> View:
    """A search field and what it finds."""
    say = app.host.say
    wanted = app.text_of("query").strip().lower()
    found = [p for p in PRODUCTS if wanted in f"{p.zh} {p.en} {p.words}".lower()]
    body = (
        _grid(app, tuple(found)) if found else empty_note(say("没有找到商品", "No products found"))
    )
    return page(
        row(
            icon_button("back", say("返回", "Navigate up"), ("back",)),
            app.search("query", say("搜索商品", "Search products")).having(weight=1),
            padding=Insets(4, 8, 16, 8),
        ),
        scroll("results", column(body, padding=insets(16, 8))),
    )


def product_page(app: ShopApp, item: Product) -> View:
    """Picture, price, description, and the two buttons."""
    say = app.host.say
    number = str(item.number)
    body = column(
        picture(f"goods:{item.icon}", width=FILL, height=300),
        column(
            text(app.money(item.price), 30, color=_ORANGE, bold=True, resource_id="price"),
            text(say(item.zh, item.en), 21, bold=True, resource_id="product_name"),
            text(say(item.about_zh, item.about_en), 16, color="on_surface_variant"),
            gap=8,
            padding=insets(20, 16),
            background="surface",
        ),
        column(
            card(
                list_row(
                    say("配送", "Delivery"),
                    say("预计明天送达，免运费", "Tomorrow, free of charge"),
                    lead=icon("truck"),
                ),
                list_row(
                    say("售后", "Returns"),
                    say("七天无理由退货", "Within 7 days"),
                    lead=icon("refresh"),
                ),
            ),
            padding=insets(16, 14),
        ),
    )
    return page(
        toolbar(
            say("商品详情", "Product"),
            icon_button("cart", say("购物车", "Cart"), ("open", "cart")),
            back=say("返回", "Navigate up"),
        ),
        scroll("product", body),
        row(
            quiet_button(say("加入购物车", "Add to cart"), ("add", number), weight=1),
            _orange_button(say("立即购买", "Buy now"), ("buy", number)),
            gap=12,
            padding=insets(16, 12),
            background="surface",
        ),
    )


def cart_page(app: ShopApp) -> View:
    """What is in the cart, with plus and minus."""
    say = app.host.say
    if not app.cart:
        note = empty_note(say("购物车是空的", "Your cart is empty"))
        return page(toolbar(say("购物车", "Cart")), note, space(weight=1), _tabs(app, 1))
    rows = [_cart_row(app, product(str(number)), count) for number, count in app.cart.items()]
    return page(
        toolbar(say("购物车", "Cart")),
        scroll("cart", column(card(*rows), padding=insets(16, 8))),
        row(
            text(say("合计", "Total"), 16),
            text(
                app.money(app.total(app.cart)),
                22,
                color=_ORANGE,
                bold=True,
                weight=1,
                resource_id="total",
            ),
            _orange_button(say("结算", "Checkout"), ("check_out",)).having(weight=0),
            gap=10,
            padding=insets(20, 10),
            background="surface",
        ),
        _tabs(app, 1),
    )


def checkout_page(app: ShopApp) -> View:
    """Address, goods, amount."""
    say = app.host.say
    body = column(
        card(
            list_row(
                say("小林 138****8000", "Robin 138****8000"),
                say("上海市浦东新区世纪大道 100 号", "100 Century Avenue, Pudong, Shanghai"),
                lead=icon("location"),
            )
        ),
        card(*_lines(app, app.wanted)),
        card(
            list_row(say("支付方式", "Payment"), say("余额支付", "Balance"), lead=icon("card")),
            list_row(say("运费", "Shipping"), say("免运费", "Free")),
        ),
        gap=14,
        padding=insets(16, 8),
    )
    return page(
        toolbar(say("确认订单", "Checkout"), back=say("返回", "Navigate up")),
        scroll("checkout", body),
        row(
            text(say("合计", "Total"), 16),
            text(
                app.money(app.total(app.wanted)),
                22,
                color=_ORANGE,
                bold=True,
                weight=1,
                resource_id="total",
            ),
            _orange_button(say("提交订单", "Place order"), ("place",)).having(weight=0),
            gap=10,
            padding=insets(20, 12),
            background="surface",
        ),
    )


def orders_page(app: ShopApp) -> View:
    """All orders, the latest first."""
    say = app.host.say
    parts: list[View] = []
    for order in reversed(app.orders):
        items = {item["product"]: item["count"] for item in order["items"]}
        number = order["number"]
        parts += [
            section(say(f"订单 {number} · 已付款", f"Order {number} · paid")),
            card(
                *_lines(app, items),
                list_row(say("实付款", "Paid"), app.money(order["total"])),
            ),
        ]
    body = column(*parts, padding=insets(16, 0))
    if not parts:
        body = empty_note(say("还没有订单", "No orders yet"))
    return page(toolbar(say("我的订单", "My orders")), scroll("orders", body), _tabs(app, 2))


def _tabs(app: ShopApp, selected: int) -> View:
    say = app.host.say
    count = sum(app.cart.values())
    cart = say("购物车", "Cart") + (f"({count})" if count else "")
    tabs: list[tuple[str, str, Event]] = [
        ("home", say("首页", "Home"), ("tab", "home")),
        ("cart", cart, ("tab", "cart")),
        ("person", say("订单", "Orders"), ("tab", "orders")),
    ]
    return bottom_tabs(tabs, selected)


def _grid(app: ShopApp, items: tuple[Product, ...]) -> View:
    columns = 4 if app.host.screen_is_wide() else 2
    rows = []
    for start in range(0, len(items), columns):
        cells = [_tile(app, item) for item in items[start : start + columns]]
        cells += [space(weight=1)] * (columns - len(cells))
        rows.append(row(*cells, gap=12, align="start"))
    return column(*rows, gap=12)


def _tile(app: ShopApp, item: Product) -> View:
    name = app.host.say(item.zh, item.en)
    return column(
        picture(f"goods:{item.icon}", width=FILL, height=130, radius=14),
        text(name, 16, max_lines=2),
        text(app.money(item.price), 18, color=_ORANGE, bold=True),
        gap=6,
        padding=insets(10, 10),
        radius=18,
        background="surface",
        weight=1,
        content_desc=name,
        on_click=("open", "product", str(item.number)),
    )


def _cart_row(app: ShopApp, item: Product, count: int) -> View:
    say = app.host.say
    number = str(item.number)
    return row(
        picture(f"goods:{item.icon}", width=68, height=68, radius=12),
        column(
            text(say(item.zh, item.en), 16, max_lines=2),
            text(app.money(item.price), 16, color=_ORANGE, bold=True),
            weight=1,
            gap=4,
        ),
        row(
            icon_button("minus", say("减少", "Fewer"), ("fewer", number)),
            text(str(count), 17, resource_id="count"),
            icon_button("plus", say("增加", "More"), ("more", number)),
            width=None,
        ),
        gap=12,
        padding=Insets(14, 12, 4, 12),
    )


def _lines(app: ShopApp, items: Mapping[int, int]) -> list[View]:
    lines = []
    for number, count in items.items():
        item = product(str(number))
        lines.append(
            list_row(
                app.name(number),
                f"{app.money(item.price)} × {count}",
                lead=picture(f"goods:{item.icon}", width=52, height=52, radius=10),
            )
        )
    return lines


def _orange_button(label: str, event: Event) -> View:
    return button(label, event, weight=1, background=_ORANGE, color="#ffffff")
