"""What fingers and keys do to the system: the hands' side of the phone."""

from __future__ import annotations

from collections.abc import Callable

from device.virtual_phone.apps.base import App
from device.virtual_phone.apps.system import System
from device.virtual_phone.keyboard import Keyboard
from device.virtual_phone.ui.gestures import EdgeGesture
from device.virtual_phone.ui.text_field import TextField
from device.virtual_phone.ui.text_input import TextInput
from device.virtual_phone.ui.touch import hidden_below_px
from device.virtual_phone.ui.touchscreen import Touchscreen
from device.virtual_phone.ui.view import Event
from device.virtual_phone.ui.window import Screen, Window

_VOLUME_STEPS = 15
_VOLUME_UP, _VOLUME_DOWN = 24, 25
_CTRL, _SHIFT = {113, 114}, {59, 60}


class Interaction:
    """Fingers, hardware keys and keyboards.

    Args:
        system: What they act on.
        look: Gives what is on the screen now.

    Attributes:
        touchscreen: Where fingers go.
        text_input: Where typing goes.
        keyboard: The on-screen keyboard.
    """

    def __init__(self, system: System, look: Callable[[], Screen]) -> None:
        self._system = system
        self._look = look
        self._ime_hidden = False
        self.keyboard = Keyboard()
        self.touchscreen = Touchscreen(self, system.profile.density / 160)
        self.text_input = TextInput(self)

    @property
    def focused_editable(self) -> bool:
        """A text field has the input focus."""
        system = self._system
        covered = system.locked or system.shade.is_open or system.alert is not None
        in_front = system.lit and not covered
        return in_front and self._app.focused is not None

    @property
    def ime_shown(self) -> bool:
        """The on-screen keyboard is up."""
        return self.focused_editable and not self._ime_hidden

    @property
    def _app(self) -> App:
        return self._system.tasks.front

    # Fingers (ui.touchscreen.Touched)

    @property
    def clock_s(self) -> float:
        """The phone's clock."""
        return self._system.timeline.clock_s

    def screen(self) -> Screen:
        """What is on the screen now."""
        return self._look()

    def send(self, window: Window, event: Event) -> None:
        """Gives a view's event to the owner of its window."""
        if window.name == "keyboard":
            self._press_painted_key(event[1])
        elif window.name == "alert":
            self._answer_alert(event)
        elif event == ("unlock",):
            self._system.locked = False
        elif window.name in ("shade", "keyguard"):
            self._system.shade.handle(event, self._system)
            if event[0] == "open_notification":
                self._system.locked = False
        else:
            self._handle(event)

    def slide(self, window: Window, key: str, value: float) -> None:
        """Moves a slider."""
        if window.name == "shade":
            level = str(max(1, round(value * 255)))
            self._system.put_setting("system", "screen_brightness", level)
        else:
            self._app.on_slide(key, value)

    def scroll_to(self, window: Window, key: str, offset_px: int) -> None:
        """Scrolls a container."""
        owner = self._system.shade if window.name == "shade" else self._app
        owner.scrolls[key] = offset_px

    def put_cursor(self, key: str, position: int, select_word: bool) -> None:
        """Gives a field the focus; the keyboard comes up."""
        app = self._app
        app.focus_on(key)
        self._ime_hidden = False
        field = app.field(key)
        if not field.select_on_focus:
            field.move_to(position)
        if select_word:
            field.select_word()
        self._reveal_cursor()

    def touch_outside_dialog(self) -> None:
        """Closes the dialog."""
        self._app.close_dialog()

    def edge(self, edge: EdgeGesture) -> None:
        """Does what a system gesture asks."""
        match edge:
            case EdgeGesture.BACK:
                self.back()
            case EdgeGesture.HOME:
                self._system.go_home()
            case EdgeGesture.RECENTS:
                self._system.show_recents()
            case EdgeGesture.SHADE:
                self._system.shade.pull()

    def swipe_shade(self, down: bool) -> None:
        """Opens the shade fully, or closes it."""
        self._system.shade.state = "settings" if down else "closed"

    # Keys

    def key(self, keycode: int) -> None:
        """Presses and releases a key."""
        system = self._system
        if keycode == 26:
            (system.sleep if system.lit else system.wake)()
        elif keycode == 223:
            system.sleep()
        elif keycode == 224:
            system.wake()
        elif system.lit:
            self._key_while_lit(keycode)

    def key_combination(self, keycodes: list[int]) -> None:
        """Presses keys together."""
        if not keycodes or not self._system.lit:
            return
        held, last = set(keycodes[:-1]), keycodes[-1]
        if held & _CTRL:
            self.text_input.control_key(last)
        elif held & _SHIFT:
            self.text_input.key(last, shift=True)
        else:
            for keycode in keycodes:
                self.key(keycode)

    def back(self) -> None:
        """Closes what is in front: shade, keyboard, dialog, page, app."""
        alert = self._system.alert
        if self._system.shade.is_open:
            self._system.shade.close()
        elif alert is not None:
            if alert.kind == "permission":
                self._system.answer_alert("deny")
        elif self.ime_shown:
            self._ime_hidden = True
        elif not self._app.back():
            self._system.go_home()

    def _key_while_lit(self, keycode: int) -> None:
        system = self._system
        match keycode:
            case 24 | 25:
                self._change_volume(1 if keycode == _VOLUME_UP else -1)
            case 82 if system.locked:
                system.locked = False
            case _ if system.locked:
                pass
            case 3:
                system.go_home()
            case 4 | 111:
                self.back()
            case 187:
                system.show_recents()
            case 61:
                self._focus_next()
            case _:
                self.text_input.key(keycode)

    def _change_volume(self, step: int) -> None:
        system = self._system
        volume = int(system.setting("system", "volume_music") or "0") + step
        volume = max(0, min(_VOLUME_STEPS, volume))
        system.put_setting("system", "volume_music", str(volume))
        percent = round(volume / _VOLUME_STEPS * 100)
        system.toast(system.say(f"媒体音量 {percent}%", f"Media volume {percent}%"))

    # Typing (ui.text_input.Typed)

    @property
    def clipboard(self) -> str:
        """What was copied last."""
        return self._system.clipboard

    @clipboard.setter
    def clipboard(self, value: str) -> None:
        self._system.clipboard = value

    def focused_field(self) -> TextField | None:
        """The field with the input focus."""
        app = self._app
        if not self.focused_editable or app.focused is None:
            return None
        return app.field(app.focused)

    def field_edited(self) -> None:
        """Tells the app that its focused field changed."""
        if self._app.focused is not None:
            self._app.text_changed(self._app.focused)
            self._reveal_cursor()

    def submit_field(self) -> None:
        """Tells the app that the action key was pressed."""
        focused = self._app.focused
        if focused is not None:
            self._app.submit(focused)
            self._keyboard_follows(focused)

    def _answer_alert(self, event: Event) -> None:
        match event:
            case ("alert", "wait" | "close" | "allow" | "deny" as answer):
                self._system.answer_alert(answer)

    def _handle(self, event: Event) -> None:
        before = self._app.focused
        self._app.handle(event)
        self._keyboard_follows(before)

    def _keyboard_follows(self, before: str | None) -> None:
        """A field that has just got the focus brings the keyboard up."""
        if self._app.focused != before:
            self._ime_hidden = False

    def _focus_next(self) -> None:
        root = self._look().active_window.root
        fields = [box.view.key for box in root.walk() if box.view.kind == "field"]
        app = self._app
        if fields:
            position = fields.index(app.focused) + 1 if app.focused in fields else 0
            app.focus_on(fields[position % len(fields)])

    def _press_painted_key(self, name: str) -> None:
        match name:
            case "backspace":
                self.text_input.edit(lambda field: field.delete_before())
            case "enter":
                self.text_input.enter()
            case "space":
                self.text_input.insert(" ")
            case _:
                self.text_input.insert(self.keyboard.press(name))

    def _reveal_cursor(self) -> None:
        """Scrolls so that the keyboard does not hide the end of the focused field."""
        app, field = self._app, self.focused_field()
        if field is None or app.focused is None or field.cursor < len(field.text):
            return
        hidden = hidden_below_px(self._look().active_window.root, app.focused)
        if hidden is not None and hidden[1] > 0:
            key, below_px = hidden
            app.scrolls[key] = app.scrolls.get(key, 0) + below_px
