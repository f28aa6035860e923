"""`/v1/tasks`: hand over a whole task, watch it, answer it, hold it, stop it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query
from fastapi.responses import StreamingResponse

from server.http.idempotency import IdempotencyKey
from server.http.json_body import JsonRoute
from server.http.schemas import ConfirmBody, NoteBody, ReplyBody, TaskBody
from server.records.schema import dump_json
from server.tasks.feed import TaskEvent, TaskFeed
from server.tasks.runner import TaskRunner

KEEP_ALIVE_S = 15.0
"""A silent stream sends a comment so often: proxies and clients see that it lives."""
MAX_EVENT_ID = 10**9


def task_routes(tasks: TaskRunner) -> APIRouter:
    """The routes under `/v1/tasks`."""
    routes = APIRouter(prefix="/v1/tasks", route_class=JsonRoute, tags=["tasks"])

    @routes.post("", status_code=201)
    def start_task(body: TaskBody, idempotency_key: IdempotencyKey = None) -> dict[str, Any]:
        """Hand over a task; it runs at once, or as soon as its phone is free."""
        return tasks.start(body.to_request(), idempotency_key=idempotency_key).to_wire()

    @routes.get("")
    def list_tasks(
        limit: Annotated[int, Query(ge=1, le=500)] = 50,
        offset: Annotated[int, Query(ge=0)] = 0,
    ) -> dict[str, Any]:
        """Tasks since the server's start and unfinished ones of before, newest first."""
        return {"tasks": [info.to_wire() for info in tasks.list(limit=limit, offset=offset)]}

    @routes.get("/{task_id}")
    def get_task(task_id: str) -> dict[str, Any]:
        """A task as it is now; with its result once it is done."""
        return tasks.get(task_id).to_wire()

    @routes.get("/{task_id}/events", response_class=StreamingResponse)
    def watch_task(
        task_id: str,
        last_event_id: Annotated[str | None, Header()] = None,
        after: Annotated[int, Query(ge=0, le=MAX_EVENT_ID)] = 0,
    ) -> StreamingResponse:
        """What happens in the task, as server-sent events; ends with the task.

        `Last-Event-ID` (or `?after=`) goes on behind that event; all before it are sent at once.
        """
        start = _read_event_id(last_event_id, after)
        return StreamingResponse(
            _stream(tasks.feed(task_id), start),
            media_type="text/event-stream",
            headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
        )

    @routes.post("/{task_id}/stop")
    def stop_task(task_id: str) -> dict[str, Any]:
        """End a task: no input goes to the phone from now on."""
        return tasks.stop(task_id).to_wire()

    @routes.post("/{task_id}/reply")
    def reply_task(task_id: str, body: ReplyBody) -> dict[str, Any]:
        """Answer the task's question, or give the phone back."""
        return tasks.reply(task_id, body.text).to_wire()

    @routes.post("/{task_id}/confirm")
    def confirm_task(task_id: str, body: ConfirmBody) -> dict[str, Any]:
        """Say yes or no to the action that waits; `id` says to which."""
        return tasks.confirm(task_id, body.approve, body.id).to_wire()

    @routes.post("/{task_id}/pause")
    def pause_task(task_id: str) -> dict[str, Any]:
        """Keep the task from the phone until it is resumed."""
        return tasks.pause(task_id).to_wire()

    @routes.post("/{task_id}/resume")
    def resume_task(task_id: str) -> dict[str, Any]:
        """Let a paused task go on, or one that was interrupted or failed from outside."""
        return tasks.resume(task_id).to_wire()

    @routes.post("/{task_id}/take_over")
    def take_task_over(task_id: str) -> dict[str, Any]:
        """Take the phone in hand; the task waits until it is given back."""
        return tasks.take_over(task_id).to_wire()

    @routes.post("/{task_id}/give_back")
    def give_task_back(task_id: str, body: NoteBody) -> dict[str, Any]:
        """Give the phone back: the next step sees the new screen, and the note."""
        return tasks.give_back(task_id, body.note).to_wire()

    @routes.post("/{task_id}/retry", status_code=201)
    def retry_task(task_id: str) -> dict[str, Any]:
        """Start the same task again; a follow-up goes on in its own session once more."""
        return tasks.retry(task_id).to_wire()

    return routes


def _read_event_id(text: str | None, default: int) -> int:
    """The header's number; what is none of ours starts from the default."""
    if text is None or not (text.isascii() and text.isdigit()):
        return default
    return min(int(text[:10]), MAX_EVENT_ID)


async def _stream(feed: TaskFeed, after: int) -> AsyncIterator[bytes]:
    while True:
        events = await feed.wait_after(after, KEEP_ALIVE_S)
        if not events:
            yield b": still here\n\n"
        for event in events:
            after = event.id
            yield _frame(event)
        if feed.is_over(after):
            return


def _frame(event: TaskEvent) -> bytes:
    """One server-sent event; its JSON has no line breaks of its own."""
    data = dump_json(event.to_wire())
    return b"id: %d\nevent: %s\ndata: %s\n\n" % (event.id, event.kind.encode("ascii"), data)
