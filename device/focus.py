"""What is in front: pure functions over `dumpsys window` and `dumpsys activity`.

Shapes differ by version (AppWindowToken up to 9, ActivityRecord from 10, a stray brace on 13 and
14, users `u10` and `u999`, windows without an activity), and there is one pair of lines for each
display.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_FOCUS_LINE = re.compile(r"mCurrentFocus=(?P<value>.*)")
_APP_LINE = re.compile(r"mFocusedApp=(?P<value>.*)")
_RESUMED_LINE = re.compile(
    r"(?:mResumedActivity|topResumedActivity|ResumedActivity)[:=]\s*(?P<value>.*)"
)
_WINDOW = re.compile(
    r"Window\{(?P<token>[0-9a-f]+) (?:u(?P<user>\d*) )?(?P<title>.+?)(?: paused=\w+)?\}"
)
_RECORD = re.compile(
    r"ActivityRecord\{\S+ (?:u(?P<user>\d*) )?(?P<component>[^\s{}]+/[^\s{}]+)"
    r"(?:\}? t(?P<task>-?\d+))?"
)
_ANR = re.compile(r"Application Not Responding: (?P<package>\S+)")
_PACKAGE = re.compile(r"[A-Za-z]\w*(?:\.\w+)*", re.ASCII)
_COMPONENT = re.compile(r"(?P<package>[A-Za-z][\w.]*)/(?P<activity>[\w.$]+)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Focus:
    """What has the focus.

    Attributes:
        package: Package of the focused app, even while a system window lies over it.
        activity: Its full activity name, or "".
        window: Title of the focused window: a component, or a name like `NotificationShade`.
        user: The Android user that it runs under, where printed.
        task: Task number, where printed.
        anr: An "isn't responding" dialog for `package` is in front.
    """

    package: str
    activity: str = ""
    window: str = ""
    user: int | None = None
    task: int | None = None
    anr: bool = False


def read_focus(text: str) -> Focus | None:
    """Read the focus from `dumpsys window [displays|windows]`; None during a transition.

    With several displays, the one whose window has the focus is taken.
    """
    windows = [match["value"].strip() for match in _FOCUS_LINE.finditer(text)]
    apps = [match["value"].strip() for match in _APP_LINE.finditer(text)]
    window = app = None
    index = next((i for i, value in enumerate(windows) if _WINDOW.search(value)), None)
    if index is not None:
        window = _WINDOW.search(windows[index])
    records = [_RECORD.search(value) for value in apps]
    if window is not None:
        owner = full_component(window["title"])
        same = [r for r in records if owner and r and full_component(r["component"]) == owner]
        if same:
            app = same[0]
        elif index is not None and len(apps) == len(windows) and records[index]:
            app = records[index]
    if app is None:
        app = next((r for r in records if r), None)
    return _combine(window, app)


def read_resumed(text: str) -> Focus | None:
    """Read the resumed activity from `dumpsys activity activities`: the fallback."""
    for match in _RESUMED_LINE.finditer(text):
        if record := _RECORD.search(match["value"]):
            return _combine(None, record)
    return None


def full_component(component: str) -> tuple[str, str] | None:
    """Split `pkg/.Name` or `pkg/full.Name` into package and full activity name."""
    match = _COMPONENT.fullmatch(component)
    if match is None:
        return None
    package, activity = match["package"], match["activity"]
    return package, package + activity if activity.startswith(".") else activity


def is_secure_window(text: str) -> bool | None:
    """Whether the focused window forbids capture (FLAG_SECURE), from `dumpsys window windows`.

    None where the window or its flags are not in the text.
    """
    # One line for each display: those without the focus say null.
    focused = (_WINDOW.search(match["value"]) for match in _FOCUS_LINE.finditer(text))
    token = next((window["token"] for window in focused if window), None)
    windows = re.split(r"^\s*Window #\d+ ", text, flags=re.MULTILINE)
    if token is None:
        return None
    for block in windows[1:]:
        if block.startswith(f"Window{{{token} "):
            return _has_secure_flag(block)
    return None


def _has_secure_flag(block: str) -> bool | None:
    flags = re.search(r"\bfl=(#[0-9a-fA-F]+|[A-Z_ |]+)", block)
    if flags is None:
        return None
    if flags[1].startswith("#"):
        return bool(int(flags[1][1:], 16) & 0x2000)
    return "SECURE" in re.split(r"[ |]+", flags[1])


def _combine(window: re.Match[str] | None, app: re.Match[str] | None) -> Focus | None:
    title = window["title"].strip() if window else ""
    user = _number((window and window["user"]) or (app and app["user"]))
    task = _number(app["task"]) if app else None
    if anr := _ANR.search(title):
        return Focus(anr["package"], "", title, user, task, anr=True)
    owner = full_component(title)
    if owner:
        return Focus(*owner, title, user, task)
    component = full_component(app["component"]) if app else None
    if component:
        return Focus(*component, title, user, task)
    if not title:
        return None
    package = title if "." in title and _PACKAGE.fullmatch(title) else ""
    return Focus(package, "", title, user, task)


def _number(text: str | None) -> int | None:
    return int(text) if text else None
