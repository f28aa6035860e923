"""Where a picture comes from: bytes, base64, a data URL; a path or URL only where allowed."""

from __future__ import annotations

import asyncio
import socket
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import httpx2

from server.errors import ImageError, ImageSourceError, ImageTooLargeError
from server.images import read_base64, read_data_url

FETCH_TIMEOUT_S = 10.0


@dataclass(frozen=True, slots=True)
class SourceRules:
    """Which sources are allowed.

    Attributes:
        max_bytes: Largest file taken.
        allow_path: Whether a local path may be named (callers in this process only).
        allow_url: Whether an http(s) URL may be named.
        private_hosts: Hosts that a URL may name although their addresses are private.
    """

    max_bytes: int
    allow_path: bool = False
    allow_url: bool = False
    private_hosts: frozenset[str] = frozenset()


def read_picture(part: Any, rules: SourceRules) -> bytes:
    """The bytes of a picture given as one of the message parts that we know.

    Blocking; a picture on the web has to be brought here first: see `fetch_if_web`.

    Args:
        part: `{"type": "image_url", "image_url": {"url"}}`, `{"type": "image_b64", "image_b64":
            {"b64_json"}}` or, in this process, `{"type": "image_bytes", "data"}`.
        rules: What is allowed.

    Raises:
        ImageError: Missing, of another form, or unreadable.
        ImageSourceError: A path or URL where only data is allowed.
        ImageTooLargeError: Too many bytes.
    """
    if not isinstance(part, Mapping):
        raise ImageError("the screenshot is missing; send observation.screenshot")
    match part.get("type"):
        case "image_bytes":
            data = part.get("data")
            if not isinstance(data, bytes):
                raise ImageError("image_bytes needs bytes in `data`")
            return data
        case "image_b64":
            inner = part.get("image_b64")
            text = inner.get("b64_json") if isinstance(inner, Mapping) else None
            if not isinstance(text, str):
                raise ImageError("image_b64 needs base64 text in image_b64.b64_json")
            return read_base64(text, max_bytes=rules.max_bytes)
        case "image_url":
            url = _url_of(part)
            if not url:
                raise ImageError("image_url needs a data URL in image_url.url")
            if url.startswith("data:"):
                return read_data_url(url, max_bytes=rules.max_bytes)
            if not rules.allow_path or "://" in url:
                raise ImageSourceError("a screenshot must be a data URL: data:image/png;base64,...")
            return _read_file(Path(url), rules.max_bytes)
    raise ImageError("the screenshot's type must be image_url, with a data URL")


async def fetch_if_web(part: Any, rules: SourceRules) -> Any:
    """The part itself, or, if it names a picture on the web, one with the picture's bytes.

    No redirects, bounded, and no private address unless its host is listed. The address that was
    checked is the one that is connected to, so that a second look-up cannot lead elsewhere.

    Raises:
        ImageError: The URL cannot be read.
        ImageSourceError: URLs are not allowed, or this one leads into a private network.
        ImageTooLargeError: Too many bytes.
    """
    url = _url_of(part)
    if not url.startswith(("http://", "https://")):
        return part
    if not rules.allow_url:
        raise ImageSourceError(
            "a screenshot may not be an http(s) URL here; send a data URL, or let the operator set "
            "allow_image_url"
        )
    return {"type": "image_bytes", "data": await _fetch(url, rules)}


def _url_of(part: Any) -> str:
    """The URL of an `image_url` part; empty for anything else."""
    if not isinstance(part, Mapping) or part.get("type") != "image_url":
        return ""
    inner = part.get("image_url")
    url = inner.get("url") if isinstance(inner, Mapping) else inner
    return url if isinstance(url, str) else ""


def _read_file(path: Path, max_bytes: int) -> bytes:
    try:
        facts = path.stat()
        if not stat.S_ISREG(facts.st_mode):
            raise ImageError("the screenshot's path is no regular file")
        if facts.st_size > max_bytes:
            raise _too_large(max_bytes)
        return path.read_bytes()
    except (OSError, ValueError) as error:
        raise ImageError("the screenshot's file cannot be read; check the path") from error


async def _fetch(url: str, rules: SourceRules) -> bytes:
    try:
        parsed = httpx2.URL(url)
        host = parsed.host
        address = await _resolve(host, rules)
        pinned = parsed.copy_with(host=address)
        async with (
            asyncio.timeout(FETCH_TIMEOUT_S),
            httpx2.AsyncClient(trust_env=False, follow_redirects=False) as client,
            client.stream(
                "GET",
                pinned,
                headers={"Host": parsed.netloc.decode("ascii"), "Accept-Encoding": "identity"},
                extensions={"sni_hostname": host},
            ) as response,
        ):
            if response.status_code != 200:
                raise ImageError(
                    f"the screenshot's URL answered HTTP {response.status_code}; send a data URL"
                )
            data = bytearray()
            async for chunk in response.aiter_raw():
                data += chunk
                if len(data) > rules.max_bytes:
                    raise _too_large(rules.max_bytes)
            return bytes(data)
    except (httpx2.HTTPError, httpx2.InvalidURL, TimeoutError, OSError, ValueError) as error:
        raise ImageError("the screenshot's URL cannot be read; send a data URL") from error


async def _resolve(host: str, rules: SourceRules) -> str:
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    addresses = [str(entry[4][0]) for entry in found]
    if host not in rules.private_hosts and not all(
        ip_address(address.partition("%")[0]).is_global for address in addresses
    ):
        raise ImageSourceError(
            "the screenshot's URL leads into a private network; send a data URL, or let the "
            "operator list the host in image_url_hosts"
        )
    return addresses[0]


def _too_large(max_bytes: int) -> ImageTooLargeError:
    return ImageTooLargeError(
        f"the screenshot has more than {max_bytes} bytes; send a smaller one", max_bytes=max_bytes
    )
