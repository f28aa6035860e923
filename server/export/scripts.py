"""Recorded actions as scripts that repeat them: shell and adb, uiautomator2, pyautogui.

Every value is written by one quoting function of the script's own language; no prose of the model
is in a script, not even as a comment. Points are pixels of the screen that was recorded.
"""

from __future__ import annotations

import base64
import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from device.apps import is_package
from device.keyboards import KNOWN_KEYBOARDS
from device.keys import KEY_CODES
from device.quoting import ShellCommand, command
from device.text_input import (
    KEYBOARD_SETTLE_S,
    is_typed_by_keys,
    plan_key_commands,
    split_chunks,
)
from parsers.action import (
    Awake,
    Back,
    Click,
    Direction,
    DoubleClick,
    Home,
    HotKey,
    LongPress,
    Scroll,
    Slide,
    Type,
    Wait,
)
from parsers.errors import InvalidActionError
from parsers.ui_tars_reading import parse_action_to_structure_output
from parsers.ui_tars_script import parsing_response_to_pyautogui_code
from server.act import LONG_PRESS_S, SCROLL_S, SLIDE_S, scroll_path
from server.export.episode import Episode, EpisodeStep, NotExportableError
from server.export.formats import ExportOptions, Progress, Written
from server.export.redaction import Redactor

PAUSE_S = 1.5
"""Time after each action: a script does not look at the screen."""
_ADB_KEYBOARD = next(one for one in KNOWN_KEYBOARDS if one.ime_id.startswith("com.android."))


@dataclass(frozen=True, slots=True)
class Deed:
    """One thing done to the phone, in pixels, seconds and packages."""

    kind: Literal["tap", "double_tap", "long_press", "swipe", "type", "open", "key", "wait"]
    points: tuple[int, ...] = ()
    seconds: float = 0.0
    text: str = ""
    clear: bool = False
    submit: bool = False


def list_deeds(step: EpisodeStep, redactor: Redactor) -> list[Deed]:
    """What the step did; empty for actions that are not for the phone (COMPLETE, INFO, ...).

    Raises:
        NotExportableError: The log does not say where, or which app.
    """
    action = step.action
    if (step.outcome or {}).get("status") in ("failed", "withheld"):
        return []  # it was not done then, and is not repeated now
    match action:
        case Click():
            return [Deed("tap", _pixels(step))]
        case DoubleClick():
            return [Deed("double_tap", _pixels(step))]
        case LongPress():
            return [Deed("long_press", _pixels(step), action.duration_s or LONG_PRESS_S)]
        case Slide():
            start = action.point1.to_px(step.size.width_px, step.size.height_px)
            end = action.point2.to_px(step.size.width_px, step.size.height_px)
            return [Deed("swipe", (*start, *end), action.duration_s or SLIDE_S)]
        case Scroll():
            return [Deed("swipe", _scroll(step, action), SCROLL_S)]
        case Type():
            text = str(redactor.step_wire(step)["value"])
            typing = Deed("type", text=text, clear=action.clear, submit=action.submit)
            if step.point is None or action.keyboard_exists:
                return [typing]
            return [Deed("tap", _pixels(step)), Deed("wait", seconds=KEYBOARD_SETTLE_S), typing]
        case Awake():
            return [Deed("open", text=_package(step, action.value))]
        case Back():
            return [Deed("key", text="BACK")]
        case Home():
            return [Deed("key", text="HOME")]
        case HotKey():
            return [Deed("key", text=action.key)]
        case Wait():
            return [Deed("wait", seconds=action.value)]
        case _:
            return []


def write_adb(
    episode: Episode, folder: Path, redactor: Redactor, options: ExportOptions, progress: Progress
) -> Written:
    """Write `<session>.sh`, for any POSIX shell. `ADB` and `ANDROID_SERIAL` choose tool and phone.

    Raises:
        NotExportableError: An action has no such form.
    """
    head = [
        "#!/bin/sh",
        f"# Repeats the actions of LocalServer session {episode.session_id}.",
        "# ANDROID_SERIAL chooses the phone, ADB the adb to use.",
        "set -eu",
        'ADB="${ADB:-adb}"',
        'on_phone() { "$ADB" shell "$1" </dev/null; }',
    ]
    lines, steps = _write_lines(episode, redactor, progress, _adb_lines)
    return _save(folder, f"{episode.session_id}.sh", [*head, *lines], steps)


def write_uiautomator2(
    episode: Episode, folder: Path, redactor: Redactor, options: ExportOptions, progress: Progress
) -> Written:
    """Write `<session>.py`, which takes a serial as its argument.

    Raises:
        NotExportableError: An action has no such form.
    """
    head = [
        f'"""Repeats the actions of LocalServer session {episode.session_id}.',
        "",
        "    python THIS_FILE [SERIAL]     needs: pip install uiautomator2",
        '"""',
        "",
        "import sys",
        "import time",
        "",
        "import uiautomator2",
        "",
        "device = uiautomator2.connect(sys.argv[1] if len(sys.argv) > 1 else None)",
    ]
    lines, steps = _write_lines(episode, redactor, progress, _uiautomator2_lines)
    return _save(folder, f"{episode.session_id}.py", [*head, *lines], steps)


def write_pyautogui(
    episode: Episode, folder: Path, redactor: Redactor, options: ExportOptions, progress: Progress
) -> Written:
    """Write `<session>.py` for a desktop, out of the raw replies of a UI-TARS model.

    Raises:
        NotExportableError: Another dialect, or an action that a desktop does not have.
    """
    if episode.dialect != "ui_tars":
        raise NotExportableError(
            f"pyautogui is for sessions of ui_tars; this one speaks {episode.dialect}. "
            "Choose --format adb or uiautomator2"
        )
    relative = episode.variant in ("doubao", "v1.0")
    lines = ["import time", "", "import pyautogui"]
    steps = 0
    for step in episode.iter_steps():
        progress()
        sent = step.sent_size
        try:
            structured = parse_action_to_structure_output(
                redactor.step_reply(step), 1000, sent.height_px, sent.width_px,
                "relative" if relative else "qwen25vl",
            )  # fmt: skip
            code = parsing_response_to_pyautogui_code(
                structured, step.size.height_px, step.size.width_px
            )
        except InvalidActionError as error:
            raise NotExportableError(
                f"step {step.number} has no form on a desktop: {error.message}"
            ) from error
        if code == "DONE":
            break
        imports = ("import pyautogui", "import time")
        lines += ["", f"# step {step.number}"]
        lines += [line for line in code.splitlines() if line not in imports]
        lines.append(f"time.sleep({PAUSE_S})")
        steps += 1
    return _save(folder, f"{episode.session_id}.py", lines, steps)


def _write_lines(
    episode: Episode,
    redactor: Redactor,
    progress: Progress,
    translate: Callable[[Deed], Iterator[str]],
) -> tuple[list[str], int]:
    lines: list[str] = []
    steps = 0
    for step in episode.iter_steps():
        progress()
        deeds = list_deeds(step, redactor)
        if not deeds:
            continue
        steps += 1
        lines += ["", f"# step {step.number}: {step.action.action}"]
        for deed in [*deeds, Deed("wait", seconds=PAUSE_S)]:
            lines += translate(deed)
    if not steps:
        raise NotExportableError(
            f"session {episode.session_id} did nothing on a phone; there is nothing to repeat"
        )
    return lines, steps


def _save(folder: Path, name: str, lines: Sequence[str], steps: int) -> Written:
    (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    (folder / name).chmod(0o755)
    return Written((name,), steps)


# --- shell ----------------------------------------------------------------------------------------


def _adb_lines(deed: Deed) -> Iterator[str]:
    match deed.kind:
        case "tap":
            yield _on_phone(command("input", "tap", *deed.points))
        case "double_tap":
            tap = command("input", "tap", *deed.points)
            yield _on_phone(ShellCommand(f"{tap}; {tap}"))
        case "long_press":
            held_ms = round(deed.seconds * 1000)
            yield _on_phone(command("input", "swipe", *deed.points, *deed.points, held_ms))
        case "swipe":
            yield _on_phone(command("input", "swipe", *deed.points, round(deed.seconds * 1000)))
        case "key":
            yield from _adb_key(deed.text)
        case "open":
            yield _on_phone(
                command("monkey", "-p", deed.text, "-c", "android.intent.category.LAUNCHER", 1)
            )
        case "wait":
            yield f"sleep {deed.seconds:g}"
        case "type":
            yield from _adb_typing(deed)


def _adb_key(name: str) -> Iterator[str]:
    if name == "SELECT_ALL":
        yield _on_phone(command("input", "keycombination", 113, 29))
    else:
        yield _on_phone(command("input", "keyevent", KEY_CODES[name]))


def _adb_typing(deed: Deed) -> Iterator[str]:
    """ASCII by key events; everything else through ADBKeyboard, which has to be the keyboard."""
    if deed.clear:
        yield from _adb_key("MOVE_END")
        yield from _adb_key("SELECT_ALL")
        yield from _adb_key("DELETE")
    if is_typed_by_keys(deed.text):
        yield from (_on_phone(one) for one in plan_key_commands(deed.text))
    else:
        ime = _ADB_KEYBOARD.ime_id
        yield _on_phone(command("ime", "enable", ime))
        yield _on_phone(command("ime", "set", ime))
        yield "sleep 1"
        for chunk in split_chunks(deed.text):
            encoded = base64.b64encode(chunk.encode()).decode()
            yield _on_phone(
                command("am", "broadcast", "-a", _ADB_KEYBOARD.input_action, "-p",
                        _ADB_KEYBOARD.package, "--es", _ADB_KEYBOARD.text_extra, encoded)
            )  # fmt: skip
    if deed.submit:
        yield from _adb_key("ENTER")


def _on_phone(line: ShellCommand) -> str:
    """Quoted twice: one word for this shell, whose parts are quoted for the phone's."""
    return f"on_phone {shlex.quote(line)}"


# --- uiautomator2 ---------------------------------------------------------------------------------


def _uiautomator2_lines(deed: Deed) -> Iterator[str]:
    points = ", ".join(str(value) for value in deed.points)
    match deed.kind:
        case "tap":
            yield f"device.click({points})"
        case "double_tap":
            yield f"device.double_click({points})"
        case "long_press":
            yield f"device.long_click({points}, {deed.seconds:g})"
        case "swipe":
            yield f"device.swipe({points}, duration={deed.seconds:g})"
        case "key":
            if deed.text == "SELECT_ALL":
                yield "device.shell(['input', 'keycombination', '113', '29'])"
            else:
                yield f"device.press({KEY_CODES[deed.text]})"
        case "open":
            yield f"device.app_start({deed.text!r})"
        case "wait":
            yield f"time.sleep({deed.seconds:g})"
        case "type":
            yield f"device.send_keys({deed.text!r}, clear={deed.clear!r})"
            if deed.submit:
                yield f"device.press({KEY_CODES['ENTER']})"


# --- where, and which app -------------------------------------------------------------------------


def _pixels(step: EpisodeStep) -> tuple[int, int]:
    details = _details(step)
    if isinstance(details.get("x_px"), int) and isinstance(details.get("y_px"), int):
        return details["x_px"], details["y_px"]
    if step.point is None:
        raise NotExportableError(
            f"step {step.number} names an element whose place is not in the log"
        )
    return step.point.to_px(step.size.width_px, step.size.height_px)


def _scroll(step: EpisodeStep, action: Scroll) -> tuple[int, ...]:
    details = _details(step)
    recorded = (*details.get("from_px", ()), *details.get("to_px", ()))
    if len(recorded) == 4 and all(isinstance(value, int) for value in recorded):
        return recorded
    center = step.point
    size = (step.size.width_px, step.size.height_px)
    at_px = (size[0] // 2, size[1] // 2) if center is None else center.to_px(*size)
    finger: Direction = action.finger
    start, end = scroll_path(at_px, size, finger, action.distance)
    return (*start, *end)


def _package(step: EpisodeStep, name: str) -> str:
    package = _details(step).get("package") or name
    if not isinstance(package, str) or not is_package(package):
        raise NotExportableError(
            f"step {step.number} opens an app by a name, and the log does not say which package "
            "that was (the session was not run by LocalServer's own loop)"
        )
    return package


def _details(step: EpisodeStep) -> dict[str, Any]:
    details = (step.outcome or {}).get("details")
    return details if isinstance(details, dict) else {}
