"""Load on a real service, generator and model on the same machine.

    python -m tests.server.closed.load                      50 sessions at 40 steps/s, for 30 s
    python -m tests.server.closed.load --picture jpeg       smaller screens, sent at 728x728
    python -m tests.server.closed.load --waiting 200        health and stop beside waiting sessions
    python -m tests.server.closed.load --soak 3600          memory and open files over an hour

Prints one JSON object. The model is a process that reads the request and answers after a second;
"added" is the time of a step beyond that second.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from PIL import Image

from server.http.client import RemoteLocalServer
from tests.e2e.house import Child, free_port, running
from tests.server.closed.image_cost import cpu_s, family
from tests.server.http.conftest import CLICK

BOUNDARY = b"0f3ab0d7c5"


# --- the model ------------------------------------------------------------------------------------


async def serve_model(port: int, wait_s: float) -> None:
    """Answer every request with the same tap after `wait_s`."""
    body = CLICK.to_body(1)
    head = (
        f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
    )

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                headers = await reader.readuntil(b"\r\n\r\n")
                left = int(re.search(rb"content-length: (\d+)", headers.lower())[1])  # type: ignore[index]
                while left:
                    left -= len(await reader.read(min(left, 1 << 18)))
                await asyncio.sleep(wait_s)
                writer.write(head.encode() + body)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", port, limit=1 << 20)
    await server.serve_forever()


# --- a light caller -------------------------------------------------------------------------------


class Caller:
    """One kept connection that costs the generator little."""

    def __init__(self, port: int, token: str) -> None:
        self._port, self._token = port, token
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def send(
        self, method: str, path: str, body: bytes = b"", kind: str = "application/json"
    ) -> tuple[int, bytes]:
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = self._streams
        head = (
            f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
            f"Authorization: Bearer {self._token}\r\n"
            f"Content-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        writer.write(head.encode())
        writer.write(body)
        await writer.drain()
        headers = await reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", headers.lower())
        answer = await reader.readexactly(int(length[1]) if length else 0)
        if b"connection: close" in headers.lower():
            writer.close()
            self._streams = None
        return int(headers.split()[1]), answer

    async def open_session(self, model_config: dict[str, Any]) -> str:
        body = json.dumps({"task": "load", "model_config": model_config}).encode()
        _, answer = await self.send("POST", "/get_session", body)
        return str(json.loads(answer)["session_id"])

    async def close_session(self, session_id: str) -> None:
        body = json.dumps({"stop_reason": "TASK_COMPLETED_SUCCESSFULLY"}).encode()
        await self.send("POST", f"/v1/sessions/{session_id}/close", body)

    async def step(self, session_id: str, picture: bytes) -> int:
        status, _ = await self.send(
            "POST",
            f"/v1/sessions/{session_id}/steps",
            picture,
            f"multipart/form-data; boundary={BOUNDARY.decode()}",
        )
        return status


def as_form(picture: bytes) -> bytes:
    head = b'Content-Disposition: form-data; name="screenshot"; filename="s"\r\n\r\n'
    return b"--" + BOUNDARY + b"\r\n" + head + picture + b"\r\n--" + BOUNDARY + b"--\r\n"


def screen(kind: str) -> bytes:
    """A screen of a phone's size: PNG of 0.9 MB, or JPEG of 0.25 MB."""
    noise = Image.effect_noise((1080, 2400), 40).convert("RGB")
    plain = Image.new("RGB", (1080, 2400), "white")
    rows, out = (547, io.BytesIO()) if kind == "png" else (560, io.BytesIO())
    plain.paste(noise.crop((0, 0, 1080, rows)), (0, 0))
    if kind == "png":
        plain.save(out, "PNG", compress_level=1)
    else:
        plain.save(out, "JPEG", quality=60)
    return out.getvalue()


# --- the measurements -----------------------------------------------------------------------------


async def steady(
    child: Child, token: str, options: argparse.Namespace, sample: Callable[[], None]
) -> dict[str, Any]:
    """Sessions that take a step every `sessions / rate` seconds."""
    port = int(child.url.rpartition(":")[2])
    picture = screen(options.picture)
    form = as_form(picture)
    config = {"image_preprocess": {"target_image_size": [728, 728]}}
    callers = [Caller(port, token) for _ in range(options.sessions)]
    wanted = {} if options.picture == "png" else config
    current = [await caller.open_session(wanted) for caller in callers]
    ids = list(current)
    interval_s = options.sessions / options.rate
    begin = time.monotonic() + 0.5
    added: list[float] = []
    failed: list[int] = []
    ended: list[float] = []

    async def drive(number: int) -> None:
        due = begin + interval_s * number / options.sessions
        for taken in itertools.count(1):
            if due >= begin + options.seconds:
                return
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            started = time.monotonic()
            status = await callers[number].step(current[number], form)
            ended.append(time.monotonic())
            added.append(ended[-1] - started - options.model_s)
            if status != 200:
                failed.append(status)
            due = max(due + interval_s, time.monotonic())
            if options.steps_per_session and taken % options.steps_per_session == 0:
                await callers[number].close_session(current[number])
                current[number] = await callers[number].open_session(wanted)
                ids.append(current[number])

    async def watch() -> None:
        while True:
            sample()
            await asyncio.sleep(max(1.0, options.seconds / 60))

    watching = asyncio.create_task(watch())
    await asyncio.gather(*(drive(number) for number in range(options.sessions)))
    watching.cancel()
    # From when every session has asked once to when the last one begins its last step.
    steady_from, steady_to = begin + interval_s + options.model_s, begin + options.seconds
    in_steady = sum(steady_from <= moment < steady_to for moment in ended)
    client = RemoteLocalServer(child.url, token)
    stored = sum(client.read_session(session_id)["steps"] for session_id in ids)
    return {
        "picture_mb": round(len(picture) / 1e6, 2),
        "sessions": len(ids),
        "steps": len(added),
        "offered_per_s": options.rate,
        "steps_per_s": round(in_steady / (steady_to - steady_from), 1),
        "failed": failed,
        "lost": len(added) - len(failed) - stored,
        "added_ms": in_ms(added),
    }


async def beside_waiting(
    child: Child, token: str, options: argparse.Namespace, sample: Callable[[], None]
) -> dict[str, Any]:
    """Many steps wait for their model; health is asked and sessions are stopped meanwhile."""
    port = int(child.url.rpartition(":")[2])
    form = as_form(screen("jpeg"))
    callers = [Caller(port, token) for _ in range(options.waiting)]
    ids = [await caller.open_session({}) for caller in callers]
    steps = [
        asyncio.create_task(caller.step(session_id, form))
        for caller, session_id in zip(callers, ids, strict=True)
    ]
    await asyncio.sleep(5)
    sample()
    probe = Caller(port, token)
    health = [await timed(probe.send("GET", "/healthz")) for _ in range(300)]
    stop = [
        await timed(probe.send("POST", f"/v1/sessions/{session_id}/close", b"{}"))
        for session_id in ids
    ]
    statuses = await asyncio.gather(*steps)
    return {
        "waiting": options.waiting,
        "health_ms": in_ms(health),
        "stop_ms": in_ms(stop),
        "answers": {str(status): statuses.count(status) for status in set(statuses)},
    }


async def timed(call: Awaitable[Any]) -> float:
    started = time.monotonic()
    await call
    return time.monotonic() - started


def in_ms(times: list[float]) -> dict[str, float]:
    ordered = sorted(times)
    return {
        name: round(ordered[min(len(ordered) - 1, int(len(ordered) * share))] * 1000, 1)
        for name, share in (("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("max", 1.0))
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sessions", type=int, default=50)
    parser.add_argument("--rate", type=float, default=40.0, help="steps per second, all together")
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--model-s", type=float, default=1.0)
    parser.add_argument("--picture", choices=("png", "jpeg"), default="png")
    parser.add_argument("--waiting", type=int, default=0)
    parser.add_argument("--soak", type=float, default=0.0)
    parser.add_argument(
        "--steps-per-session", type=int, default=0, help="then it ends, and a new one begins"
    )
    parser.add_argument("--model-port", type=int, default=0, help="be the model")
    options = parser.parse_args()
    if options.model_port:
        asyncio.run(serve_model(options.model_port, options.model_s))
        return
    if options.soak:
        options.seconds, options.sessions, options.rate = options.soak, 10, 20.0
        options.model_s, options.picture, options.steps_per_session = 0.05, "jpeg", 50
    if options.waiting:
        options.model_s = 600.0
    print(json.dumps(measure(options), indent=1))


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Start model and service, load them, and say what was seen."""
    with tempfile.TemporaryDirectory() as name:
        folder, model_port = Path(name), free_port()
        environment = {
            **os.environ,
            "LOCALSERVER_STATE_DIR": str(folder / "state"),
            "LOCALSERVER_DEMO_API_BASE": f"http://127.0.0.1:{model_port}/v1",
        }
        command = [sys.executable, "-m", "tests.server.closed.load"]
        model = subprocess.Popen(
            [*command, "--model-port", str(model_port), "--model-s", str(options.model_s)]
        )
        try:
            arguments = ["serve", "--log-dir", str(folder / "logs")]
            with running(arguments, environment, folder / "service.log", "/readyz") as child:
                token = (folder / "state" / "token").read_text(encoding="utf-8").strip()
                process = Path("/proc") / str(child.process.pid)
                samples: list[tuple[float, int]] = []

                def sample() -> None:
                    if process.exists():
                        samples.append((_rss_mb(process), len(list((process / "fd").iterdir()))))

                scenario = beside_waiting if options.waiting else steady
                cpu_before_s = sum(map(cpu_s, family(child.process.pid)))
                seen = asyncio.run(scenario(child, token, options, sample))
                if seen.get("steps"):
                    took_s = sum(map(cpu_s, family(child.process.pid))) - cpu_before_s
                    seen["service_cpu_ms_per_step"] = round(took_s * 1000 / seen["steps"], 1)
                return {
                    **seen,
                    "load_average": os.getloadavg(),
                    "rss_mb_and_files": samples[:: max(1, len(samples) // 12)],
                }
        finally:
            model.terminate()
            model.wait()


def _rss_mb(process: Path) -> float:
    found = re.search(r"VmRSS:\s+(\d+)", (process / "status").read_text())
    return round(int(found[1]) / 1000, 1) if found else 0.0


if __name__ == "__main__":
    main()
