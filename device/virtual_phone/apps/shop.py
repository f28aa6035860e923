"""Shop: search, product, cart, checkout, a pay page with a PIN pad."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from device.virtual_phone.apps import shop_pages, shop_payment
from device.virtual_phone.apps.base import App, Route
from device.virtual_phone.apps.goods import product
from device.virtual_phone.ui.view import Event, View

PIN_LENGTH = 6


class ShopApp(App):
    """com.example.shop."""

    package = "com.example.shop"
    label = ("商城", "Shop")
    icon_name = "bag"
    icon_color = "#e2572f"
    main_activity = ".MainActivity"
    activities: ClassVar[Mapping[str, str]] = {
        "results": ".SearchActivity",
        "product": ".ProductActivity",
        "cart": ".CartActivity",
        "checkout": ".CheckoutActivity",
        "pay": ".pay.PayActivity",
        "done": ".pay.PayResultActivity",
    }
    secure_pages = frozenset({"pay"})
    version = "5.6.0"

    def forget(self) -> None:
        """An empty cart, no orders."""
        self.cart: dict[int, int] = {}
        self.orders: list[dict[str, Any]] = []

    def restart(self) -> None:
        """Also forgets what was about to be paid."""
        super().restart()
        self.wanted: dict[int, int] = {}
        self.from_cart = False
        self.pin = ""

    def truth(self) -> dict[str, Any]:
        """Cart and orders; numbers of products are those of `goods`."""
        return {
            "cart": [
                {"product": n, "count": c, "name": self.name(n)} for n, c in self.cart.items()
            ],
            "orders": [dict(order) for order in self.orders],
        }

    def name(self, number: int) -> str:
        """Name of a product in the phone's language."""
        item = product(str(number))
        return self.host.say(item.zh, item.en)

    def money(self, amount: int) -> str:
        """An amount with its currency."""
        return self.host.say(f"¥{amount}", f"${amount}")

    def total(self, items: Mapping[int, int]) -> int:
        """What so many of each product cost."""
        return sum(product(str(number)).price * count for number, count in items.items())

    def page(self) -> View:
        """The page in front."""
        match self.route:
            case ("results",):
                return shop_pages.results_page(self)
            case ("product", number):
                return shop_pages.product_page(self, product(number))
            case ("cart",):
                return shop_pages.cart_page(self)
            case ("checkout",):
                return shop_pages.checkout_page(self)
            case ("pay",):
                return shop_payment.pay_page(self)
            case ("done",):
                return shop_payment.done_page(self)
            case ("orders",):
                return shop_pages.orders_page(self)
            case _:
                return shop_pages.home_page(self)

    def dialog_view(self) -> View | None:
        """The question before a payment is given up."""
        return shop_payment.leave_dialog(self) if self.dialog == ("leave",) else None

    def on_event(self, event: Event) -> None:
        """Fills the cart, orders and pays."""
        match event:
            case ("tab", name):
                self.unfocus()
                self.pages = [self.home] if name == "home" else [self.home, (name,)]
            case ("search",):
                self.open(("results",))
                self.focus_on("query")
            case ("more", number):
                self.cart[int(number)] = self.cart.get(int(number), 0) + 1
            case ("fewer", number):
                self._fewer(int(number))
            case ("add", number):
                self.cart[int(number)] = self.cart.get(int(number), 0) + 1
                self.host.toast(self.host.say("已加入购物车", "Added to cart"))
            case ("buy", number):
                self.wanted, self.from_cart = {int(number): 1}, False
                self.open(("checkout",))
            case ("check_out",):
                self.wanted, self.from_cart = dict(self.cart), True
                self.open(("checkout",))
            case ("place",):
                self.pin = ""
                self.open(("pay",))
            case ("digit", digit):
                self._digit(digit)
            case ("undo",):
                self.pin = self.pin[:-1]
            case ("leave",):
                self.dialog = None
                self.pin = ""
                super().back()
            case ("finish",):
                self.go_home()
            case _:
                super().on_event(event)

    def back(self) -> bool:
        """Asks before a payment is given up; the result page goes home."""
        if self.dialog is None and self.route == ("pay",):
            self.dialog = ("leave",)
            return True
        if self.dialog is None and self.route == ("done",):
            self.go_home()
            return True
        return super().back()

    def open(self, route: Route) -> None:
        """A result list keeps its words; a new search starts empty."""
        super().open(route)
        if route == ("results",):
            self.field("query").set_text("")

    def _fewer(self, number: int) -> None:
        left = self.cart.get(number, 0) - 1
        if left > 0:
            self.cart[number] = left
        else:
            self.cart.pop(number, None)

    def _digit(self, digit: str) -> None:
        self.pin += digit
        if len(self.pin) < PIN_LENGTH:
            return
        self.orders.append(
            {
                "number": len(self.orders) + 1,
                "items": [
                    {"product": n, "count": c, "name": self.name(n)} for n, c in self.wanted.items()
                ],
                "total": self.total(self.wanted),
                "paid": True,
            }
        )
        if self.from_cart:
            self.cart.clear()
        self.pin = ""
        self.pages = [self.home, ("done",)]
