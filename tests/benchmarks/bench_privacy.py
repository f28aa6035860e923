"""What a privacy level costs a step, as CPU time and as a ratio to `off`.

python tests/benchmarks/bench_privacy.py
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from server.local_server import LocalServer  # noqa: E402
from server.model.scripted_model import Say, ScriptedModel  # noqa: E402
from server.settings import ProviderConfig, load_settings  # noqa: E402
from tests.safety.render import render_png  # noqa: E402
from tests.safety.screens import read_cases, write_dump  # noqa: E402

STEPS = 20
REPLY = Say("<THINK> x </THINK>\nexplain:x\taction:WAIT\tvalue:1\tsummary:x")


def measure(server: LocalServer, level: str) -> float:
    """CPU seconds of one step of this process (the decoders' processes are not in it)."""
    case = read_cases("private")[0]
    assert case.screen is not None
    observation: dict[str, Any] = {
        "screenshot": {"type": "image_bytes", "data": render_png(case.screen)},
        "ui_tree": write_dump(case.screen, case.app_package),
    }
    session_id = server.get_session({"task": case.task, "task_type": "step0920", "privacy": level})
    payload = {"session_id": session_id, "observation": observation}
    server.automate_step(payload)
    started = time.process_time()
    for _ in range(STEPS):
        server.automate_step(payload)
    return (time.process_time() - started) / STEPS


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, ScriptedModel(lambda request: REPLY) as model:
        settings = load_settings(
            ROOT / "configs",
            log_dir=Path(folder) / "traces",
            image_dir=Path(folder) / "images",
            providers={"here": ProviderConfig(api_base=model.base_url, default_model="any")},
            privacy_ocr=False,
        )
        with LocalServer(settings) as server:
            off = measure(server, "off")
            print(f"off       {off * 1000:7.1f} ms CPU a step")
            for level in ("standard", "strict"):
                cost = measure(server, level)
                print(f"{level:9} {cost * 1000:7.1f} ms CPU a step, {cost / off:.1f} times off")


if __name__ == "__main__":
    main()
