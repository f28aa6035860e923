"""Each format is opened with the tool that it is made for."""

from __future__ import annotations

import io
import json
import uuid
from pathlib import Path
from typing import Any

import av
import pytest
from PIL import Image
from pyarrow import parquet

from parsers.action import Size
from parsers.base import ReplyContext
from parsers.registry import get_parser
from server.export.formats import list_formats
from tests.server.core.conftest import paint
from tests.server.export.conftest import PRIVATE_TREE, Record, think

REPLIES = (
    think("explain:open the settings|action:AWAKE|value:com.android.settings|summary:settings"),
    think("explain:tap Bluetooth|action:CLICK|point:500,320|summary:on the page"),
    think("explain:scroll|action:SLIDE|point1:500,800|point2:500,200|summary:further down"),
    think("explain:search|action:TYPE|value:蓝牙|point:500,90|keyboard_exists:false|summary:typed"),
    think("explain:done|action:COMPLETE|return:it is off|summary:done"),
)


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


# --- the published viewer -------------------------------------------------------------------------


def test_the_published_viewer_finds_log_and_pictures_where_it_looks(
    record: Record, tmp_path: Path
) -> None:
    one = record(REPLIES)
    done = one.export(tmp_path, "gelab")
    root = "running_log/server_log/os-copilot-local-eval-logs"
    assert done.files == (f"{root}/traces/{one.session_id}.jsonl",)
    first, *steps = read_lines(tmp_path / done.files[0])
    assert set(first) == {"session_id", "timestamp", "message"}
    assert first["message"] == {
        "log_type": "session_start",
        "task": "turn Bluetooth off",
        "task_type": "step0920",
        "model_config": {"model_name": "any"},
        "extra_info": {},
    }
    assert len(steps) == 5
    message = steps[1]["message"]
    image = f"{root}/images/{one.session_id}_step_2.jpeg"
    assert message["environment"] == {"image": image, "user_comment": ""}
    assert message["action"] == {
        "cot": "I look",
        "explain": "tap Bluetooth",
        "action": "CLICK",
        "action_type": "CLICK",
        "point": [500, 320],
        "summary": "on the page",
    }
    assert message["model_response"] == REPLIES[1]
    assert isinstance(message["llm_cost"]["llm_start_time"], float)
    with Image.open(tmp_path / image) as picture:
        assert (picture.format, picture.size) == ("JPEG", (108, 240))
    assert [one["message"]["action"]["action_type"] for one in steps] == [
        "AWAKE", "CLICK", "SLIDE", "TYPE", "COMPLETE",
    ]  # fmt: skip


def test_the_prompt_in_the_published_form_is_whole(record: Record, tmp_path: Path) -> None:
    one = record(REPLIES)
    lines = read_lines(tmp_path / one.export(tmp_path, "gelab").files[0])
    text = json.dumps(lines[2]["message"]["asked_messages"], ensure_ascii=False)
    assert "text_ref" not in text
    assert "turn Bluetooth off" in text


# --- training samples -----------------------------------------------------------------------------


def test_each_sample_has_as_many_pictures_as_its_text_has_places(
    record: Record, tmp_path: Path
) -> None:
    one = record(REPLIES)
    one.export(tmp_path, "sft")
    samples = read_lines(tmp_path / "train.jsonl")
    assert [sample["messages"][-1]["content"] for sample in samples] == list(REPLIES)
    for sample in samples:
        text = "".join(turn["content"] for turn in sample["messages"])
        assert text.count("<image>") == len(sample["images"]) == 1
        assert {turn["role"] for turn in sample["messages"]} <= {"system", "user", "assistant"}
        with Image.open(tmp_path / sample["images"][0]) as picture:
            assert picture.size == (108, 240)


def test_the_dataset_entry_names_file_columns_and_roles(record: Record, tmp_path: Path) -> None:
    record(REPLIES).export(tmp_path, "sft")
    assert json.loads((tmp_path / "dataset_info.json").read_text()) == {
        "localserver": {
            "file_name": "train.jsonl",
            "formatting": "sharegpt",
            "columns": {"messages": "messages", "images": "images"},
            "tags": {
                "role_tag": "role",
                "content_tag": "content",
                "user_tag": "user",
                "assistant_tag": "assistant",
                "system_tag": "system",
            },
        }
    }


def test_a_tag_in_the_text_does_not_count_as_a_picture(record: Record, tmp_path: Path) -> None:
    one = record(REPLIES[:1], task="find <image> in the text")
    one.export(tmp_path, "sft")
    [sample] = read_lines(tmp_path / "train.jsonl")
    text = "".join(turn["content"] for turn in sample["messages"])
    assert text.count("<image>") == len(sample["images"]) == 1
    assert "find < image > in the text" in text


@pytest.mark.parametrize(
    ("dialect", "variant"), [("ui_tars", "v1.5"), ("qwen_mobile_use", "qwen2.5"), ("autoglm", None)]
)
def test_a_prompt_rebuilt_for_another_dialect_is_answered_in_it(
    record: Record, tmp_path: Path, dialect: str, variant: str | None
) -> None:
    replies = [REPLIES[1], REPLIES[2], REPLIES[4]]
    one = record(replies, picture=paint(1080, 2400))
    one.export(tmp_path, "sft", dialect=dialect, variant=variant)
    samples = read_lines(tmp_path / "train.jsonl")
    parser = get_parser(dialect, {}, variant)
    with Image.open(tmp_path / samples[0]["images"][0]) as picture:
        sent = Size(width_px=picture.width, height_px=picture.height)
    context = ReplyContext(sent_size=sent, screen_size=Size(width_px=1080, height_px=2400))
    read = [parser.str2action(sample["messages"][-1]["content"], context) for sample in samples]
    assert read[0].action == "CLICK"
    assert (round(read[0].point.x), round(read[0].point.y)) == (500, 320)
    assert read[-1].action == "COMPLETE"


def test_a_prompt_rebuilt_for_a_dialect_of_numbers_shows_marks_and_answers_with_a_number(
    record: Record, tmp_path: Path
) -> None:
    beside = REPLIES[1].replace("500,320", "500,950")
    on_it = REPLIES[1].replace("500,320", "500,625")
    trees = dict.fromkeys((1, 2, 3), PRIVATE_TREE)
    done = record([on_it, beside, on_it], trees=trees, picture=paint(108, 240)).export(
        tmp_path, "sft", dialect="element_dsl"
    )
    [first, last] = read_lines(tmp_path / "train.jsonl")
    assert [one["messages"][-1]["content"][-8:] for one in (first, last)] == ["click(3)"] * 2
    assert first["images"][0].endswith("step_0001_marked_108x240.jpeg")
    assert (tmp_path / first["images"][0]).is_file()
    assert "ann@example.com" not in json.dumps(first)
    assert done.notes == ("step 2 is left out: the element DSL points at element numbers only",)


def test_a_dialect_that_is_only_read_says_so(record: Record, tmp_path: Path) -> None:
    done = record(REPLIES).export(tmp_path, "sft", dialect="showui")
    assert done.status == "failed"
    assert "choose one with a writer" in done.problem


# --- AndroidControl -------------------------------------------------------------------------------


def test_an_episode_has_one_screenshot_more_than_actions(record: Record, tmp_path: Path) -> None:
    one = record(REPLIES)
    done = one.export(tmp_path, "androidcontrol")
    episode = json.loads((tmp_path / done.files[0]).read_text(encoding="utf-8"))
    assert episode["episode_id"] == uuid.UUID(one.session_id).int >> 65
    assert episode["episode_id"] < 2**63
    assert episode["goal"] == "turn Bluetooth off"
    assert episode["actions"] == [
        {"action_type": "open_app", "app_name": "com.android.settings"},
        {"action_type": "click", "x": 54, "y": 77},
        {"action_type": "scroll", "direction": "down"},
        {"action_type": "click", "x": 54, "y": 22},
        {"action_type": "input_text", "text": "蓝牙"},
    ]
    assert episode["step_instructions"] == [
        "open the settings", "tap Bluetooth", "scroll", "search", "search",
    ]  # fmt: skip
    assert len(episode["screenshots"]) == len(episode["actions"]) + 1
    assert episode["screenshot_widths"] == [108] * 6
    assert episode["screenshot_heights"] == [240] * 6
    assert len(episode["accessibility_trees"]) == 6
    for name in episode["screenshots"]:
        with Image.open(tmp_path / name) as picture:
            assert picture.format == "PNG"


def test_an_action_that_no_screenshot_follows_is_left_out_and_told(
    record: Record, tmp_path: Path
) -> None:
    done = record(REPLIES[:2], stop_reason="MAX_STEPS_REACHED").export(tmp_path, "androidcontrol")
    episode = json.loads((tmp_path / done.files[0]).read_text(encoding="utf-8"))
    assert [action["action_type"] for action in episode["actions"]] == ["open_app"]
    assert len(episode["screenshots"]) == 2
    assert done.notes == ("the last action is left out: no screenshot follows it",)


def test_trees_go_with_their_screenshots_and_stay_documents(record: Record, tmp_path: Path) -> None:
    one = record(REPLIES[1:], trees={1: PRIVATE_TREE})
    done = one.export(tmp_path, "androidcontrol")
    episode = json.loads((tmp_path / done.files[0]).read_text(encoding="utf-8"))
    text = (tmp_path / episode["accessibility_trees"][0]).read_text(encoding="utf-8")
    assert 'text="write to [email]"' in text
    assert 'password="true"' in text


# --- tables ---------------------------------------------------------------------------------------


def test_the_table_loads_with_its_pictures_decoded(record: Record, tmp_path: Path) -> None:
    one = record(REPLIES)
    done = one.export(tmp_path, "parquet")
    table = parquet.read_table(tmp_path / done.files[0])
    rows = table.to_pylist()
    assert [row["action_type"] for row in rows] == ["AWAKE", "CLICK", "SLIDE", "TYPE", "COMPLETE"]
    assert [row["step"] for row in rows] == [1, 2, 3, 4, 5]
    assert json.loads(rows[1]["action"])["point"] == [500, 320]
    with Image.open(io.BytesIO(rows[0]["image"]["bytes"])) as picture:
        assert picture.size == (rows[0]["width"], rows[0]["height"]) == (108, 240)
    metadata = json.loads(table.schema.metadata[b"huggingface"])
    features = metadata["info"]["features"]
    assert list(features) == table.column_names
    assert features["image"] == {"_type": "Image"}
    assert features["step"] == {"dtype": "int32", "_type": "Value"}


# --- films ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["webp", "gif"])
def test_an_animation_shows_each_step_for_its_time(
    record: Record, tmp_path: Path, kind: str
) -> None:
    # Equal frames would be joined: each step has another picture or another mark.
    done = record(REPLIES).export(tmp_path, kind, width_px=120, step_s=0.5)
    with Image.open(tmp_path / done.files[0]) as film:
        assert (film.format, film.size) == (kind.upper(), (120, 267))
        frames = film.n_frames
        shown_ms = 0
        for number in range(frames):
            film.seek(number)
            film.load()
            shown_ms += film.info["duration"]
    assert shown_ms == 2500
    assert frames >= 4


def test_a_film_has_even_sides_and_the_whole_time(record: Record, tmp_path: Path) -> None:
    done = record(REPLIES).export(tmp_path, "mp4", width_px=121, step_s=1.0)
    with av.open(str(tmp_path / done.files[0])) as film:
        [stream] = film.streams.video
        frames = [frame.to_image() for frame in film.decode(stream)]
        assert (stream.codec_context.width, stream.codec_context.height) == (120, 268)
    assert len(frames) == 25
    # The ring of step 2's tap, at (500, 320) of 1000.
    red, green, blue = frames[7].getpixel((60, 86))
    assert red > 150 > max(green, blue)


def test_a_gif_of_a_very_long_run_names_the_formats_that_take_it(
    record: Record, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.export.film.GIF_STEPS_MAX", 4)
    done = record(REPLIES).export(tmp_path, "gif")
    assert done.status == "failed"
    assert "choose --format webp or mp4" in done.problem


def test_every_format_is_in_the_docs() -> None:
    text = (Path(__file__).parents[3] / "docs" / "export.md").read_text(encoding="utf-8")
    assert [name for name in list_formats() if f"`{name}`" not in text] == []
