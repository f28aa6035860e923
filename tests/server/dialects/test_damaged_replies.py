"""What asking again is worth: a model that damages 30 % of its replies, with re-asks and without.

The model knows the way; each reply is damaged with a seeded chance, in ways that reports of real
models show. Judged by what reached the phone.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from device.protocol import InstalledApp
from device.scripted_device import ScriptedDevice
from server.agent_loop import LoopOptions, run_task
from server.local_server import LocalServer
from server.model.scripted_model import RecordedRequest, Say, ScriptedModel

Serve = Callable[..., tuple[LocalServer, ScriptedModel]]
TASKS = 20
DAMAGE = 0.3
INSTALLED = (InstalledApp("com.android.settings", ("设置", "Settings")),)
WAY = [
    "Thought: open it\nAction: open_app(app_name='设置')",
    "Thought: Bluetooth\nAction: click(start_box='(500,250)')",
    "Thought: the switch\nAction: click(start_box='(830,170)')",
    "Thought: done\nAction: finished(content='it is off')",
]
RIGHT = [
    ("open_app", "com.android.settings"),
    ("tap", 135, 150),
    ("tap", 224, 102),
]


def damage(reply: str, chance: random.Random) -> str:
    """One of the ways in which models spoil a reply beyond repair."""
    head, _, call = reply.partition("Action: ")
    return chance.choice(
        [
            "",
            head,
            f"{head}Action: {call[: len(call) // 2]}",
            f"{head}Action: press_button({call[-8:]}",
            f"{head}Action: click(start_box='(9000,9000)')",
            f"{head}Action: click(start_box='somewhere')",
            "I am sorry, something went wrong.",
        ]
    )


class DamagingModel:
    """Answers with the next turn of the way; what it said wrongly it says again when asked."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)

    def __call__(self, request: RecordedRequest) -> Say:
        messages: list[dict[str, Any]] = request.body["messages"]
        done = str(messages).count("data:image/") - 1
        reply = WAY[min(done, len(WAY) - 1)]
        return Say(damage(reply, self._chance) if self._chance.random() < DAMAGE else reply)


def count_right(serve: Serve, *, max_reasks: int) -> tuple[int, int]:
    """Tasks that ended right, and requests that it took."""
    server, model = serve(DamagingModel(seed=7), max_reasks=max_reasks)
    right = 0
    for _ in range(TASKS):
        phone = ScriptedDevice(["a", "b", "c", "d"], installed=INSTALLED, size=(270, 600))
        options = LoopOptions(
            task_type="ui_tars", model_config={"variant": "v1.0"}, max_steps=8, max_still_s=0
        )
        result = run_task(server, phone, "关闭蓝牙", options=options)
        given = [(call.name, *call.args) for call in phone.inputs()]
        is_done = result.stop_reason == "TASK_COMPLETED_SUCCESSFULLY"
        assert given == RIGHT[: len(given)], "a damaged reply never reaches the phone"
        right += is_done and given == RIGHT
        assert is_done or result.stop_reason == "PARSE_FAILED"
    return right, len(model.requests)


def test_asking_again_saves_most_tasks_of_a_model_that_damages_its_replies(serve: Serve) -> None:
    without, requests_without = count_right(serve, max_reasks=0)
    with_reasks, requests_with = count_right(serve, max_reasks=2)
    print(
        f"of {TASKS} tasks ended right: {without} without asking again ({requests_without} "
        f"requests), {with_reasks} with two re-asks ({requests_with} requests)"
    )
    assert without <= 0.5 * TASKS
    assert with_reasks >= 0.8 * TASKS
