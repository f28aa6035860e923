"""Gallery: a grid of painted pictures, a viewer, sharing, deletion with a question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from device.virtual_phone.apps.base import App
from device.virtual_phone.ui.view import (
    FILL,
    Event,
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
    big_title,
    dialog_card,
    empty_note,
    list_row,
    page,
    section,
    text_button,
    toolbar,
)

_TITLES = (
    ("海边日落", "Sunset by the sea"),
    ("山谷清晨", "Valley at dawn"),
    ("湖边小路", "Path along the lake"),
    ("雪山", "Snowy mountain"),
    ("田野", "Fields"),
    ("黄昏的河", "River at dusk"),
    ("远山", "Far hills"),
    ("草原", "Grassland"),
    ("森林边", "Edge of the forest"),
    ("沙丘", "Dunes"),
    ("港口", "Harbour"),
    ("星空下", "Under the stars"),
)


@dataclass(slots=True)
class Photo:
    """A picture; its number decides what is on it."""

    number: int
    title: str
    favorite: bool = False


class GalleryApp(App):
    """com.android.gallery3d."""

    package = "com.android.gallery3d"
    label = ("相册", "Gallery")
    icon_name = "image"
    icon_color = "#8a5bd1"
    main_activity = ".app.GalleryActivity"
    activities: ClassVar[Mapping[str, str]] = {"photo": ".app.PhotoPage"}
    version = "2.9.0"

    def forget(self) -> None:
        """No pictures."""
        self.photos: list[Photo] = []

    def restart(self) -> None:
        """Nothing is enlarged."""
        super().restart()
        self.zoomed = False

    def load_start_data(self) -> None:
        """Twelve pictures."""
        self.photos = [Photo(n, self.host.say(zh, en)) for n, (zh, en) in enumerate(_TITLES)]

    def truth(self) -> dict[str, Any]:
        """Pictures in the order of the grid."""
        return {
            "photos": [
                {"number": p.number, "title": p.title, "favorite": p.favorite} for p in self.photos
            ]
        }

    def _photo(self, number: str) -> Photo | None:
        return next((p for p in self.photos if str(p.number) == number), None)

    def page(self) -> View:
        """The grid or one picture."""
        if self.route[0] == "photo":
            photo = self._photo(self.route[1])
            if photo is not None:
                return self._viewer(photo)
        return self._grid()

    def dialog_view(self) -> View | None:
        """Deleting and sharing."""
        say = self.host.say
        match self.dialog:
            case ("delete", number):
                return dialog_card(
                    say("删除照片", "Delete photo"),
                    text(say("确定要删除这张照片吗？", "Do you want to delete this photo?"), 16),
                    buttons=(
                        text_button(say("取消", "Cancel"), ("dismiss",)),
                        text_button(say("删除", "Delete"), ("delete", number), color="danger"),
                    ),
                )
            case ("sheet_share", number):
                return column(
                    text(say("分享到", "Share to"), 20, bold=True, padding=insets(24, 10)),
                    list_row(
                        say("微信", "WeChat"),
                        lead=icon("chat", 30, color="#2fb45a"),
                        event=("share", number),
                    ),
                    list_row(
                        say("蓝牙", "Bluetooth"),
                        lead=icon("bluetooth", 30),
                        event=("share_bluetooth",),
                    ),
                    list_row(say("取消", "Cancel"), event=("dismiss",)),
                    background="surface",
                    radius=28,
                    padding=insets(0, 12),
                )
            case _:
                return None

    def on_event(self, event: Event) -> None:
        """Shows, marks, shares and deletes."""
        match event:
            case ("photo", number):
                self.zoomed = False
                self.open(("photo", number))
            case ("step", number, amount):
                self._step(number, int(amount))
            case ("zoom",):
                self.zoomed = not self.zoomed
            case ("favorite", number):
                photo = self._photo(number)
                if photo is not None:
                    photo.favorite = not photo.favorite
            case ("delete", number):
                self.photos = [p for p in self.photos if str(p.number) != number]
                self.go_home()
                self.host.toast(self.host.say("已删除", "Deleted"))
            case ("share", number):
                self.close_dialog()
                self.host.launch("com.tencent.mm", ("share", number))
            case ("share_bluetooth",):
                self.close_dialog()
                on = self.host.setting("global", "bluetooth_on") == "1"
                say = self.host.say
                nobody = say("附近没有可接收的设备", "No device nearby can receive it")
                self.host.toast(nobody if on else say("蓝牙已关闭", "Bluetooth is off"))
            case _:
                super().on_event(event)

    def _step(self, number: str, amount: int) -> None:
        """The picture before or after, as far as there is one."""
        numbers = [str(p.number) for p in self.photos]
        position = numbers.index(number) + amount
        if 0 <= position < len(numbers):
            self.zoomed = False
            self.pages[-1] = ("photo", numbers[position])

    def _grid(self) -> View:
        say = self.host.say
        columns = 6 if self.host.screen_is_wide() else 3
        rows = []
        for start in range(0, len(self.photos), columns):
            cells = [
                picture(
                    f"photo:{photo.number}",
                    weight=1,
                    height=124,
                    radius=6,
                    content_desc=photo.title,
                    on_click=("photo", str(photo.number)),
                    on_long_click=("dialog", "delete", str(photo.number)),
                )
                for photo in self.photos[start : start + columns]
            ]
            cells += [space(weight=1)] * (columns - len(cells))
            rows.append(row(*cells, gap=4))
        body = column(
            section(say("今天", "Today")), column(*rows, gap=4), space(20), padding=insets(6, 0)
        )
        if not rows:
            body = empty_note(say("没有照片", "No photos"))
        return page(big_title(self.title()), scroll("home", body))

    def _viewer(self, photo: Photo) -> View:
        say = self.host.say
        number = str(photo.number)
        heart = "#e5484d" if photo.favorite else "on_surface"
        actions: tuple[tuple[str, str, Event, str], ...] = (
            ("share", say("分享", "Share"), ("dialog", "sheet_share", number), "on_surface"),
            ("heart", say("收藏", "Favorite"), ("favorite", number), heart),
            ("delete", say("删除", "Delete"), ("dialog", "delete", number), "on_surface"),
        )
        buttons = [
            column(
                icon(name, 26, color=color),
                text(label, 14),
                align="center",
                justify="center",
                gap=4,
                weight=1,
                height=FILL,
                content_desc=label,
                selected=name == "heart" and photo.favorite,
                on_click=event,
            )
            for name, label, event, color in actions
        ]
        height = 460 if self.zoomed else 300
        shown = picture(
            f"photo:{photo.number}",
            width=FILL,
            height=160 if self.host.screen_is_wide() else height,
            content_desc=photo.title,
            on_double_tap=("zoom",),
        )
        return page(
            toolbar(photo.title, back=say("返回", "Navigate up")),
            column(
                space(weight=1),
                shown,
                space(weight=1),
                weight=1,
                on_swipe_left=("step", number, "1"),
                on_swipe_right=("step", number, "-1"),
            ),
            row(*buttons, height=76, background="surface"),
        )
