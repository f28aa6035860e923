"""A recorded session as a test: its pictures, trees and replies in a folder, and the pytest.

The test walks the session again: a scripted model says the recorded replies to the recorded
observations, and the answers must be the recorded actions. What looks private is taken out first.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from server.errors import BadRequestError, ServerError
from server.export.episode import Episode
from server.export.redaction import Redactor
from server.local_server import LocalServer
from server.model.scripted_model import Say, ScriptedModel
from server.privacy.words import PrivateWords
from server.replay.frames import iter_rejected, reply_of
from server.settings import ProviderConfig, Settings, find_config_dir, load_settings

FIXTURE_FILE = "session.json"
FORMAT = "localserver.fixture"
VERSION = 1
PROVIDER = "recorded"
_TEST = '''"""A recorded session: the same pictures and replies give the same actions.

Recorded by `localserver record-test`; the session is in `{folder}/`.
"""

from __future__ import annotations

from pathlib import Path

from server.replay.fixture import load_fixture, play_fixture

FIXTURE = Path(__file__).parent / "{folder}"


def test_the_recorded_session_gives_the_recorded_actions() -> None:
    fixture = load_fixture(FIXTURE)
    assert play_fixture(fixture) == fixture.actions
'''


@dataclass(frozen=True, slots=True)
class Fixture:
    """A session to be walked again.

    Attributes:
        folder: Where its files are.
        session: The payload that opens it.
        steps: Each with `screenshot`, `replies`, `action` and what else was observed.
    """

    folder: Path
    session: Mapping[str, Any]
    steps: tuple[Mapping[str, Any], ...]

    @property
    def actions(self) -> list[dict[str, Any]]:
        """What the steps must answer."""
        return [dict(step["action"]) for step in self.steps]


@dataclass(frozen=True, slots=True)
class RecordedTest:
    """What `record_test` wrote.

    Attributes:
        test: The pytest.
        fixture: The folder beside it.
        differing: Steps whose action is another one today: the test fails at them.
        redacted: What was taken out.
    """

    test: Path
    fixture: Path
    differing: tuple[int, ...]
    redacted: Mapping[str, Any]


def record_test(episode: Episode, folder: Path, *, redacted: bool = True) -> RecordedTest:
    """Write a session as a test.

    Args:
        episode: The session.
        folder: Where to; made if missing.
        redacted: Whether to take out what looks private.

    Raises:
        BadRequestError: The session has no steps, or this test is there already.
        NotExportableError: A picture is gone.
    """
    name = f"session_{episode.session_id[:8]}"
    test, target = folder / f"test_{name}.py", folder / name
    if test.exists() or target.exists():
        raise BadRequestError(f"{test} is there already; remove it, or choose another folder")
    words = PrivateWords.load(find_config_dir()) if redacted else None
    redactor = Redactor.of(episode, words) if words is not None else Redactor(active=False)
    target.mkdir(parents=True)
    steps = _write_steps(episode, target, redactor)
    if not steps:
        target.rmdir()
        raise BadRequestError("this session has no answered step: there is nothing to test")
    content = {
        "format": FORMAT,
        "version": VERSION,
        "session": _session_of(episode, redactor),
        "steps": steps,
    }
    text = json.dumps(content, ensure_ascii=False, indent=1)
    (target / FIXTURE_FILE).write_text(text + "\n", encoding="utf-8")
    test.write_text(_TEST.format(folder=name), encoding="utf-8")
    fixture = load_fixture(target)
    differing = [
        number
        for number, (now, then) in enumerate(
            zip(play_fixture(fixture), fixture.actions, strict=True), start=1
        )
        if now != then
    ]
    return RecordedTest(test, target, tuple(differing), redactor.report())


def load_fixture(folder: Path) -> Fixture:
    """Read a fixture.

    Raises:
        BadRequestError: It is none, or of a later release.
    """
    try:
        content = json.loads((folder / FIXTURE_FILE).read_text("utf-8"))
        if content["format"] != FORMAT or content["version"] != VERSION:
            raise ValueError(f"format {content['format']} {content['version']}")
        return Fixture(folder, content["session"], tuple(content["steps"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadRequestError(
            f"{folder} is no recorded session of this release ({error}); record it again"
        ) from error


def play_fixture(fixture: Fixture) -> list[dict[str, Any]]:
    """Walk the session again, with a model that says the recorded replies.

    Returns:
        The action of each step, without `meta`; `{"error": code}` where a step gave none, which
        ends the walk: later steps give `{"error": "not_reached"}`.
    """
    played: list[dict[str, Any]] = []
    script = [Say(**reply) for step in fixture.steps for reply in step["replies"]]
    with (
        TemporaryDirectory() as scratch,
        ScriptedModel(script) as model,
        LocalServer(_settings(Path(scratch), model, fixture)) as server,
    ):
        session_id = server.get_session(fixture.session)
        for step in fixture.steps:
            try:
                answer = server.automate_step(_payload(fixture, step, session_id))
            except ServerError as error:
                played.append({"error": error.code})
                break
            played.append({k: v for k, v in answer["action"].items() if k != "meta"})
    missing = len(fixture.steps) - len(played)
    return played + [{"error": "not_reached"} for _ in range(missing)]


def _settings(scratch: Path, model: ScriptedModel, fixture: Fixture) -> Settings:
    """The shipped configuration, with the scripted model as the only provider."""
    reasks = max((len(step["replies"]) - 1 for step in fixture.steps), default=0)
    settings = load_settings(
        log_dir=scratch / "traces", image_dir=scratch / "images", max_reasks=reasks
    )
    provider = ProviderConfig(api_base=model.base_url)
    update = {"providers": {PROVIDER: provider}, "default_provider": PROVIDER}
    return settings.model_copy(update={**update, "default_model": None})


def _payload(fixture: Fixture, step: Mapping[str, Any], session_id: str) -> dict[str, Any]:
    data = (fixture.folder / step["screenshot"]).read_bytes()
    observation: dict[str, Any] = {
        "screenshot": {"type": "image_bytes", "data": data},
        "query": step.get("query", ""),
    }
    if "ui_tree" in step:
        observation["ui_tree"] = (fixture.folder / step["ui_tree"]).read_text("utf-8")
    for name in ("foreground", "last_result"):
        if name in step:
            observation[name] = step[name]
    return {"session_id": session_id, "observation": observation}


def _session_of(episode: Episode, redactor: Redactor) -> dict[str, Any]:
    """The payload that opens the session again, for a model of no provider in particular."""
    config = {"model_name": episode.model_name or "recorded", "variant": episode.variant}
    for key in ("prompt_language", "image_preprocess", "resize_config"):
        if key in episode.model_config:
            config[key] = episode.model_config[key]
    return {
        "task": redactor.text(episode.task),
        "task_type": episode.dialect,
        "model_config": {key: value for key, value in config.items() if value is not None},
        "extra_info": {},
    }


def _write_steps(episode: Episode, folder: Path, redactor: Redactor) -> list[dict[str, Any]]:
    refused: dict[int, list[dict[str, Any]]] = {}
    for one in iter_rejected(episode):
        if one.reask == 0:
            refused[one.step] = []  # a step that failed was asked for again from the start
        refused.setdefault(one.step, []).append(_said(one.reply, redactor))
    steps = []
    for step in episode.iter_steps():
        fields: dict[str, Any] = {"screenshot": f"step_{step.number:04d}.png"}
        buffer = io.BytesIO()
        redactor.picture(step).save(buffer, "PNG")
        (folder / fields["screenshot"]).write_bytes(buffer.getvalue())
        if step.tree is not None:
            fields["ui_tree"] = f"step_{step.number:04d}.xml"
            (folder / fields["ui_tree"]).write_text(redactor.tree_xml(step.tree), "utf-8")
        wire = step.message["environment"]
        if wire.get("user_comment"):
            fields["query"] = redactor.text(str(wire["user_comment"]))
        for name in ("foreground", "last_result"):
            if wire.get(name):
                fields[name] = redactor.text(str(wire[name]))
        reasks = int(step.message.get("reasks") or 0)
        before = refused.get(step.number, [])[:reasks]
        fields["replies"] = [*before, _said(reply_of(step), redactor)]
        action = redactor.value(step.action.to_wire(include_meta=False))
        fields["action"] = action
        steps.append(fields)
    return steps


def _said(reply: Any, redactor: Redactor) -> dict[str, Any]:
    """A reply as the scripted model says it."""
    said: dict[str, Any] = {"content": redactor.text(reply.content)}
    if reply.reasoning:
        said["reasoning"] = redactor.text(reply.reasoning)
    if reply.tool_calls:
        said["tool_calls"] = redactor.value(list(reply.tool_calls))
    if reply.finish_reason:
        said["finish_reason"] = reply.finish_reason
    return said
