"""How much is kept from a model, and from an outer model behind MCP."""

from __future__ import annotations

from ipaddress import ip_address
from typing import Literal, get_args
from urllib.parse import urlsplit

PrivacyLevel = Literal["off", "standard", "strict"]
McpPrivacyLevel = Literal["open", "summary", "private"]
StoredPictures = Literal["masked", "none"]
SENT = "egress"
"""The event of one body that was sent."""
FIRST_SEND = "first_remote_send"
"""The event of a session's first one to a model that is not on this machine."""
_ORDER: tuple[PrivacyLevel, ...] = get_args(PrivacyLevel)


def stricter(*levels: PrivacyLevel | None) -> PrivacyLevel:
    """The strictest of the levels given; `off` where none is."""
    return max((level for level in levels if level is not None), key=_ORDER.index, default="off")


def is_local(address: str) -> bool:
    """Whether a model's address is on this machine: what is sent there does not leave it."""
    host = urlsplit(address).hostname or ""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
