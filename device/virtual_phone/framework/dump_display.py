"""`dumpsys display`, `input`, `SurfaceFlinger`, `power`: the screen as system services see it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from device.virtual_phone.framework.screen import PHYSICAL_DISPLAY_ID
from device.virtual_phone.framework.settings import get_setting

if TYPE_CHECKING:
    from device.virtual_phone.userland import Userland

_UNIQUE_ID: Final = f"local:{PHYSICAL_DISPLAY_ID}"


def _current_size(system: Userland) -> tuple[int, int]:
    phone = system.phone
    natural = (phone.width_px, phone.height_px)
    return natural if phone.rotation % 2 == 0 else natural[::-1]


def _is_on(system: Userland) -> bool:
    return system.phone.wakefulness == "Awake"


def display_info(system: Userland, *, current: bool) -> str:
    """`DisplayInfo{...}` of the built-in screen.

    Args:
        system: The phone.
        current: In the current orientation; else in the natural one.
    """
    phone = system.phone
    width_px, height_px = _current_size(system) if current else (phone.width_px, phone.height_px)
    longest = max(width_px, height_px)
    rotation = phone.rotation if current else 0
    state = "ON" if _is_on(system) else "OFF"
    return (
        'DisplayInfo{"Built-in Screen", displayId 0, displayGroupId 0, FLAG_SECURE, '
        f"FLAG_SUPPORTS_PROTECTED_BUFFERS, FLAG_TRUSTED, real {width_px} x {height_px}, "
        f"largest app {longest} x {longest}, smallest app {min(width_px, height_px)} x "
        f"{min(width_px, height_px)}, appVsyncOff 1000000, presDeadline 16666666, mode 1, "
        f"defaultMode 1, modes [{{id=1, width={phone.width_px}, height={phone.height_px}, "
        f"fps=60.0}}], hdrCapabilities null, minimalPostProcessingSupported false, "
        f"rotation {rotation}, state {state}, committedState {state}, type INTERNAL, "
        f'uniqueId "{_UNIQUE_ID}", app {width_px} x {height_px}, '
        f"density {system.profile.density} (428.0 x 428.0) dpi, layerStack 0, "
        "colorMode 0, supportedColorModes [0], address {port=0, model=0x401cec6a7a2b7b}, "
        "deviceProductInfo DeviceProductInfo{name=EMU_display_0, manufacturerPnpId=GGL}, "
        "removeMode 0}"
    )


def dump_display(system: Userland, args: list[str]) -> str:
    """`dumpsys display`."""
    phone = system.phone
    width_px, height_px = _current_size(system)
    state = "ON" if _is_on(system) else "OFF"
    brightness = get_setting(phone, "system", "screen_brightness")
    return (
        "DISPLAY MANAGER (dumpsys display)\n"
        "  mSafeMode=false\n  mPendingTraversal=false\n  mViewports=["
        f"DisplayViewport{{type=INTERNAL, valid=true, isActive={str(_is_on(system)).lower()}, "
        f"displayId=0, uniqueId='{_UNIQUE_ID}', physicalPort=0, orientation={phone.rotation}, "
        f"logicalFrame=Rect(0, 0 - {width_px}, {height_px}), "
        f"physicalFrame=Rect(0, 0 - {width_px}, {height_px}), "
        f"deviceWidth={width_px}, deviceHeight={height_px}}}]\n"
        "  mDefaultDisplayDefaultColorMode=0\n  mWifiDisplayScanRequestCount=0\n"
        "  mStableDisplaySize=Point(" + f"{phone.width_px}, {phone.height_px})\n"
        f"  mScreenBrightness={brightness}\n\n"
        "Display Adapters: size=1\n  LocalDisplayAdapter\n\nDisplay Devices: size=1\n"
        f'  DisplayDeviceInfo{{"Built-in Screen": uniqueId="{_UNIQUE_ID}", {phone.width_px} x '
        f"{phone.height_px}, modeId 1, defaultModeId 1, density {system.profile.density}, "
        f"428.0 x 428.0 dpi, touch INTERNAL, rotation 0, type INTERNAL, "
        f"address {{port=0, model=0x401cec6a7a2b7b}}, state {state}, FLAG_DEFAULT_DISPLAY, "
        "FLAG_ROTATES_WITH_CONTENT, FLAG_SECURE, FLAG_TRUSTED}\n"
        "    mAdapter=LocalDisplayAdapter\n"
        f"    mUniqueId={_UNIQUE_ID}\n    mCurrentLayerStack=0\n"
        f"    mCurrentOrientation={phone.rotation}\n    mPhysicalDisplayId={PHYSICAL_DISPLAY_ID}\n"
        f"    mState={state}\n\nLogicalDisplayMapper:\n  mSingleDisplayDemoMode=false\n\n"
        "  Logical Displays: size=1\n  Display 0:\n    mDisplayId=0\n    mIsEnabled=true\n"
        "    mLayerStack=0\n    mPrimaryDisplayDevice=Built-in Screen\n"
        f"    mBaseDisplayInfo={display_info(system, current=False)}\n"
        f"    mOverrideDisplayInfo={display_info(system, current=True)}\n\n"
        "Display Power Controller:\n  mDisplayId=0\n\nDisplay Power State:\n"
        f"    mStarted=true\n    mScreenState={state}\n"
        f"    mScreenBrightness={_fraction(brightness)}\n    mColorFadeLevel=1.0\n"
    )


def _fraction(brightness: str) -> str:
    return f"{int(brightness) / 255:.6f}" if brightness.isdecimal() else "0.4"


def dump_input(system: Userland, args: list[str]) -> str:
    """`dumpsys input`; the name of the orientation line changed in Android 13 and 15."""
    phone = system.phone
    width_px, height_px = _current_size(system)
    sdk = system.profile.sdk
    if sdk <= 32:
        orientation = f"      SurfaceOrientation: {phone.rotation}\n"
    elif sdk <= 34:
        orientation = f"      InputDeviceOrientation: {phone.rotation}\n"
    else:
        orientation = f"      InputDeviceOrientation: Rotation{phone.rotation * 90}\n"
    viewport = (
        f"Viewport INTERNAL: displayId=0, uniqueId={_UNIQUE_ID}, port=0, "
        f"orientation={phone.rotation}, logicalFrame=[0, 0, {width_px}, {height_px}], "
        f"physicalFrame=[0, 0, {width_px}, {height_px}], deviceSize=[{width_px}, {height_px}], "
        "isActive=[1]"
    )
    return (
        "INPUT MANAGER (dumpsys input)\n\nInput Manager State:\n  Interactive: "
        f"{str(_is_on(system)).lower()}\n\nEvent Hub State:\n  Devices:\n    2: fts_touch\n"
        "      Classes: TOUCH | TOUCH_MT\n\nInput Reader State:\n  Device 2: fts_touch\n"
        "    Touch Input Mapper (mode - DIRECT):\n      Parameters:\n"
        "        GestureMode: MULTI_TOUCH\n        DeviceType: TOUCH_SCREEN\n"
        "        OrientationAware: true\n"
        f"      {viewport}\n"
        f"      DisplayWidth: {width_px}px\n      DisplayHeight: {height_px}px\n{orientation}"
        "      Translation and Scaling Factors:\n        XScale: 1.000\n        YScale: 1.000\n\n"
        f"  Configuration:\n    {viewport}\n\nInput Dispatcher State:\n  DispatchEnabled: true\n"
        f"  FocusedDisplayId: 0\n  FocusedApplications:\n{_focused_application(system)}"
    )


def _focused_application(system: Userland) -> str:
    focus = system.phone.focus()
    if focus is None:
        return "    <none>\n"
    return f"    displayId=0, name='{focus.window}', dispatchingTimeout=5000ms\n"


def dump_surface_flinger(system: Userland, args: list[str]) -> str:
    """`dumpsys SurfaceFlinger`, whole or `--display-id`."""
    line = (
        f"Display {PHYSICAL_DISPLAY_ID} (HWC display 0): port=0 pnpId=GGL "
        'displayName="EMU_display_0"\n'
    )
    if "--display-id" in args:
        return line
    width_px, height_px = _current_size(system)
    return (
        f"Build configuration: [sf PRESENT_TIME_OFFSET=0]\n{line}"
        f"Display {PHYSICAL_DISPLAY_ID}: viewport=[0 0 {width_px} {height_px}]\n"
        f"  orientation={('0', '90', '180', '270')[system.phone.rotation]}\n"
    )


def dump_power(system: Userland, args: list[str]) -> str:
    """`dumpsys power`."""
    on = _is_on(system)
    flag = str(on).lower()
    phone = system.phone
    stay_on = str(get_setting(phone, "global", "stay_on_while_plugged_in") not in ("0", "null"))
    stay_on = stay_on.lower()
    return (
        "POWER MANAGER (dumpsys power)\n\nPower Manager State:\n  mDirty=0x0\n"
        f"  mWakefulness={phone.wakefulness}\n  mWakefulnessChanging=false\n  mIsPowered=true\n"
        "  mPlugType=2\n  mBatteryLevel=87\n  mDockState=0\n"
        f"  mStayOn={stay_on}\n"
        "  mProximityPositive=false\n  mBootCompleted=true\n  mSystemReady=true\n"
        f"  mHalInteractiveModeEnabled={flag}\n  mWakeLockSummary=0x0\n"
        f"  mUserActivitySummary=0x{int(on)}\n  mSandmanScheduled=false\n"
        f"  mHoldingWakeLockSuspendBlocker=false\n  mHoldingDisplaySuspendBlocker={flag}\n\n"
        "Settings and Configuration:\n"
        f"  mScreenOffTimeoutSetting={get_setting(phone, 'system', 'screen_off_timeout')}\n\n"
        f"Display Power: state={'ON' if on else 'OFF'}\n"
    )
