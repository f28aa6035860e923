"""`docs/api.md` says what the app has: no route too many, none too few, commands that work."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any, get_args

from server.tasks.result import StopReason
from tests.server.http.conftest import AWAKE, CLICK, COMPLETE, Service, Start, a_png

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "api.md").read_text(encoding="utf-8")


def test_every_route_is_in_the_page_and_the_page_has_no_other(shared: Service) -> None:
    written = set(re.findall(r"`(GET|POST|PUT|DELETE) (/[^`?]*)[^`]*`", PAGE))
    paths = shared.app.openapi()["paths"]
    there = {
        (method.upper(), re.sub(r"{step}", "{n}", re.sub(r"{\w+_id}", "{id}", path)))
        for path, methods in paths.items()
        for method in methods
    }
    assert written == there


def test_every_stop_reason_that_a_task_can_have_is_explained() -> None:
    explained = set(re.findall(r"`([A-Z_]+)`", PAGE)) & set(get_args(StopReason))
    unused = {"NOT_STARTED"}
    assert explained == set(get_args(StopReason)) - unused


def test_the_commands_of_the_page_work_as_they_stand(start: Start, tmp_path: Path) -> None:
    service = start([CLICK, AWAKE, COMPLETE])
    (tmp_path / "screen.png").write_bytes(a_png())
    ids: dict[str, str] = {}
    answers = []
    for block in re.findall(r"```bash\n(.*?)```", PAGE, re.S):
        for command in re.findall(r"^curl .*?(?<!\\)\n", block, re.S | re.M):
            answers.append(run_curl(command, service, ids, tmp_path))
            for name, field in (("SESSION", "session_id"), ("TASK", "task_id")):
                ids[name] = answers[-1].get(field, ids.get(name, ""))
    assert [sorted(answer)[0] for answer in answers] == [
        "session_id", "action", "confirm", "confirm", "confirm",
    ]  # fmt: skip
    assert answers[1]["action"]["point"] == [500, 320]
    assert answers[-1]["state"] == "done"


def run_curl(command: str, service: Service, ids: dict[str, str], folder: Path) -> dict[str, Any]:
    """Do what one command of the page does, with the ids of the answers before it."""
    for name, value in ids.items():
        command = command.replace(f"${name}", value)
    words = iter(shlex.split(command.replace("\\\n", " ")))
    assert next(words) == "curl"
    method, url, request = "GET", "", dict[str, Any]()
    for word in words:
        match word:
            case "-s":
                pass
            case "-X":
                method = next(words)
            case "-H":
                name, _, value = next(words).partition(": ")
                request.setdefault("headers", {})[name] = value.replace("$TOKEN", service.token)
            case "-d":
                method, request["content"] = "POST", next(words).encode()
            case "-F":
                field, _, file = next(words).partition("=@")
                method = "POST"
                request["files"] = {field: (file, (folder / file).read_bytes())}
            case _:
                url = word.replace("http://127.0.0.1:8704", service.url)
    response = service.stranger.request(method, url, **request)
    assert response.is_success, response.text
    answer: dict[str, Any] = response.json()
    return answer
