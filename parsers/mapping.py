"""Named fields to an action: the shape that Step-GUI tools pass around.

Shared by the step0920 reader (fields of text) and by `action2action` (a foreign dict).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, assert_never, cast, get_args

from pydantic import ValidationError

from parsers.action import (
    Abort,
    Action,
    ActionKind,
    Answer,
    Awake,
    Back,
    CallApi,
    Click,
    Complete,
    DoubleClick,
    Element,
    Grid,
    Home,
    Info,
    LongPress,
    Note,
    Point,
    Scroll,
    Slide,
    TakeOver,
    Type,
    Wait,
    describe_validation_error,
)
from parsers.base import RelativeSpace, ReplyContext
from parsers.errors import InvalidActionError
from parsers.keys import press, read_key
from parsers.reading import (
    Reading,
    Refused,
    opposite,
    read_direction,
    read_flag,
    read_number,
    read_seconds,
    read_text,
    to_element,
)

WIRE_SPACE = RelativeSpace(scale=1000, maximum=1000)
SYNONYMS = {"action_type": "action", "is_keyboard": "keyboard_exists", "thought": "cot"}
KNOWN_FIELDS = frozenset(
    (
        *("cot", "explain", "action", "summary", "value", "return", "point", "point1", "point2"),
        *("key", "keyboard_exists", "direction", "finger", "distance", "duration_s", "element"),
        *("clear", "submit", "confirm", "then"),
    )
)
_LETTERS = re.compile(r"[^A-Z]+")
_KINDS: dict[str, ActionKind] = {_LETTERS.sub("", kind): kind for kind in get_args(ActionKind)}


def read_kind(value: object) -> ActionKind:
    """Find the action kind by its name, whatever its case and word separators.

    Raises:
        Refused: `no_action` where there is none, `unknown_action` where it is another word.
    """
    if not isinstance(value, str) or not value.strip():
        raise Refused("no_action", "the reply has no `action` field", "")
    word = value.strip(" \t\r\n\"'`[]<>.。").upper()
    kind = _KINDS.get(_LETTERS.sub("", word)) if len(word) <= 20 else None
    if kind is None or not re.fullmatch(r"[A-Z]+(?:[ _-]?[A-Z]+)*", word):
        raise Refused("unknown_action", f"there is no such action; use one of {_kinds()}", value)
    return kind


def fields_to_action(fields: Mapping[str, object], reading: Reading) -> Action:
    """Build the action that named fields describe.

    Args:
        fields: Canonical names (see `KNOWN_FIELDS`); others are ignored with a warning.
        reading: Its space says how points are to be read.

    Raises:
        Refused: A required field is missing or wrong.
    """
    kind = read_kind(fields.get("action"))
    reading.warn_unknown(name for name in fields if name not in KNOWN_FIELDS and name != "meta")
    action = _build(kind, fields, reading)
    common: dict[str, Any] = {
        name: str(fields[name])
        for name in ("cot", "explain", "summary", "confirm")
        if fields.get(name) is not None
    }
    if fields.get("then") is not None:
        if fields["then"] != "COMPLETE":
            raise Refused("bad_arg", "`then` can only be COMPLETE", fields["then"])
        common["then"] = "COMPLETE"
    return action.model_copy(update=common) if common else action


def _build(kind: ActionKind, fields: Mapping[str, object], reading: Reading) -> Action:
    value = fields.get("value")
    match kind:
        case "CLICK":
            return Click(**_target(fields, reading))
        case "DOUBLE_CLICK":
            return DoubleClick(**_target(fields, reading))
        case "LONGPRESS":
            return LongPress(**_target(fields, reading), duration_s=_optional_s(fields))
        case "TYPE":
            return Type(
                value=read_text(value, "value"),
                keyboard_exists=read_flag(fields.get("keyboard_exists"), "keyboard_exists"),
                clear=read_flag(fields.get("clear"), "clear"),
                submit=read_flag(fields.get("submit"), "submit"),
                **_optional_target(fields, reading),
            )
        case "SLIDE":
            return Slide(
                point1=_required_point(fields, "point1", reading),
                point2=_required_point(fields, "point2", reading),
                duration_s=_optional_s(fields),
                from_edge=read_flag(fields.get("from_edge"), "from_edge"),
            )
        case "SCROLL":
            direction = read_direction(fields.get("direction", value), "direction")
            finger = fields.get("finger")
            if finger is not None and read_direction(finger, "finger") != opposite(direction):
                raise Refused("conflict", "`finger` must be the opposite of `direction`", finger)
            distance = fields.get("distance")
            return Scroll(
                direction=direction,
                finger=opposite(direction),
                distance=None if distance is None else read_number(distance, "distance"),
                **_optional_target(fields, reading),
            )
        case "AWAKE":
            return Awake(value=_line(value))
        case "BACK":
            return Back()
        case "HOME":
            return Home()
        case "HOT_KEY":
            return press(read_key(fields.get("key", value), "key"))
        case "WAIT":
            return Wait(value=read_seconds(value, "value"))
        case "INFO":
            return Info(value=_line(value))
        case "ANSWER":
            return Answer(value=_line(value))
        case "COMPLETE":
            return Complete(**{"return": _said(fields, reading)})
        case "ABORT":
            return Abort(value=_optional_text(value))
        case "TAKE_OVER":
            return TakeOver(value=_optional_text(value))
        case "NOTE":
            return Note(value=_optional_text(value))
        case "CALL_API":
            return CallApi(value=_optional_text(value))
        case "GRID":
            return Grid()
        case _:
            assert_never(kind)


def read_action_mapping(mapping: Mapping[str, Any]) -> Action:
    """Validate a foreign dict: Step-GUI field names, points 0-1000 as text or list.

    `action_type` is a synonym of `action`, `is_keyboard` of `keyboard_exists`; unknown fields are
    ignored and named in `meta.warnings`.

    Raises:
        InvalidActionError: It is not one valid action.
    """
    reading = Reading("", None, WIRE_SPACE, ReplyContext())
    try:
        action = fields_to_action(canonical_fields(mapping), reading)
    except Refused as refusal:
        raise InvalidActionError(
            f"not a valid action: {refusal.message}", reason=refusal.code, span=refusal.span
        ) from refusal
    except ValidationError as error:
        raise InvalidActionError(
            f"not a valid action: {describe_validation_error(error)}"
        ) from error
    if not reading.warnings:
        return action
    return action.model_copy(
        update={"meta": action.meta.model_copy(update={"warnings": tuple(reading.warnings)})}
    )


def canonical_fields(mapping: Mapping[str, Any]) -> dict[str, object]:
    """Bring field names to their canonical form.

    Raises:
        Refused: `conflict` where a name and its synonym disagree.
    """
    fields: dict[str, object] = {}
    for key, value in mapping.items():
        name = SYNONYMS.get(str(key), str(key))
        if name in fields and fields[name] != value:
            raise Refused("conflict", f"`{name}` is given twice with different values", value)
        fields[name] = value
    return fields


def _target(fields: Mapping[str, object], reading: Reading) -> dict[str, Any]:
    target = _optional_target(fields, reading)
    if not target:
        raise Refused("missing_arg", "`point` is missing: give x and y", "")
    return target


def _optional_target(fields: Mapping[str, object], reading: Reading) -> dict[str, Any]:
    point, element = fields.get("point"), fields.get("element")
    if not _is_blank(point) and element is not None:
        raise Refused("conflict", "give a point or an element, not both", element)
    if element is not None:
        return {"element": _read_element(element, reading)}
    return {} if _is_blank(point) else {"point": _read_point(point, "point", reading)}


def _read_element(value: object, reading: Reading) -> Element:
    if isinstance(value, Mapping):
        return to_element(value.get("index"), 0 if value.get("base") == 0 else 1)
    return reading.element(value)


def _required_point(fields: Mapping[str, object], name: str, reading: Reading) -> Point:
    value = fields.get(name)
    if _is_blank(value):
        raise Refused("missing_arg", f"`{name}` is missing: give x and y", "")
    return _read_point(value, name, reading)


def _read_point(value: object, name: str, reading: Reading) -> Point:
    if isinstance(value, str):
        # Only the first line can be the point: what follows is prose of a reply without summary.
        value = value.strip().partition("\n")[0]
    return reading.point(value, name)


def _is_blank(value: object) -> bool:
    if isinstance(value, str):
        return value.strip().lower() in ("", "none", "null")
    return value is None or value in ([], ())


def _line(value: object) -> str:
    text = read_text(value, "value").strip()
    if not text:
        raise Refused("missing_arg", "`value` is empty", "")
    return text


def _optional_text(value: object) -> str:
    return "" if value is None else str(value).strip()


def _said(fields: Mapping[str, object], reading: Reading) -> str:
    said, value = fields.get("return"), fields.get("value")
    if said is None and value is not None:
        reading.repair("`value` read as `return`")
        said = value
    return _optional_text(said)


def _optional_s(fields: Mapping[str, object]) -> float | None:
    value = fields.get("duration_s")
    return None if value is None else read_seconds(value, "duration_s")


def _kinds() -> str:
    return ", ".join(cast("tuple[str, ...]", get_args(ActionKind))[:14])
