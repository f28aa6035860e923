"""Secrets never reach a log: what is known to be one, or looks like one, is written as `***`."""

from __future__ import annotations

import re
import threading

MASK = "***"
MIN_CHARS = 6
"""Shorter texts are not taken for secrets: masking `a` would make logs unreadable."""
_SHAPES = (
    re.compile(r"(?i)(\bbearer\s+)[\w.~+/=-]{6,}"),
    re.compile(r"(/login/)[\w-]{6,}"),
    re.compile(r"(\b(?:sk|key|pk|tok)-)[\w-]{6,}"),
    re.compile(r"(?i)(\b(?:api_key|apikey|api-key|token|password|secret)[\"']?\s*[=:]\s*[\"']?)"
               r"[^\s\"',;&}]{4,}"),
)  # fmt: skip
_known: set[str] = set()
_lock = threading.Lock()


def keep_secret(text: str) -> None:
    """From now on this text is masked wherever the process logs it."""
    if len(text) >= MIN_CHARS:
        with _lock:
            _known.add(text)


def redact(text: str) -> str:
    """The text without secrets.

    Known ones go first and the longest first, so that one inside another leaves no rest.
    """
    with _lock:
        known = sorted((secret for secret in _known if secret in text), key=len, reverse=True)
    for secret in known:
        text = text.replace(secret, MASK)
    for shape in _SHAPES:
        text = shape.sub(rf"\1{MASK}", text)
    return text
