"""`localserver task`: hand over, list, look, follow; the verbs are in `test_states_and_verbs`."""

from __future__ import annotations

import json

from typer.testing import CliRunner

from server.cli.tasks import app
from tests.server.http.conftest import AWAKE, COMPLETE, Start, start, step_reply

__all__ = ["start"]
VERBS = (
    "start", "list", "show", "watch", "reply", "confirm", "pause", "resume", "take-over",
    "give-back", "stop", "retry",
)  # fmt: skip


def test_a_task_is_handed_over_listed_looked_at_and_followed(start: Start) -> None:
    service = start([AWAKE, step_reply(action="INFO", value="which?"), COMPLETE])
    runner = CliRunner(env={"LOCALSERVER_API_TOKEN": service.token})

    def localserver_task(*words: str, code: int = 0) -> str:
        done = runner.invoke(app, [*words, "--server", service.url])
        assert done.exit_code == code, done.output
        return done.output

    task = json.loads(localserver_task("start", "turn it off", "--json"))["task_id"]
    service.wait_for(task, "waiting_reply")
    shown = localserver_task("show", task[:8])
    assert "asks   which?" in shown and f'task reply {task[:8]} "..."' in shown
    localserver_task("reply", task[:8], "the first")
    followed = localserver_task("watch", task)
    assert "AWAKE" in followed and "ended  TASK_COMPLETED_SUCCESSFULLY" in followed
    [listed] = json.loads(localserver_task("list", "--json"))
    assert (listed["task_id"], listed["state"], listed["steps"]) == (task, "done", 3)
    over = localserver_task("pause", task, code=2)
    assert over.startswith("task.wrong_state: the task is over; start it again (retry), or go on")
    gone = localserver_task("show", "nothing", code=2)
    assert gone.startswith("task.not_found: no task has this id; give the whole `task_id`")


def test_every_verb_says_what_it_does() -> None:
    runner = CliRunner()
    listed = runner.invoke(app, ["--help"]).output
    for verb in VERBS:
        assert f"\n  {verb} " in listed, listed
        told = runner.invoke(app, [verb, "--help"])
        assert told.exit_code == 0 and "--server" in told.output
