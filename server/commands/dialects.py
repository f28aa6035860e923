"""The commands of `localserver` that work on dialects alone: no phone, no model, no session."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any, assert_never

from parsers.action import Size
from parsers.base import (
    CoordinateSpace,
    ElementSpace,
    Environment,
    PixelSpace,
    RelativeSpace,
    Reply,
    ReplyContext,
)
from parsers.errors import UnsupportedInputError
from parsers.registry import get_parser, list_dialects, parser_class
from parsers.spaces import plan_size
from parsers.tools import describe_result, read_lines
from server.commands.common import EXIT_COULD_NOT_RUN, clear_errors
from server.commands.terminal import print_json, print_table
from server.elements import number_elements
from server.errors import BadRequestError
from server.images import check_screenshot
from server.prompts import ParserShelf
from server.settings import load_settings

MAX_REPLY_CHARS = 20_000_000


@clear_errors
def dialects_command(*, as_json: bool) -> int:
    """List every dialect: the built-in ones and those of installed packages."""
    rows = [_describe_dialect(name) for name in list_dialects()]
    if as_json:
        print_json(rows)
    else:
        print_table(
            ("DIALECT", "VARIANTS", "COORDINATES", "MODELS"),
            [
                (row["name"], " ".join(row["variants"]), row["coordinates"], row["models"])
                for row in rows
            ],
        )
    return 0


@clear_errors
def parse_command(
    *,
    dialect: str | None,
    variant: str | None,
    screen: str,
    sent: str | None,
    elements: int | None,
    elements_file: Path | None,
    jsonl: Path | None,
) -> int:
    """Read one reply from standard input, or one per line of a file; print what it means."""
    if jsonl is not None:
        try:
            with jsonl.open("rb") as lines:
                for answer in read_lines(lines):
                    sys.stdout.write(json.dumps(answer, ensure_ascii=False) + "\n")
        except OSError as error:
            raise BadRequestError(
                f"{jsonl} cannot be read ({error.strerror}); name a file"
            ) from error
        return 0
    if dialect is None:
        raise BadRequestError(
            f"name the reply's dialect with --dialect: one of {', '.join(list_dialects())}"
        )
    frame = read_size_text(screen)
    if elements_file is not None:
        elements = len(number_elements(_read_tree(elements_file), frame, 1).elements)
    parser = get_parser(dialect, variant=variant)
    context = ReplyContext(
        sent_size=read_size_text(sent)
        if sent
        else plan_size(parser.space, parser.images, frame.width_px, frame.height_px),
        screen_size=frame,
        element_count=elements,
    )
    reply = Reply(content=sys.stdin.read(MAX_REPLY_CHARS))
    answer = describe_result(parser.str2action(reply, context), frame)
    print_json(answer)
    return 0 if "out" in answer else EXIT_COULD_NOT_RUN


@clear_errors
def prompt_command(
    *,
    dialect: str,
    variant: str | None,
    task: str,
    screenshot: Path,
    elements_file: Path | None,
    language: str | None,
    hints: list[str],
    config_dir: Path | None,
) -> int:
    """Print the messages of a first step as they would be sent, the picture by its name."""
    settings = load_settings(config_dir)
    parser = ParserShelf(settings.config_dir).get(dialect, variant=variant, language=language)
    picture = check_screenshot(
        screenshot.read_bytes(),
        max_bytes=settings.max_image_bytes,
        max_pixels=settings.max_image_pixels,
    )
    listed = None
    if elements_file is not None:
        base = parser.space.base if isinstance(parser.space, ElementSpace) else 1
        listed = number_elements(_read_tree(elements_file), picture.size, base).elements
    elif parser.needs_elements:
        raise UnsupportedInputError(
            f"{dialect} shows numbered elements: give the screen's UI tree with --elements-file"
        )
    sent_size = plan_size(
        parser.space, parser.images, picture.size.width_px, picture.size.height_px
    )
    is_marked = parser.images.marked and listed is not None
    environment = Environment(
        image=screenshot.name,
        elements=listed,
        marked_image=f"{screenshot.stem}_marked.jpeg" if is_marked else None,
        size=picture.size,
    )
    messages = parser.env2messages4ask(task, [environment], [], hints=hints, sent_size=sent_size)
    print_json({"sent_size": [sent_size.width_px, sent_size.height_px], "messages": messages})
    return 0


def read_size_text(text: str) -> Size:
    """`1080x2400` as a size.

    Raises:
        BadRequestError: It is not written so.
    """
    match = re.fullmatch(r"([1-9]\d{0,4})[xX×,]([1-9]\d{0,4})", text.strip())
    if match is None:
        raise BadRequestError(f"{text!r} is no size; write it like 1080x2400")
    return Size(width_px=int(match[1]), height_px=int(match[2]))


def _describe_dialect(name: str) -> dict[str, Any]:
    kind = parser_class(name)
    parser = get_parser(name)
    return {
        "name": name,
        "title": kind.title,
        "models": kind.models,
        "aliases": list(kind.aliases),
        "variants": list(kind.variants),
        "coordinates": _describe_space(parser.space),
        "needs_elements": kind.needs_elements,
    }


def _describe_space(space: CoordinateSpace) -> str:
    match space:
        case RelativeSpace(scale=scale):
            return f"0-{scale:g}"
        case PixelSpace(factor=factor):
            return "pixels" if factor == 1 else f"pixels, sides in multiples of {factor}"
        case ElementSpace(base=base):
            return f"element numbers from {base}"
        case _:
            assert_never(space)


def _read_tree(path: Path) -> Any:
    from device.ui_tree import parse_ui_tree

    return parse_ui_tree(path.read_text("utf-8", errors="replace"))
