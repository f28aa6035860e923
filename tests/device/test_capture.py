"""Screenshots: the right display, one retry, and a reason for every black picture."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from PIL import Image

from device.capture import ScreenCapture
from device.errors import ScreenshotError, ScreenshotRefusedError
from device.scripted_adb_server import Reply, ScriptedAdbServer

ONE_PANEL = b'Display 461982 (HWC display 0): port=0 pnpId=GGL displayName="x"\n'
TWO_PANELS = ONE_PANEL + b'Display 777 (HWC display 1): port=1 pnpId=GGL displayName="y"\n'
VIEWPORTS = (
    "mViewports=[DisplayViewport{type=INTERNAL, valid=true, isActive=false, displayId=0, "
    "uniqueId='local:461982', orientation=0, logicalFrame=Rect(0, 0 - 40, 60)}, "
    "DisplayViewport{type=INTERNAL, valid=true, isActive=true, displayId=3, "
    "uniqueId='local:777', orientation=1, logicalFrame=Rect(0, 0 - 60, 40)}]"
)
WINDOWS = (
    "  Window #3 Window{aa1 u0 com.bank/com.bank.Pay}:\n"
    "    mAttrs={(0,0)(fillxfill) ty=BASE fl=%s\n      pfl=NO_MOVE}\n"
    "  mCurrentFocus=Window{aa1 u0 com.bank/com.bank.Pay}\n"
)


def picture(colour: str) -> bytes:
    data = io.BytesIO()
    Image.new("RGB", (40, 60), colour).save(data, "PNG")
    return data.getvalue()


WHITE, BLACK = picture("white"), picture("black")


def phone(
    screencap: Callable[[str], Reply],
    *,
    panels: bytes = ONE_PANEL,
    power: str = "mWakefulness=Awake",
    windows: str = "",
) -> Callable[[str], Reply]:
    def reply(command: str) -> Reply:
        if command.startswith("screencap"):
            return screencap(command)
        answers = {
            "dumpsys SurfaceFlinger --display-id": panels,
            "dumpsys display": VIEWPORTS.encode(),
            "dumpsys power | grep -i wakefulness": power.encode(),
            "dumpsys window": windows.encode(),
        }
        return Reply(stdout=answers[command])

    return reply


def test_a_picture_is_passed_on_with_its_own_size(adb: ScriptedAdbServer) -> None:
    adb.reply = phone(lambda command: Reply(stdout=WHITE))
    capture = ScreenCapture(adb.transport())
    shot = capture.take()
    assert (shot.data, shot.width_px, shot.height_px, shot.black) == (WHITE, 40, 60, None)
    assert capture.frame() == (40, 60)
    assert [c for c in adb.commands if "screencap" in c] == ["shell,v2:screencap -p"]


def test_the_second_picture_costs_one_command(adb: ScriptedAdbServer) -> None:
    adb.reply = phone(lambda command: Reply(stdout=WHITE))
    capture = ScreenCapture(adb.transport())
    capture.take()
    before = len(adb.commands)
    capture.take()
    assert adb.commands[before:] == ["shell,v2:screencap -p"]


def test_of_two_panels_the_active_one_is_taken_with_both_its_ids(adb: ScriptedAdbServer) -> None:
    adb.reply = phone(lambda command: Reply(stdout=WHITE), panels=TWO_PANELS)
    capture = ScreenCapture(adb.transport())
    capture.take()
    assert adb.commands[-1] == "shell,v2:screencap -p -d 777"
    assert capture.display_id == 3


def test_a_warning_on_either_stream_does_no_harm(adb: ScriptedAdbServer) -> None:
    warning = b"[Warning] Multiple displays were found, but no display id was specified!\n"
    for reply in (Reply(stdout=WHITE, stderr=warning), Reply(stdout=warning + WHITE)):
        adb.reply = phone(lambda command, reply=reply: reply)  # type: ignore[misc]
        assert ScreenCapture(adb.transport()).take().data == WHITE


def test_a_broken_picture_is_asked_for_once_more(adb: ScriptedAdbServer) -> None:
    replies = [Reply(stdout=WHITE[:-9]), Reply(stdout=WHITE)]
    adb.reply = phone(lambda command: replies.pop(0))
    assert ScreenCapture(adb.transport()).take().data == WHITE


def test_two_broken_pictures_are_an_error_and_never_a_picture(adb: ScriptedAdbServer) -> None:
    adb.reply = phone(lambda command: Reply(stdout=WHITE[:50]))
    with pytest.raises(ScreenshotError) as caught:
        ScreenCapture(adb.transport()).take()
    assert caught.value.details["reason"] == "truncated"
    assert sum("screencap" in command for command in adb.commands) == 2


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_refusal_is_read_from_either_stream(adb: ScriptedAdbServer, stream: str) -> None:
    text = b"Failed to take screenshot. Status: -1\nCapturing failed.\n"
    reply = Reply(stdout=text) if stream == "stdout" else Reply(stderr=text)
    adb.reply = phone(lambda command: reply)
    with pytest.raises(ScreenshotRefusedError):
        ScreenCapture(adb.transport()).take()
    assert sum("screencap" in command for command in adb.commands) == 1


@pytest.mark.parametrize(
    ("power", "flags", "reason"),
    [
        ("mWakefulness=Asleep", "SECURE", "asleep"),
        ("mWakefulness=Dozing", "", "asleep"),
        ("mWakefulness=Awake", "LAYOUT_IN_SCREEN SECURE SPLIT_TOUCH", "secure_window"),
        ("mWakefulness=Awake", "#81812100", "secure_window"),
        ("mWakefulness=Awake", "#81810100", "unknown"),
        ("mWakefulness=Awake", "LAYOUT_IN_SCREEN", "unknown"),
    ],
)
def test_a_black_picture_says_why(
    adb: ScriptedAdbServer, power: str, flags: str, reason: str
) -> None:
    adb.reply = phone(lambda command: Reply(stdout=BLACK), power=power, windows=WINDOWS % flags)
    shot = ScreenCapture(adb.transport()).take()
    assert (shot.data, shot.black) == (BLACK, reason)


def test_after_folding_the_other_panel_is_taken(adb: ScriptedAdbServer) -> None:
    adb.reply = phone(lambda command: Reply(stdout=WHITE))
    capture = ScreenCapture(adb.transport())
    capture.take()
    adb.reply = phone(
        lambda command: Reply(stdout=WHITE if command.endswith("-d 777") else BLACK),
        panels=TWO_PANELS,
    )
    shot = capture.take()
    assert (shot.data, shot.black, capture.display_id) == (WHITE, None, 3)


MAPPER = "Touch Input Mapper (mode - DIRECT):\n  InputDeviceOrientation: Rotation90\n"


@pytest.mark.parametrize(
    ("answers", "frame"),
    [
        ({"dumpsys display": VIEWPORTS}, (2400, 1080)),
        ({"dumpsys window displays": "  mRotation=0 x\n"}, (1080, 2400)),
        ({"dumpsys window displays": "  mRotation=ROTATION_270 x\n"}, (2400, 1080)),
        ({"dumpsys input": MAPPER}, (2400, 1080)),
        (
            {
                "settings get system accelerometer_rotation": "0",
                "settings get system user_rotation": "3",
            },
            (2400, 1080),
        ),
        (
            {
                "settings get system accelerometer_rotation": "1",
                "settings get system user_rotation": "3",
            },
            (1080, 2400),
        ),
    ],
)
def test_without_a_picture_the_frame_is_the_turned_screen(
    adb: ScriptedAdbServer, answers: dict[str, str], frame: tuple[int, int]
) -> None:
    known = {"wm size": "Physical size: 1440x3200\nOverride size: 1080x2400\n"} | answers
    adb.reply = lambda command: Reply(stdout=known.get(command, "").encode())
    assert ScreenCapture(adb.transport()).frame() == frame


def test_without_picture_and_size_no_frame_is_made_up(adb: ScriptedAdbServer) -> None:
    with pytest.raises(ScreenshotError, match="take a screenshot first"):
        ScreenCapture(adb.transport()).frame()
