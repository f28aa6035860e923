"""The table of dialects in the documentation, made from the registry."""

from __future__ import annotations

from parsers.base import ElementSpace, Parser, PixelSpace
from parsers.registry import BUILT_IN, parser_class

BEGIN = "<!-- dialects: made by parsers.dialect_table, do not edit -->"
END = "<!-- dialects: end -->"
_HEAD = (
    "| dialect | models | variants | coordinates | pictures | ends with |",
    "|---|---|---|---|---|---|",
)


def build_dialect_table() -> str:
    """The Markdown table of all built-in dialects, between its two marks."""
    rows = [_describe(parser_class(name)) for name in BUILT_IN]
    return "\n".join((BEGIN, *_HEAD, *rows, END))


def _describe(found: type[Parser]) -> str:
    variants = found.variants or (None,)
    spaces = [_describe_space(found(None, variant)) for variant in variants]
    if len(set(spaces)) == 1:
        spaces = spaces[:1]
    else:
        spaces = [f"{name}: {space}" for name, space in zip(variants, spaces, strict=True)]
    cells = (
        f"`{found.name}`",
        found.models,
        ", ".join(f"`{name}`" for name in found.variants) or "-",
        "; ".join(spaces),
        _describe_pictures(found),
        ", ".join(sorted(found.stop_actions)),
    )
    return f"| {' | '.join(cells)} |"


def _describe_space(parser: Parser) -> str:
    space = parser.space
    if isinstance(space, ElementSpace):
        return f"element numbers from {space.base}"
    if isinstance(space, PixelSpace):
        if space.factor == 1:
            return "pixels of the sent picture"
        return f"pixels of the sent picture (sides multiples of {space.factor})"
    if space.scale == 1:
        return "shares 0-1"
    return f"0-{space.scale:g}"


def _describe_pictures(found: type[Parser]) -> str:
    needs = found.images
    words = ["the present one"]
    if needs.past:
        words.append(f"{needs.past} past")
    if needs.marked:
        words.append("with numbers")
    if needs.max_side_px:
        words.append(f"longest side {needs.max_side_px}")
    return ", ".join(words)
