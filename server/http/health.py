"""`/healthz`, `/readyz` and `/v1/models`: is it alive, can it take work, with which models."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Response
from prometheus_client import CONTENT_TYPE_LATEST

from parsers.registry import list_dialects
from server.errors import StorageError
from server.local_server import LocalServer
from server.settings import Settings
from server.version import VERSION


def health_routes(settings: Settings, server: LocalServer) -> APIRouter:
    """The routes that say how the server is."""
    metrics = server.metrics
    routes = APIRouter(tags=["health"])

    @routes.get("/healthz")
    async def healthz() -> dict[str, str]:
        """The process is alive; nothing else is asked."""
        return {"status": "ok", "version": VERSION}

    @routes.get("/readyz")
    def readyz() -> dict[str, str]:
        """The server can take steps: its folders can be written, its object store answers."""
        if settings.record_url is not None:
            server.check_store()
            return {"status": "ready", "version": VERSION}
        for name, folder in (("log_dir", settings.log_dir), ("image_dir", settings.image_dir)):
            if not _is_writable(folder):
                raise StorageError(
                    f"{name} cannot be written; make the folder or give its owner the right to",
                    setting=name,
                )
        return {"status": "ready", "version": VERSION}

    @routes.get("/metrics", response_class=Response)
    def read_metrics() -> Response:
        """Latencies, retries, rejections, faults and queues, for Prometheus."""
        return Response(metrics.render(), media_type=CONTENT_TYPE_LATEST)

    @routes.get("/v1/storage")
    def read_storage() -> dict[str, Any]:
        """What all sessions take, and after what they are deleted. Looks at every file."""
        use = server.measure()
        return {
            "sessions": use.sessions,
            "bytes": use.bytes,
            "keep_days": settings.keep_days,
            "keep_bytes": settings.keep_bytes,
        }

    @routes.get("/v1/models")
    async def list_models() -> dict[str, Any]:
        """The configured providers and models; never their keys."""
        first = next(iter(settings.providers), None)
        default = settings.default_provider or first
        return {
            "default_provider": default,
            "default_task_type": settings.default_task_type,
            "task_types": list_dialects(),
            "providers": [
                {
                    "name": name,
                    "api_base": provider.api_base,
                    "has_key": provider.api_key is not None,
                    "default_model": (name == default and settings.default_model)
                    or provider.default_model,
                    "models": sorted(provider.models),
                }
                for name, provider in settings.providers.items()
            ],
        }

    return routes


def _is_writable(folder: Path) -> bool:
    """Whether files can be made in it, or in the nearest folder above that exists."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return folder.is_dir() and os.access(folder, os.W_OK)
