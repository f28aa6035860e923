"""`dumpsys window` and `activity`: what is in front, and the lock screen."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from device.virtual_phone.framework.components import component_of, full_component
from device.virtual_phone.framework.settings import get_setting
from device.virtual_phone.surface import Focus

if TYPE_CHECKING:
    from device.virtual_phone.userland import Userland

#: The logical display that a foldable's cover would be.
COVER_DISPLAY_ID: Final = 1
_DEFAULT_PARTS: Final = (
    "lastanr",
    "policy",
    "animator",
    "sessions",
    "displays",
    "tokens",
    "windows",
)


def _token(text: str) -> str:
    """A stable hexadecimal name, as Android's identity hash codes look."""
    return f"{zlib.crc32(text.encode()) & 0xFFFFFFF:07x}"


def _app_focus(system: Userland) -> Focus | None:
    """The app in front, also when the shade or the lock screen covers it."""
    stack = system.phone.task_stack()
    return stack[0] if stack else None


def _user(system: Userland, focus: Focus) -> int:
    """The Android user that the app runs under: not 0 for a dual app."""
    return system.other_users.get(focus.package, 0)


def _window(system: Userland, focus: Focus) -> str:
    title = full_component(focus.window) if "/" in focus.window else focus.window
    return f"Window{{{_token(title)} u{_user(system, focus)} {title}}}"


def _task_number(system: Userland, focus: Focus) -> int:
    return 2 + zlib.crc32(focus.package.encode()) % 300


def _record(system: Userland, focus: Focus) -> str:
    """`ActivityRecord{...}`; Android 13 and 14 print a stray brace."""
    component = component_of(focus)
    brace = "}" if system.profile.sdk in (33, 34) else ""
    number = _task_number(system, focus)
    user = _user(system, focus)
    return f"ActivityRecord{{{_token(component)} u{user} {component}{brace} t{number}}}"


def _focus_lines(system: Userland) -> str:
    focus = system.phone.focus()
    app = _app_focus(system)
    window = "null" if focus is None else _window(system, focus)
    if app is None:
        shown = "null"
    elif system.profile.sdk <= 28:
        record = _record(system, app)
        shown = f"AppWindowToken{{{_token(record)} token=Token{{{_token('t' + record)} {record}}}}}"
    else:
        shown = _record(system, app)
    return f"  mCurrentFocus={window}\n  mFocusedApp={shown}\n"


def dump_window(system: Userland, args: list[str]) -> str:
    """`dumpsys window [displays|windows|policy|...]`."""
    names = {"d": "displays", "w": "windows", "p": "policy", "a": "animator", "t": "tokens"}
    wanted = [names.get(arg, arg) for arg in args if not arg.startswith("-")]
    parts = [name for name in wanted if name in _DEFAULT_PARTS]
    if wanted and not parts:
        windows = [w for w in wanted if w in ("visible", "visible-apps", "all", "input")]
        parts = ["windows"] if windows else []
        if not parts:
            return f"Bad window command, or no windows match: {wanted[0]}\nUse -h for help.\n"
    text = ""
    for name in parts or _DEFAULT_PARTS:
        text += {
            "lastanr": lambda _: "WINDOW MANAGER LAST ANR (dumpsys window lastanr)\n  <no ANR>\n",
            "policy": _policy,
            "animator": lambda _: "WINDOW MANAGER ANIMATOR STATE (dumpsys window animator)\n",
            "sessions": lambda _: "WINDOW MANAGER SESSIONS (dumpsys window sessions)\n",
            "displays": _displays,
            "tokens": lambda _: "WINDOW MANAGER TOKENS (dumpsys window tokens)\n",
            "windows": _windows,
        }[name](system) + "\n"
    return text


def _policy(system: Userland) -> str:
    phone = system.phone
    locked = str(phone.locked).lower()
    awake = str(phone.wakefulness == "Awake").lower()
    screen = "SCREEN_STATE_ON" if phone.wakefulness == "Awake" else "SCREEN_STATE_OFF"
    interactive = "INTERACTIVE_STATE_AWAKE" if awake == "true" else "INTERACTIVE_STATE_SLEEP"
    text = (
        "WINDOW MANAGER POLICY STATE (dumpsys window policy)\n"
        "    mSafeMode=false mSystemReady=true mSystemBooted=true\n"
        f"    mAwake={awake} mScreenOnEarly={awake} mScreenOnFully={awake}\n"
        f"    mOrientationSensorEnabled={awake}\n"
    )
    if system.profile.sdk <= 28:
        return text + (
            f"    mShowingLockscreen={locked} mShowingDream=false mDreamingLockscreen={locked} "
            "mTopIsFullscreen=false\n"
        )
    return text + (
        "    KeyguardServiceDelegate\n"
        f"      showing={locked}\n      inputRestricted={locked}\n      occluded=false\n"
        f"      secure=false\n      dreaming=false\n      systemIsReady=true\n"
        f"      deviceHasKeyguard=true\n      enabled=true\n      bootCompleted=true\n"
        f"      screenState={screen}\n      interactiveState={interactive}\n"
        f"      KeyguardStateMonitor\n        mIsShowing={locked}\n        mSimSecure=false\n"
        f"        mInputRestricted={locked}\n        mTrusted=false\n        mCurrentUserId=0\n"
    )


def _displays(system: Userland) -> str:
    phone = system.phone
    natural = f"{phone.width_px}x{phone.height_px}"
    width_px, height_px = (
        (phone.width_px, phone.height_px)
        if phone.rotation % 2 == 0
        else (phone.height_px, phone.width_px)
    )
    longest, shortest = max(width_px, height_px), min(width_px, height_px)
    mode = (
        "USER_ROTATION_FREE"
        if get_setting(phone, "system", "accelerometer_rotation") == "1"
        else "USER_ROTATION_LOCKED"
    )
    user_rotation = get_setting(phone, "system", "user_rotation")
    degrees = {"1": "90", "2": "180", "3": "270"}.get(user_rotation, "0")
    awake = str(phone.wakefulness == "Awake").lower()
    size = f"{width_px}x{height_px}"
    guarded = str(phone.locked).lower()
    keyguard = f"  isKeyguardShowing={guarded}\n" if system.profile.sdk >= 33 else ""
    return (
        "WINDOW MANAGER DISPLAY CONTENTS (dumpsys window displays)\n"
        f"{_cover_display(system)}"
        f"  Display: mDisplayId=0 (organized)\n    init={natural} {system.profile.density}dpi "
        f"mMinSizeOfResizeableTaskDp=220 cur={size} app={size} "
        f"rng={shortest}x{shortest}-{longest}x{longest}\n    deferred=false mLayoutNeeded=false\n"
        f"{_focus_lines(system) if system.profile.sdk >= 29 else ''}"
        f"  DisplayFrames w={width_px} h={height_px} r={phone.rotation}\n  DisplayRotation\n"
        "    mCurrentAppOrientation=SCREEN_ORIENTATION_UNSPECIFIED\n"
        f"    mRotation={phone.rotation} mDeferredRotationPauseCount=0\n"
        f"    mUserRotationMode={mode} mUserRotation=ROTATION_{degrees}\n"
        f"{keyguard}"
        f"  mAwake={awake} mScreenOnEarly={awake} mScreenOnFully={awake}\n"
        f"  mShowingDream=false mDreamingLockscreen={guarded}\n"
    )


def _cover_display(system: Userland) -> str:
    """The dark panel of a foldable: it has its own home screen, and no focus."""
    cover = system.profile.quirks.cover
    if cover is None or cover.size_px is None:
        return ""
    home = "com.android.systemui/.subscreen.SubHomeActivity"
    size = f"{cover.size_px[0]}x{cover.size_px[1]}"
    return (
        f"  Display: mDisplayId={COVER_DISPLAY_ID} (organized)\n"
        f"    init={size} {system.profile.density}dpi cur={size} app={size}\n"
        f"  mCurrentFocus=null\n  mFocusedApp=ActivityRecord{{{_token(home)} u0 {home} t7}}\n"
    )


def _windows(system: Userland) -> str:
    """The window list; its focus lines went away with Android 10."""
    titles = ["StatusBar", "NavigationBar0", "NotificationShade"]
    if system.phone.ime_shown:
        titles.append("InputMethod")
    stack = system.phone.task_stack()
    titles += [task.window for task in stack[:4]]
    records = {full_component(task.window): _record(system, task) for task in stack}
    text = "WINDOW MANAGER WINDOWS (dumpsys window windows)\n"
    for number, title in enumerate(titles):
        name = full_component(title) if "/" in title else title
        package = name.partition("/")[0] if "/" in name else "com.android.systemui"
        token = f"    mToken={records[name]}\n" if name in records else ""
        visible = "/" not in name or number < 4 + int(system.phone.ime_shown)
        text += (
            f"  Window #{number} Window{{{_token(name)} u0 {name}}}:\n"
            f"    mDisplayId=0 mSession=Session{{{_token(package)} 1450:u0a10100}}\n"
            f"    mOwnerUid=10100 showForAllUsers=false package={package} appop=NONE\n"
            f"{token}{_flags(system, title)}"
            f"    isOnScreen={str(visible).lower()}\n    isVisible={str(visible).lower()}\n"
        )
    return text + (_focus_lines(system) if system.profile.sdk <= 28 else "")


def _flags(system: Userland, title: str) -> str:
    """The window's flags: by name, up to Android 8 as a number; 0x2000 forbids capture."""
    secure = title == system.secure_window
    if system.profile.sdk <= 27:
        flags = f"#{0x81810100 | (0x2000 if secure else 0):x}"
    else:
        flags = f"LAYOUT_IN_SCREEN {'SECURE ' if secure else ''}HARDWARE_ACCELERATED"
    attributes = "(0,0)(fillxfill) sim={adjust=pan} ty=BASE_APPLICATION"
    return f"    mAttrs={{{attributes}\n      fl={flags}}}\n"


def dump_activity(system: Userland, args: list[str]) -> str:
    """`dumpsys activity [activities|top|recents|...]`."""
    part = next((arg for arg in args if not arg.startswith("-")), "activities")
    stack = system.phone.task_stack()
    pids = dict(system.phone.running())
    if part == "top":
        text = ""
        for task in reversed(stack):
            component = component_of(task)
            text += (
                f"TASK {task.package} id={_task_number(system, task)} userId=0\n"
                f"  ACTIVITY {component} {_token(component)} pid={pids.get(task.package, 0)}\n"
                f"    Local Activity {_token('local' + component)} State:\n"
                f"      mResumed={str(task is stack[0]).lower()} mStopped="
                f"{str(task is not stack[0]).lower()} mFinished=false\n"
            )
        return text
    if part in ("recents", "r"):
        rows = "".join(
            f"  * Recent #{n}: Task{{{_token(t.package)} #{_task_number(system, t)} type=standard "
            f"A=10100:{t.package}}}\n    realActivity={{{component_of(t)}}}\n"
            for n, t in enumerate(stack)
        )
        return "ACTIVITY MANAGER RECENT TASKS (dumpsys activity recents)\n  Recent tasks:\n" + rows
    if part in ("processes", "p"):
        rows = "".join(f"  *APP* UID 10100 ProcessRecord{{{_token(p)} {pid}:{p}/u0a100}}\n"
                       for p, pid in pids.items())  # fmt: skip
        return "ACTIVITY MANAGER RUNNING PROCESSES (dumpsys activity processes)\n" + rows
    return _activities(system, stack)


def _activities(system: Userland, stack: Sequence[Focus]) -> str:
    text = (
        "ACTIVITY MANAGER ACTIVITIES (dumpsys activity activities)\n"
        "Display #0 (activities from top to bottom):\n"
    )
    for task in stack:
        number = _task_number(system, task)
        text += (
            f"  * Task{{{_token(task.package)} #{number} type=standard A=10100:{task.package} "
            f"U=0 visible={str(task is stack[0]).lower()}}}\n"
            f"    * Hist  #0: {_record(system, task)}\n"
            f"        packageName={task.package} processName={task.package}\n"
        )
    if not stack:
        return text
    record = _record(system, stack[0])
    sdk = system.profile.sdk
    if sdk <= 29:
        text += f"\n    mResumedActivity: {record}\n"
    else:
        text += f"\n  topResumedActivity={record}\n  ResumedActivity: {record}\n"
    keyguard = str(system.phone.locked).lower()
    return text + (
        f"  KeyguardController:\n    mKeyguardShowing={keyguard}\n    mAodShowing=false\n"
        f"    mKeyguardGoingAway=false\n"
    )
