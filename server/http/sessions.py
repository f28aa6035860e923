"""`/v1/sessions`: open, list and read sessions; their steps, events and pictures."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from pydantic import ValidationError
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException

from server.error_body import explain_invalid
from server.errors import BadRequestError
from server.http.idempotency import IdempotencyKey, with_key
from server.http.json_body import JsonRoute
from server.http.schemas import CloseBody, EventBody, LookBody, SessionBody, StepBody
from server.local_server import LocalServer
from server.privacy.report import summarise_sends
from server.records.schema import dump_json
from server.session_search import SessionFilter
from server.session_summaries import SessionState

Limit = Annotated[int, Query(ge=1, le=500)]
Offset = Annotated[int, Query(ge=0)]

DATE = r"^(|\d{4}-\d\d-\d\d(T[\d:.]+Z)?)$"
PICTURE_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "private, max-age=3600",
}
FORM_TEXTS = ("query", "ui_tree", "foreground", "last_result")
FORM_TEXT_MAX_BYTES = 4 * 1024 * 1024
_STEP_SCHEMA = StepBody.model_json_schema(ref_template="#/components/schemas/{model}")
_STEP_SCHEMA.pop("$defs")  # they are in the document already, by way of /automate_step
STEP_BODY_DOC: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {"schema": _STEP_SCHEMA},
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["screenshot"],
                    "properties": {
                        "screenshot": {"type": "string", "format": "binary"},
                        **{name: {"type": "string"} for name in FORM_TEXTS},
                    },
                }
            },
        },
    }
}


def session_routes(server: LocalServer) -> APIRouter:
    """The routes under `/v1/sessions`."""
    routes = APIRouter(prefix="/v1/sessions", route_class=JsonRoute, tags=["sessions"])

    @routes.post("", status_code=201)
    async def create_session(body: SessionBody) -> dict[str, str]:
        """Open a session; the caller acts on the phone itself."""
        return {"session_id": await server.aget_session(body.to_payload())}

    @routes.get("")
    def list_sessions(
        limit: Limit = 50,
        offset: Offset = 0,
        q: Annotated[str, Query(description="In the task, or how the id begins.")] = "",
        app: Annotated[str, Query(description="In the package or name of an app.")] = "",
        task_type: Annotated[str, Query(description="The dialect.")] = "",
        model: Annotated[str, Query(description="In the model's name.")] = "",
        state: SessionState | None = None,
        stop_reason: str = "",
        since: Annotated[str, Query(pattern=DATE, description="A date, or a moment in UTC.")] = "",
        until: Annotated[str, Query(pattern=DATE, description="That day or moment included.")] = "",
    ) -> dict[str, Any]:
        """Sessions that are looked for, newest first, and how many there are."""
        wanted = SessionFilter(q, app, task_type, model, state, stop_reason, since, until)
        page = server.find_sessions(wanted, limit=limit, offset=offset)
        return {"sessions": [asdict(one) for one in page.sessions], "total": page.total}

    @routes.get("/{session_id}")
    def read_session(session_id: str) -> dict[str, Any]:
        """One session: what it is for, how far it is, why it ended."""
        return asdict(server.read_session(session_id))

    @routes.get("/{session_id}/steps")
    def read_steps(
        session_id: str, start: Annotated[int, Query(ge=1)] = 1, limit: Limit = 50
    ) -> dict[str, Any]:
        """Answered steps from `start` on, in order."""
        return {"steps": server.read_steps(session_id, start=start, limit=limit)}

    @routes.get("/{session_id}/events")
    def read_events(session_id: str, after_seq: Annotated[int, Query(ge=0)] = 0) -> dict[str, Any]:
        """Everything else that happened, after the event of that number."""
        return {"events": server.read_events(session_id, after_seq=after_seq)}

    @routes.get("/{session_id}/privacy")
    def read_privacy_report(session_id: str) -> dict[str, Any]:
        """What left this machine: each request to a model, its hash, and what was masked."""
        return summarise_sends(session_id, server.read_events(session_id))

    @routes.get("/{session_id}/trace", response_class=Response)
    def read_trace(session_id: str) -> Response:
        """The whole session as one JSON document; long texts of prompts are in it once."""
        return Response(dump_json(server.read_trace(session_id)), media_type="application/json")

    @routes.get("/{session_id}/steps/{step}/thumbnail", response_class=Response)
    def read_thumbnail(session_id: str, step: int) -> Response:
        """The screenshot of a step as a small WebP."""
        data = server.read_thumbnail(session_id, step)
        return Response(data, media_type="image/webp", headers=PICTURE_HEADERS)

    @routes.get("/{session_id}/pictures/{name}", response_class=Response)
    def read_picture(session_id: str, name: str) -> Response:
        """A picture by its name, as the events of steps that were not answered give it."""
        data, media_type = server.read_picture(session_id, name)
        return Response(data, media_type=media_type, headers=PICTURE_HEADERS)

    @routes.get("/{session_id}/steps/{step}/image", response_class=Response)
    def read_image(session_id: str, step: int) -> Response:
        """The screenshot of a step, as it came."""
        data, media_type = server.read_image(session_id, step)
        return Response(data, media_type=media_type, headers=PICTURE_HEADERS)

    @routes.post("/{session_id}/steps/{step}/judge")
    async def judge_step(session_id: str, step: int, body: LookBody) -> dict[str, Any]:
        """Judge a step's action anew by what the screen shows: where its policy said so."""
        return await server.ajudge_step(session_id, step, body.model_dump(exclude_none=True))

    @routes.post("/{session_id}/steps", openapi_extra=STEP_BODY_DOC)
    async def add_step(
        session_id: str,
        request: Request,
        idempotency_key: IdempotencyKey = None,
    ) -> dict[str, Any]:
        """Give the next observation, get the next action.

        As JSON, or (cheaper) as a form with the raw picture in the file field `screenshot`.
        """
        if request.headers.get("content-type", "").startswith("multipart/form-data"):
            payload = await _read_form(session_id, request)
        else:
            payload = _validate(await _read_json(request)).to_payload(session_id)
        return await server.aautomate_step(with_key(payload, idempotency_key))

    @routes.post("/{session_id}/events", status_code=204)
    def add_event(session_id: str, body: EventBody) -> None:
        """Write down what a loop outside the server did on its phone, or was told."""
        server.record_event(session_id, body.kind, body.data)

    @routes.post("/{session_id}/close")
    def close_session(session_id: str, body: CloseBody | None = None) -> dict[str, Any]:
        """End a session: it takes no more steps."""
        server.close_session(session_id, (body or CloseBody()).stop_reason)
        return asdict(server.read_session(session_id))

    @routes.delete("/{session_id}", status_code=204)
    def delete_session(session_id: str) -> None:
        """Delete a session for good: its log, events and pictures."""
        server.delete_session(session_id)

    return routes


async def _read_json(request: Request) -> Any:
    try:
        return await request.json()
    except ValueError as error:
        raise BadRequestError("the body is not valid JSON; see /docs for its shape") from error


def _validate(data: Any) -> StepBody:
    try:
        return StepBody.model_validate(data)
    except ValidationError as error:
        raise explain_invalid(error.errors(include_url=False, include_input=False)) from error


async def _read_form(session_id: str, request: Request) -> dict[str, Any]:
    """A step whose picture came as a file."""
    try:
        form = await request.form(
            max_files=1, max_fields=len(FORM_TEXTS), max_part_size=FORM_TEXT_MAX_BYTES
        )
    except HTTPException as error:
        raise BadRequestError(f"the form cannot be read: {error.detail} See /docs") from error
    try:
        unknown = sorted(set(form) - {"screenshot", *FORM_TEXTS})
        if unknown:
            known = ", ".join(("screenshot", *FORM_TEXTS))
            raise BadRequestError(f"unknown form field {unknown[0][:50]!r}; known: {known}")
        picture = form.get("screenshot")
        if not isinstance(picture, UploadFile):
            raise BadRequestError("send the picture as a file in the form field `screenshot`")
        observation: dict[str, Any] = {
            "screenshot": {"type": "image_bytes", "data": await picture.read()}
        }
        for name in FORM_TEXTS:
            text = form.get(name)
            if isinstance(text, str) and text:
                observation[name] = text
    finally:
        await form.close()
    return {"session_id": session_id, "observation": observation}
