"""Reading `getprop` and `settings get`: pure functions over their text."""

from __future__ import annotations

import re

_PROPERTY = re.compile(r"^\[(?P<name>[^\]\n]+)\]: \[(?P<value>.*?)\]\r?$", re.MULTILINE | re.DOTALL)
_PREVIEW_RELEASE = re.compile(r"[A-Z][A-Za-z]*")


def read_properties(text: str) -> dict[str, str]:
    """Read all of `getprop`: `[name]: [value]`, where a value may span lines."""
    return {
        match["name"]: match["value"].replace("\r\n", "\n") for match in _PROPERTY.finditer(text)
    }


def read_property(text: str) -> str | None:
    """Read one `getprop NAME`: an empty line means that it is not set."""
    return text.strip("\r\n") or None


def read_setting(text: str) -> str | None:
    """Read one `settings get`: `null` means never set (to be restored by `settings delete`)."""
    value = text.strip()
    return None if value in {"", "null"} else value


def read_scale(text: str) -> float | None:
    """Read an animation scale; None where it was never set or is no number."""
    value = read_setting(text)
    try:
        return float(value) if value is not None else None
    except ValueError:
        return None


def effective_sdk(sdk: int, release: str) -> int:
    """The API level that counts: previews print the last level and the next version's letter."""
    return sdk + 1 if _PREVIEW_RELEASE.fullmatch(release.strip()) else sdk
