"""Chat: conversations, an input box, people, and answers that come a little later."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

from device.virtual_phone.apps.base import App
from device.virtual_phone.apps.contacts import avatar_color
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
    stack,
    text,
)
from device.virtual_phone.ui.widgets import (
    avatar,
    bottom_tabs,
    button,
    card,
    icon_button,
    list_row,
    page,
    section,
    toolbar,
)

REPLY_AFTER_S = 4.0
_BOTTOM = 1 << 20
_GREEN = "#2fb45a"


@dataclass(slots=True)
class Message:
    """One message; `photo` is the number of a gallery picture, or -1."""

    mine: bool
    text: str
    photo: int = -1


@dataclass(slots=True)
class Conversation:
    """What was said with one person or group."""

    name: str
    messages: list[Message] = field(default_factory=list)
    unread: int = 0


class ChatApp(App):
    """com.tencent.mm."""

    package = "com.tencent.mm"
    label = ("微信", "WeChat")
    icon_name = "chat"
    icon_color = _GREEN
    main_activity = ".ui.LauncherUI"
    activities: ClassVar[Mapping[str, str]] = {
        "conversation": ".ui.chatting.ChattingUI",
        "share": ".ui.transmit.SelectConversationUI",
    }
    home = ("chats",)
    version = "8.0.50"

    def forget(self) -> None:
        """Nobody and nothing."""
        self.conversations: list[Conversation] = []
        self.people: list[str] = []

    def load_start_data(self) -> None:
        """A few people and what they wrote."""
        say = self.host.say
        one, two, three = say("张三", "Alice"), say("李四", "Bob"), say("王芳", "Carol")
        group = say("项目组", "Project team")
        self.people = [one, two, three]
        self.conversations = [
            Conversation(
                one,
                [
                    Message(False, say("周末有空吗？", "Are you free this weekend?")),
                    Message(True, say("有的，怎么了？", "Yes, what is up?")),
                    Message(False, say("一起去爬山吧", "Let us go hiking together")),
                ],
                unread=1,
            ),
            Conversation(
                group,
                [
                    Message(
                        False,
                        say(
                            "明天上午十点开会，请准时参加。", "Meeting tomorrow at ten, be on time."
                        ),
                    ),
                    Message(True, say("收到", "Got it")),
                ],
            ),
            Conversation(
                two,
                [
                    Message(
                        False,
                        say("文件已经发到你的邮箱了", "The file is in your mailbox"),
                    )
                ],
            ),
            Conversation(three, [Message(True, say("生日快乐！", "Happy birthday!"))]),
        ]

    def truth(self) -> dict[str, Any]:
        """Conversations, the latest first."""
        return {"conversations": [asdict(c) for c in self.conversations]}

    def conversation(self, name: str) -> Conversation:
        """The conversation with a person; a new one if there is none."""
        for known in self.conversations:
            if known.name == name:
                return known
        fresh = Conversation(name)
        self.conversations.insert(0, fresh)
        if name not in self.people:
            self.people.append(name)
        return fresh

    def page(self) -> View:
        """A tab, a conversation, or the choice of whom to send a picture to."""
        match self.route:
            case ("conversation", name):
                return self._conversation(name)
            case ("share", photo):
                return self._share(photo)
            case ("people",):
                return self._tab(1, self._people())
            case ("me",):
                return self._tab(2, self._me())
            case _:
                return self._tab(0, self._chats())

    def open(self, route: tuple[str, ...]) -> None:
        """A conversation opens at its end and counts as read."""
        super().open(route)
        if route[0] == "conversation":
            self.conversation(route[1]).unread = 0
            self.scrolls["conversation"] = _BOTTOM
            self.field("message").set_text("")

    def arrive(self) -> None:
        """The conversation in front counts as read."""
        if self.route[0] == "conversation":
            self.conversation(self.route[1]).unread = 0

    def on_event(self, event: Event) -> None:
        """Sends and receives."""
        match event:
            case ("tab", name):
                self.unfocus()
                self.pages = [self.home] if name == "chats" else [self.home, (name,)]
            case ("send",):
                self._send()
            case ("send_photo", name, photo):
                self._append(name, Message(True, self.host.say("[图片]", "[Picture]"), int(photo)))
                super().back()
                self.host.toast(self.host.say("已发送", "Sent"))
            case ("receive", name, words):
                self._receive(name, words)
            case _:
                super().on_event(event)

    def submit(self, key: str) -> None:
        """Enter sends."""
        if key == "message":
            self._send()
        else:
            super().submit(key)

    def _append(self, name: str, message: Message) -> None:
        conversation = self.conversation(name)
        conversation.messages.append(message)
        self.conversations.remove(conversation)
        self.conversations.insert(0, conversation)
        self.scrolls["conversation"] = _BOTTOM

    def _send(self) -> None:
        words = self.text_of("message").strip()
        if not words:
            return
        name = self.route[1]
        self._append(name, Message(True, words))
        self.field("message").set_text("")
        answer = self.host.say("好的，收到。", "OK, got it.")
        self.host.after(REPLY_AFTER_S, self.package, ("receive", name, answer))

    def _receive(self, name: str, words: str) -> None:
        self._append(name, Message(False, words))
        if not (self.host.in_front(self.package) and self.route == ("conversation", name)):
            self.conversation(name).unread += 1
            self.host.notify(self.package, name, words, ("conversation", name))

    def _tab(self, index: int, body: View) -> View:
        say = self.host.say
        tabs: list[tuple[str, str, Event]] = [
            ("message", say("聊天", "Chats"), ("tab", "chats")),
            ("people", say("通讯录", "People"), ("tab", "people")),
            ("person", say("我", "Me"), ("tab", "me")),
        ]
        return page(body.having(weight=1), bottom_tabs(tabs, index))

    def _chats(self) -> View:
        rows = []
        for conversation in self.conversations:
            last = conversation.messages[-1].text if conversation.messages else ""
            badge = None
            if conversation.unread:
                badge = stack(
                    text(str(conversation.unread), 13, color="#ffffff", bold=True),
                    width=24,
                    height=24,
                    radius=12,
                    background="#e5484d",
                    align="center",
                    justify="center",
                )
            rows.append(
                list_row(
                    conversation.name,
                    last,
                    lead=avatar(conversation.name, avatar_color(conversation.name), 48),
                    trail=badge,
                    event=("open", "conversation", conversation.name),
                )
            )
        return column(
            toolbar(self.title()),
            scroll("chats", column(*rows, background="surface")),
            height=FILL,
        )

    def _people(self) -> View:
        rows = [
            list_row(
                name, lead=avatar(name, avatar_color(name)), event=("open", "conversation", name)
            )
            for name in self.people
        ]
        title = self.host.say("通讯录", "People")
        return column(
            toolbar(title),
            scroll("people", column(card(*rows), padding=insets(16, 8))),
            height=FILL,
        )

    def _me(self) -> View:
        say = self.host.say
        name = say("小林", "Robin")
        rows = [
            list_row(say("服务", "Services"), lead=icon("card")),
            list_row(say("收藏", "Favorites"), lead=icon("star")),
            list_row(say("朋友圈", "Moments"), lead=icon("image")),
            list_row(
                say("设置", "Settings"), lead=icon("gear"), event=("launch", "com.android.settings")
            ),
        ]
        body = column(
            space(24),
            row(
                avatar(name, "#5b6b8a", 72),
                column(
                    text(name, 24, bold=True),
                    text(say("微信号：ls_robin", "ID: ls_robin"), 15, color="on_surface_variant"),
                    weight=1,
                    gap=4,
                ),
                gap=18,
                padding=insets(24, 16),
            ),
            column(card(*rows), padding=insets(16, 12)),
        )
        return column(scroll("me", body), height=FILL)

    def _conversation(self, name: str) -> View:
        say = self.host.say
        bubbles = [self._bubble(name, message) for message in self.conversation(name).messages]
        words = self.text_of("message").strip()
        send = (
            button(
                say("发送", "Send"),
                ("send",),
                background=_GREEN,
                color="#ffffff",
                radius=10,
                padding=insets(16, 9),
                resource_id="send",
            )
            if words
            else icon_button(
                "plus", say("更多", "More"), ("toast", say("暂不支持", "Not supported"))
            )
        )
        box = column(
            self.edit("message", say("输入消息", "Message"), size=17).having(
                weight=0, width=FILL, padding=insets(14, 10)
            ),
            background="surface",
            radius=12,
            weight=1,
        )
        return page(
            toolbar(name, back=say("返回", "Navigate up")),
            scroll("conversation", column(*bubbles, gap=14, padding=insets(14, 12))),
            row(
                box,
                send,
                gap=10,
                padding=insets(12, 8),
                background="surface_variant",
            ),
        )

    def _bubble(self, name: str, message: Message) -> View:
        face = avatar(self.host.say("小林", "Robin"), "#5b6b8a", 40)
        if not message.mine:
            face = avatar(name, avatar_color(name), 40)
        if message.photo >= 0:
            body = picture(f"photo:{message.photo}", width=150, height=150, radius=12)
        else:
            body = text(
                message.text,
                17,
                color="#10291a" if message.mine else "on_surface",
                background="#a6e3b4" if message.mine else "surface",
                radius=14,
                padding=insets(14, 10),
                resource_id="message_text",
            )
        # The holder takes what the avatar leaves, and keeps long bubbles off the far edge.
        holder = column(
            body,
            weight=1,
            align="end" if message.mine else "start",
            padding=Insets(44, 0, 0, 0) if message.mine else Insets(0, 0, 44, 0),
        )
        parts = (holder, face) if message.mine else (face, holder)
        return row(*parts, gap=10, align="start")

    def _share(self, photo: str) -> View:
        say = self.host.say
        rows = [
            list_row(
                name,
                lead=avatar(name, avatar_color(name)),
                event=("send_photo", name, photo),
            )
            for name in self.people
        ]
        return page(
            toolbar(say("选择一个聊天", "Choose a chat"), back=say("返回", "Navigate up")),
            section(say("发送图片给", "Send the picture to")),
            scroll("share", column(card(*rows), padding=insets(16, 4))),
        )
