"""Clock: alarms, a timer, a stopwatch."""

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
    row,
    scroll,
    space,
    text,
)
from device.virtual_phone.ui.widgets import (
    big_title,
    bottom_tabs,
    button,
    empty_note,
    floating_button,
    icon_button,
    page,
    quiet_button,
    text_button,
    toolbar,
    with_floating_button,
)


@dataclass(slots=True)
class Alarm:
    """An alarm; the hour is 0..23."""

    number: int
    hour: int
    minute: int
    label: str
    on: bool

    @property
    def time(self) -> str:
        """As "07:00"."""
        return f"{self.hour:02d}:{self.minute:02d}"


class ClockApp(App):
    """com.android.deskclock."""

    package = "com.android.deskclock"
    label = ("时钟", "Clock")
    icon_name = "clock"
    icon_color = "#39415a"
    main_activity = ".DeskClock"
    activities: ClassVar[Mapping[str, str]] = {"edit": ".AlarmEditActivity"}
    home = ("alarms",)
    version = "7.1.0"

    def forget(self) -> None:
        """No alarms; nothing runs."""
        self.alarms: list[Alarm] = []
        self._next_number = 1
        self.timer_left_s = 300.0
        self.timer_set_s = 300
        self.timer_running = False
        self.stopwatch_s = 0.0
        self.stopwatch_running = False
        self.laps_s: list[float] = []

    def load_start_data(self) -> None:
        """One alarm that is off."""
        self._add(7, 0, self.host.say("起床", "Wake up"), on=False)

    def truth(self) -> dict[str, Any]:
        """Alarms by time, timer and stopwatch."""
        return {
            "alarms": [{**asdict(a), "time": a.time} for a in self._by_time()],
            "timer": {
                "set_s": self.timer_set_s,
                "left_s": round(self.timer_left_s, 1),
                "running": self.timer_running,
            },
            "stopwatch": {
                "elapsed_s": round(self.stopwatch_s, 1),
                "running": self.stopwatch_running,
                "laps_s": [round(lap, 1) for lap in self.laps_s],
            },
        }

    @property
    def animating(self) -> bool:
        """A running timer or stopwatch in sight moves all the time."""
        return (self.route == ("timer",) and self.timer_running) or (
            self.route == ("stopwatch",) and self.stopwatch_running
        )

    def tick(self, dt_s: float) -> bool:
        """Runs timer and stopwatch."""
        if self.stopwatch_running:
            self.stopwatch_s += dt_s
        running = self.stopwatch_running or self.timer_running
        if self.timer_running:
            self.timer_left_s = max(0.0, self.timer_left_s - dt_s)
            if self.timer_left_s == 0:
                self.timer_running = False
                say = self.host.say
                words = say("计时结束", "Time is up")
                self.host.notify(self.package, say("计时器", "Timer"), words, ("timer",))
                self.host.toast(words)
        return running

    def _add(self, hour: int, minute: int, label: str, on: bool = True) -> None:
        self.alarms.append(Alarm(self._next_number, hour, minute, label, on))
        self._next_number += 1

    def _alarm(self, number: str) -> Alarm | None:
        return next((a for a in self.alarms if str(a.number) == number), None)

    def _by_time(self) -> list[Alarm]:
        return sorted(self.alarms, key=lambda a: (a.hour, a.minute, a.number))

    def page(self) -> View:
        """A tab or the alarm editor."""
        match self.route:
            case ("edit", number):
                return self._editor(number)
            case ("timer",):
                return self._tab(1, self._timer())
            case ("stopwatch",):
                return self._tab(2, self._stopwatch())
            case _:
                return self._tab(0, self._alarms())

    def on_event(self, event: Event) -> None:
        """Alarms, timer and stopwatch."""
        match event:
            case ("tab", name):
                self.unfocus()
                self.pages = [self.home] if name == "alarms" else [self.home, (name,)]
            case ("switch", number):
                alarm = self._alarm(number)
                if alarm is not None:
                    alarm.on = not alarm.on
            case ("edit", number):
                self._open_editor(number)
            case ("step", key, amount):
                limit = 24 if key == "hour" else 60
                value = (self._number(key) + int(amount)) % limit
                self.field(key).set_text(f"{value:02d}")
            case ("save",):
                self._save()
            case ("delete", number):
                self.alarms = [a for a in self.alarms if str(a.number) != number]
                super().back()
            case ("timer_set", seconds):
                self.timer_set_s = int(seconds)
                self.timer_left_s = float(seconds)
                self.timer_running = False
            case ("timer_flip",):
                if self.timer_left_s == 0:
                    self.timer_left_s = float(self.timer_set_s)
                self.timer_running = not self.timer_running
            case ("timer_reset",):
                self.timer_running, self.timer_left_s = False, float(self.timer_set_s)
            case ("watch_flip",):
                self.stopwatch_running = not self.stopwatch_running
            case ("watch_lap",):
                self.laps_s.insert(0, self.stopwatch_s)
            case ("watch_reset",):
                self.stopwatch_running, self.stopwatch_s, self.laps_s = False, 0.0, []
            case _:
                super().on_event(event)

    def submit(self, key: str) -> None:
        """Enter goes from hour to minute."""
        if key == "hour":
            self.focus_on("minute")
        else:
            super().submit(key)

    def _open_editor(self, number: str) -> None:
        alarm = self._alarm(number)
        self.open(("edit", number))
        self.field("hour").set_text(f"{alarm.hour if alarm else 8:02d}")
        self.field("minute").set_text(f"{alarm.minute if alarm else 0:02d}")
        self.field("label").set_text(alarm.label if alarm else "")

    def _number(self, key: str) -> int:
        words = self.text_of(key).strip()
        return int(words) if words.isascii() and words.isdigit() else -1

    def _save(self) -> None:
        hour, minute = self._number("hour"), self._number("minute")
        if not (0 <= hour <= 23 and 0 <= minute <= 59):
            self.host.toast(self.host.say("请输入有效的时间", "Enter a valid time"))
            return
        label = self.text_of("label").strip()
        alarm = self._alarm(self.route[1])
        if alarm is None:
            self._add(hour, minute, label)
        else:
            alarm.hour, alarm.minute, alarm.label, alarm.on = hour, minute, label, True
        super().back()
        said = f"{hour:02d}:{minute:02d}"
        self.host.toast(self.host.say(f"闹钟已设为 {said}", f"Alarm set for {said}"))

    def _tab(self, index: int, body: View) -> View:
        say = self.host.say
        tabs: list[tuple[str, str, Event]] = [
            ("alarm", say("闹钟", "Alarm"), ("tab", "alarms")),
            ("timer", say("计时器", "Timer"), ("tab", "timer")),
            ("stopwatch", say("秒表", "Stopwatch"), ("tab", "stopwatch")),
        ]
        return page(body.having(weight=1), bottom_tabs(tabs, index))

    def _alarms(self) -> View:
        say = self.host.say
        cards = [self._card(alarm) for alarm in self._by_time()]
        body = column(*cards, gap=12, padding=Insets(16, 8, 16, 100))
        if not cards:
            body = empty_note(say("没有闹钟", "No alarms"))
        content = column(big_title(say("闹钟", "Alarm")), scroll("alarms", body), height=FILL)
        add = floating_button("plus", say("添加闹钟", "Add alarm"), ("edit", "new"))
        return with_floating_button(content, add)

    def _card(self, alarm: Alarm) -> View:
        number = str(alarm.number)
        ink = "on_surface" if alarm.on else "hint"
        say = self.host.say
        label = alarm.label or say("闹钟", "Alarm")
        return row(
            column(
                text(alarm.time, 40, color=ink, resource_id="digital_clock"),
                text(label, 15, color="on_surface_variant", max_lines=1, resource_id="label"),
                weight=1,
            ),
            View(
                "switch",
                checkable=True,
                checked=alarm.on,
                width=52,
                height=32,
                content_desc=alarm.time,
                resource_id="onoff",
                on_click=("switch", number),
            ),
            padding=insets(22, 14),
            radius=22,
            background="surface",
            on_click=("edit", number),
        )

    def _editor(self, number: str) -> View:
        say = self.host.say
        is_new = number == "new"
        delete = icon_button("delete", say("删除", "Delete"), ("delete", number))
        return page(
            toolbar(
                say("添加闹钟", "Add alarm") if is_new else say("编辑闹钟", "Edit alarm"),
                None if is_new else delete,
                text_button(say("保存", "Save"), ("save",), resource_id="save"),
                back=say("返回", "Navigate up"),
            ),
            scroll(
                "edit",
                column(
                    row(
                        self._wheel("hour", say("时", "Hour")),
                        text(":", 52, padding=Insets(0, 0, 0, 44)),
                        self._wheel("minute", say("分", "Minute")),
                        justify="center",
                        gap=18,
                        padding=insets(0, 20),
                    ),
                    column(
                        column(
                            self.edit("label", say("标签", "Label"), size=18).having(
                                weight=0, width=FILL, padding=insets(16, 14)
                            ),
                            border="outline",
                            background="surface",
                            radius=12,
                        ),
                        padding=insets(24, 8),
                    ),
                ),
            ),
        )

    def _wheel(self, key: str, label: str) -> View:
        say = self.host.say
        more, less = say(f"{label}加一", f"{label} up"), say(f"{label}减一", f"{label} down")
        return column(
            icon_button("up", more, ("step", key, "1")),
            column(
                self.edit(
                    key, "00", size=48, max_length=2, select_on_focus=True, align="center"
                ).having(weight=0, width=FILL, padding=insets(0, 4)),
                width=108,
                border="primary" if self.focused == key else "",
                background="surface" if self.focused == key else "surface_variant",
                radius=16,
            ),
            icon_button("down", less, ("step", key, "-1")),
            text(label, 14, color="on_surface_variant"),
            align="center",
            gap=6,
            width=None,
        )

    def _timer(self) -> View:
        say = self.host.say
        left = int(self.timer_left_s + 0.999)
        presets = [
            quiet_button(
                say(f"{minutes} 分钟", f"{minutes} min"),
                ("timer_set", str(minutes * 60)),
                weight=1,
                padding=insets(4, 10),
            )
            for minutes in (1, 5, 10, 30)
        ]
        flip = say("暂停", "Pause") if self.timer_running else say("开始", "Start")
        body = column(
            big_title(say("计时器", "Timer")),
            space(weight=1),
            text(f"{left // 60:02d}:{left % 60:02d}", 76, align="center", width=FILL),
            space(20),
            row(*presets, gap=10, padding=insets(20, 0)),
            space(weight=1),
            row(
                quiet_button(say("重置", "Reset"), ("timer_reset",), weight=1),
                button(flip, ("timer_flip",), weight=1),
                gap=16,
                padding=insets(32, 24),
            ),
        )
        return column(scroll("timer", body), height=FILL)

    def _stopwatch(self) -> View:
        say = self.host.say
        flip = say("暂停", "Pause") if self.stopwatch_running else say("开始", "Start")
        if self.stopwatch_running:
            left = quiet_button(say("计次", "Lap"), ("watch_lap",), weight=1)
        else:
            left = quiet_button(say("重置", "Reset"), ("watch_reset",), weight=1)
        laps = [
            row(
                text(say(f"第 {number} 次", f"Lap {number}"), 16, weight=1),
                text(_elapsed(lap), 16),
                padding=insets(32, 10),
            )
            for number, lap in zip(range(len(self.laps_s), 0, -1), self.laps_s, strict=True)
        ]
        body = column(
            big_title(say("秒表", "Stopwatch")),
            text(
                _elapsed(self.stopwatch_s),
                64,
                align="center",
                width=FILL,
                padding=insets(0, 4 if self.host.screen_is_wide() else 32),
            ),
            *laps,
        )
        return column(
            scroll("stopwatch", body),
            row(
                left,
                button(flip, ("watch_flip",), weight=1),
                gap=16,
                padding=insets(32, 24),
            ),
            height=FILL,
        )


def _elapsed(seconds: float) -> str:
    tenths = int(seconds * 10)
    return f"{tenths // 600:02d}:{tenths // 10 % 60:02d}.{tenths % 10}"
