"""`/`: the console, a page of plain files. They hold no data: all of that comes over the API.

The page itself is given without a token, so that a link to a step works from a chat or a mail: what
it then fetches needs the browser's cookie as ever.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from fastapi import APIRouter, Request, Response

from server.http.access import CONSOLE_PATH
from server.http.errors import RouteNotFoundError

FOLDER = Path(__file__).resolve().parent.parent / "console"
FIRST_FILE = "index.html"
MEDIA_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; img-src 'self' blob:; object-src 'none'; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-cache",
}


def console_routes() -> APIRouter:
    """The page and its files; only names that are in the folder at the start are answered."""
    routes = APIRouter()
    files = {
        path.relative_to(FOLDER).as_posix(): path
        for path in sorted(FOLDER.rglob("*"))
        if path.suffix in MEDIA_TYPES
    }

    def answer(name: str, request: Request) -> Response:
        path = files.get(name)
        if path is None:
            raise RouteNotFoundError("the console has no such file; open the page at /")
        data = path.read_bytes()
        headers = {**HEADERS, "ETag": f'"{hashlib.sha256(data).hexdigest()[:32]}"'}
        if request.headers.get("if-none-match") == headers["ETag"]:
            return Response(status_code=304, headers=headers)
        return Response(data, media_type=MEDIA_TYPES[path.suffix], headers=headers)

    @routes.get("/", include_in_schema=False)
    def read_page(request: Request) -> Response:
        return answer(FIRST_FILE, request)

    @routes.get(CONSOLE_PATH + "{name:path}", include_in_schema=False)
    def read_file(name: str, request: Request) -> Response:
        return answer(name, request)

    return routes
