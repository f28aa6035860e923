"""Who may call, and what: tokens with roles, one-time links, and the cookie of a browser."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import logging
import os
import secrets
import time
from collections import OrderedDict
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie

from pydantic import SecretStr
from starlette.datastructures import Headers

from server.errors import ConfigError
from server.http.errors import TooManyAttemptsError, UnauthorizedError
from server.redaction import keep_secret
from server.settings import Role, Settings
from server.tokens import TokenFile, is_loopback, is_open_to_others, load_or_create_token

logger = logging.getLogger(__name__)

LINK_LIFE_S = 300.0
COOKIE_LIFE_S = 12 * 3600.0
MAX_LINKS = 100
MAX_COOKIES = 100
FREE_ATTEMPTS = 5
ATTEMPTS_FORGOTTEN_S = 60.0
MAX_DELAYED = 32
_RANKS: dict[Role, int] = {"read": 0, "act": 1, "admin": 2}


@dataclass(frozen=True, slots=True)
class Caller:
    """Who sent a request.

    Attributes:
        name: Of its token, for logs.
        role: What it may do.
        by_cookie: Whether it is a browser that came in by a one-time link.
    """

    name: str
    role: Role
    by_cookie: bool = False

    def may(self, role: Role) -> bool:
        return _RANKS[self.role] >= _RANKS[role]


OWNER = Caller("owner", "admin")
"""Who started the server."""


class Access:
    """Knows the tokens; turns a request's headers into a caller.

    Args:
        tokens: Token by name, with its role. Empty only with `is_open`.
        is_open: Whether callers need no token at all.
        file: The user's token file, where it is in use.
        failure_delay_s: How long a wrong token waits for its refusal, after a few.
    """

    def __init__(
        self,
        tokens: dict[str, tuple[str, Role]],
        *,
        is_open: bool = False,
        file: TokenFile | None = None,
        failure_delay_s: float = 1.0,
    ) -> None:
        self.is_open = is_open
        self.file = file
        self._callers = [
            (_digest(token), Caller(name, role)) for name, (token, role) in tokens.items()
        ]
        self._links: OrderedDict[bytes, tuple[Caller, float]] = OrderedDict()
        self._cookies: OrderedDict[bytes, tuple[Caller, float]] = OrderedDict()
        self._failure_delay_s = failure_delay_s
        self._failures = 0
        self._failed_at = 0.0
        self._delayed = 0

    def identify(self, headers: Headers) -> Caller:
        """The caller of a request.

        Raises:
            UnauthorizedError: No token, or a wrong one.
        """
        if self.is_open:
            return OWNER
        authorization = headers.get("authorization")
        if authorization is not None:
            scheme, _, given = authorization.partition(" ")
            caller = self._by_token(given.strip()) if scheme.lower() == "bearer" else None
            if caller is None:
                raise UnauthorizedError(_WRONG_TOKEN, reason="wrong")
            return caller
        cookie = read_cookie(headers)
        if cookie is None:
            raise UnauthorizedError(_NO_TOKEN, reason="missing")
        found = self._cookies.get(_digest(cookie))
        if found is None or found[1] < time.monotonic():
            raise UnauthorizedError("this browser's cookie has run out; open a new link")
        return found[0]

    async def delay_failure(self) -> None:
        """Make guessing slow: after a few wrong tokens, each further one waits.

        Raises:
            TooManyAttemptsError: Many are waiting already.
        """
        now = time.monotonic()
        if now - self._failed_at > ATTEMPTS_FORGOTTEN_S:
            self._failures = 0
        self._failures, self._failed_at = self._failures + 1, now
        if self._failures <= FREE_ATTEMPTS or self._failure_delay_s == 0:
            return
        if self._delayed >= MAX_DELAYED:
            raise TooManyAttemptsError("too many wrong tokens at once; send the right one")
        self._delayed += 1
        try:
            await asyncio.sleep(self._failure_delay_s)
        finally:
            self._delayed -= 1

    def create_link(self, caller: Caller) -> str:
        """A code that lets one browser in as this caller, once, within `LINK_LIFE_S`."""
        code = secrets.token_urlsafe(32)
        self._links[_digest(code)] = (caller, time.monotonic() + LINK_LIFE_S)
        while len(self._links) > MAX_LINKS:
            self._links.popitem(last=False)
        return code

    def take_link(self, code: str) -> str:
        """Use up a link's code; returns the value of the browser's cookie.

        Raises:
            UnauthorizedError: No such code, or it was used or ran out.
        """
        caller, until = self._links.pop(_digest(code), (None, 0.0))
        if caller is None or until < time.monotonic():
            raise UnauthorizedError("this link was used or has run out; make a new one")
        value = secrets.token_urlsafe(32)
        browser = Caller(caller.name, caller.role, by_cookie=True)
        self._cookies[_digest(value)] = (browser, time.monotonic() + COOKIE_LIFE_S)
        while len(self._cookies) > MAX_COOKIES:
            self._cookies.popitem(last=False)
        return value

    def _by_token(self, given: str) -> Caller | None:
        digest, found = _digest(given), None
        for known, caller in self._callers:  # all of them: the time tells nothing
            if hmac.compare_digest(digest, known):
                found = caller
        return found


def open_access(settings: Settings) -> Access:
    """The access that the settings describe; makes the user's token file where it is needed.

    Raises:
        ConfigError: The server would be open to others, or a token is missing.
        StorageError: The token file can be neither read nor made.
    """
    refuse_open_doors(settings)
    if not settings.require_token:
        return Access({}, is_open=True)
    tokens: dict[str, tuple[str, Role]] = {
        name: (read_secret(config.token, f"tokens.{name}"), config.role)
        for name, config in settings.tokens.items()
    }
    file = None
    if settings.api_token is not None:
        tokens["api_token"] = (read_secret(settings.api_token, "api_token"), "admin")
    else:
        file = load_or_create_token(settings.state_dir)
        tokens["token file"] = (file.token, "admin")
        if is_open_to_others(file.path):
            logger.warning(
                "%s can be read by other users of this machine; run chmod 600 on it", file.path
            )
    for token, _ in tokens.values():
        keep_secret(token)
    return Access(tokens, file=file, failure_delay_s=settings.failed_attempt_delay_s)


def refuse_open_doors(settings: Settings) -> None:
    """Refuse an address that others reach, without a token or without the names they use.

    Raises:
        ConfigError: So it is.
    """
    if is_loopback(settings.host):
        return
    if not settings.require_token:
        raise ConfigError(
            f"listening on {settings.host} without a token lets others drive the phone: "
            "leave --no-token (require_token: false) out, or listen on 127.0.0.1"
        )
    if settings.allowed_hosts == Settings.model_fields["allowed_hosts"].default:
        raise ConfigError(
            f"listening on {settings.host} needs the names that callers use: "
            "add --allow-host NAME (or allowed_hosts in server.yaml)"
        )


def read_secret(value: SecretStr, name: str) -> str:
    """A secret as it is, or, of the form `env:NAME`, from the environment.

    Raises:
        ConfigError: It is empty, or the variable is not set.
    """
    text = value.get_secret_value()
    if text.startswith("env:"):
        variable = text.removeprefix("env:")
        text = os.environ.get(variable, "")
        if not text:
            raise ConfigError(f"{name}: set the environment variable {variable}")
    if not text.strip():
        raise ConfigError(f"{name}: is empty; write a long random text")
    return text.strip()


def cookie_name(host: str) -> str:
    """The cookie's name: browsers share cookies between the ports of a host, so it has the port."""
    port = host.rpartition(":")[2]
    return f"localserver_{port}" if port.isdigit() else "localserver"


def read_cookie(headers: Headers) -> str | None:
    """The value of our cookie, if the request has it."""
    try:
        jar = SimpleCookie(headers.get("cookie", ""))
    except CookieError:
        return None
    morsel = jar.get(cookie_name(headers.get("host", "")))
    return None if morsel is None else morsel.value


def is_open_to_all(method: str, path: str) -> bool:
    """Whether a request needs no token: health checks, login links, the console's files."""
    is_read = method in ("GET", "HEAD")
    return is_read and (path in OPEN_PATHS or path.startswith(OPEN_PREFIXES))


def required_role(kind: str, method: str, path: str) -> Role:
    """What a caller must be for a request, by its form: a new route cannot be forgotten.

    Reading is for all, a phone's live picture included; what deletes is for `admin`; everything
    else, the tools of MCP and other WebSockets among them, acts.
    """
    if kind == "websocket" and path.startswith("/v1/devices/") and path.endswith(LIVE_SUFFIX):
        return "read"
    if kind == "websocket" or path == "/mcp" or path.startswith("/mcp/"):
        return "act"
    if method in ("GET", "HEAD", "OPTIONS") or path == LINKS_PATH:
        return "read"
    return "admin" if method == "DELETE" else "act"


LINKS_PATH = "/v1/login_links"
LOGIN_PATH = "/login/"
CONSOLE_PATH = "/console/"
"""Where the console's files are."""
OPEN_PATHS = frozenset({"/healthz", "/readyz", "/"})
OPEN_PREFIXES = (LOGIN_PATH, CONSOLE_PATH)
LIVE_SUFFIX = "/live"
_NO_TOKEN = (
    "send the server's token as `Authorization: Bearer <token>`; it is in the file that "
    "`localserver serve` names at its start, or in LOCALSERVER_API_TOKEN"
)
_WRONG_TOKEN = (
    "this is not the server's token; it is in the file that `localserver serve` names at its "
    "start, or in LOCALSERVER_API_TOKEN"
)


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
