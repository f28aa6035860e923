"""Logs as the published Step-GUI server writes them are taken over, read again and shown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from parsers.action import Size
from server.export.episode import open_episode
from server.records.published import Imported, PictureLimits, PublishedLogError, import_log
from server.records.store import RecordStore
from server.replay.fixture import record_test
from server.replay.rereading import reread_session
from server.session_reading import SessionReader
from server.upkeep import verify_session
from tests.server.core.conftest import paint
from tests.server.replay.test_rereading import run_cli

SESSION = "0d9a7c56-5a0e-4c33-9f51-1a2b3c4d5e6f"
LIMITS = PictureLimits(10_000_000, 40_000_000)
CONFIG = {
    "model_name": "gelab-zero-4b-preview",
    "model_provider": "local",
    "args": {"temperature": 0.1},
    "image_preprocess": {"target_image_size": [728, 728]},
}
REPLIES = [
    "<THINK> 打开设置 </THINK>\nexplain:打开\taction:AWAKE\tvalue:设置\tsummary:打开了设置\n",
    "<THINK> 点蓝牙 </THINK>\nexplain:点击\taction:CLICK\tpoint:500,320\tsummary:点了蓝牙\n",
    "<THINK> 好了 </THINK>\nexplain:完成\taction:COMPLETE\treturn:已关闭\tsummary:完成\n",
]
ACTIONS: list[dict[str, Any]] = [
    {"cot": "打开设置", "explain": "打开", "action": "AWAKE", "value": "设置",
     "summary": "打开了设置"},
    {"cot": "点蓝牙", "explain": "点击", "action": "CLICK", "action_type": "CLICK",
     "point": [500, 320], "summary": "点了蓝牙"},
    {"cot": "好了", "explain": "完成", "action": "COMPLETE", "return": "已关闭", "summary": "完成"},
]  # fmt: skip


def write_published_log(folder: Path, **changes: Any) -> Path:
    """A log and its pictures, laid out as the published server lays them out."""
    traces, images = folder / "traces", folder / "images"
    traces.mkdir(parents=True)
    images.mkdir()
    session_id = changes.get("session_id", SESSION)
    actions = changes.get("actions", ACTIONS)
    start = {
        "log_type": "session_start",
        "task": "关闭蓝牙",
        "task_type": changes.get("task_type", "parser_0922_summary"),
        "model_config": CONFIG,
        "extra_info": {},
    }
    lines: list[Any] = [start]
    for number, (action, reply) in enumerate(zip(actions, REPLIES, strict=True), start=1):
        name = f"{session_id}_step_{number}.jpeg"
        (images / name).write_bytes(paint(kind="JPEG"))
        path = changes.get("image", f"running_log/server_log/images/{name}")
        words = [
            {"type": "text", "text": "你是一个手机操作助手。" * 30},
            {"type": "image_url", "image_url": {"url": path}},
        ]
        lines.append(
            {
                "environment": {"image": path, "user_comment": ""},
                "action": action,
                "asked_messages": [{"role": "user", "content": words}],
                "model_response": reply,
                "model_config": CONFIG,
                "llm_cost": {
                    "llm_time": 1.5,
                    "llm_start_time": 1764300000.5,
                    "llm_end_time": 1764300002.0,
                },
            }
        )
    log = traces / f"{session_id}.jsonl"
    records = [
        {"session_id": session_id, "timestamp": "2025-11-28T03:20:00.250000+00:00", "message": line}
        for line in lines
    ]
    log.write_text("".join(json.dumps(r, ensure_ascii=False) + "\n" for r in records), "utf-8")
    return log


@pytest.fixture
def store(tmp_path: Path) -> Any:
    kept = RecordStore(tmp_path / "ours" / "traces", tmp_path / "ours" / "images")
    yield kept
    kept.close()


def test_a_published_log_becomes_a_session_like_any_other(
    store: RecordStore, tmp_path: Path
) -> None:
    log = write_published_log(tmp_path / "theirs")
    assert import_log(store, log, LIMITS) == Imported(SESSION, 3)
    reader = SessionReader(store)
    session = reader.read_session(SESSION)
    assert (session.task, session.task_type, session.steps) == ("关闭蓝牙", "step0920", 3)
    assert session.created_at == "2025-11-28T03:20:00.250Z"
    assert session.stop_reason == "TASK_COMPLETED_SUCCESSFULLY"
    steps = reader.read_steps(SESSION, 1, 10)
    assert [step["action"]["action"] for step in steps] == ["AWAKE", "CLICK", "COMPLETE"]
    asked = steps[1]["asked_messages"][0]["content"]
    assert asked[0]["text"].startswith("你是一个手机操作助手。")
    assert asked[1]["image_url"]["url"] == steps[1]["environment"]["image"]
    assert steps[1]["llm_cost"]["llm_start_time"] == "2025-11-28T03:20:00.500Z"
    assert steps[1]["sent_size"] == [728, 728]
    assert reader.read_image(SESSION, 2) == (paint(kind="JPEG"), "image/jpeg")
    assert verify_session(store, SESSION).sound


def test_it_is_replayed_and_recorded_as_a_test(store: RecordStore, tmp_path: Path) -> None:
    import_log(store, write_published_log(tmp_path / "theirs"), LIMITS)
    episode = open_episode(store, SESSION)
    assert [one.verdict for one in reread_session(episode)] == ["same"] * 3
    assert [step.size for step in episode.iter_steps()] == [Size(width_px=108, height_px=240)] * 3
    assert record_test(episode, tmp_path / "tests").differing == ()


def test_taking_it_over_twice_changes_nothing(store: RecordStore, tmp_path: Path) -> None:
    log = write_published_log(tmp_path / "theirs")
    import_log(store, log, LIMITS)
    before = store.log_path(SESSION).read_bytes()
    assert not import_log(store, log, LIMITS).is_new
    assert store.log_path(SESSION).read_bytes() == before


def test_an_id_that_is_none_of_ours_gets_one_that_stays_the_same(
    store: RecordStore, tmp_path: Path
) -> None:
    log = write_published_log(tmp_path / "theirs", session_id="run-17")
    first = import_log(store, log, LIMITS)
    assert first.is_new and first.session_id != "run-17"
    assert import_log(store, log, LIMITS) == Imported(first.session_id, 3, is_new=False)


def test_the_words_of_a_log_are_never_followed_as_a_path(
    store: RecordStore, tmp_path: Path
) -> None:
    outside = tmp_path / "secret.jpeg"
    outside.write_bytes(paint(kind="JPEG"))
    for place, image in enumerate((str(outside), "../../secret.jpeg", "..\\..\\secret.jpeg", "..")):
        log = write_published_log(tmp_path / f"theirs{place}", session_id=f"s{place}", image=image)
        done = import_log(store, log, LIMITS)
        assert done.missing_pictures == (1, 2, 3), image


def test_a_step_without_its_picture_is_kept_and_told(store: RecordStore, tmp_path: Path) -> None:
    log = write_published_log(tmp_path / "theirs")
    (tmp_path / "theirs" / "images" / f"{SESSION}_step_2.jpeg").unlink()
    assert import_log(store, log, LIMITS).missing_pictures == (2,)
    assert SessionReader(store).read_session(SESSION).steps == 3


def test_an_action_that_is_none_of_ours_is_read_from_its_reply(
    store: RecordStore, tmp_path: Path
) -> None:
    odd = [{"action": "CLICKY"}, {"action": "CLICK"}, {}]
    import_log(store, write_published_log(tmp_path / "theirs", actions=odd), LIMITS)
    steps = SessionReader(store).read_steps(SESSION, 1, 10)
    assert [step["action"]["action"] for step in steps] == ["AWAKE", "CLICK", "COMPLETE"]
    assert steps[1]["action"]["point"] == [500, 320]


def test_a_torn_last_line_is_left_out_and_told(store: RecordStore, tmp_path: Path) -> None:
    log = write_published_log(tmp_path / "theirs")
    log.write_bytes(log.read_bytes()[:-200])
    done = import_log(store, log, LIMITS)
    assert (done.steps, done.cut_line) == (2, True)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        ("{}\n", "no session_start"),
        ('{"message": {"log_type": "session_start", "task_type": "klingon"}}\n', "klingon"),
        ('{"message": {"log_type": "session_start"}}\n{broken\n{}\n', "line 2 is no JSON"),
        ('{"message": {"log_type": "session_start"}}\n[]\n', "line 2 is no JSON object"),
        ('{"message": {"log_type": "session_start"}}\n{"message": {}}\n', "line 2 has no environ"),
        (
            '{"message": {"log_type": "session_start"}}\n'
            '{"message": {"environment": {}, "action": {}, "model_response": "?"}}\n',
            "line 2: neither its action nor its reply",
        ),
    ],
)
def test_what_is_no_such_log_is_refused_whole(
    store: RecordStore, tmp_path: Path, text: str, words: str
) -> None:
    log = tmp_path / "x.jsonl"
    log.write_text(text)
    with pytest.raises(PublishedLogError, match=words):
        import_log(store, log, LIMITS)
    assert store.list_sessions() == []


def test_the_commands_take_a_published_log_as_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = write_published_log(tmp_path / "theirs")
    code, out = run_cli("replay", str(log), "--fail-on-change", capsys=capsys)
    assert (code, out.splitlines()[-1]) == (0, "3 replies, 0 changed, 0 could not be tried")
    where = ["--log-dir", str(tmp_path / "ours")]
    code, out = run_cli("import", str(tmp_path / "theirs"), "--json", *where, capsys=capsys)
    assert (code, json.loads(out)["imported"][0]["steps"]) == (0, 3)
    code, out = run_cli("show", SESSION[:8], *where, capsys=capsys)
    assert code == 0 and "蓝牙" in out
    code, out = run_cli("replay", "--all", "--json", *where, capsys=capsys)
    assert (code, json.loads(out)["replies"]) == (0, 3)
