"""Opening an app: by its resolved component, and done only when it is in front."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass

from device.apps import components_of, read_launchers, read_resolved
from device.errors import (
    AppAmbiguousError,
    AppNotStartedError,
    CommandFailedError,
    CommandMissingError,
)
from device.failures import check, error_from_output
from device.protocol import App
from device.quoting import command
from device.transport import Transport

_MAIN = "android.intent.action.MAIN"
_LAUNCHER = "android.intent.category.LAUNCHER"
_NEW_TASK_RESET = "0x10200000"
_POLL_S = 0.15
_DIALOG_PACKAGES = frozenset(
    {
        "com.android.permissioncontroller",
        "com.google.android.permissioncontroller",
        "com.android.packageinstaller",
        "com.google.android.packageinstaller",
        "com.miui.securitycenter",
        "com.lbe.security.miui",
        "com.coloros.securitypermission",
        "com.oplus.securitypermission",
        "com.vivo.permissionmanager",
        "com.samsung.android.permissioncontroller",
    }
)
# The shade or the lock screen over an app: Android still calls the app focused.
_COVERING_WINDOWS = frozenset({"NotificationShade", "StatusBar", "Keyguard"})


@dataclass(frozen=True, slots=True)
class StartReport:
    """What `am start` printed: it was taken, and whether the app was there already."""

    already_running: bool = False
    timed_out: bool = False
    component: str | None = None


def read_start(text: str) -> StartReport:
    """Read `am start`, with `-W` too. Its exit code says nothing on older Android.

    A warning that the task "has been brought to the front" is a success; an unknown launch state
    and a `Status: timeout` leave it to the foreground to decide.

    Raises:
        DeviceError: It was not started.
    """
    if error := error_from_output(text):
        raise error
    if found := re.search(r"^(?:Error: |Error type |java\.lang\.)[^\n]*", text, re.MULTILINE):
        raise AppNotStartedError(
            f"The phone did not start the app: {found[0]}; open it from the launcher.",
            output=text[:600],
        )
    component = re.search(r"^Activity: (\S+)", text, re.MULTILINE)
    return StartReport(
        already_running=bool(re.search(r"^Warning: Activity not started", text, re.MULTILINE)),
        timed_out=bool(re.search(r"^Status: timeout", text, re.MULTILINE)),
        component=component[1] if component else None,
    )


def read_monkey(text: str) -> None:
    """Read `monkey -p PACKAGE 1`; arguments echoed before the result are noise.

    Raises:
        DeviceError: It injected nothing.
    """
    if error := error_from_output(text):
        raise error
    if "SYS_KEYS has no physical keys" in text:
        raise CommandFailedError(
            "monkey needs `--pct-syskeys 0` on a phone without keys.", reason="monkey_syskeys"
        )
    if "No activities found" in text or "monkey aborted" in text:
        raise AppNotStartedError("The app has nothing to open; name another app.", output=text)
    if "Events injected: 1" not in text:
        raise CommandFailedError("monkey did not start the app; open it from the launcher.")


def launch(
    transport: Transport,
    package: str,
    foreground: Callable[[], App | None],
    *,
    timeout_s: float = 10.0,
    display_id: int | None = None,
) -> App:
    """Open an installed app and wait until it, or a question about it, is in front.

    Raises:
        AppNotStartedError: It was asked for, but did not come to the front in time.
        DeviceError: It cannot be opened.
    """
    deadline = time.monotonic() + timeout_s
    try:
        component = _resolve(transport, package)
    except CommandMissingError:
        _launch_by_monkey(transport, package)
    else:
        words = ["am", "start", "-a", _MAIN, "-c", _LAUNCHER, "-f", _NEW_TASK_RESET]
        if display_id:
            words += ["--display", str(display_id)]
        read_start(transport.run(command(*words, "-n", component)).merged_text)
    front: App | None = None
    while True:
        front = foreground() or front
        if front is not None and _is_in_front(front, package):
            return front
        if time.monotonic() >= deadline:
            raise AppNotStartedError(
                f"{package} did not come to the front within {timeout_s:g} s "
                f"({_describe(front)} is); wake the phone or close what covers it, or open it "
                "from the launcher.",
                package=package,
                foreground=front.package if front else None,
            )
        time.sleep(_POLL_S)


def _is_in_front(front: App, package: str) -> bool:
    covered = front.anr or front.window in _COVERING_WINDOWS
    return not covered and (front.package == package or front.package in _DIALOG_PACKAGES)


def _describe(front: App | None) -> str:
    if front is None:
        return "nothing"
    covered = front.anr or front.window in _COVERING_WINDOWS
    return repr(front.window) if covered else front.package


def list_launchers(transport: Transport) -> tuple[str, ...]:
    """All components that the launcher shows; empty on phones that cannot list them."""
    result = transport.read(
        command("cmd", "package", "query-activities", "--brief", "-a", _MAIN, "-c", _LAUNCHER)
    )
    return read_launchers(result.text) if result.exit_code == 0 else ()


def _resolve(transport: Transport, package: str) -> str:
    resolve = ("cmd", "package", "resolve-activity", "--brief", "-a", _MAIN, "-c", _LAUNCHER)
    try:
        return read_resolved(transport.read(command(*resolve, package)).merged_text)
    except AppAmbiguousError:
        entries = components_of(package, list_launchers(transport))
        if not entries:
            raise
        return entries[0]


def _launch_by_monkey(transport: Transport, package: str) -> None:
    """The last resort, for phones without `cmd package`: monkey also thaws the rotation."""
    words = ("monkey", "--pct-syskeys", "0", "-p", package, "-c", _LAUNCHER, "1")
    result = transport.run(command(*words), timeout_s=20.0)
    try:
        read_monkey(result.merged_text)
    except CommandFailedError:  # its words are unclear: the foreground decides
        check(result, "start the app with monkey")
