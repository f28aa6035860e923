"""`AdbDevice`: a real phone (or anything else that adb sees) behind the `Device` protocol."""

from __future__ import annotations

import logging
import os
import secrets
import time
from collections.abc import Callable
from pathlib import Path

from device.app_catalog import AppCatalog
from device.apps import AliasTable
from device.borrowed_settings import BorrowedSettings
from device.capture import ScreenCapture
from device.errors import (
    DeviceAsleepError,
    DeviceLockedError,
    UiTreeError,
)
from device.failures import check, check_silent
from device.focus import Focus, read_focus, read_resumed
from device.keyboards import Keyboards, KeyboardStore
from device.keys import CTRL_LEFT, KEY_A, KEY_CODES, input_command, key_code
from device.launching import launch
from device.power import read_locked, read_wakefulness
from device.protocol import App, DeviceState, InstalledApp, Screenshot, TypedResult, UiTree
from device.quoting import command, join, script
from device.state import read_state
from device.text_input import TextInput
from device.touch import Touch
from device.transport import Transport
from device.ui_tree import has_empty_web_view, parse_ui_tree
from device.vendor_switches import VendorAdvice

_LOG = logging.getLogger(__name__)
_FOCUS_TRIES = 3
_FOCUS_PAUSE_S = 0.2
_TREE_TRIES = 3
_TREE_TIMEOUT_S = 20.0
_TREE_PAUSE_S = 0.3
_WAKE_TIMEOUT_S = 3.0
_WAKE_POLL_S = 0.15


class AdbDevice:
    """A phone through adb. Every command carries the serial and ends within its deadline.

    Args:
        transport: The way to the phone.
        aliases: Human names of apps.
        state_dir: Where the user's own keyboard is written down while it is switched away from.
        verify_typing: Read the field back after typing (one UI dump).
    """

    def __init__(
        self,
        transport: Transport,
        *,
        aliases: AliasTable | None = None,
        state_dir: Path | None = None,
        verify_typing: bool = True,
    ) -> None:
        self.transport = transport
        self._capture = ScreenCapture(transport)
        state_dir = state_dir or default_state_dir()
        self.keyboards = Keyboards(transport, KeyboardStore(state_dir / "keyboards"))
        self._settings = BorrowedSettings(transport, state_dir / "settings")
        self._apps = AppCatalog(transport, aliases or AliasTable(), state_dir / "labels")
        self._touch = Touch(transport, self._capture)
        self._advice = VendorAdvice(transport)
        self._text_input = TextInput(
            transport,
            self.keyboards,
            self.ui_tree if verify_typing else None,
            lambda: self._capture.display_id,
            self._touch.tap,
        )

    @property
    def serial(self) -> str:
        return self.transport.serial

    # What is on the screen

    def screenshot(self) -> Screenshot:
        """Take a whole picture, or raise: a picture is never invented.

        Raises:
            ScreenshotError: No whole picture came, twice.
            DeviceError: The phone is gone.
        """
        return self._capture.take()

    def ui_tree(self) -> UiTree | None:
        """Read the tree of the active window; None where this screen gives none.

        A dump takes at least a second on a real phone and switches accessibility services off
        while it runs, so it is not for every step.

        Raises:
            UiTreeError: It could not be read, though the screen may well have one.
        """
        deadline = time.monotonic() + _TREE_TIMEOUT_S
        reread = False
        options: tuple[str, ...] = ()
        to_file = True
        for attempt in range(1, _TREE_TRIES + 1):
            try:
                tree = parse_ui_tree(self._dump_ui(deadline, options, to_file=to_file))
            except UiTreeError as error:
                reason = error.details.get("reason")
                if reason == "no_idle":
                    return None
                if attempt == _TREE_TRIES or not error.retryable or time.monotonic() > deadline:
                    raise
                # Some screens fail in full but not when compressed, some phones take no file.
                options = ("--compressed",) if reason in {"no_document", "killed", "broken"} else ()
                to_file = reason != "no_document" or attempt < _TREE_TRIES - 1
            else:
                if tree.root is not None and (reread or not has_empty_web_view(tree)):
                    return tree
                if attempt == _TREE_TRIES or time.monotonic() > deadline:
                    return tree if tree.root is not None else None
                reread = tree.root is not None
            time.sleep(_TREE_PAUSE_S)
        raise AssertionError("the last attempt returns or raises")

    def _dump_ui(self, deadline: float, options: tuple[str, ...], *, to_file: bool) -> str:
        """One dump through a file of its own name, so that no stale one can be read."""
        path = f"/data/local/tmp/localserver_{secrets.token_hex(6)}.xml"
        dump = command("uiautomator", "dump", *options, path if to_file else "/dev/tty")
        through_file = [dump, command("cat", path), command("rm", "-f", path)]
        timeout_s = max(1.0, deadline - time.monotonic())
        asked = join(through_file) if to_file else dump
        return self.transport.read(asked, timeout_s=timeout_s).merged_text

    def foreground(self) -> App | None:
        """What is in front; None during a transition that does not end."""
        for attempt in range(_FOCUS_TRIES):
            if attempt:
                time.sleep(_FOCUS_PAUSE_S)
            if focus := self._read_focus():
                return App(focus.package, focus.activity, focus.window, focus.anr)
        return None

    def _read_focus(self) -> Focus | None:
        lines = script("dumpsys window displays | grep -E 'mCurrentFocus|mFocusedApp'")
        focus = read_focus(self.transport.read(lines).text)
        if focus is not None and focus.window:
            return focus
        # Up to Android 9 the focused window is in another part.
        older = script("dumpsys window windows | grep -E 'mCurrentFocus|mFocusedApp'")
        focus = read_focus(self.transport.read(older).text) or focus
        if focus is not None:
            return focus
        resumed = script("dumpsys activity activities | grep -E 'ResumedActivity'")
        return read_resumed(self.transport.read(resumed).text)

    # Input. Points are pixels of the last screenshot.

    def tap(self, x_px: float, y_px: float) -> None:
        with self._advice.named():
            self._touch.tap(x_px, y_px)

    def double_tap(self, x_px: float, y_px: float) -> None:
        with self._advice.named():
            self._touch.double_tap(x_px, y_px)

    def long_press(self, x_px: float, y_px: float, duration_s: float = 0.8) -> None:
        with self._advice.named():
            self._touch.long_press(x_px, y_px, duration_s)

    def swipe(
        self,
        x1_px: float,
        y1_px: float,
        x2_px: float,
        y2_px: float,
        duration_s: float = 0.4,
        *,
        from_edge: bool = False,
    ) -> None:
        """Swipe; off the edges that belong to the system's gestures, unless `from_edge`."""
        with self._advice.named():
            self._touch.swipe((x1_px, y1_px), (x2_px, y2_px), duration_s, from_edge=from_edge)

    def type_text(
        self,
        text: str,
        *,
        at_px: tuple[float, float] | None = None,
        clear: bool = False,
        submit: bool = False,
        before_input: Callable[[], None] = lambda: None,
    ) -> TypedResult:
        """Type into a field, whole or not at all; see `device.text_input`."""
        with self._advice.named():
            return self._text_input.type_text(
                text, at_px=at_px, clear=clear, submit=submit, before_input=before_input
            )

    def press_key(self, key: str) -> None:
        """Press a key of the action vocabulary.

        Raises:
            UnknownKeyError: There is no such key.
            DeviceError: The phone refused.
        """
        if key == "SELECT_ALL":
            self._input("keycombination", CTRL_LEFT, KEY_A)
        else:
            self._input("keyevent", key_code(key))

    def _input(self, *words: str | int) -> None:
        run = input_command(*words, display_id=self._capture.display_id)
        with self._advice.named():
            check_silent(self.transport.run(run), f"do the {words[0]}")

    # Apps

    def resolve_app(self, name: str) -> str:
        """The package of an installed app by its human name or package; never a lookalike.

        Raises:
            AppNotFoundError: Nothing installed has this name; `details["candidates"]`.
            AppAmbiguousError: Several have; `details["candidates"]`.
        """
        return self._apps.resolve(name)

    def open_app(self, package: str) -> App:
        """Launch and wait until it, or a question about it, is in front.

        Raises:
            AppNotFoundError: It is not installed, or has nothing to open.
            AppNotStartedError: It did not come to the front in time.
        """
        self._apps.check_installed(package)
        return launch(self.transport, package, self.foreground, display_id=self._capture.display_id)

    def stop_app(self, package: str) -> None:
        """Force-stop just this package.

        Raises:
            AppNotFoundError: It is not installed.
        """
        self._apps.check_installed(package)
        # Without a user it would stop the app of the work profile and its twin as well.
        words = ("am", "force-stop", "--user", self._apps.current_user(), package)
        check(self.transport.run(command(*words)), "stop the app")

    def installed_apps(self) -> list[InstalledApp]:
        """All packages of the current user, with all names that are known for them."""
        return self._apps.installed()

    # State

    def wake(self) -> None:
        """Switch the screen on and put an open keyguard away.

        Raises:
            DeviceAsleepError: The screen stays off.
        DeviceLockedError: It needs a PIN, a pattern or a finger: none is ever guessed.
        """
        if not self._wait_until(self._is_awake, 0.0):
            self._input("keyevent", KEY_CODES["WAKEUP"])
            if not self._wait_until(self._is_awake, _WAKE_TIMEOUT_S):
                raise DeviceAsleepError("The screen stays off; press the phone's power button.")
        if not self._is_locked():
            return
        self.transport.run(command("wm", "dismiss-keyguard"))
        if self._wait_until(lambda: not self._is_locked(), 1.0):
            return
        width_px, height_px = self._capture.frame()
        x = width_px // 2
        self._input("swipe", x, height_px * 4 // 5, x, height_px // 4, 300)
        if not self._wait_until(lambda: not self._is_locked(), 1.5):
            raise DeviceLockedError("The phone is locked; unlock it by hand, then try again.")

    def _is_awake(self) -> bool:
        run = self.transport.read(script("dumpsys power | grep -i wakefulness"))
        return read_wakefulness(run.text) in {"Awake", None}

    def _is_locked(self) -> bool:
        run = self.transport.read(command("dumpsys", "window", "policy"))
        return read_locked(run.text) is True

    def _wait_until(self, holds: Callable[[], bool], timeout_s: float) -> bool:
        deadline = time.monotonic() + timeout_s
        while not holds():
            if time.monotonic() >= deadline:
                return False
            time.sleep(_WAKE_POLL_S)
        return True

    def state(self) -> DeviceState:
        """Health of the phone; a phone that is not ready is a state, not an error."""
        return read_state(self.transport)

    def prepare(self) -> None:
        """Switch animations and sleep off for a run, where the vendor lets us.

        Raises:
            DeviceError: The phone could not be reached.
        """
        try:
            self._settings.borrow()
        except OSError as error:
            _LOG.warning("the settings of %s cannot be written down: %s", self.serial, error)

    def restore(self) -> None:
        """Give back the keyboard, animations and sleep of the phone's owner; safe at any time.

        Raises:
            DeviceError: The phone could not be reached; all stays written down and is given back
                at the next start.
        """
        try:
            self.keyboards.give_back()
        finally:
            self._settings.give_back()


def default_state_dir() -> Path:
    """Where facts about phones outlive the process: `$LOCALSERVER_STATE_DIR`, or in the home."""
    named = os.environ.get("LOCALSERVER_STATE_DIR", "").strip()
    return Path(named) if named else Path.home() / ".localserver"
