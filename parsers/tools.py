"""Reading replies for people's tools: one JSON line in, one JSON line out."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from parsers.action import (
    Action,
    Awake,
    Click,
    Complete,
    DoubleClick,
    HotKey,
    LongPress,
    Point,
    Rejection,
    Scroll,
    Size,
    Slide,
    Type,
    Wait,
)
from parsers.base import ElementSpace, Reply, ReplyContext
from parsers.errors import InvalidCaseError, ParserError
from parsers.registry import get_parser

_TEXT_KINDS = frozenset({"INFO", "ANSWER", "ABORT", "TAKE_OVER", "NOTE", "CALL_API"})


def read_case(line: Mapping[str, Any]) -> dict[str, Any]:
    """Read one reply that is given with its frame.

    Args:
        line: `id`, `dialect`, `raw` or `message` (`content`, `reasoning_content`, `tool_calls`),
            and where they matter `variant`, `screen` [w, h], `sent_image` [w, h] or null,
            `elements` (how many were numbered). Other keys are ignored.

    Returns:
        `{"id", "out": {...}}` or `{"id", "rejection": {"code", "message", "span"}}`.

    Raises:
        UnknownDialectError: No such dialect or variant.
        InvalidCaseError: A field is not of its type.
    """
    screen = _read_size(line, "screen")
    variant = line.get("variant")
    if variant is not None and not isinstance(variant, str):
        raise InvalidCaseError("`variant` must be a text or null")
    elements = line.get("elements")
    if elements is not None and (type(elements) is not int or elements < 0):
        raise InvalidCaseError("`elements` must be how many were numbered, or null")
    parser = get_parser(str(line.get("dialect", "")), variant=variant)
    context = ReplyContext(
        sent_size=_read_size(line, "sent_image"), screen_size=screen, element_count=elements
    )
    answer = describe_result(parser.str2action(read_reply(line), context), screen)
    distance = answer.get("out", {}).get("distance")
    for word, share in parser.distance_words.items():
        if share == distance:
            answer["out"]["distance"] = word
    return {"id": line.get("id"), **answer}


def read_lines(lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    """Read each line of a file of cases; an answer for each line that is not blank.

    A line that cannot be read is answered by `{"id", "error": {"code", "message"}}` and stops
    nothing: `parser.unknown_dialect` where there is no such dialect or variant,
    `parser.invalid_case` where it is no JSON object or a field is not of its type.
    """
    for number, text in enumerate(lines, start=1):
        if not text.strip():
            continue
        case: object = None
        try:
            case = _read_object(text, number)
            answer = read_case(case)
        except ParserError as error:
            name = case.get("id") if isinstance(case, dict) else None
            answer = {"id": name, "error": {"code": error.code, "message": error.message}}
        yield answer


def _read_object(text: bytes, number: int) -> dict[str, Any]:
    try:
        case = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidCaseError(f"line {number} is no JSON ({error}); write one object") from error
    if not isinstance(case, dict):
        raise InvalidCaseError(f"line {number} is no JSON object; write one object a line")
    return case


def read_reply(line: Mapping[str, Any]) -> Reply:
    """The reply of a line: `message` where it came in several fields, else `raw`.

    Raises:
        InvalidCaseError: A field is not of its type.
    """
    message = line.get("message")
    if message is None:
        raw = line.get("raw")
        if raw is not None and not isinstance(raw, str):
            raise InvalidCaseError("`raw` must be a text")
        return Reply(content=raw or "")
    if not isinstance(message, Mapping):
        raise InvalidCaseError("`message` must be an object")
    calls = message.get("tool_calls") or ()
    if not isinstance(calls, list | tuple) or not all(isinstance(c, Mapping) for c in calls):
        raise InvalidCaseError("`message.tool_calls` must be a list of objects")
    finish_reason = message.get("finish_reason")
    return Reply(
        content=_join_content(message.get("content")),
        reasoning=str(message.get("reasoning_content") or message.get("reasoning") or ""),
        tool_calls=tuple(calls),
        finish_reason=finish_reason if isinstance(finish_reason, str) else None,
    )


def describe_result(result: Action | Rejection, screen: Size | None) -> dict[str, Any]:
    """`{"out"}` or `{"rejection"}` of a reading, with pixels where the screen is known."""
    if isinstance(result, Rejection):
        return {"rejection": {"code": result.code, "message": result.message, "span": result.span}}
    return {"out": _describe_action(result, screen)}


def _read_size(line: Mapping[str, Any], name: str) -> Size | None:
    """`[w, h]` as a Size; null stays None."""
    value = line.get(name)
    if value is None:
        return None
    is_pair = isinstance(value, list | tuple) and len(value) == 2
    if not is_pair or not all(type(side) is int and side > 0 for side in value):
        raise InvalidCaseError(f"`{name}` must be [width, height] in pixels, or null")
    return Size(width_px=value[0], height_px=value[1])


def _join_content(content: object) -> str:
    """Content is text, or a list of parts (text parts are joined, structured ones kept as JSON)."""
    if isinstance(content, list):
        parts = [part if isinstance(part, Mapping) else {"text": str(part)} for part in content]
        return "\n".join(
            str(part["text"]) if "text" in part else json.dumps(part, ensure_ascii=False)
            for part in parts
        )
    return "" if content is None else str(content)


def _describe_action(action: Action, screen: Size | None) -> dict[str, Any]:
    out: dict[str, Any] = {"action": action.action}
    if isinstance(action, Click | DoubleClick | LongPress | Type | Scroll):
        _put_point(out, "", action.point, screen)
        if action.element is not None:
            out["element"] = action.element.index
    if isinstance(action, Slide):
        _put_point(out, "1", action.point1, screen)
        _put_point(out, "2", action.point2, screen)
    if isinstance(action, LongPress | Slide) and action.duration_s is not None:
        out["seconds"] = action.duration_s
    if isinstance(action, Type):
        out |= {"text": action.value, "clear": action.clear, "submit": action.submit}
    if isinstance(action, Scroll):
        out |= {"direction": action.direction, "finger": action.finger}
        if action.distance is not None:
            out["distance"] = action.distance
    if isinstance(action, Awake):
        out["app"] = action.value
    if isinstance(action, HotKey):
        out["key"] = action.key
    if isinstance(action, Wait):
        out["seconds"] = action.value
    if isinstance(action, Complete):
        out["return"] = action.return_
    if action.action in _TEXT_KINDS:
        out["text"] = getattr(action, "value", "")
    if action.confirm is not None:
        out |= {"confirm": action.confirm, "sensitive": True}
    if action.then is not None:
        out["then"] = action.then
    if action.summary:
        out["summary"] = action.summary
    return out


def _put_point(out: dict[str, Any], suffix: str, point: Point | None, screen: Size | None) -> None:
    if point is None:
        return
    out[f"point{suffix}"] = [round(point.x, 2), round(point.y, 2)]
    if screen is not None:
        out[f"px{suffix}"] = list(point.to_px(screen.width_px, screen.height_px))


def element_base(dialect: str, variant: str | None = None) -> int | None:
    """0 or 1 for dialects that count elements, None for the others."""
    space = get_parser(dialect, variant=variant).space
    return space.base if isinstance(space, ElementSpace) else None
