"""Colours by role, light and dark."""

from __future__ import annotations

from functools import lru_cache

Color = tuple[int, int, int, int]

_LIGHT = {
    "background": "#f5f6fa",
    "surface": "#ffffff",
    "surface_variant": "#e9ebf2",
    "on_surface": "#1b1c20",
    "on_surface_variant": "#5b5f6a",
    "outline": "#c9ccd6",
    "divider": "#e6e7ee",
    "primary": "#1a66e0",
    "on_primary": "#ffffff",
    "primary_container": "#d9e5ff",
    "on_primary_container": "#0a3a8c",
    "danger": "#c8322b",
    "on_danger": "#ffffff",
    "hint": "#868b97",
    "keyboard": "#e3e6ee",
    "key": "#ffffff",
    "key_special": "#cdd2de",
    "toast": "#2e3036",
    "on_toast": "#f4f5f9",
    "shade": "#e8ebf4",
}
_DARK = {
    "background": "#111318",
    "surface": "#1d2026",
    "surface_variant": "#2c3038",
    "on_surface": "#e6e8ee",
    "on_surface_variant": "#aeb3bf",
    "outline": "#4a4f5a",
    "divider": "#2e323a",
    "primary": "#8ab4ff",
    "on_primary": "#07295f",
    "primary_container": "#22447f",
    "on_primary_container": "#d9e5ff",
    "danger": "#ff8a80",
    "on_danger": "#5f0a06",
    "hint": "#80858f",
    "keyboard": "#1a1d23",
    "key": "#343841",
    "key_special": "#25282f",
    "toast": "#e6e8ee",
    "on_toast": "#1b1c20",
    "shade": "#16181d",
}


@lru_cache(maxsize=256)
def resolve_color(name: str, dark: bool) -> Color:
    """RGBA of a theme role or of "#rrggbb".

    Raises:
        KeyError: The role does not exist.
    """
    value = name if name.startswith("#") else (_DARK if dark else _LIGHT)[name]
    return int(value[1:3], 16), int(value[3:5], 16), int(value[5:7], 16), 255
