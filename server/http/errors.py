"""Every fault over HTTP is one shape: `{"error": {code, message, retryable, details}}`."""

from __future__ import annotations

import logging

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from device.errors import DeviceError
from parsers.errors import ParserError
from server.error_body import describe_error, explain_invalid, http_status
from server.errors import ServerError

logger = logging.getLogger(__name__)


class RouteNotFoundError(ServerError):
    """There is no such address."""

    code = "request.not_found"
    status = 404


class MethodNotAllowedError(ServerError):
    code = "request.method_not_allowed"
    status = 405


class MediaTypeError(ServerError):
    """The body is neither JSON nor, where that is taken, multipart."""

    code = "request.unsupported_media_type"
    status = 415


class HostNotAllowedError(ServerError):
    """The `Host` header names a host that is not served (DNS rebinding)."""

    code = "request.host_not_allowed"
    status = 421


class OriginNotAllowedError(ServerError):
    """A web page of another origin sent the request."""

    code = "request.origin_not_allowed"
    status = 403


class UnauthorizedError(ServerError):
    """The token is missing or wrong."""

    code = "request.unauthorized"
    status = 401


class ForbiddenError(ServerError):
    """The token is right, but its role may not do this."""

    code = "request.forbidden"
    status = 403


class TooManyAttemptsError(ServerError):
    """Too many wrong tokens came at once."""

    code = "request.too_many_attempts"
    status = 429
    retryable = True


class HeadersTooLargeError(ServerError):
    """The headers are too many or too long."""

    code = "request.headers_too_large"
    status = 431


class BodyTimeoutError(ServerError):
    """The body did not arrive in time."""

    code = "request.timeout"
    status = 408
    retryable = True


class UnknownClientError(ServerError):
    """Any other fault that the framework finds in a request."""

    code = "request.refused"
    status = 400


def error_response(error: BaseException, headers: dict[str, str] | None = None) -> JSONResponse:
    """The answer to a request that failed so."""
    status = http_status(error)
    if status == 401:
        headers = {**(headers or {}), "WWW-Authenticate": "Bearer"}
    if status == 429:
        wait_s = error.details.get("retry_after_s", 1) if isinstance(error, ServerError) else 1
        headers = {**(headers or {}), "Retry-After": str(max(1, round(wait_s)))}
    return JSONResponse({"error": describe_error(error)}, status_code=status, headers=headers)


def install_error_handlers(app: FastAPI) -> None:
    """Make the app answer all faults, the framework's own included, in the one shape."""

    async def answer_ours(_: Request, error: Exception) -> JSONResponse:
        return error_response(error)

    async def answer_invalid(_: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)
        return error_response(explain_invalid(error.errors()))

    async def answer_framework(_: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, HTTPException)
        return error_response(_translate(error), dict(error.headers or {}))

    async def answer_unexpected(request: Request, error: Exception) -> JSONResponse:
        logger.error("%s %s failed", request.method, request.url.path, exc_info=error)
        return error_response(error)

    for kind in (ServerError, DeviceError, ParserError):
        app.add_exception_handler(kind, answer_ours)
    app.add_exception_handler(RequestValidationError, answer_invalid)
    app.add_exception_handler(HTTPException, answer_framework)
    app.add_exception_handler(Exception, answer_unexpected)


def _translate(error: HTTPException) -> ServerError:
    if error.status_code == 404:
        return RouteNotFoundError("there is no such address; see /docs for those that there are")
    if error.status_code == 405:
        return MethodNotAllowedError("this address does not take that method; see /docs")
    return UnknownClientError(f"{error.detail}; see /docs for the shape of requests")
