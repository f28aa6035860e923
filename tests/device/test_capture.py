"""Screenshots: the right display, one retry, and a reason for every black picture."""

from __future__ import annotations

import gzip
import io
import struct
import time
from collections.abc import Callable

import pytest
from PIL import Image

from device.capture import ScreenCapture
from device.capture_choice import encode_png, unsqueeze_raw
from device.errors import ScreenshotError, ScreenshotRefusedError
from device.screen import read_png
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
ASK = (
    "shell,v2:dumpsys -t 2 window displays 2>/dev/null "
    "| grep -E 'DisplayFrames|mRotation=|cur=' >&2 & "
)


def captures(adb: ScriptedAdbServer) -> list[str]:
    """The capture commands that were sent, without the question about the rotation."""
    return [
        command.removeprefix(ASK).removesuffix(" ; wait")
        for command in adb.commands
        if "screencap" in command
    ]


def phone(
    screencap: Callable[[str], Reply],
    *,
    panels: bytes = ONE_PANEL,
    power: str = "mWakefulness=Awake",
    windows: str = "",
) -> Callable[[str], Reply]:
    def reply(command: str) -> Reply:
        if "screencap" in command:
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
    assert captures(adb) == ["screencap -p"]


def test_the_second_picture_costs_one_command(adb: ScriptedAdbServer) -> None:
    adb.reply = phone(lambda command: Reply(stdout=WHITE))
    capture = ScreenCapture(adb.transport())
    capture.take()
    before = len(adb.commands)
    capture.take()
    assert (len(adb.commands[before:]), captures(adb)[1:]) == (1, ["screencap -p"])


def test_of_two_panels_the_active_one_is_taken_with_both_its_ids(adb: ScriptedAdbServer) -> None:
    adb.reply = phone(lambda command: Reply(stdout=WHITE), panels=TWO_PANELS)
    capture = ScreenCapture(adb.transport())
    capture.take()
    assert captures(adb) == ["screencap -p -d 777"]
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
    assert sum("screencap" in command for command in adb.commands) == 2


def test_a_refusal_in_passing_is_none(adb: ScriptedAdbServer) -> None:
    replies = [Reply(stdout=b"Capturing failed.\n"), Reply(stdout=WHITE)]
    adb.reply = phone(lambda command: replies.pop(0))
    assert ScreenCapture(adb.transport()).take().data == WHITE


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
        lambda command: Reply(stdout=WHITE if "-d 777" in command else BLACK),
        panels=TWO_PANELS,
    )
    shot = capture.take()
    assert (shot.data, shot.black, capture.display_id) == (WHITE, None, 3)


@pytest.mark.parametrize(
    ("told", "rotation"),
    [
        (b"  DisplayFrames w=40 h=60 r=0\n    mRotation=0 mDeferred=0\n", 0),
        (b"  DisplayFrames w=40 h=60 r=2\n", 2),
        (b"  DisplayFrames w=40 h=60 r=1\n", 1),  # a tablet that is wide by nature
        (b"  DisplayFrames w=40 h=60 r=3\n  DisplayFrames w=90 h=20 r=0\n", 3),
        (b"    init=60x40 cur=40x60 app=40x60\n    mRotation=ROTATION_270\n", 3),
        (b"    mRotation=1\n", 1),
        # The phone was turned between the two: the picture decides, and nothing is guessed.
        (b"  DisplayFrames w=60 h=40 r=1\n    mRotation=1\n", None),
        (b"    init=40x60 cur=60x40 app=40x60\n    mRotation=1\n", None),
        (b"", None),
    ],
)
def test_the_rotation_is_that_of_the_picture(
    adb: ScriptedAdbServer, told: bytes, rotation: int | None
) -> None:
    adb.reply = phone(lambda command: Reply(stdout=WHITE, stderr=told))
    assert ScreenCapture(adb.transport()).take().rotation == rotation


def test_a_picture_that_is_refused_is_an_error_beside_the_rotation_too(
    adb: ScriptedAdbServer,
) -> None:
    told = b"  DisplayFrames w=40 h=60 r=0\nFailed to take screenshot. Status: -1\n"
    adb.reply = phone(lambda command: Reply(stderr=told))
    with pytest.raises(ScreenshotRefusedError):
        ScreenCapture(adb.transport()).take()


def slow_phone(*, png_s: float, raw_s: float, raw: Callable[[], bytes]) -> Callable[[str], Reply]:
    def screencap(command: str) -> Reply:
        if "gzip" in command:
            time.sleep(raw_s)
            return Reply(stdout=raw())
        time.sleep(png_s)
        return Reply(stdout=WHITE)

    return phone(screencap)


def squeezed_white() -> bytes:
    return gzip.compress(struct.pack("<IIII", 40, 60, 1, 1) + b"\xff" * (40 * 60 * 4), 1)


def test_raw_pictures_are_taken_where_they_are_measured_to_be_quicker(
    adb: ScriptedAdbServer,
) -> None:
    adb.reply = slow_phone(png_s=0.2, raw_s=0.02, raw=squeezed_white)
    capture = ScreenCapture(adb.transport())
    # The first command finds out what the phone can; its time says nothing.
    shots = [capture.take() for _ in range(9)]
    assert {s.black for s in shots} == {None}
    with Image.open(io.BytesIO(shots[-1].data)) as last:
        assert (last.size, last.convert("RGB").getcolors()) == ((40, 60), [(2400, (255,) * 3)])
    assert captures(adb)[-3:] == ["screencap | gzip -1"] * 3


@pytest.mark.parametrize(
    ("png_s", "raw_s", "raw", "most_raw"),
    [
        (0.0, 0.0, squeezed_white, 0),  # a quick phone has nothing to win
        (0.2, 0.2, squeezed_white, 3),  # not quicker: three were enough to see it
        (0.2, 0.0, lambda: b"sh: gzip: not found", 1),  # never asked again
        (0.2, 0.0, lambda: squeezed_white()[:-9], 1),
        (0.2, 0.0, lambda: gzip.compress(b"Capturing failed.\n"), 1),
    ],
)
def test_png_stays_where_raw_wins_nothing_or_fails(
    adb: ScriptedAdbServer, png_s: float, raw_s: float, raw: Callable[[], bytes], most_raw: int
) -> None:
    adb.reply = slow_phone(png_s=png_s, raw_s=raw_s, raw=raw)
    capture = ScreenCapture(adb.transport())
    for _ in range(8):
        shot = capture.take()
        assert (shot.width_px, shot.height_px, shot.black) == (40, 60, None)
    assert sum("gzip" in command for command in captures(adb)) == most_raw
    assert captures(adb)[-1] == "screencap -p"


@pytest.mark.parametrize(
    ("code", "pixel"),
    [
        (1, b"\xff\x80\x08\x00"),
        (2, b"\xff\x80\x08\xff"),
        (3, b"\xff\x80\x08"),
        (4, struct.pack("<H", 31 << 11 | 32 << 5 | 1)),
    ],
)
def test_every_pixel_format_gives_its_true_colours(code: int, pixel: bytes) -> None:
    header = struct.pack("<III", 3, 2, code)
    png = encode_png(unsqueeze_raw(gzip.compress(header + pixel * 6)))
    assert read_png(png).data == png
    with Image.open(io.BytesIO(png)) as image:
        colours = image.getcolors()
    assert colours is not None and len(colours) == 1
    count, (red, green, blue) = colours[0]  # type: ignore[misc]
    assert (count, red, green // 4, blue // 9) == (6, 255, 32, 0)


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
