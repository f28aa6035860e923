"""An export is whole, not written twice, without what is private, and needs little memory."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from server.commands.export import export_command
from server.errors import BadRequestError
from server.export.episode import open_episode
from server.export.exporter import export_sessions
from server.export.formats import list_formats
from server.export.redaction import Redactor
from server.export.selection import read_filters, select_sessions
from server.records.store import RecordStore
from tests.benchmarks.bench_records import write_session
from tests.server.core.conftest import CONFIGS, paint
from tests.server.export.conftest import PRIVATE_TREE, Record, think

CLICK = think("explain:tap|action:CLICK|point:500,320|summary:tapped")
PASSWORD = think(
    "explain:log in|action:TYPE|value:hunter2222|point:500,458|summary:typed hunter2222"
)


# --- whole or not at all --------------------------------------------------------------------------


def test_an_interrupted_run_goes_on_with_what_is_missing(record: Record, tmp_path: Path) -> None:
    one = record([CLICK, CLICK])
    other = record([CLICK])
    seen: list[str] = []

    class Interrupted(Exception):
        pass

    def progress(episode: Any) -> Callable[[], None]:
        def step() -> None:
            seen.append(episode.session_id)
            if len(seen) == 3:
                raise Interrupted

        return step

    episodes = [one.episode, other.episode]
    with pytest.raises(Interrupted):
        export_sessions(episodes, tmp_path, "gelab", progress=progress)
    traces = tmp_path / "running_log/server_log/os-copilot-local-eval-logs/traces"
    assert [path.stem for path in traces.iterdir()] == [one.session_id]
    done = export_sessions(episodes, tmp_path, "gelab")
    assert [entry.status for entry in done] == ["kept", "written"]
    assert {path.stem for path in traces.iterdir()} == {one.session_id, other.session_id}
    assert not (tmp_path / ".parts").exists()


def test_a_session_that_has_grown_is_written_anew(record: Record, tmp_path: Path) -> None:
    one = record([CLICK, CLICK], stop_reason=None)
    assert one.export(tmp_path, "adb").status == "written"
    assert one.export(tmp_path, "adb").status == "kept"
    one.server.record_event(one.session_id, "device_outcome", {"step": 1, "status": "withheld"})
    one.server.close_session(one.session_id, "STOPPED_BY_USER")
    assert one.export(tmp_path, "adb").status == "kept"  # the steps are the same
    assert one.export(tmp_path, "adb", redacted=False).status == "written"


def test_a_folder_of_another_format_is_refused(record: Record, tmp_path: Path) -> None:
    one = record([CLICK])
    one.export(tmp_path, "adb")
    with pytest.raises(BadRequestError, match="holds an export as adb; choose another folder"):
        one.export(tmp_path, "gelab")


def test_a_missing_picture_fails_that_session_alone(record: Record, tmp_path: Path) -> None:
    one, other = record([CLICK]), record([CLICK])
    (one.server.settings.image_dir / one.session_id / "step_0001.png").unlink()
    done = export_sessions([one.episode, other.episode], tmp_path, "webp")
    assert [(entry.session_id, entry.status) for entry in done] == [
        (one.session_id, "failed"),
        (other.session_id, "written"),
    ]
    assert "step_0001.png of step 1 is gone" in done[0].problem
    assert [path.name for path in tmp_path.glob("*.webp")] == [f"{other.session_id}.webp"]


def test_where_nothing_was_written_nothing_is_said_to_be_taken_out(
    record: Record, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = record([CLICK])
    (one.server.settings.image_dir / one.session_id / "step_0001.png").unlink()
    code = export_command(
        one.session_id, everything=False, filters=(), to=tmp_path / "out", format_name="webp",
        redacted=True, dialect=None, variant=None, step_s=1.0, width_px=200,
        log_dir=one.server.settings.log_dir, config_dir=CONFIGS, as_json=False,
    )  # fmt: skip
    said = capsys.readouterr()
    assert (code, said.out) == (1, "")
    assert "failed: the picture" in said.err


# --- what is private ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "format_name", ["gelab", "sft", "parquet", "androidcontrol", "adb", "html"]
)
def test_no_format_holds_what_is_private_unless_asked(
    record: Record, tmp_path: Path, format_name: str
) -> None:
    secrets = (b"hunter2222", b"ann@example.com", b"emulator-5554", b"13812345678")
    one = record(
        [PASSWORD, CLICK],
        task="write to ann@example.com from 13812345678",
        trees={1: PRIVATE_TREE, 2: PRIVATE_TREE},
        extra_info={"serial": "emulator-5554"},
    )
    done = one.export(tmp_path / "safe", format_name)
    assert done.status == "written"
    for path in (tmp_path / "safe").rglob("*"):
        data = path.read_bytes() if path.is_file() else b""
        assert [secret for secret in secrets if secret in data] == [], path
    assert done.redacted["active"] is True
    assert done.redacted["kinds"]
    one.export(tmp_path / "all", format_name, redacted=False)
    data = b"".join(path.read_bytes() for path in (tmp_path / "all").rglob("*") if path.is_file())
    assert b"hunter2222" in data or format_name in ("parquet",)


def test_private_places_of_a_picture_are_covered_and_others_are_not(
    record: Record, tmp_path: Path
) -> None:
    one = record([CLICK], trees={1: PRIVATE_TREE}, picture=paint(108, 240))
    [step] = one.episode.iter_steps()
    redactor = Redactor(active=True)
    picture = redactor.picture(step)
    original = Redactor(active=False).picture(step)
    assert picture.crop((4, 40, 100, 60)).getcolors() == [(96 * 20, (118, 124, 132))]
    assert picture.crop((4, 100, 100, 120)).getcolors() == [(96 * 20, (118, 124, 132))]
    for box in ((0, 0, 108, 40), (0, 60, 108, 100), (0, 120, 108, 240)):
        assert picture.crop(box).tobytes() == original.crop(box).tobytes()
    assert redactor.report() == {
        "active": True,
        "kinds": {"picture_email": 1, "picture_password": 1},
        "unchecked_pictures": [],
    }


def test_names_of_the_task_and_of_the_screens_are_taken_out_everywhere_and_listed(
    record: Record, tmp_path: Path
) -> None:
    chat = PRIVATE_TREE.replace("Inbox", "张伟").replace("write to ann@example.com", "Emma Wilson")
    reply = think("explain:open 张伟's chat|action:CLICK|point:500,625|summary:then emma wilson")
    task, picture = "给李娜发消息: Bluetooth 关了吗", paint(108, 240)
    one = record([reply], task=task, trees={1: chat}, picture=picture)
    done = one.export(tmp_path / "out", "gelab")
    log = "".join(path.read_text("utf-8") for path in (tmp_path / "out").rglob("*.jsonl"))
    assert [name for name in ("张伟", "李娜", "Emma", "emma wilson") if name in log] == []
    assert "给[person]消息: Bluetooth 关了吗" in log
    assert "open [person]'s chat" in log
    assert done.redacted["kinds"]["picture_person"] == 2
    assert done.redacted["kinds"]["person"] >= 4


def test_a_picture_without_a_tree_is_told_as_unchecked(record: Record, tmp_path: Path) -> None:
    done = record([CLICK, CLICK]).export(tmp_path, "gelab")
    assert done.redacted["unchecked_pictures"] == [1, 2]


@pytest.mark.parametrize(
    ("text", "without"),
    [
        ("call +86 138 1234 5678 now", "call [phone] now"),
        ("call (415) 555-0132 now", "call [phone] now"),
        ("card 6222 0212 3456 7890 123", "card [card]"),
        ("身份证11010519491231002X", "身份证[id_number]"),
        ("您的验证码是 482913，请勿", "您的验证码[code]，请勿"),
        ("Your code is 482913.", "Your code[code]."),
        ("api_key=abcd1234efgh", "api_key=***"),
        ("at 12:30 on 2026-11-30 buy 2 for 19.99", "at 12:30 on 2026-11-30 buy 2 for 19.99"),
        ("point:500,320 in 1080x2400", "point:500,320 in 1080x2400"),
    ],
)
def test_texts_lose_what_is_private_and_nothing_else(text: str, without: str) -> None:
    assert Redactor(active=True).text(text) == without


# --- which sessions -------------------------------------------------------------------------------


def test_filters_choose_sessions(record: Record) -> None:
    one = record([CLICK], task="打开微信", stop_reason="LOOP_DETECTED")
    record([CLICK], task="Open Clock")

    def chosen(*texts: str) -> list[str]:
        episodes = select_sessions(one.store, read_filters(texts), lambda text: None)
        return sorted(episode.task for episode in episodes)

    # Each recording has its own server; both wrote into one folder.
    assert chosen("dialect=step0920") == ["Open Clock", "打开微信"]
    assert chosen("task=微信") == ["打开微信"]
    assert chosen("task=CLOCK") == ["Open Clock"]
    assert chosen("stop_reason=loop_detected") == ["打开微信"]
    assert chosen("until=2020-01-01") == []
    assert chosen("since=2020-01-01", "model=any") == ["Open Clock", "打开微信"]
    with pytest.raises(BadRequestError, match="task, dialect, model, stop_reason, app"):
        read_filters(["colour=red"])


# --- memory ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("format_name", ["gelab", "sft", "parquet", "html"])
def test_a_long_session_takes_no_more_memory_than_a_short_one(
    tmp_path: Path, format_name: str
) -> None:
    assert format_name in list_formats()
    store = RecordStore(tmp_path / "traces", tmp_path / "images")
    peaks = []
    for steps in (60, 240):
        session_id = write_session(store, steps)
        folder = tmp_path / "images" / session_id
        folder.mkdir(parents=True)
        (folder / "step_0001.png").write_bytes(paint(54, 120))
        tracemalloc.start()
        export_sessions([open_episode(store, session_id)], tmp_path / str(steps), format_name)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    store.close()
    assert peaks[1] < peaks[0] * 1.7 + 500_000


def test_the_picture_of_a_turned_phone_keeps_its_proportions(
    record: Record, tmp_path: Path
) -> None:
    one = record([CLICK], picture=paint(240, 108))
    done = one.export(tmp_path, "webp", width_px=120)
    with Image.open(tmp_path / done.files[0]) as film:
        assert film.size == (120, 54)


def test_the_index_says_what_each_session_became(record: Record, tmp_path: Path) -> None:
    one = record([CLICK])
    one.export(tmp_path, "adb")
    index = json.loads((tmp_path / "export.json").read_text(encoding="utf-8"))
    assert index["v"] == 1
    assert index["format"] == "adb"
    assert index["sessions"] == {
        one.session_id: {
            "head": one.episode.head,
            "steps": 1,
            "files": [f"{one.session_id}.sh"],
            "redacted": {"active": True, "kinds": {}, "unchecked_pictures": []},
            "notes": [],
        }
    }
