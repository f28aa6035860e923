"""`localserver parse`, `dialects` and `prompt`: replies and prompts without phone or model."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from parsers.registry import list_dialects

CASES = Path(__file__).resolve().parents[2] / "data" / "dialect_cases.jsonl"
TREE = """<?xml version='1.0' encoding='UTF-8'?>
<hierarchy rotation="0">
  <node class="android.widget.FrameLayout" package="com.example" bounds="[0,0][1080,2400]">
    <node text="Bluetooth" class="android.widget.TextView" clickable="true" enabled="true"
      bounds="[0,240][1080,480]" />
    <node text="Search" class="android.widget.EditText" clickable="true" enabled="true"
      bounds="[0,480][1080,720]" />
  </node>
</hierarchy>"""


def localserver(*arguments: str, reply: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "server", *arguments],
        input=reply,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
    )


@pytest.fixture
def tree(tmp_path: Path) -> str:
    path = tmp_path / "tree.xml"
    path.write_text(TREE, encoding="utf-8")
    return str(path)


@pytest.fixture
def screenshot(tmp_path: Path) -> str:
    path = tmp_path / "screen.png"
    Image.new("RGB", (1080, 2400), "white").save(path)
    return str(path)


def fits(expect: dict[str, Any], answer: dict[str, Any]) -> bool:
    """Whether an answer is what a case expects; pixels within 2 px or 0.3 %."""
    if "error" in expect:
        codes = expect["error"] if isinstance(expect["error"], list) else [expect["error"]]
        return answer.get("rejection", {}).get("code") in codes
    out = answer.get("out", {})
    return all(
        name in out
        and (
            all(abs(a - b) <= max(2, 0.003 * b) for a, b in zip(out[name], wanted, strict=True))
            if name.startswith(("px", "point"))
            else out[name] == wanted
        )
        for name, wanted in expect.items()
    )


def test_every_handed_case_is_right_through_the_command() -> None:
    cases = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
    done = localserver("parse", "--jsonl", str(CASES))
    assert done.returncode == 0, done.stderr
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer["id"] for answer in answers] == [case["id"] for case in cases]
    assert len(answers) == 365
    wrong = [
        (case["id"], case["expect"], answer)
        for case, answer in zip(cases, answers, strict=True)
        if not fits(case["expect"], answer)
    ]
    assert wrong == []


def test_a_line_that_cannot_be_tried_gets_an_error_of_its_own_and_stops_nothing(
    tmp_path: Path,
) -> None:
    good = {"id": "ok", "dialect": "element_dsl", "elements": 3, "raw": "click(2)"}
    lines: list[Any] = [
        {**good, "id": 1, "dialect": "klingon"},
        {**good, "id": 2, "dialect": "ui_tars", "variant": "v9"},
        "{broken",
        "[1, 2]",
        "",
        {**good, "id": 3, "screen": ["wide", 2]},
        {**good, "id": 4, "elements": "3"},
        {**good, "id": 5, "raw": {"a": 1}},
        {**good, "id": 6, "message": {"tool_calls": "x"}},
        {**good, "id": 7, "raw": "click(9)"},
        good,
    ]
    path = tmp_path / "cases.jsonl"
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_bytes("\n".join(texts).encode() + b"\n\xff\xfe\n")
    done = localserver("parse", "--jsonl", str(path))
    assert (done.returncode, done.stderr) == (0, "")
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(a["id"], a.get("error", a.get("rejection", {})).get("code")) for a in answers] == [
        (1, "parser.unknown_dialect"),
        (2, "parser.unknown_dialect"),
        (None, "parser.invalid_case"),
        (None, "parser.invalid_case"),
        (3, "parser.invalid_case"),
        (4, "parser.invalid_case"),
        (5, "parser.invalid_case"),
        (6, "parser.invalid_case"),
        (7, "bad_element"),
        ("ok", None),
        (None, "parser.invalid_case"),
    ]
    assert answers[9]["out"] == {"action": "CLICK", "element": 2}


def test_a_file_that_is_not_there_exits_2(tmp_path: Path) -> None:
    done = localserver("parse", "--jsonl", str(tmp_path / "none.jsonl"))
    assert done.returncode == 2
    assert "Traceback" not in done.stderr and done.stderr.strip()


def test_a_reply_that_is_read_exits_0_and_one_that_is_not_2() -> None:
    frame = ("parse", "--dialect", "ui_tars", "--variant", "v1.5", "--screen", "1080x2400")
    read = localserver(*frame, reply="Action: click(start_box='(546,1204)')")
    assert read.returncode == 0
    assert json.loads(read.stdout)["out"]["px"] == [540, 1200]
    refused = localserver(*frame, reply="I cannot see anything.")
    assert refused.returncode == 2
    assert json.loads(refused.stdout)["rejection"]["code"] == "no_action"


@pytest.mark.parametrize(("reply", "code"), [("click(2)", 0), ("click(3)", 2)])
def test_the_numbers_of_a_tree_bound_the_reply(tree: str, reply: str, code: int) -> None:
    frame = ("parse", "--dialect", "element_dsl", "--screen", "1080x2400")
    done = localserver(*frame, "--elements-file", tree, reply=reply)
    assert done.returncode == code
    if code:
        rejection = json.loads(done.stdout)["rejection"]
        assert rejection["code"] == "bad_element"
        assert "1-2 exist" in rejection["message"]


@pytest.mark.parametrize("arguments", [["--screen", "wide"], ["--dialect", "klingon"], []])
def test_wrong_options_are_told_in_a_line(arguments: list[str]) -> None:
    done = localserver("parse", *arguments, reply="x")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr and done.stderr.strip()


def test_all_dialects_are_listed() -> None:
    done = localserver("dialects", "--json")
    assert done.returncode == 0
    rows = json.loads(done.stdout)
    assert [row["name"] for row in rows] == list_dialects()
    assert {row["coordinates"] for row in rows if row["needs_elements"]} == {
        "element numbers from 0",
        "element numbers from 1",
    }


def test_the_prompt_of_an_element_dialect_lists_the_elements_and_names_the_marked_picture(
    tree: str, screenshot: str
) -> None:
    words = ("prompt", "--task", "turn it off", "--screenshot", screenshot)
    done = localserver(*words, "--dialect", "m3a", "--elements-file", tree)
    assert done.returncode == 0, done.stderr
    printed = json.loads(done.stdout)
    parts = [part for message in printed["messages"] for part in message["content"]]
    text = "".join(part.get("text", "") for part in parts)
    assert "turn it off" in text
    assert '[0] TextView "Bluetooth"' in text and '[1] EditText "Search" (text field)' in text
    pictures = [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]
    assert pictures == ["screen.png", "screen_marked.jpeg"]


def test_the_prompt_of_a_pixel_dialect_states_the_size_that_is_sent(screenshot: str) -> None:
    words = ("prompt", "--task", "t", "--screenshot", screenshot)
    done = localserver(*words, "--dialect", "qwen_mobile_use", "--variant", "qwen2.5")
    assert done.returncode == 0, done.stderr
    printed = json.loads(done.stdout)
    assert printed["sent_size"] == [1092, 2408]
    assert "1092x2408" in done.stdout


def test_an_element_dialect_without_a_tree_says_what_it_needs(screenshot: str) -> None:
    done = localserver(
        "prompt", "--task", "t", "--screenshot", screenshot, "--dialect", "element_dsl"
    )
    assert done.returncode == 2
    assert "--elements-file" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("parse", "--jsonl", "nowhere.jsonl"),
            "request.invalid: nowhere.jsonl cannot be read (No such file or directory); "
            "name a file\n",
        ),
        (
            ("policy", "explain", "--screen", "nowhere.xml", "--action", '{"action":"BACK"}'),
            "request.invalid: nowhere.xml cannot be read (No such file or directory); "
            "name a UI dump\n",
        ),
    ],
)
def test_a_file_that_is_not_there_is_told_with_a_code_and_without_a_number_of_the_system(
    arguments: tuple[str, ...], said: str
) -> None:
    done = localserver(*arguments)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", said)
