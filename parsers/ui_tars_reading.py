"""The functions that users of the `ui-tars` package know, made safe.

A call is parsed with `ast.parse(mode="eval")` and never evaluated: only plain names, an allow-list
of functions, a schema for each, literals alone. `parsers.ui_tars_script` writes scripts from it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from parsers.action import Rejection
from parsers.base import PixelSpace, RelativeSpace, ReplyContext
from parsers.call_reading import Call, choose_call, read_calls
from parsers.errors import InvalidActionError
from parsers.reading import (
    REPLY_MAX_CHARS,
    Bare,
    Cut,
    Reading,
    Refused,
    clip,
    read_direction,
    read_numbers,
    read_seconds,
    read_text,
    split_thought,
    strip_edges,
)
from parsers.spaces import smart_resize

MIN_PIXELS = 100 * 28 * 28
MAX_PIXELS = 16384 * 28 * 28
BOX_NUMBER_MAX = 20_000
_AST_MAX_CHARS = 20_000
_LABEL = re.compile(r"(?:^|\n)[ \t]{0,8}Action\s{0,3}[:：]\s{0,3}", re.IGNORECASE)
_THOUGHT = re.compile(r"^\s{0,8}(?:Thought|Reflection)\s{0,3}[:：]\s{0,3}", re.IGNORECASE)
# A backslash that no Python string knows would only warn today and fail tomorrow.
_ODD_ESCAPE = re.compile(r"\\(?![\\'\"nrtabfv0-7xuUN\n])")
_SHARES = re.compile(r"\d*\.\d")

Kind = Literal["box", "text", "direction", "seconds", "key"]


@dataclass(frozen=True, slots=True)
class _Field:
    names: tuple[str, ...]
    kind: Kind
    required: bool = True


_START = _Field(("start_box", "point", "start_point"), "box")
_END = _Field(("end_box", "end_point"), "box")
_MAYBE_END = _Field(("end_box", "end_point"), "box", required=False)
_TIME = _Field(("time", "seconds", "duration"), "seconds", required=False)
_MAYBE_CONTENT = _Field(("content",), "text", required=False)
SCHEMAS: dict[str, tuple[_Field, ...]] = {
    "click": (_START,),
    "left_double": (_START,),
    "right_single": (_START,),
    "drag": (_START, _END),
    "hotkey": (_Field(("key", "hotkey"), "key"),),
    "type": (_Field(("content",), "text"),),
    "scroll": (
        _Field(_START.names, "box", required=False),
        _Field(("direction",), "direction", required=False),
        _MAYBE_END,
    ),
    "wait": (_TIME,),
    "finished": (_MAYBE_CONTENT,),
    "long_press": (_START, _TIME),
    "open_app": (_Field(("app_name", "app"), "text"),),
    "press_home": (),
    "press_back": (),
    "call_user": (_MAYBE_CONTENT,),
}
"""Every function that is allowed, with its arguments in positional order."""


def parse_action(text: str) -> dict[str, Any] | None:
    """Read one call, strictly: `click(start_box='(500,320)')`.

    Args:
        text: The call; a thought, an `Action:` label and wrappers before it are taken off.

    Returns:
        `{"function": name, "args": {name: value}}` with the literals as they were written, or None
        where it cannot be read (`read_action_call` tells why).
    """
    found = read_action_call(text)
    return None if isinstance(found, Rejection) else found


def read_action_call(text: str) -> dict[str, Any] | Rejection:
    """As `parse_action`, with the code and the reason in place of None."""
    try:
        call = _choose(text)
        return {"function": call.name, "args": _check(call)}
    except Refused as refusal:
        return refusal.to_rejection(clip(text).encode("utf-8", "replace").decode("utf-8"))


def parse_action_to_structure_output(
    text: str,
    factor: int,
    origin_resized_height: int,
    origin_resized_width: int,
    model_type: str = "qwen25vl",
    max_pixels: int = MAX_PIXELS,
    min_pixels: int = MIN_PIXELS,
) -> list[dict[str, Any]]:
    """Read a whole reply into structured actions.

    Args:
        text: The reply: `Thought: … Action: …`.
        factor: Divisor of relative models (1000); pixel models ignore it.
        origin_resized_height: Height in pixels of the picture that was sent.
        origin_resized_width: Its width.
        model_type: "qwen25vl" (pixels of the smart-resized picture); all else is relative.
        max_pixels: Limit of the model's processor.
        min_pixels: Limit of the model's processor.

    Returns:
        One dict for each call, in order: `reflection`, `thought`, `action_type`, `action_inputs`
        (boxes as `start_box` / `end_box`: four numbers 0-1 in a string), `text`.

    Raises:
        InvalidActionError: A call cannot be read; nothing is returned in part.
    """
    wide, high = float(factor), float(factor)
    if model_type == "qwen25vl":
        width, height = smart_resize(
            origin_resized_width, origin_resized_height, 28, min_pixels, max_pixels
        )
        wide, high = float(width), float(height)
    try:
        thought, body = _split(text)
        calls = _find_calls(body)
        if not calls:
            raise Refused("no_action", "there is no action call in the reply", text)
        return [
            {
                "reflection": None,
                "thought": thought,
                "action_type": call.name,
                "action_inputs": _structure(_check(call), wide, high),
                "text": text,
            }
            for call in calls
        ]
    except Refused as refusal:
        raise InvalidActionError(
            f"the reply cannot be read: {refusal.message}", reason=refusal.code, span=refusal.span
        ) from refusal


# --- finding calls ----------------------------------------------------------------------------


def _split(text: str) -> tuple[str, str]:
    if len(text) > REPLY_MAX_CHARS:
        raise Refused("no_action", f"the reply is longer than {REPLY_MAX_CHARS} characters")
    thought, rest = split_thought(text)
    rest = strip_edges(rest)
    labels = list(_LABEL.finditer(rest))
    if labels:
        said = _THOUGHT.sub("", rest[: labels[0].start()]).strip()
        thought = "\n".join(part for part in (thought, said) if part)
        rest = rest[labels[0].end() :]
    return thought, rest.strip()


def _choose(text: str) -> Call:
    _, body = _split(text)
    strict = _parse_strictly(body)
    if strict is not None:
        return strict
    reading = _reading()
    calls = read_calls(body, SCHEMAS.__contains__, reading)
    return choose_call(calls, lambda call: call.name == "finished", body, reading)


def _find_calls(body: str) -> list[Call]:
    strict = _parse_strictly(body)
    if strict is not None:
        return [strict]
    return read_calls(body, SCHEMAS.__contains__, _reading())


def _reading() -> Reading:
    return Reading("ui_tars", None, RelativeSpace(1000, 1000), ReplyContext())


def _parse_strictly(text: str) -> Call | None:
    """The call that `text` is in Python's own grammar; None where it is not an expression.

    Raises:
        Refused: It is an expression, but not a plain call with literals.
    """
    if len(text) > _AST_MAX_CHARS or _ODD_ESCAPE.search(text):
        return None
    try:
        body = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if not isinstance(body, ast.Call):
        raise Refused("no_action", "there is no action call in the reply", text)
    if not isinstance(body.func, ast.Name):
        raise Refused("unknown_action", "only plain function names are allowed", text)
    arguments: list[tuple[str | None, object]] = [(None, _literal(node)) for node in body.args]
    for keyword in body.keywords:
        if keyword.arg is None:
            raise Refused("bad_arg", "arguments must be written out one by one", text)
        arguments.append((keyword.arg, _literal(keyword.value)))
    return Call(body.func.id, tuple(arguments), 0, len(text), known=body.func.id in SCHEMAS)


def _literal(node: ast.expr) -> object:
    try:
        value: object = ast.literal_eval(node)
    except (ValueError, TypeError, RecursionError, MemoryError, SyntaxError):
        raise Refused("bad_arg", "an argument must be a literal", ast.unparse(node)) from None
    return value


# --- checking against the schema --------------------------------------------------------------


def _check(call: Call) -> dict[str, Any]:
    """The arguments by name, each of the kind that the function's schema wants."""
    schema = SCHEMAS.get(call.name)
    if schema is None:
        raise Refused("unknown_action", f"use one of {', '.join(SCHEMAS)}", call.name)
    args: dict[str, Any] = {}
    taken: set[tuple[str, ...]] = set()
    positional = [value for keyword, value in call.arguments if keyword is None]
    if schema and schema[0].kind == "box" and len(positional) > 1:
        positional = _pair_numbers(positional)
    for value in positional:
        field = next((field for field in schema if field.names not in taken), None)
        if field is None:
            raise Refused("bad_arg", f"{call.name} has too many arguments", value)
        taken.add(field.names)
        args[field.names[0]] = _value(value, field, field.names[0])
    for keyword, value in call.arguments:
        if keyword is None:
            continue
        field = next((field for field in schema if keyword in field.names), None)
        if field is None:
            raise Refused("bad_arg", f"{call.name} has no argument {keyword!r}", keyword)
        if field.names in taken:
            raise Refused("conflict", f"{keyword} is given twice", value)
        taken.add(field.names)
        args[keyword] = _value(value, field, keyword)
    for field in schema:
        if field.required and field.names not in taken:
            raise Refused("missing_arg", f"{call.name} needs {field.names[0]}", call.name)
    if call.name == "scroll" and not taken & {("direction",), _END.names}:
        raise Refused("missing_arg", "scroll needs a direction or an end_box", call.name)
    return args


def _pair_numbers(values: list[object]) -> list[object]:
    """`click(500, 320)` is one point; `drag(1, 2, 3, 4)` is two."""
    plain = [float(str(v)) for v in values if re.fullmatch(r"\s*-?\d+(\.\d+)?\s*", str(v))]
    if len(plain) != len(values) or len(values) % 2:
        return values
    return [[plain[n], plain[n + 1]] for n in range(0, len(plain), 2)]


def _value(value: object, field: _Field, name: str) -> object:
    if isinstance(value, Cut):
        raise Refused("truncated", f"the reply was cut inside {name}", value)
    if isinstance(value, Bare):
        value = _bare_literal(value, name)
    match field.kind:
        case "box":
            if not isinstance(value, str | list | tuple | int | float):
                raise Refused("bad_point", f"{name} must be a text or a list of numbers", value)
            numbers = read_numbers(value, name)
            if len(numbers) not in (2, 4):
                raise Refused("bad_point", f"{name} needs two or four numbers", value)
            if not all(0 <= number <= BOX_NUMBER_MAX for number in numbers):
                raise Refused("out_of_range", f"{name} is off the screen", value)
        case "text":
            if not isinstance(value, str):
                raise Refused("bad_arg", f"{name} must be a text", value)
            read_text(value if field.required else value or " ", name)
        case "direction":
            read_direction(value, name)
        case "seconds":
            read_seconds(value, name)
        case "key":
            if not isinstance(value, str) or not re.fullmatch(r"[\w+ -]{1,40}", value, re.ASCII):
                raise Refused("bad_arg", f"{name} must be names of keys", value)
    return value


def _bare_literal(value: Bare, name: str) -> object:
    try:
        return ast.literal_eval(str(value)) if len(value) <= 400 else value
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        raise Refused("bad_arg", f"{name} must be a literal", value) from None


# --- structure ---------------------------------------------------------------------

_BOX_NAMES = {
    "point": "start_box",
    "start_point": "start_box",
    "start_box": "start_box",
    "end_point": "end_box",
    "end_box": "end_box",
}


def _structure(args: Mapping[str, Any], wide: float, high: float) -> dict[str, Any]:
    inputs: dict[str, Any] = {}
    for name, value in args.items():
        box = _BOX_NAMES.get(name)
        if box is None:
            inputs[name] = value
            continue
        numbers = read_numbers(value, name)
        if not (_SHARES.search(str(value)) and all(number <= 1 for number in numbers)):
            numbers = [n / (high if place % 2 else wide) for place, n in enumerate(numbers)]
        if not all(0 <= number <= 1 for number in numbers):
            raise Refused("out_of_range", f"{name} is off the screen", value)
        inputs[box] = str(numbers if len(numbers) == 4 else numbers * 2)
    return inputs


PIXELS = PixelSpace(factor=28, min_pixels=MIN_PIXELS, max_pixels=MAX_PIXELS)
"""The space of UI-TARS 1.5."""
