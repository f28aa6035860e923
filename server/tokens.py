"""The token that callers of this machine's services send: made once, kept in a file of the user.

The service and its callers run as the same user, so that a client on the same machine finds the
token by itself; another user of the machine cannot read it.
"""

from __future__ import annotations

import os
import secrets
import stat
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from server.errors import ConfigError, StorageError

TOKEN_FILE = "token"
TOKEN_VARIABLE = "LOCALSERVER_API_TOKEN"
TOKEN_BYTES = 32
TOKEN_MIN_CHARS = 32


@dataclass(frozen=True, slots=True)
class TokenFile:
    """The token as it stands in the user's file.

    Attributes:
        path: Where it is.
        token: The token.
        is_new: Whether it was made just now.
    """

    path: Path
    token: str
    is_new: bool


def load_or_create_token(state_dir: Path) -> TokenFile:
    """Read the user's token; make one of 256 random bits where there is none.

    Args:
        state_dir: The user's folder for what outlives a process.

    Raises:
        ConfigError: The file holds no token.
        StorageError: The file can be neither read nor made.
    """
    path = state_dir / TOKEN_FILE
    try:
        state_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        is_new = _create(path, secrets.token_urlsafe(TOKEN_BYTES))
        token = path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise StorageError(
            "the token file cannot be read or made; give its folder to this user, or set "
            f"{TOKEN_VARIABLE} to a long random text"
        ) from error
    if len(token) < TOKEN_MIN_CHARS:
        raise ConfigError(
            f"{path} holds no token of at least {TOKEN_MIN_CHARS} characters; "
            "delete the file and a new one is made"
        )
    return TokenFile(path, token, is_new)


def find_token(base_url: str, state_dir: Path | None = None) -> str | None:
    """The token of a service on this machine; None where it is elsewhere, or unknown.

    `LOCALSERVER_API_TOKEN` wins over the user's file. A service elsewhere gets neither: a token is
    sent to another machine only if somebody names it.

    Args:
        base_url: The service's address.
        state_dir: Where the file is; None: the user's own folder.
    """
    if not is_loopback(urlsplit(base_url).hostname or ""):
        return None
    named = os.environ.get(TOKEN_VARIABLE, "").strip()
    if named:
        return named
    try:
        token = (state_dir or default_state_dir()) / TOKEN_FILE
        return token.read_text(encoding="utf-8").strip() or None
    except (OSError, UnicodeDecodeError):
        return None


def default_state_dir() -> Path:
    """The user's folder for what outlives a process; the same as for phones."""
    from device.adb_device import default_state_dir as of_phones

    return of_phones()


def is_loopback(host: str) -> bool:
    """Whether a host name or address can only mean this machine."""
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def is_open_to_others(path: Path) -> bool:
    """Whether other users of this machine may read the file (never so on Windows)."""
    if os.name == "nt":
        return False
    try:
        return bool(path.stat().st_mode & (stat.S_IRGRP | stat.S_IROTH))
    except OSError:
        return False


def _create(path: Path, token: str) -> bool:
    """Make the file whole or not at all, readable by its owner alone; False if it is there."""
    if path.exists():
        return False
    draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(token + "\n")
        try:
            os.link(draft, path)  # never replaces one that another process made meanwhile
        except FileExistsError:
            return False
        except OSError:
            draft.replace(path)  # a file system without links
        return True
    finally:
        draft.unlink(missing_ok=True)
