"""System properties: `getprop`, `setprop`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from device.virtual_phone.profile import Profile
from device.virtual_phone.shell.process import Command, Process


def system_properties(profile: Profile, boot_id: str) -> dict[str, str]:
    """The properties of a booted phone."""
    build = f"UD1A.{profile.sdk}0000.001"
    fingerprint = (
        f"{profile.brand}/{profile.device}/{profile.device}:{profile.release}/{build}/"
        "11200000:user/release-keys"
    )
    return {
        "dalvik.vm.heapsize": "512m",
        "dev.bootcomplete": "1",
        "gsm.sim.state": "LOADED",
        "init.svc.adbd": "running",
        "init.svc.bootanim": "stopped",
        "persist.sys.locale": profile.language_tag,
        "persist.sys.timezone": "Asia/Shanghai" if profile.locale == "zh" else "UTC",
        "ro.board.platform": "zuma",
        "ro.boot.bootid": boot_id,
        "ro.boot.hardware": profile.device,
        "ro.boot.serialno": profile.serialno,
        "ro.build.characteristics": "nosdcard",
        "ro.build.fingerprint": fingerprint,
        "ro.build.id": build,
        "ro.build.type": "user",
        "ro.build.version.incremental": "11200000",
        "ro.build.version.release": profile.release,
        "ro.build.version.sdk": str(profile.sdk),
        "ro.build.version.security_patch": "2024-03-05",
        "ro.debuggable": "0",
        "ro.hardware": profile.device,
        "ro.kernel.version": "5.15",
        "ro.product.board": profile.device,
        "ro.product.brand": profile.brand,
        "ro.product.cpu.abi": "arm64-v8a",
        "ro.product.cpu.abilist": "arm64-v8a,armeabi-v7a,armeabi",
        "ro.product.device": profile.device,
        "ro.product.locale": profile.language_tag,
        "ro.product.manufacturer": profile.manufacturer,
        "ro.product.model": profile.model,
        "ro.product.name": profile.device,
        "ro.secure": "1",
        "ro.serialno": profile.serialno,
        "ro.sf.lcd_density": str(profile.density),
        "sys.boot_completed": "1",
        "sys.usb.config": "adb",
        **profile.extra,
    }


async def _getprop(process: Process) -> int:
    args = [arg for arg in process.args if arg not in ("-T", "-Z")]
    properties = process.system.properties
    if not args:
        await process.out("".join(f"[{k}]: [{properties[k]}]\n" for k in sorted(properties)))
        return 0
    default = args[1] if len(args) > 1 else ""
    await process.out(properties.get(args[0], default) + "\n")
    return 0


async def _setprop(process: Process) -> int:
    if len(process.args) != 2:
        return await process.fail('Needs 2 arguments (see "setprop --help")')
    name, value = process.args
    if not name.startswith(("debug.", "log.", "persist.log.")):
        return await process.fail(
            f"Failed to set property '{name}' to '{value}'.\nSee dmesg for error reason."
        )
    process.system.properties[name] = value
    return 0


COMMANDS: Final[Mapping[str, Command]] = {"getprop": _getprop, "setprop": _setprop}
