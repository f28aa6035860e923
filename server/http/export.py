"""`/v1/sessions/{id}/export`: one session as a file of another tool."""

from __future__ import annotations

import functools
import shutil
import tempfile
import zipfile
from pathlib import Path
from typing import Annotated

import anyio
import anyio.to_thread
from fastapi import APIRouter, Query
from fastapi.responses import FileResponse
from starlette.background import BackgroundTask

from server.errors import BadRequestError
from server.export.episode import NotExportableError
from server.export.exporter import INDEX, export_sessions
from server.export.formats import ExportOptions, list_formats
from server.http.json_body import JsonRoute
from server.local_server import LocalServer

MAX_EXPORTS = 1
"""How many are made at a time: it is work for a whole core."""


def export_routes(server: LocalServer) -> APIRouter:
    """`GET /v1/sessions/{id}/export`."""
    routes = APIRouter(prefix="/v1/sessions", route_class=JsonRoute, tags=["sessions"])
    limiter = anyio.CapacityLimiter(MAX_EXPORTS)

    @routes.get("/{session_id}/export", response_class=FileResponse)
    async def export_session(
        session_id: str,
        format_name: Annotated[
            str, Query(alias="format", max_length=40, description="html, webp, sft, adb, …")
        ] = "html",
        redact: bool = True,
        dialect: Annotated[str | None, Query(max_length=100)] = None,
        variant: Annotated[str | None, Query(max_length=100)] = None,
    ) -> FileResponse:
        """The session in another format, private texts taken out; several files come as a zip."""
        if format_name not in list_formats():
            raise BadRequestError(
                f"there is no such format; choose one of {', '.join(list_formats())}",
                field="format",
            )
        options = ExportOptions(dialect, variant, config_dir=server.settings.config_dir)
        folder = Path(await anyio.to_thread.run_sync(tempfile.mkdtemp, limiter=limiter))
        clean = functools.partial(shutil.rmtree, folder, ignore_errors=True)
        try:
            make = functools.partial(
                _make, server, session_id, folder, format_name, redact, options
            )
            path = await anyio.to_thread.run_sync(make, limiter=limiter)
        except BaseException:
            await anyio.to_thread.run_sync(clean)
            raise
        return FileResponse(
            path,
            filename=path.name,
            # Never shown as a page of this service: it is a file to keep.
            content_disposition_type="attachment",
            headers={"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store"},
            background=BackgroundTask(clean),
        )

    return routes


def _make(
    server: LocalServer,
    session_id: str,
    folder: Path,
    format_name: str,
    redact: bool,
    options: ExportOptions,
) -> Path:
    made = folder / "made"
    episode = server.read_episode(session_id)
    [done] = export_sessions([episode], made, format_name, redacted=redact, options=options)
    if done.status == "failed":
        raise NotExportableError(done.problem)
    files = [path for path in sorted(made.rglob("*")) if path.is_file() and path.name != INDEX]
    if len(files) == 1:
        return files[0]
    packed = folder / f"{session_id}_{format_name}.zip"
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for path in files:
            archive.write(path, path.relative_to(made))
    return packed
