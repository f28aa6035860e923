"""How Android's commands print exceptions."""

from __future__ import annotations

from typing import Final

from device.virtual_phone.shell.process import Process

_INJECT_DENIED: Final = (
    "java.lang.SecurityException: Injecting input events requires the caller (or the source of "
    "the instrumentation, if any) to have the INJECT_EVENTS permission.\n"
    "\tat com.android.server.input.InputManagerService.injectInputEventToTarget"
    "(InputManagerService.java:912)\n"
    "\tat com.android.server.input.InputManagerService.injectInputEvent"
    "(InputManagerService.java:863)\n"
)

_INJECT_DENIED_OLD: Final = (
    "java.lang.SecurityException: Injecting to another application requires INJECT_EVENTS "
    "permission\n"
    "\tat android.os.Parcel.createException(Parcel.java:2071)\n"
    "\tat android.os.Parcel.readException(Parcel.java:2039)\n"
    "\tat android.hardware.input.IInputManager$Stub$Proxy.injectInputEvent"
    "(IInputManager.java:1039)\n"
    "\tat com.android.commands.input.Input.injectMotionEvent(Input.java:428)\n"
)


async def inject_denied(process: Process, subcommand: str) -> int:
    """Refuses to inject input; up to Android 10 in other words and with exit code 0."""
    if process.system.profile.sdk <= 29:
        await process.err(_INJECT_DENIED_OLD)
        return 0
    return await throw(process, subcommand, _INJECT_DENIED)


async def throw(process: Process, subcommand: str, exception: str) -> int:
    """Prints what `ShellCommand.exec` prints when a command throws; exit code 255.

    Args:
        process: The command.
        subcommand: Its first argument.
        exception: Class, message and stack lines.
    """
    text = exception if exception.endswith("\n") else exception + "\n"
    await process.err(f"\nException occurred while executing '{subcommand}':\n{text}")
    return 255


async def argument_expected(process: Process, subcommand: str, after: str) -> int:
    """Prints the exception of a missing argument."""
    return await throw(
        process,
        subcommand,
        f'java.lang.IllegalArgumentException: Argument expected after "{after}"\n'
        "\tat com.android.modules.utils.BasicShellCommandHandler.getNextArgRequired"
        "(BasicShellCommandHandler.java:296)",
    )


async def settings_denied(process: Process, subcommand: str) -> int:
    """Prints the exception of builds that keep the shell from secure settings."""
    return await throw(
        process,
        subcommand,
        "java.lang.SecurityException: Permission denial: writing to settings requires:"
        "android.permission.WRITE_SECURE_SETTINGS\n"
        "\tat com.android.providers.settings.SettingsProvider."
        "enforceWritePermission(SettingsProvider.java:2331)",
    )
