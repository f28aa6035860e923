"""What the policy costs a step: CPU time of this process, as ratios in one run.

python tests/benchmarks/bench_policy.py

A step that looks around, a touch in an app of the list `trust`, and a touch whose screen is read
and judged. What the phone itself takes for the dump (up to two seconds) comes on top of the last.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from server.local_server import LocalServer  # noqa: E402
from server.model.scripted_model import RecordedRequest, Say, ScriptedModel  # noqa: E402
from server.settings import ProviderConfig, load_settings  # noqa: E402
from tests.safety.render import render_png  # noqa: E402
from tests.safety.screens import Case, read_cases, write_dump  # noqa: E402

STEPS = 40
ROUNDS = 3
TRUSTED = "com.google.android.calculator"
LOOK = "<THINK> x </THINK>\nexplain:x\taction:WAIT\tvalue:1\tsummary:x"
TOUCH = "<THINK> x </THINK>\nexplain:x\taction:CLICK\tpoint:500,500\tsummary:x"


def fullest_case() -> Case:
    """The harmless screen with the most nodes: its dump costs most."""
    cases = [case for case in read_cases("harmless") if case.screen is not None]
    return max(cases, key=lambda case: len(case.screen.nodes) if case.screen else 0)


def measure(server: LocalServer, case: Case, package: str) -> tuple[float, int]:
    """CPU seconds of one step, and how many of the steps asked for the dump."""
    assert case.screen is not None
    look = {"ui_tree": write_dump(case.screen, package), "foreground": package}
    picture = {"type": "image_bytes", "data": render_png(case.screen)}
    observation: dict[str, Any] = {"screenshot": picture, "foreground": package}
    session_id = server.get_session({"task": "look around", "task_type": "step0920"})
    payload = {"session_id": session_id, "observation": observation}
    dumps = 0

    def take_step() -> None:
        nonlocal dumps
        answer: Mapping[str, Any] = server.automate_step(payload)
        if answer["policy"].get("needs_look"):
            server.judge_step(session_id, answer["current_step"], look)
            dumps += 1

    take_step()
    dumps = 0
    started = time.process_time()
    for _ in range(STEPS):
        take_step()
    return (time.process_time() - started) / STEPS, dumps


def main() -> None:
    reply = LOOK

    def answer(request: RecordedRequest) -> Say:
        return Say(reply)

    case = fullest_case()
    kinds: Mapping[str, tuple[str, str]] = {
        "looking around": (LOOK, case.app_package),
        "touch, trusted app": (TOUCH, TRUSTED),
        "touch, screen read": (TOUCH, case.app_package),
    }
    best: dict[str, tuple[float, int]] = {}
    with tempfile.TemporaryDirectory() as folder, ScriptedModel(answer) as model:
        settings = load_settings(
            ROOT / "configs",
            log_dir=Path(folder) / "traces",
            image_dir=Path(folder) / "images",
            providers={"here": ProviderConfig(api_base=model.base_url, default_model="any")},
        )
        with LocalServer(settings) as server:
            for _ in range(ROUNDS):
                for kind, (said, package) in kinds.items():
                    reply = said
                    cost = measure(server, case, package)
                    best[kind] = min(best.get(kind, cost), cost)
    first = best["looking around"][0]
    print(f"{case.id}: {len(case.screen.nodes) if case.screen else 0} nodes")
    for kind, (cost_s, dumps) in best.items():
        told = f"{cost_s * 1000:6.1f} ms CPU a step, {cost_s / first:.2f} times looking around"
        print(f"{kind:19} {told}, {dumps} dumps in {STEPS} steps")


if __name__ == "__main__":
    main()
