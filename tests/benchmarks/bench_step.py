"""What a step costs on the server itself: ours against a naive walk, as ratios in one run.

    .venv/bin/python tests/benchmarks/bench_step.py [--repeats 15] [--steps 1,200,500]

Model and phone take no time here. The naive walk is the obvious one: read the session's log again,
save the picture as a new JPEG, read it back, resize, encode, ask, append the whole prompt to the
log without waiting for the disk. Ours checks the picture, stores it and the line durably, and
remembers. Both take turns, so that a noisy machine disturbs both alike; figures are medians of
wall time and of CPU time of the process.
"""

from __future__ import annotations

import argparse
import base64
import io
import json
import statistics
import tempfile
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw

from parsers.base import Environment, Message
from server.local_server import LocalServer
from server.model.providers import ModelTarget
from server.model.reply import Attempt, ModelReply
from server.prompts import ParserShelf
from server.settings import ProviderConfig, load_settings

CONFIGS = Path(__file__).resolve().parents[2] / "configs"
REPLY = (
    "<THINK> 设置页面已经打开，蓝牙一项在列表上方，点它进入 </THINK>\n"
    "explain:点击蓝牙\taction:CLICK\tpoint:500,320\tsummary:打开设置，点击了蓝牙"
)
CASES: list[tuple[str, str, list[int] | None]] = [
    ("JPEG, no resize", "JPEG", None),
    ("JPEG -> 540x1200", "JPEG", [540, 1200]),
    ("JPEG -> 728x728", "JPEG", [728, 728]),
    ("PNG, no resize", "PNG", None),
    ("PNG -> 728x728", "PNG", [728, 728]),
]


class InstantModel:
    """Answers at once, always the same."""

    async def ask(
        self, target: ModelTarget, messages: Sequence[Message], before_send: object = None
    ) -> ModelReply:
        json.dumps({"model": target.model, "messages": messages})
        return ModelReply(REPLY, finish_reason="stop", attempts=(Attempt("", 0.0, "ok"),))

    async def close(self) -> None:
        """Nothing is open."""


class NaiveWalk:
    """The obvious way to do a step."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.parser = ParserShelf(CONFIGS).get("step0920")

    def get_session(self, payload: dict[str, Any]) -> str:
        session_id = str(uuid.uuid4())
        self._append(session_id, {"log_type": "session_start", **payload})
        return session_id

    def automate_step(self, session_id: str, url: str, size: list[int] | None) -> dict[str, Any]:
        path = self.folder / f"{session_id}.jsonl"
        messages = [json.loads(line)["message"] for line in path.read_text().splitlines()]
        number = len(messages)
        picture = self.folder / f"{session_id}_step_{number}.jpeg"
        data = base64.b64decode(url.partition(",")[2])
        Image.open(io.BytesIO(data)).convert("RGB").save(picture, "JPEG", quality=85)
        environments = [Environment(image=m["environment"]["image"]) for m in messages[1:]]
        environments.append(Environment(image=str(picture)))
        actions = [self.parser.action2action(m["action"]) for m in messages[1:]]
        prompt = self.parser.env2messages4ask(messages[0]["task"], environments, actions)
        sent = json.loads(json.dumps(prompt))
        for part in sent[0]["content"]:
            if part["type"] == "image_url":
                image = Image.open(part["image_url"]["url"])
                if size is not None:
                    image = image.resize((size[0], size[1]))
                buffer = io.BytesIO()
                image.convert("RGB").save(buffer, "JPEG", quality=85)
                body = base64.b64encode(buffer.getvalue()).decode()
                part["image_url"]["url"] = f"data:image/jpeg;base64,{body}"
        json.dumps({"model": "m", "messages": sent})
        action = self.parser.str2action(REPLY).to_wire()  # type: ignore[union-attr]
        line = {
            "environment": {"image": str(picture), "user_comment": ""},
            "action": action,
            "asked_messages": prompt,
            "model_response": REPLY,
            "llm_cost": {"llm_time": 0},
        }
        self._append(session_id, line)
        return {"action": action, "current_step": number}

    def _append(self, session_id: str, message: dict[str, Any]) -> None:
        with (self.folder / f"{session_id}.jsonl").open("a") as file:
            record = {"session_id": session_id, "timestamp": time.time(), "message": message}
            file.write(json.dumps(record, ensure_ascii=False) + "\n")


@dataclass
class Cost:
    """Seconds that single steps took."""

    wall: list[float]
    cpu: list[float]

    def measure(self, step: Callable[[], Any]) -> None:
        wall, cpu = time.perf_counter(), time.process_time()
        step()
        self.cpu.append(time.process_time() - cpu)
        self.wall.append(time.perf_counter() - wall)

    @property
    def wall_ms(self) -> float:
        return statistics.median(self.wall) * 1000

    @property
    def cpu_ms(self) -> float:
        return statistics.median(self.cpu) * 1000


def paint_screen(kind: str) -> bytes:
    """A phone's screen: flat areas, rows of text, one photo-like part."""
    image = Image.new("RGB", (1080, 2400), "#f4f4f6")
    draw = ImageDraw.Draw(image)
    for row in range(24):
        draw.rectangle((30, row * 100 + 10, 1050, row * 100 + 90), fill="white")
        draw.text((60, row * 100 + 30), f"Row {row}: the quick brown fox " * 3, fill="black")
    image.paste(Image.effect_noise((900, 500), 40).convert("RGB"), (90, 900))
    buffer = io.BytesIO()
    image.save(buffer, kind, quality=85)
    return buffer.getvalue()


def to_url(data: bytes, kind: str) -> str:
    return f"data:image/{kind.lower()};base64,{base64.b64encode(data).decode()}"


def run(folder: Path, repeats: int, at_steps: list[int]) -> None:
    settings = load_settings(
        CONFIGS,
        log_dir=folder / "traces",
        image_dir=folder / "images",
        providers={"p": ProviderConfig(api_base="http://127.0.0.1:9/v1", default_model="m")},
    )
    naive_folder = folder / "naive"
    naive_folder.mkdir()
    naive = NaiveWalk(naive_folder)
    tiny = io.BytesIO()
    Image.new("RGB", (10, 20)).save(tiny, "JPEG")
    tiny_url = to_url(tiny.getvalue(), "JPEG")
    print(f"{'input':18} {'step':>5} {'naive ms':>9} {'ours ms':>8} {'ratio':>6} {'CPU ratio':>10}")
    with LocalServer(settings, model_client=InstantModel()) as server:
        for name, kind, size in CASES:
            url = to_url(paint_screen(kind), kind)
            model_config = {"image_preprocess": {"target_image_size": size}} if size else {}
            task = {"task": "打开设置，关闭蓝牙", "model_config": model_config}
            ours_id, naive_id = server.get_session(task), naive.get_session(task)

            def ours(picture: str, session_id: str = ours_id) -> None:
                screenshot = {"type": "image_url", "image_url": {"url": picture}}
                server.automate_step(
                    {"session_id": session_id, "observation": {"screenshot": screenshot}}
                )

            def theirs(
                picture: str, session_id: str = naive_id, target: list[int] | None = size
            ) -> None:
                naive.automate_step(session_id, picture, target)

            done = 0
            for step in at_steps:
                for _ in range(step - done - 1):
                    ours(tiny_url)
                    theirs(tiny_url)
                costs = Cost([], []), Cost([], [])
                for _ in range(repeats):
                    costs[0].measure(partial(theirs, url))
                    costs[1].measure(partial(ours, url))
                done = max(step - 1, done) + repeats
                print(
                    f"{name:18} {step:5} {costs[0].wall_ms:9.1f} {costs[1].wall_ms:8.1f} "
                    f"{costs[1].wall_ms / costs[0].wall_ms:6.3f} "
                    f"{costs[1].cpu_ms / costs[0].cpu_ms:10.3f}"
                )
        line_bytes = [
            (path / f"{session}.jsonl").stat().st_size
            for path, session in ((settings.log_dir, ours_id), (naive_folder, naive_id))
        ]
    print(f"log of the last session: ours / naive = {line_bytes[0] / line_bytes[1]:.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--steps", default="1,200,500", help="session lengths to measure at")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run(Path(folder), options.repeats, [int(step) for step in options.steps.split(",")])


if __name__ == "__main__":
    main()
