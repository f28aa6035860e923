"""What a model gets in `standard` and `strict`: 200 planted secrets, none of them readable there.

`LOCALSERVER_PRIVACY_SCREENS=all` looks at the pictures of all screens, and reads all by OCR; else
at a dozen, and reads three.
"""

from __future__ import annotations

import base64
import hashlib
import html
import io
import json
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from device.protocol import Screenshot, UiTree
from device.ui_tree import parse_ui_tree
from parsers.action import Size
from server.errors import ScreenWithheldError, TreeNeededError
from server.local_server import LocalServer
from server.model.client import Outgoing, Witness
from server.model.providers import ModelTarget
from server.model.reply import ModelReply
from server.model.scripted_model import Fail, RecordedRequest, Say, ScriptedModel, Turn
from server.privacy.finding import Finder, OwnWords
from server.privacy.levels import is_local, stricter
from server.privacy.picture import MASK_COLOR
from server.privacy.report import summarise_sends
from server.privacy.screen import PrivateScreen, find_private
from server.privacy.state_summary import StateWriter
from server.privacy.tree_xml import mask_xml
from server.privacy.words import PrivateWords
from server.settings import ProviderConfig, load_settings
from tests.safety.render import render_png
from tests.safety.screens import Case, Node, read_cases, write_dump

CONFIGS = Path(__file__).resolve().parents[2] / "configs"
CASES = read_cases("private")
ALL = os.environ.get("LOCALSERVER_PRIVACY_SCREENS") == "all"
SEEN = CASES if ALL else CASES[::5]
READ = CASES if ALL else CASES[::20]
ASKED = [one for one in CASES if one.id in ("private-005", "private-035", "private-044")]
"""Screens on which a tap on a secret needs a yes."""
WAIT = Say('Reason: look\nAction: {"action_type": "wait"}')
STEP_WAIT = Say("<THINK> x </THINK>\nexplain:x\taction:WAIT\tvalue:1\tsummary:x")
WORDS = PrivateWords.load(CONFIGS)
Serve = Callable[..., tuple[LocalServer, ScriptedModel]]


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """A server whose model keeps the bytes that it got; without OCR unless asked for."""
    opened: list[Any] = []

    def start(
        script: list[Turn] | Callable[[RecordedRequest], Turn] = lambda request: WAIT,
        **settings: Any,
    ) -> tuple[LocalServer, ScriptedModel]:
        model = ScriptedModel(script)
        made = load_settings(
            CONFIGS,
            log_dir=tmp_path / "traces",
            image_dir=tmp_path / "images",
            providers={"here": ProviderConfig(api_base=model.base_url, default_model="any")},
            **{"privacy_ocr": False, **settings},
        )
        server = LocalServer(made)
        opened.extend((server, model))
        return server, model

    yield start
    for one in opened:
        one.close()


def open_session(server: LocalServer, case: Case, level: str, dialect: str = "m3a") -> str:
    return server.get_session({"task": case.task, "task_type": dialect, "privacy": level})


def look(session_id: str, case: Case, **observation: Any) -> dict[str, Any]:
    assert case.screen is not None
    seen = {
        "screenshot": {"type": "image_bytes", "data": render_png(case.screen)},
        "ui_tree": write_dump(case.screen, case.app_package),
        "foreground": case.app_package,
        **observation,
    }
    return {"session_id": session_id, "observation": seen}


def find(case: Case, level: Any = "strict") -> tuple[UiTree, PrivateScreen, Finder]:
    assert case.screen is not None
    tree = parse_ui_tree(write_dump(case.screen, case.app_package))
    size = Size(width_px=case.screen.width_px, height_px=case.screen.height_px)
    finder = Finder(WORDS, OwnWords.of([case.task]))
    return tree, find_private(level, tree, size, finder), finder


def texts_of(request: RecordedRequest) -> str:
    parts: list[str] = []
    for message in request.body["messages"]:
        content = message["content"]
        if isinstance(content, str):
            parts.append(content)
        else:
            parts.extend(part["text"] for part in content if part["type"] == "text")
    return "\n".join(parts)


def pictures_of(request: RecordedRequest) -> list[bytes]:
    return [
        base64.b64decode(part["image_url"]["url"].partition(",")[2])
        for message in request.body["messages"]
        if isinstance(message["content"], list)
        for part in message["content"]
        if part["type"] == "image_url"
    ]


def tap_on(node: Node, case: Case) -> Say:
    assert case.screen is not None
    left, top, right, bottom = node.bounds
    x = (left + right) * 500 // case.screen.width_px
    y = (top + bottom) * 500 // case.screen.height_px
    return Say(f"<THINK> x </THINK>\nexplain:x\taction:CLICK\tpoint:{x},{y}\tsummary:x")


def squeeze(text: str) -> str:
    return re.sub(r"\s+", "", text)


def is_masked(picture: Image.Image, node: Node) -> bool:
    """Whether a node has the mask's colour, give or take what JPEG does at its edges."""
    left, top, right, bottom = node.bounds
    part = picture.crop((left + 9, top + 9, right - 9, bottom - 9))
    return all(
        abs(side - want) <= 12
        for band, want in zip(part.split(), MASK_COLOR, strict=True)
        for side in band.getextrema()
    )


def drawn(case: Case) -> list[Node]:
    """The nodes whose words the picture shows."""
    assert case.screen is not None
    return [
        node
        for node in case.screen.nodes
        if (node.text and not node.password)
        or (node.desc and node.class_name == "android.view.View")
    ]


# --- 200 secrets --------------------------------------------------------------------------


def test_there_are_200_secrets_of_12_kinds() -> None:
    kinds = {secret.kind for case in CASES for secret in case.secrets}
    assert sum(len(case.secrets) for case in CASES) >= 200
    assert len(kinds) >= 11


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_no_secret_is_left_in_the_tree_and_every_public_text_is(case: Case) -> None:
    tree, screen, finder = find(case)
    told = squeeze(html.unescape(mask_xml(tree.xml, screen.texts, finder.mask)))
    assert [secret for secret in case.secrets if squeeze(secret.text) in told] == []
    assert [text for text in case.public if squeeze(text) not in told] == []


@pytest.mark.parametrize("case", SEEN, ids=lambda case: case.id)
def test_strict_sends_and_keeps_no_secret(serve: Serve, case: Case) -> None:
    server, model = serve()
    session_id = open_session(server, case, "strict")
    server.automate_step(look(session_id, case))
    (request,) = model.requests
    told = squeeze(texts_of(request))
    assert [secret for secret in case.secrets if squeeze(secret.text) in told] == []
    kept, _ = server.read_image(session_id, 1)
    plain, _marked = pictures_of(request)  # numbers are drawn over the masks in the second one
    for data in (plain, kept):
        picture = Image.open(io.BytesIO(data)).convert("RGB")
        shown = [
            (secret.text, node.text or node.desc)
            for secret in case.secrets
            for node in drawn(case)
            if squeeze(secret.text) in squeeze(node.text or node.desc)
            and not is_masked(picture, node)
        ]
        assert shown == []
        assert not all(is_masked(picture, node) for node in drawn(case)), "all is masked"
    for path in server.settings.log_dir.parent.rglob("*"):
        if path.suffix in (".jsonl", ".xml"):
            written = squeeze(html.unescape(path.read_text("utf-8")))
            assert [s for s in case.secrets if squeeze(s.text) in written] == [], path.name


@pytest.mark.parametrize("case", ASKED, ids=lambda case: case.id)
def test_what_is_asked_about_a_secret_keeps_none_of_it(serve: Serve, case: Case) -> None:
    nodes = [
        node
        for node in drawn(case)
        if any(squeeze(s.text) in squeeze(node.text or node.desc) for s in case.secrets)
    ]
    assert nodes and case.screen is not None
    taps = iter([tap_on(node, case) for node in nodes])
    server, _ = serve(lambda request: next(taps))
    labels = ""
    for _node in nodes:
        session_id = open_session(server, case, "strict", "step0920")
        policy = server.automate_step(look(session_id, case))["policy"]
        dump = {"ui_tree": write_dump(case.screen, case.app_package)}
        server.judge_step(session_id, 1, {**dump, "foreground": case.app_package})
        question = {"step": 1, "text": policy["reason"], **policy}
        server.record_event(session_id, "confirm_question", question)
        labels += squeeze(policy.get("facts", {}).get("label", ""))
    assert any(squeeze(s.text) in labels for s in case.secrets), "the person is told what it is"
    for path in server.settings.log_dir.glob("*.jsonl"):
        written = squeeze(path.read_text("utf-8"))
        assert [s for s in case.secrets if squeeze(s.text) in written] == [], path.name


@pytest.mark.parametrize("case", READ, ids=lambda case: case.id)
def test_ocr_reads_no_secret_in_what_was_sent(serve: Serve, case: Case) -> None:
    pytest.importorskip("rapidocr")
    from server.privacy.ocr import PictureReader

    server, model = serve()
    server.automate_step(look(open_session(server, case, "strict"), case))
    (request,) = model.requests
    reader = PictureReader()
    for data in pictures_of(request):
        picture = Image.open(io.BytesIO(data)).convert("RGB")
        read = squeeze("\n".join(text.text for text in reader.read(picture)))
        assert [s for s in case.secrets if squeeze(s.text) in read] == []
        assert read, "the rest of the screen can be read"


# --- an outer model -----------------------------------------------------------------------


def write_state(case: Case, said: str) -> str:
    """`state_summary` in `private`, by a local model that says this."""
    assert case.screen is not None
    with ScriptedModel([Say(said)]) as model:
        provider = ProviderConfig(api_base=model.base_url, default_model="any")
        settings = load_settings(CONFIGS, providers={"here": provider}, mcp_privacy="private")
        tree = parse_ui_tree(write_dump(case.screen, case.app_package))
        shot = Screenshot(render_png(case.screen), case.screen.width_px, case.screen.height_px)
        return StateWriter(settings, "private").write(case.task, shot, tree, None)


@pytest.mark.parametrize("case", SEEN, ids=lambda case: case.id)
def test_an_outer_model_reads_no_secret_whatever_the_local_one_writes(case: Case) -> None:
    told = squeeze(write_state(case, "\n".join(f"It says {s.text}." for s in case.secrets)))
    assert [secret for secret in case.secrets if squeeze(secret.text) in told] == []
    listed = squeeze(write_state(case, ""))
    assert [secret for secret in case.secrets if squeeze(secret.text) in listed] == []
    assert "Onthescreen:" in listed


# --- levels -------------------------------------------------------------------------------


def test_the_stricter_level_holds() -> None:
    assert stricter("standard", None, "strict", "off") == "strict"
    assert stricter(None, None) == "off"


@pytest.mark.parametrize(
    ("address", "local"),
    [
        ("http://127.0.0.1:8000/v1", True),
        ("http://localhost/v1", True),
        ("http://[::1]:1/v1", True),
        ("http://192.168.1.7:8000/v1", False),
        ("https://api.example.com/v1", False),
        ("http://127.0.0.1.example.com/v1", False),
    ],
)
def test_only_this_machine_is_local(address: str, local: bool) -> None:
    assert is_local(address) is local


def test_a_session_asks_for_more_and_never_gets_less_than_the_server_keeps(serve: Serve) -> None:
    case = CASES[0]
    server, model = serve(privacy="strict")
    server.automate_step(look(open_session(server, case, "off"), case))
    assert [
        s for s in case.secrets if squeeze(s.text) in squeeze(texts_of(model.requests[0]))
    ] == []


def test_off_sends_the_picture_as_it_came_and_records_nothing_for_a_local_model(
    serve: Serve,
) -> None:
    case = CASES[0]
    server, model = serve([STEP_WAIT])
    session_id = open_session(server, case, "off", "step0920")
    payload = look(session_id, case)
    server.automate_step(payload)
    assert pictures_of(model.requests[0]) == [payload["observation"]["screenshot"]["data"]]
    assert summarise_sends(session_id, server.read_events(session_id))["sends"] == []


def test_standard_masks_password_fields_and_the_status_bar_and_leaves_names() -> None:
    tree = parse_ui_tree(
        '<hierarchy><node class="android.widget.FrameLayout" package="a" bounds="[0,0][1080,2400]">'
        '<node class="android.widget.TextView" package="a" text="张伟" bounds="[40,300][400,360]"/>'
        '<node class="android.widget.EditText" package="a" text="hunter2" password="true" '
        'bounds="[40,400][1040,500]"/></node></hierarchy>'
    )
    finder = Finder(WORDS, OwnWords.of(["sign in"]))
    screen = find_private("standard", tree, Size(width_px=1080, height_px=2400), finder)
    assert screen.count_kinds() == {"password": 1, "status_bar": 1}
    told = mask_xml(tree.xml, screen.texts, lambda text: text)
    assert "hunter2" not in told and "张伟" in told


def test_standard_masks_what_notifications_say_and_leaves_the_switches() -> None:
    tree = parse_ui_tree(
        '<hierarchy><node class="F" package="com.android.systemui" bounds="[0,0][1080,2400]">'
        '<node class="T" package="com.android.systemui" resource-id="com.android.systemui:id/'
        'qs_tile" text="WLAN" bounds="[40,300][400,360]"/>'
        '<node class="R" package="com.android.systemui" resource-id="com.android.systemui:id/'
        'expandableNotificationRow" bounds="[0,400][1080,600]">'
        '<node class="T" package="com.android.systemui" text="Mia: see you at 8" '
        'bounds="[40,420][900,480]"/></node></node></hierarchy>'
    )
    finder = Finder(WORDS, OwnWords.of(["x"]))
    screen = find_private("standard", tree, Size(width_px=1080, height_px=2400), finder)
    told = mask_xml(tree.xml, screen.texts, lambda text: text)
    assert "Mia" not in told and "WLAN" in told
    assert screen.count_kinds() == {"notification": 1, "status_bar": 1}


def test_what_the_task_names_stays_readable() -> None:
    own = OwnWords.of(["给李娜发消息说我到了，电话 13800138000"])
    finder = Finder(WORDS, own)
    assert finder.find("李娜") == [] and finder.find("138 0013 8000") == []
    assert [one.kind for one in finder.find("李明")] == ["person"]
    assert [one.kind for one in finder.find("13800138001")] == ["phone"]


def test_a_number_inside_a_longer_one_of_the_task_is_not_named() -> None:
    assert not OwnWords.of(["call 13800138000"]).name("8001")


# --- what is never sent -------------------------------------------------------------------


def black_png() -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (1080, 2400), "black").save(out, "PNG")
    return out.getvalue()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"screenshot": {"type": "image_bytes", "data": black_png()}}, "black"),
        ({"ui_tree": ""}, "unreadable"),
        (
            {"ui_tree": '<hierarchy><node text="a" bounds="[0,0][2400,1080]"/></hierarchy>'},
            "mismatch",
        ),
    ],
)
def test_a_screen_that_nobody_can_read_is_never_sent(
    serve: Serve, change: dict[str, Any], reason: str
) -> None:
    server, model = serve()
    session_id = open_session(server, CASES[0], "strict")
    with pytest.raises(ScreenWithheldError) as caught:
        server.automate_step(look(session_id, CASES[0], **change))
    assert caught.value.details == {"reason": reason}
    assert model.requests == []
    assert list(server.settings.image_dir.rglob("*.*")) == [], "nor kept"


@pytest.mark.parametrize("level", ["standard", "strict"])
def test_a_level_needs_to_know_that_somebody_looked_for_the_tree(serve: Serve, level: str) -> None:
    server, model = serve()
    session_id = open_session(server, CASES[0], level, "step0920")
    with pytest.raises(TreeNeededError):
        server.automate_step(look(session_id, CASES[0], ui_tree=None))
    assert model.requests == []


# --- the record ---------------------------------------------------------------------------


def test_the_record_has_every_body_byte_for_byte_retries_too(serve: Serve) -> None:
    server, model = serve([Fail(503), WAIT, Say("no action here"), WAIT])
    session_id = open_session(server, CASES[0], "strict")
    server.automate_step(look(session_id, CASES[0]))
    server.automate_step(look(session_id, CASES[0]))
    report = summarise_sends(session_id, server.read_events(session_id))
    assert len(model.requests) == 4
    assert [(send["sha256"], send["bytes"], send["path"]) for send in report["sends"]] == [
        (hashlib.sha256(request.raw).hexdigest(), len(request.raw), request.path)
        for request in model.requests
    ]
    assert {send["host"] for send in report["sends"]} == {model.base_url[7:-3]}
    assert report["masked"]["status_bar"] == 4 and report["levels"] == ["strict"]
    assert report["first_remote_send"] is None
    for secret in CASES[0].secrets:
        assert squeeze(secret.text) not in squeeze(json.dumps(report, ensure_ascii=False))


def test_a_repeated_request_gets_its_first_answer_though_masked_pictures_are_kept(
    serve: Serve,
) -> None:
    server, model = serve()
    payload = look(open_session(server, CASES[0], "strict"), CASES[0]) | {"idempotency_key": "k"}
    first = server.automate_step(payload)
    assert server.automate_step(payload) == first
    assert len(model.requests) == 1


def test_none_keeps_no_picture_and_the_session_is_sound(serve: Serve) -> None:
    from server.records.store import RecordFiles
    from server.upkeep import verify_session

    server, _ = serve([STEP_WAIT], store_pictures="none")
    session_id = open_session(server, CASES[0], "standard", "step0920")
    server.automate_step(look(session_id, CASES[0]))
    assert list(server.settings.image_dir.rglob("*.jpeg")) == []
    files = RecordFiles(server.settings.log_dir, server.settings.image_dir)
    assert verify_session(files, session_id).findings == ()


def test_taps_stay_exact_and_the_target_has_its_real_label(serve: Serve) -> None:
    case = next(case for case in CASES if case.app_kind == "contacts")
    server, _ = serve([Say('Reason: x\nAction: {"action_type": "click", "index": 2}')] * 2)
    plain = server.automate_step(look(open_session(server, case, "off"), case))
    masked = server.automate_step(look(open_session(server, case, "strict"), case))
    assert masked["element"] == plain["element"]


class FarModel:
    """A client that sends nothing: it shows each body to the witness, as the real one does."""

    async def ask(
        self, target: ModelTarget, messages: Any, before_send: Witness | None = None
    ) -> ModelReply:
        assert before_send is not None, "what goes to a model elsewhere has a witness"
        await before_send(Outgoing("api.example.com", "/v1/chat/completions", b"{}"))
        return ModelReply(content=STEP_WAIT.content or "", finish_reason="stop")

    async def close(self) -> None: ...


def test_the_first_send_to_a_model_elsewhere_is_told_once(tmp_path: Path) -> None:
    settings = load_settings(
        CONFIGS,
        log_dir=tmp_path / "traces",
        image_dir=tmp_path / "images",
        providers={"far": ProviderConfig(api_base="https://api.example.com/v1", default_model="m")},
    )
    with LocalServer(settings, model_client=FarModel()) as server:
        session_id = open_session(server, CASES[0], "off", "step0920")
        server.automate_step(look(session_id, CASES[0]))
        server.automate_step(look(session_id, CASES[0]))
        kinds = [event["kind"] for event in server.read_events(session_id)]
        report = summarise_sends(session_id, server.read_events(session_id))
    assert (kinds.count("first_remote_send"), kinds.count("egress")) == (1, 2)
    assert kinds.index("first_remote_send") < kinds.index("egress")
    assert report["hosts"] == {"api.example.com": {"requests": 2, "bytes": 4, "remote": True}}
