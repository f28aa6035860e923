"""`dumpsys display`, `input`, `SurfaceFlinger`, `power`: the screen as system services see it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from device.virtual_phone.framework.dump_window import COVER_DISPLAY_ID
from device.virtual_phone.framework.settings import get_setting
from device.virtual_phone.quirks import Panel

if TYPE_CHECKING:
    from device.virtual_phone.userland import Userland


@dataclass(frozen=True, slots=True)
class Display:
    """A logical display on its panel, as it is now.

    Attributes:
        logical_id: What `input -d` takes.
        panel: Where it is shown.
        natural_px: Width and height when it is not turned.
        rotation: Quarter turns.
        on: Whether it is lit.
        active: Whether it is the one in use.
    """

    logical_id: int
    panel: Panel
    natural_px: tuple[int, int]
    rotation: int
    on: bool
    active: bool

    @property
    def size_px(self) -> tuple[int, int]:
        """Width and height as it is turned."""
        return self.natural_px if self.rotation % 2 == 0 else self.natural_px[::-1]

    @property
    def state(self) -> str:
        """`ON` or `OFF`."""
        return "ON" if self.on else "OFF"

    @property
    def unique_id(self) -> str:
        """The id that says which panel it is."""
        return f"local:{self.panel.surface_id}"

    def frame(self, opening: str, middle: str, closing: str) -> str:
        """Its rectangle in the spelling of one dump."""
        return f"{opening}0, 0{middle}{self.size_px[0]}, {self.size_px[1]}{closing}"


def displays(system: Userland) -> list[Display]:
    """All displays, the one in use last: a foldable's dark cover comes first."""
    phone, quirks = system.phone, system.profile.quirks
    natural = (phone.width_px, phone.height_px)
    main = Display(0, quirks.panel, natural, phone.rotation, _is_on(system), True)
    if quirks.cover is None or quirks.cover.size_px is None:
        return [main]
    return [
        Display(COVER_DISPLAY_ID, quirks.cover, quirks.cover.size_px, 0, False, False),
        main,
    ]


def _is_on(system: Userland) -> bool:
    return system.phone.wakefulness == "Awake"


def display_info(system: Userland, display: Display, *, current: bool) -> str:
    """`DisplayInfo{...}` of a display.

    Args:
        system: The phone.
        display: Which one.
        current: In the current orientation; else in the natural one.
    """
    width_px, height_px = display.size_px if current else display.natural_px
    longest, shortest = max(width_px, height_px), min(width_px, height_px)
    rotation = display.rotation if current else 0
    panel = display.panel
    return (
        f'DisplayInfo{{"Built-in Screen", displayId {display.logical_id}, displayGroupId 0, '
        f"FLAG_SECURE, FLAG_SUPPORTS_PROTECTED_BUFFERS, FLAG_TRUSTED, real {width_px} x "
        f"{height_px}, largest app {longest} x {longest}, smallest app {shortest} x {shortest}, "
        f"appVsyncOff 1000000, presDeadline 16666666, mode 1, defaultMode 1, modes [{{id=1, "
        f"width={display.natural_px[0]}, height={display.natural_px[1]}, fps=60.0}}], "
        "hdrCapabilities null, minimalPostProcessingSupported false, "
        f"rotation {rotation}, state {display.state}, committedState {display.state}, "
        f'type INTERNAL, uniqueId "{display.unique_id}", app {width_px} x {height_px}, '
        f"density {system.profile.density} (428.0 x 428.0) dpi, layerStack {display.logical_id}, "
        f"colorMode 0, supportedColorModes [0], address {{port={panel.port}, "
        f"model={panel.surface_id >> 8:#x}}}, deviceProductInfo DeviceProductInfo{{"
        f"name={panel.name.strip()}, manufacturerPnpId={panel.maker}}}, removeMode 0}}"
    )


def list_displays(system: Userland) -> str:
    """`cmd display get-displays`, from Android 11."""
    density = system.profile.density / 160
    rows = "".join(
        f"Display id {each.logical_id}: {display_info(system, each, current=True)}, "
        f"DisplayMetrics{{density={density}, width={each.size_px[0]}, height={each.size_px[1]}, "
        f"scaledDensity={density}, xdpi=428.0, ydpi=428.0}}, isValid=true\n"
        for each in displays(system)
    )
    return f"Displays:\n{rows}"


def _viewports(system: Userland) -> str:
    """The link between displays and panels; up to Android 9 without the panel's id."""
    if system.profile.sdk <= 28:
        main = displays(system)[-1]
        frame = main.frame("Rect(", " - ", ")")
        return (
            f"  mDefaultViewport=DisplayViewport{{valid=true, displayId=0, orientation="
            f"{main.rotation}, logicalFrame={frame}, physicalFrame={frame}, "
            f"deviceWidth={main.size_px[0]}, deviceHeight={main.size_px[1]}}}\n"
            "  mExternalTouchViewport=DisplayViewport{valid=false, displayId=0, orientation=0, "
            "logicalFrame=Rect(0, 0 - 0, 0), physicalFrame=Rect(0, 0 - 0, 0), deviceWidth=0, "
            "deviceHeight=0}\n"
        )
    shown = ", ".join(
        f"DisplayViewport{{type=INTERNAL, valid=true, isActive={str(each.on).lower()}, "
        f"displayId={each.logical_id}, uniqueId='{each.unique_id}', "
        f"physicalPort={each.panel.port}, orientation={each.rotation}, "
        f"logicalFrame={each.frame('Rect(', ' - ', ')')}, "
        f"physicalFrame={each.frame('Rect(', ' - ', ')')}, deviceWidth={each.size_px[0]}, "
        f"deviceHeight={each.size_px[1]}}}"
        for each in displays(system)
    )
    return f"  mViewports=[{shown}]\n"


def _device(system: Userland, display: Display) -> str:
    width_px, height_px = display.natural_px
    panel = display.panel
    return (
        f'  DisplayDeviceInfo{{"Built-in Screen": uniqueId="{display.unique_id}", {width_px} x '
        f"{height_px}, modeId 1, defaultModeId 1, density {system.profile.density}, "
        f"428.0 x 428.0 dpi, touch INTERNAL, rotation 0, type INTERNAL, "
        f"address {{port={panel.port}, model={panel.surface_id >> 8:#x}}}, "
        f"state {display.state}, FLAG_DEFAULT_DISPLAY, "
        "FLAG_ROTATES_WITH_CONTENT, FLAG_SECURE, FLAG_TRUSTED}\n"
        "    mAdapter=LocalDisplayAdapter\n"
        f"    mUniqueId={display.unique_id}\n    mCurrentLayerStack={display.logical_id}\n"
        f"    mCurrentOrientation={display.rotation}\n"
        f"    mPhysicalDisplayId={panel.surface_id}\n    mState={display.state}\n"
    )


def _logical(system: Userland, display: Display) -> str:
    number = display.logical_id
    return (
        f"  Display {number}:\n    mDisplayId={number}\n"
        f"    mIsEnabled={str(display.active).lower()}\n"
        f"    mLayerStack={number}\n    mPrimaryDisplayDevice=Built-in Screen\n"
        f"    mBaseDisplayInfo={display_info(system, display, current=False)}\n"
        f"    mOverrideDisplayInfo={display_info(system, display, current=True)}\n\n"
    )


def dump_display(system: Userland, args: list[str]) -> str:
    """`dumpsys display`."""
    phone = system.phone
    shown = displays(system)
    state = shown[-1].state
    brightness = get_setting(phone, "system", "screen_brightness")
    return (
        "DISPLAY MANAGER (dumpsys display)\n"
        f"  mSafeMode=false\n  mPendingTraversal=false\n{_viewports(system)}"
        "  mDefaultDisplayDefaultColorMode=0\n  mWifiDisplayScanRequestCount=0\n"
        f"  mStableDisplaySize=Point({phone.width_px}, {phone.height_px})\n"
        f"  mScreenBrightness={brightness}\n\n"
        "Display Adapters: size=1\n  LocalDisplayAdapter\n\n"
        f"Display Devices: size={len(shown)}\n"
        + "".join(_device(system, each) for each in shown)
        + "\nLogicalDisplayMapper:\n  mSingleDisplayDemoMode=false\n\n"
        f"  Logical Displays: size={len(shown)}\n"
        + "".join(_logical(system, each) for each in shown)
        + "Display Power Controller:\n  mDisplayId=0\n\nDisplay Power State:\n"
        f"    mStarted=true\n    mScreenState={state}\n"
        f"    mScreenBrightness={_fraction(brightness)}\n    mColorFadeLevel=1.0\n"
    )


def _fraction(brightness: str) -> str:
    return f"{int(brightness) / 255:.6f}" if brightness.isdecimal() else "0.4"


def dump_input(system: Userland, args: list[str]) -> str:
    """`dumpsys input`; the name of the orientation line changed in Android 13 and 15."""
    main = displays(system)[-1]
    width_px, height_px = main.size_px
    sdk = system.profile.sdk
    if sdk <= 32:
        orientation = (
            f"      SurfaceWidth: {width_px}px\n      SurfaceHeight: {height_px}px\n"
            f"      SurfaceOrientation: {main.rotation}\n"
        )
    elif sdk <= 34:
        orientation = f"      InputDeviceOrientation: {main.rotation}\n"
    else:
        orientation = f"      InputDeviceOrientation: Rotation{main.rotation * 90}\n"
    viewport = "\n    ".join(
        f"Viewport INTERNAL: displayId={each.logical_id}, uniqueId={each.unique_id}, "
        f"port={each.panel.port}, orientation={each.rotation}, "
        f"logicalFrame={each.frame('[', ', ', ']')}, "
        f"physicalFrame={each.frame('[', ', ', ']')}, "
        f"deviceSize=[{each.size_px[0]}, {each.size_px[1]}], isActive=[{int(each.on)}]"
        for each in displays(system)
    )
    return (
        "INPUT MANAGER (dumpsys input)\n\nInput Manager State:\n  Interactive: "
        f"{str(_is_on(system)).lower()}\n\nEvent Hub State:\n  Devices:\n    2: touch_dev\n"
        "      Classes: TOUCH | TOUCH_MT\n\nInput Reader State:\n  Device 2: touch_dev\n"
        "    Touch Input Mapper (mode - DIRECT):\n      Parameters:\n"
        "        GestureMode: MULTI_TOUCH\n        DeviceType: TOUCH_SCREEN\n"
        "        OrientationAware: true\n"
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
    """`dumpsys SurfaceFlinger`, whole or, from Android 10, `--display-id`."""
    main = displays(system)[-1]
    token = " screenPartStatus=ORIGINAL" if system.profile.sdk >= 36 else ""
    lines = "".join(
        f"Display {each.panel.surface_id} (HWC display {number}): port={each.panel.port} "
        f'pnpId={each.panel.maker}{token} displayName="{each.panel.name}"\n'
        for number, each in enumerate(displays(system))
    )
    if system.profile.sdk <= 28:
        lines = ""
    elif "--display-id" in args:
        return lines
    width_px, height_px = main.size_px
    return (
        f"Build configuration: [sf PRESENT_TIME_OFFSET=0]\n{lines}"
        f"Display {main.panel.surface_id}: viewport=[0 0 {width_px} {height_px}]\n"
        f"  orientation={main.rotation * 90}\n"
    )


def dump_power(system: Userland, args: list[str]) -> str:
    """`dumpsys power`."""
    on = _is_on(system)
    flag = str(on).lower()
    phone = system.phone
    stay_on = str(get_setting(phone, "global", "stay_on_while_plugged_in") not in ("0", "null"))
    stay_on = stay_on.lower()
    dozes = system.profile.quirks.always_on_display and not on
    wakefulness = "Dozing" if dozes else phone.wakefulness
    name = "getWakefulnessLocked()" if system.profile.quirks.always_on_display else "mWakefulness"
    return (
        "POWER MANAGER (dumpsys power)\n\nPower Manager State:\n  mDirty=0x0\n"
        f"  {name}={wakefulness}\n  mWakefulnessChanging=false\n  mIsPowered=true\n"
        "  mPlugType=2\n  mBatteryLevel=87\n  mDockState=0\n"
        f"  mStayOn={stay_on}\n"
        "  mProximityPositive=false\n  mBootCompleted=true\n  mSystemReady=true\n"
        f"  mHalInteractiveModeEnabled={flag}\n  mWakeLockSummary=0x0\n"
        f"  mUserActivitySummary=0x{int(on)}\n  mSandmanScheduled=false\n"
        f"  mHoldingWakeLockSuspendBlocker=false\n  mHoldingDisplaySuspendBlocker="
        f"{str(on or dozes).lower()}\n\n"
        "Settings and Configuration:\n"
        f"  mScreenOffTimeoutSetting={get_setting(phone, 'system', 'screen_off_timeout')}\n\n"
        f"Display Power: state={'ON' if on else 'DOZE' if dozes else 'OFF'}\n"
    )
