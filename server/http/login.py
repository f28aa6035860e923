"""One-time links: a browser gets a cookie without the token ever standing in an address."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse

from server.http.access import (
    COOKIE_LIFE_S,
    LINK_LIFE_S,
    LINKS_PATH,
    LOGIN_PATH,
    Access,
    cookie_name,
)

FIRST_PAGE = "/"


def login_routes(access: Access) -> APIRouter:
    """`POST /v1/login_links` and `GET /login/{code}`."""
    routes = APIRouter(tags=["login"])

    @routes.post(LINKS_PATH, status_code=201)
    async def create_login_link(request: Request) -> dict[str, str | float]:
        """A link that lets one browser in with your role, once, within five minutes."""
        code = access.create_link(request.state.caller)
        return {"path": f"{LOGIN_PATH}{code}", "expires_in_s": LINK_LIFE_S}

    @routes.get(LOGIN_PATH + "{code}", response_class=RedirectResponse)
    async def log_in(code: str, request: Request) -> RedirectResponse:
        """Use a link up: sets the browser's cookie and leads to the first page."""
        try:
            value = access.take_link(code)
        except Exception:
            await access.delay_failure()
            raise
        response = RedirectResponse(FIRST_PAGE, status_code=303)
        response.set_cookie(
            cookie_name(request.headers.get("host", "")),
            value,
            max_age=int(COOKIE_LIFE_S),
            httponly=True,
            samesite="strict",
            secure=request.url.scheme == "https",
        )
        response.headers["Cache-Control"] = "no-store"
        response.headers["Referrer-Policy"] = "no-referrer"
        return response

    return routes
