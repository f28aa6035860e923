"""Notes: a list, an editor, search, deletion with a question."""

from __future__ import annotations

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
    insets,
    scroll,
    space,
    text,
)
from device.virtual_phone.ui.widgets import (
    big_title,
    dialog_card,
    empty_note,
    floating_button,
    icon_button,
    page,
    text_button,
    toolbar,
    with_floating_button,
)


@dataclass(slots=True)
class Note:
    """One note."""

    number: int
    title: str
    body: str


class NotesApp(App):
    """com.android.notes."""

    package = "com.android.notes"
    label = ("便签", "Notes")
    icon_name = "note"
    icon_color = "#f2a93b"
    main_activity = ".NotesListActivity"
    activities: ClassVar[Mapping[str, str]] = {"edit": ".NoteEditActivity"}
    version = "3.2.1"

    def forget(self) -> None:
        """No notes."""
        self.notes: list[Note] = []
        self._next_number = 1

    def load_start_data(self) -> None:
        """Two notes."""
        say = self.host.say
        self._add(
            say("购物清单", "Shopping list"),
            say("牛奶\n鸡蛋\n全麦面包\n苹果", "Milk\nEggs\nBread\nApples"),
        )
        self._add(
            say("会议记录", "Meeting notes"),
            say(
                "周三上午十点，三楼会议室。\n讨论新版本的发布时间和测试安排。",
                "Wednesday at ten, room 3.\nRelease date of the new version, and who tests what.",
            ),
        )

    def truth(self) -> dict[str, Any]:
        """All notes, the newest first."""
        return {"notes": [asdict(note) for note in self.notes]}

    def _add(self, title: str, body: str) -> None:
        self.notes.insert(0, Note(self._next_number, title, body))
        self._next_number += 1

    def _note(self, number: str) -> Note | None:
        return next((note for note in self.notes if str(note.number) == number), None)

    def page(self) -> View:
        """The list or the editor."""
        return self._editor() if self.route[0] == "edit" else self._list()

    def dialog_view(self) -> View | None:
        """Questions before something is lost."""
        say = self.host.say
        match self.dialog:
            case ("delete", number):
                note = self._note(number)
                title = note.title if note else ""
                return dialog_card(
                    say("删除便签", "Delete note"),
                    text(say(f"确定要删除“{title}”吗？", f'Do you want to delete "{title}"?'), 16),
                    buttons=(
                        text_button(say("取消", "Cancel"), ("dismiss",)),
                        text_button(say("删除", "Delete"), ("delete", number), color="danger"),
                    ),
                )
            case ("unsaved",):
                return dialog_card(
                    say("保存更改？", "Save changes?"),
                    text(say("这条便签还没有保存。", "This note has not been saved."), 16),
                    buttons=(
                        text_button(say("放弃", "Discard"), ("discard",)),
                        text_button(say("保存", "Save"), ("save",)),
                    ),
                )
            case _:
                return None

    def on_event(self, event: Event) -> None:
        """Edits, saves and deletes."""
        match event:
            case ("edit", number):
                note = self._note(number)
                self.open(("edit", number))
                self.field("note_title").set_text(note.title if note else "")
                self.field("note_body").set_text(note.body if note else "")
                if note is None:
                    self.focus_on("note_title")
            case ("save",):
                self._save()
            case ("discard",):
                self.dialog = None
                super().back()
            case ("delete", number):
                self.notes = [note for note in self.notes if str(note.number) != number]
                self.go_home()
                self.host.toast(self.host.say("已删除", "Deleted"))
            case _:
                super().on_event(event)

    def back(self) -> bool:
        """Asks before an edit is lost."""
        if self.dialog is None and self.route[0] == "edit" and self._edited():
            self.unfocus()
            self.dialog = ("unsaved",)
            return True
        return super().back()

    def submit(self, key: str) -> None:
        """Enter in the title goes on to the body."""
        if key == "note_title":
            self.focus_on("note_body")
        else:
            super().submit(key)

    def _edited(self) -> bool:
        note = self._note(self.route[1])
        before = (note.title, note.body) if note else ("", "")
        return (self.text_of("note_title"), self.text_of("note_body")) != before

    def _save(self) -> None:
        title, body = self.text_of("note_title").strip(), self.text_of("note_body")
        self.dialog = None
        if not title and not body.strip():
            self.host.toast(self.host.say("便签是空的", "The note is empty"))
            return
        title = title or body.strip().splitlines()[0][:20]
        note = self._note(self.route[1])
        if note is None:
            self._add(title, body)
        else:
            note.title, note.body = title, body
        self.go_home()
        self.host.toast(self.host.say("已保存", "Saved"))

    def _list(self) -> View:
        say = self.host.say
        wanted = self.text_of("search").strip().lower()
        found = [n for n in self.notes if wanted in f"{n.title}\n{n.body}".lower()]
        cards = [self._card(note) for note in found]
        body = column(*cards, gap=12, padding=Insets(16, 12, 16, 100))
        if not cards:
            body = empty_note(
                say("没有找到便签", "No notes found") if wanted else say("没有便签", "No notes yet")
            )
        content = column(
            big_title(self.title()),
            column(self.search("search", say("搜索便签", "Search notes")), padding=insets(16, 0)),
            scroll("home", body),
            height=FILL,
        )
        add = floating_button("plus", say("新建便签", "New note"), ("edit", "new"))
        return page(with_floating_button(content, add))

    def _card(self, note: Note) -> View:
        number = str(note.number)
        return column(
            text(note.title, 18, bold=True, max_lines=1, resource_id="note_item_title"),
            text(note.body, 15, color="on_surface_variant", max_lines=3, resource_id="note_item")
            if note.body
            else None,
            gap=6,
            padding=insets(20, 16),
            radius=20,
            background="surface",
            on_click=("edit", number),
            on_long_click=("dialog", "delete", number),
        )

    def _editor(self) -> View:
        say = self.host.say
        number = self.route[1]
        is_new = number == "new"
        delete = icon_button("delete", say("删除", "Delete"), ("dialog", "delete", number))
        return page(
            toolbar(
                say("新建便签", "New note") if is_new else say("编辑便签", "Edit note"),
                None if is_new else delete,
                text_button(say("保存", "Save"), ("save",), resource_id="save"),
                back=say("返回", "Navigate up"),
            ),
            scroll(
                "edit",
                column(
                    self.edit("note_title", say("标题", "Title"), size=24, bold=True).having(
                        weight=0, width=FILL, padding=insets(24, 10)
                    ),
                    space(4),
                    self.edit(
                        "note_body",
                        say("开始书写", "Start writing"),
                        multiline=True,
                        size=18,
                        width=FILL,
                        padding=insets(24, 8),
                    ),
                ),
            ),
        )
