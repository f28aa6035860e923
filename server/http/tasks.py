"""`/v1/tasks`: hand over a whole task, watch it, answer it, stop it."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query

from server.http.idempotency import IdempotencyKey
from server.http.json_body import JsonRoute
from server.http.schemas import ConfirmBody, ReplyBody, TaskBody
from server.tasks import TaskRunner


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
        """Tasks since the server's start, newest first."""
        return {"tasks": [info.to_wire() for info in tasks.list(limit=limit, offset=offset)]}

    @routes.get("/{task_id}")
    async def get_task(task_id: str) -> dict[str, Any]:
        """A task as it is now; with its result once it is done."""
        return tasks.get(task_id).to_wire()

    @routes.post("/{task_id}/stop")
    def stop_task(task_id: str) -> dict[str, Any]:
        """End a task: no input goes to the phone from now on."""
        return tasks.stop(task_id).to_wire()

    @routes.post("/{task_id}/reply")
    async def reply_task(task_id: str, body: ReplyBody) -> dict[str, Any]:
        """Answer the task's question, or give the phone back."""
        return tasks.reply(task_id, body.text).to_wire()

    @routes.post("/{task_id}/confirm")
    async def confirm_task(task_id: str, body: ConfirmBody) -> dict[str, Any]:
        """Say yes or no to the action that waits."""
        return tasks.confirm(task_id, body.approve).to_wire()

    return routes
