"""Contacts: an A-Z list, search, a form, a card with call and message."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from device.virtual_phone.apps.base import App
from device.virtual_phone.ui.view import (
    FILL,
    Event,
    Insets,
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
    avatar,
    big_title,
    card,
    dialog_card,
    empty_note,
    floating_button,
    icon_button,
    list_row,
    page,
    section,
    text_button,
    toolbar,
    with_floating_button,
)

AVATAR_COLORS = ("#3b7dd8", "#d8673b", "#3ba06b", "#8a5bd1", "#c74f86", "#2f95a8")
# First letters of the Pinyin of common family names.
_INITIALS = dict(
    zip(
        "张李王刘陈杨赵黄周吴徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹",
        "ZLWLCYZHZWXSMZHGHGLLZLXSTXHFDC",
        strict=True,
    )
)


@dataclass(slots=True)
class Contact:
    """A person with a number."""

    number: int
    name: str
    phone: str


def initial(name: str) -> str:
    """The letter under which a name is filed; "#" when there is none."""
    first = name[:1].upper()
    if first.isascii() and first.isalpha():
        return first
    return _INITIALS.get(first, "#")


def avatar_color(name: str) -> str:
    """The same colour for the same name."""
    return AVATAR_COLORS[sum(map(ord, name)) % len(AVATAR_COLORS)]


class ContactsApp(App):
    """com.android.contacts."""

    package = "com.android.contacts"
    label = ("联系人", "Contacts")
    icon_name = "person"
    icon_color = "#2f7de1"
    main_activity = ".activities.PeopleActivity"
    activities: ClassVar[Mapping[str, str]] = {
        "edit": ".activities.ContactEditorActivity",
        "detail": ".quickcontact.QuickContactActivity",
        "call": ".activities.InCallActivity",
    }
    version = "4.8.0"

    def forget(self) -> None:
        """No contacts, no calls."""
        self.contacts: list[Contact] = []
        self.calls: list[str] = []
        self._next_number = 1

    def load_start_data(self) -> None:
        """Three people."""
        say = self.host.say
        self._add(say("张三", "Alice"), "13800138000")
        self._add(say("李四", "Bob"), "13900139000")
        self._add(say("王芳", "Carol"), "13700137000")

    def truth(self) -> dict[str, Any]:
        """Contacts in the order in which they were added, and calls made."""
        return {"contacts": [asdict(c) for c in self.contacts], "calls": list(self.calls)}

    def _add(self, name: str, phone: str) -> Contact:
        contact = Contact(self._next_number, name, phone)
        self.contacts.append(contact)
        self._next_number += 1
        return contact

    def _contact(self, number: str) -> Contact | None:
        return next((c for c in self.contacts if str(c.number) == number), None)

    def page(self) -> View:
        """List, card, form or call."""
        match self.route:
            case ("detail", number):
                return self._detail(number)
            case ("edit", number):
                return self._form(number)
            case ("call", phone):
                return self._call(phone)
            case _:
                return self._list()

    def dialog_view(self) -> View | None:
        """The question before a contact is deleted."""
        if self.dialog is None:
            return None
        say = self.host.say
        contact = self._contact(self.dialog[1])
        name = contact.name if contact else ""
        return dialog_card(
            say("删除联系人", "Delete contact"),
            text(say(f"确定要删除“{name}”吗？", f"Do you want to delete {name}?"), 16),
            buttons=(
                text_button(say("取消", "Cancel"), ("dismiss",)),
                text_button(say("删除", "Delete"), ("delete", self.dialog[1]), color="danger"),
            ),
        )

    def open_link(self, data: str) -> bool:
        """Calls the number of a tel: link."""
        phone = re.sub(r"[^0-9+*#]", "", data.partition(":")[2])
        if not phone:
            return False
        self.on_event(("call", phone))
        return True

    def on_event(self, event: Event) -> None:
        """Edits, deletes, calls and writes."""
        match event:
            case ("edit", number):
                contact = self._contact(number)
                self.open(("edit", number))
                self.field("name").set_text(contact.name if contact else "")
                self.field("phone").set_text(contact.phone if contact else "")
                self.focus_on("name")
            case ("save",):
                self._save()
            case ("delete", number):
                self.contacts = [c for c in self.contacts if str(c.number) != number]
                self.go_home()
                self.host.toast(self.host.say("已删除", "Deleted"))
            case ("call", phone):
                self.calls.append(phone)
                self.open(("call", phone))
            case ("message", name):
                self.host.launch("com.tencent.mm", ("conversation", name))
            case _:
                super().on_event(event)

    def submit(self, key: str) -> None:
        """Enter goes from the name to the number."""
        if key == "name":
            self.focus_on("phone")
        else:
            super().submit(key)

    def _save(self) -> None:
        say = self.host.say
        name, phone = self.text_of("name").strip(), self.text_of("phone").strip()
        if not name:
            self.host.toast(say("请输入姓名", "Enter a name"))
            return
        if not re.fullmatch(r"\+?[0-9 -]{3,20}", phone):
            self.host.toast(say("请输入有效的电话号码", "Enter a valid phone number"))
            return
        contact = self._contact(self.route[1])
        if contact is None:
            contact = self._add(name, phone)
            self.show(("detail", str(contact.number)))
        else:
            contact.name, contact.phone = name, phone
            super().back()
        self.host.toast(say("联系人已保存", "Contact saved"))

    def _list(self) -> View:
        say = self.host.say
        wanted = self.text_of("search").strip().lower()
        found = [c for c in self.contacts if wanted in c.name.lower() or wanted in c.phone]
        groups: dict[str, list[Contact]] = {}
        for contact in sorted(found, key=lambda c: (initial(c.name), c.name)):
            groups.setdefault(initial(contact.name), []).append(contact)
        parts: list[View] = []
        for letter, people in groups.items():
            parts += [section(letter), card(*(self._row(contact) for contact in people))]
        body = column(*parts, padding=Insets(16, 0, 16, 100))
        if not parts:
            body = empty_note(say("没有联系人", "No contacts"))
        hint = say(
            f"在 {len(self.contacts)} 位联系人中搜索", f"Search {len(self.contacts)} contacts"
        )
        content = column(
            big_title(self.title()),
            column(self.search("search", hint), padding=insets(16, 0)),
            scroll("home", body),
            height=FILL,
        )
        add = floating_button("plus", say("新建联系人", "New contact"), ("edit", "new"))
        return page(with_floating_button(content, add))

    def _row(self, contact: Contact) -> View:
        number = str(contact.number)
        return list_row(
            contact.name,
            lead=avatar(contact.name, avatar_color(contact.name)),
            event=("open", "detail", number),
        )

    def _detail(self, number: str) -> View:
        say = self.host.say
        contact = self._contact(number)
        back = say("返回", "Navigate up")
        if contact is None:
            note = empty_note(say("联系人不存在", "No such contact"))
            return page(toolbar("", back=back), note)
        actions = row(
            self._action("phone", say("呼叫", "Call"), ("call", contact.phone)),
            self._action("message", say("发消息", "Message"), ("message", contact.name)),
            gap=14,
        )
        body = column(
            column(
                avatar(contact.name, avatar_color(contact.name), 96),
                text(contact.name, 28, max_lines=2, align="center", resource_id="large_title"),
                align="center",
                gap=14,
                padding=insets(0, 16),
            ),
            actions,
            card(list_row(contact.phone, say("手机", "Mobile"), lead=icon("phone"))),
            gap=16,
            padding=insets(16, 0),
        )
        return page(
            toolbar(
                "",
                icon_button("edit", say("编辑", "Edit"), ("edit", number)),
                icon_button("delete", say("删除", "Delete"), ("dialog", "delete", number)),
                back=back,
            ),
            scroll("detail", body),
        )

    def _action(self, name: str, label: str, event: Event) -> View:
        return column(
            icon(name, 26, color="on_primary_container"),
            text(label, 15, color="on_primary_container", bold=True),
            align="center",
            gap=6,
            weight=1,
            radius=20,
            padding=insets(0, 14),
            background="primary_container",
            content_desc=label,
            on_click=event,
        )

    def _form(self, number: str) -> View:
        say = self.host.say
        title = (
            say("新建联系人", "New contact")
            if number == "new"
            else say("编辑联系人", "Edit contact")
        )
        return page(
            toolbar(
                title,
                text_button(say("保存", "Save"), ("save",), resource_id="save"),
                back=say("返回", "Navigate up"),
            ),
            column(
                self._input("name", say("姓名", "Name"), "person"),
                self._input("phone", say("电话", "Phone"), "phone"),
                gap=16,
                padding=insets(20, 16),
            ),
        )

    def _input(self, key: str, hint: str, name: str) -> View:
        border = "primary" if self.focused == key else "outline"
        return row(
            icon(name),
            column(
                self.edit(key, hint, size=18).having(weight=0, width=FILL, padding=insets(16, 14)),
                border=border,
                background="surface",
                radius=12,
                weight=1,
            ),
            gap=16,
        )

    def _call(self, phone: str) -> View:
        say = self.host.say
        name = next((c.name for c in self.contacts if c.phone == phone), phone)
        hang_up = column(
            stack(
                icon("close", 32, color="on_danger"),
                width=76,
                height=76,
                radius=38,
                background="danger",
                align="center",
                justify="center",
            ),
            text(say("挂断", "Hang up"), 15, color="on_surface_variant"),
            gap=12,
            width=None,
            align="center",
            content_desc=say("挂断", "Hang up"),
            on_click=("back",),
        )
        body = column(
            space(60),
            avatar(name, avatar_color(name), 110),
            text(name, 30, max_lines=1),
            text(phone, 18, color="on_surface_variant"),
            text(say("正在呼叫…", "Calling…"), 17, color="on_surface_variant"),
            space(weight=1),
            hang_up,
            space(40),
            align="center",
            gap=12,
        )
        return page(scroll("call", body))
