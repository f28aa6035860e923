"""Finding the tool calls of a reply: tags, bare objects, XML parameters, native `tool_calls`.

The grammar is that of Qwen's function calling (`<tool_call>{"name", "arguments"}</tool_call>`) with
the damage that its descendants are known for: lost or odd closing tags, no tag at all, the action
as the tool's name, arguments as text or without their wrapper, `<function=…><parameter=…>`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from parsers.action import Action, ActionMeta
from parsers.json_reading import JsonFault, JsonObject, read_objects
from parsers.reading import Reading, Refused, split_thought

STOP_KINDS = frozenset({"COMPLETE", "ABORT"})
_ARGUMENT_KEYS = ("arguments", "parameters", "args", "input")
_OPEN_TAG = "<tool_call>"
_FUNCTION = re.compile(r"<function=\s*([\w.-]{1,64})\s*>")
_PARAMETER = re.compile(r"<parameter=\s*([\w.-]{1,64})\s*>")
_TAIL = re.compile(r"(?:\s|</?\w{1,20}>|`{3}|[}\]]|⚗|📐|\ufe0f)*\Z")
_TAGGED_TAIL = re.compile(r"</tool_call>\s*\Z")
_ESCAPED = re.compile(r"\\([n\"\\])")
_LABEL = re.compile(
    r"^\s*(?:#+\s*)?(thought|reason|memory|action|description)s?\s*(?:#+\s*)?(?:[:：]|\n)",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call as the model wrote it.

    Attributes:
        name: The tool's name; empty where only arguments were given.
        arguments: Its arguments.
        end: Index behind it in the text; -1 for a native call.
    """

    name: str
    arguments: dict[str, Any]
    end: int = -1


@dataclass(frozen=True, slots=True)
class CallText:
    """A reply taken apart: the thinking, the prose before the calls, the calls, what follows."""

    thought: str
    prose: str
    calls: tuple[ToolCall, ...]
    tail: str


def read_call_text(
    text: str,
    reading: Reading,
    is_call: Callable[[Mapping[str, Any]], bool],
    *,
    expect_tag: bool = True,
) -> CallText:
    """Take a reply apart.

    Args:
        text: The reply's text.
        reading: Takes repairs and warnings.
        is_call: Tells a call's object from other objects in prose.
        expect_tag: Whether the dialect wraps its calls (their lack is then a repair).

    Raises:
        Refused: `no_action`, or the fault of the first object that looks like a call.
    """
    thought, rest = split_thought(text)
    if not rest and _TAGGED_TAIL.search(thought):
        # Never closed, but it ends with a whole tagged call: that is the answer.
        reading.repair("the thinking is not closed")
        begin = thought.rfind(_OPEN_TAG)
        if begin >= 0:
            thought, rest = thought[:begin].strip(), thought[begin:]
    if '{\\"' in rest and '{"' not in rest:
        # The whole reply was printed with its escapes.
        reading.repair("an escaped reply")
        rest = _ESCAPED.sub(_unescape, rest)
    begin, calls, tagged = _find_calls(rest, reading, is_call)
    if not calls:
        raise Refused("no_action", "the reply has no tool call: give one action", rest[-200:])
    if expect_tag and not tagged:
        reading.repair("no tool_call tag")
    if reading.from_reasoning:
        calls = calls[-1:]
        if not _TAIL.match(rest, calls[0].end):
            message = "the content is empty and the reasoning does not end with an action"
            raise Refused("no_action", message, rest[-200:])
    return CallText(thought, rest[:begin].strip(), tuple(calls), rest[calls[-1].end :].strip())


def read_native_calls(calls: Sequence[Mapping[str, Any]]) -> list[ToolCall]:
    """Read `message.tool_calls`.

    Raises:
        Refused: A call that cannot be read.
    """
    return [_native_call(call) for call in calls]


def choose_action(
    calls: Sequence[ToolCall], reading: Reading, read: Callable[[ToolCall], Action]
) -> Action:
    """Read the calls of one reply and settle on one action.

    The same call twice is one; of several different acts the first counts, with a warning; an act
    together with a stop contradicts itself.

    Raises:
        Refused: The first call cannot be read, or `multiple_actions`.
    """
    first = read(calls[0])
    others: list[Action] = []
    for call in calls[1:]:
        if call.name == calls[0].name and call.arguments == calls[0].arguments:
            continue
        try:
            action = read(call)
        except Refused as refusal:
            reading.warn(f"ignored a further call: {refusal.message}")
            continue
        if _bare(action) != _bare(first):
            others.append(action)
    if others:
        if any(action.action in STOP_KINDS for action in (first, *others)):
            raise Refused(
                "multiple_actions", "an act and an end of the task in one reply: give one of them"
            )
        reading.warn("several actions in one reply: only the first is carried out")
    return first


def read_labels(prose: str) -> dict[str, str]:
    """The labelled lines before a call: `Thought:`, `Reason:`, `Action:`, `Memory:`."""
    marks = list(_LABEL.finditer(prose))
    labels: dict[str, str] = {}
    ends = [*(mark.start() for mark in marks[1:]), len(prose)]
    for mark, end in zip(marks, ends, strict=False):
        labels[mark.group(1).lower()] = prose[mark.end() : end].strip().strip('"')
    return labels


def _unescape(match: re.Match[str]) -> str:
    return "\n" if match.group(1) == "n" else match.group(1)


def _bare(action: Action) -> Action:
    return action.model_copy(update={"meta": ActionMeta()})


def _find_calls(
    text: str, reading: Reading, is_call: Callable[[Mapping[str, Any]], bool]
) -> tuple[int, list[ToolCall], bool]:
    """Where the calls of a text begin, the calls, and whether they are tagged."""
    function = _FUNCTION.search(text)
    if function and "{" not in text[: function.start()]:
        return (*_find_functions(text), True)
    pieces = read_objects(text)
    begin = _find_tag(text, pieces)
    tagged = begin >= 0
    if not tagged:
        begin = _last_action_label(text)
    calls: list[ToolCall] = []
    first = -1
    for piece in pieces:
        if piece.start < begin:
            continue
        if isinstance(piece, JsonFault):
            if not calls or piece.final:
                span = text[piece.start : piece.start + 200]
                raise Refused(piece.code, f"the call cannot be read: {piece.message}", span)
            reading.warn(f"ignored a damaged further call: {piece.message}")
            continue
        if not tagged and not _is_wrapped(piece.value) and not is_call(piece.value):
            reading.warn("ignored an object that is no action")
            continue
        calls.append(_to_call(piece))
        first = piece.start if first < 0 else first
        for repair in piece.repairs:
            reading.repair(repair)
    return (begin if tagged else first), calls, tagged


def _find_tag(text: str, pieces: Sequence[JsonObject | JsonFault]) -> int:
    """Where the first opening tag outside every object stands; -1 without one."""
    begin = text.find(_OPEN_TAG)
    for piece in pieces:
        if 0 <= piece.start < begin < piece.end and isinstance(piece, JsonObject):
            begin = text.find(_OPEN_TAG, piece.end)
    return begin


def _last_action_label(text: str) -> int:
    """Where the last `Action:` (or `### Action ###`) with an object behind it stands; 0 without."""
    begin = 0
    last_brace = text.rfind("{")
    for mark in _LABEL.finditer(text):
        if mark.group(1).lower() == "action" and mark.end() <= last_brace:
            begin = mark.end()
    return begin


def _is_wrapped(value: Mapping[str, Any]) -> bool:
    if isinstance(value.get("function"), dict):
        return True
    return any(key in value for key in _ARGUMENT_KEYS)


def _to_call(piece: JsonObject) -> ToolCall:
    value = piece.value
    inner = value.get("function")
    if isinstance(inner, dict):
        value = inner
    name = value.get("name")
    if not isinstance(name, str):
        name = ""
    for key in _ARGUMENT_KEYS:
        if key in value:
            return ToolCall(name.strip(), _read_arguments(value[key]), piece.end)
    rest = {key: item for key, item in value.items() if key != "name"}
    return ToolCall(name.strip(), rest, piece.end)


def _read_arguments(value: object) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    if value is None:
        return {}
    if isinstance(value, str):
        if not value.strip():
            return {}
        pieces = read_objects(value)
        if pieces and isinstance(pieces[0], JsonObject):
            return pieces[0].value
        if pieces and isinstance(pieces[0], JsonFault):
            raise Refused(pieces[0].code, f"the arguments: {pieces[0].message}", value)
    raise Refused("bad_arg", "`arguments` must be a JSON object", value)


def _find_functions(text: str) -> tuple[int, list[ToolCall]]:
    """Newer Qwen's XML: `<function=name><parameter=key>value</parameter>…</function>`."""
    marks = list(_FUNCTION.finditer(text))[:64]
    calls = []
    limits = [*(mark.start() for mark in marks[1:]), len(text)]
    for mark, limit in zip(marks, limits, strict=True):
        arguments: dict[str, Any] = {}
        position = mark.end()
        while parameter := _PARAMETER.search(text, position, limit):
            end = text.find("</parameter>", parameter.end(), limit)
            if end < 0:
                raise Refused("truncated", "a parameter breaks off", text[parameter.start() :])
            value = text[parameter.end() : end]
            value = value.removeprefix("\n").removesuffix("\n")
            key = parameter.group(1)
            if arguments.get(key, value) != value:
                raise Refused("conflict", f"the parameter {key} stands twice", value)
            arguments[key] = value
            position = end + len("</parameter>")
        close = text.find("</function>", position, limit)
        calls.append(ToolCall(mark.group(1), arguments, close + 11 if close >= 0 else position))
    return marks[0].start(), calls


def _native_call(call: Mapping[str, Any]) -> ToolCall:
    function = call.get("function", call)
    if not isinstance(function, Mapping):
        raise Refused("bad_arg", "the tool call has no function", call)
    name = function.get("name")
    arguments: object = next((function[key] for key in _ARGUMENT_KEYS if key in function), {})
    if isinstance(arguments, Mapping):
        arguments = dict(arguments)
    return ToolCall(name if isinstance(name, str) else "", _read_arguments(arguments))
