"""Finding the tool calls of a reply: tags, bare objects, XML parameters, native `tool_calls`.

The grammar is that of Qwen's function calling (`<tool_call>{"name", "arguments"}</tool_call>`) with
the damage that its descendants are known for: lost or odd closing tags, no tag at all, the action
as the tool's name, arguments as text or without their wrapper, `<function=…><parameter=…>`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from parsers.action import Action, ActionMeta
from parsers.json_reading import JsonFault, JsonObject, read_objects
from parsers.reading import Reading, Refused, is_thinking_open, split_thought

STOP_KINDS = frozenset({"COMPLETE", "ABORT"})
_ARGUMENT_KEYS = ("arguments", "parameters", "args", "input")
_OPEN_TAG = "<tool_call>"
_FUNCTION = re.compile(r"<function=\s*([\w.-]{1,64})\s*>")
_PARAMETER = re.compile(r"<parameter=\s*([\w.-]{1,64})\s*>")
_TAIL = re.compile(r"(?:\s|</?\w{1,20}>|`{3}|[}\]]|⚗|📐|\ufe0f)*\Z")
_TAGGED_TAIL = re.compile(r"</tool_call>\s*\Z")
_LABELS_MAX = 200
_WORD = re.compile(r"[^\W\d_]")
_CLOSERS = re.compile(r"</?(?!conclusion)\w{1,20}>|<\|\w{1,20}\|>|`{3}\w{0,12}|[\]})]")
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
        mentioned: It stands in the middle of a sentence.
    """

    name: str
    arguments: dict[str, Any]
    end: int = -1
    mentioned: bool = False


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
    is_unclosed = False
    if not rest and is_thinking_open(text) and _TAGGED_TAIL.search(thought):
        # Never closed, but it ends with a whole tagged call: that is the answer.
        reading.repair("the thinking is not closed")
        is_unclosed = True
        begin = thought.rfind(_OPEN_TAG)
        if begin >= 0:
            thought, rest = thought[:begin].strip(), thought[begin:]
    if '{\\"' in rest and '{"' not in rest:
        # The whole reply was printed with its escapes.
        reading.repair("an escaped reply")
        rest = _ESCAPED.sub(_unescape, rest)
    begin, calls, tagged = _find_calls(rest, reading, is_call)
    if is_unclosed:
        # Good enough for an act; an end that may have been a thought ends nothing.
        calls = [replace(call, mentioned=True) for call in calls]
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
    together with a stop contradicts itself, and so does a stop together with what cannot be read.

    Raises:
        Refused: The first call cannot be read, or `multiple_actions`.
    """
    first = read(calls[0])
    if first.action in STOP_KINDS and calls[0].mentioned:
        raise Refused("no_action", "an end is mentioned inside a sentence, not given")
    others: list[Action] = []
    for call in calls[1:]:
        if call.name == calls[0].name and call.arguments == calls[0].arguments:
            continue
        try:
            action = read(call)
        except Refused as refusal:
            if first.action in STOP_KINDS:
                raise _contradiction() from refusal
            reading.warn(f"ignored a further call: {refusal.message}")
            continue
        if _bare(action) != _bare(first):
            others.append(action)
    if others:
        if any(action.action in STOP_KINDS for action in (first, *others)):
            raise _contradiction()
        reading.warn("several actions in one reply: only the first is carried out")
    return first


def _contradiction() -> Refused:
    return Refused(
        "multiple_actions", "an act and an end of the task in one reply: give one of them"
    )


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
    sections = _find_sections(text, pieces)
    announced = max((place for place, is_action in sections if is_action), default=-1)
    in_action = False
    calls: list[ToolCall] = []
    first = -1
    for piece in pieces:
        if piece.start < begin:
            continue
        if isinstance(piece, JsonFault):
            if (not calls or piece.final) and not _is_draft(text, piece, sections, announced):
                span = text[piece.start : piece.start + 200]
                raise Refused(piece.code, f"the call cannot be read: {piece.message}", span)
            reading.warn(f"ignored a damaged call: {piece.message}")
            if calls:
                # It still counts against a stop: `choose_action` finds nothing in it.
                calls.append(ToolCall("", {}, piece.end))
            continue
        if not tagged and not _is_wrapped(piece.value) and not is_call(piece.value):
            reading.warn("ignored an object that is no action")
            continue
        if _is_draft(text, piece, sections, announced):
            reading.warn("a call inside the thought was left out")
            continue
        in_action = _is_in_action(sections, piece.start)
        calls.append(replace(_to_call(piece), mentioned=is_mentioned(text, piece)))
        first = piece.start if first < 0 else first
        for repair in piece.repairs:
            reading.repair(repair)
    if calls and calls[-1].end < announced and not (in_action and text[announced:].strip(" *#`\n")):
        # What stands before the label was thought about; behind it there is nothing to do.
        raise Refused("no_action", "no call stands behind the action's label", text[announced:])
    return (begin if tagged else first), calls, tagged


def _find_tag(text: str, pieces: Sequence[JsonObject | JsonFault]) -> int:
    """Where the first opening tag outside every object stands; -1 without one."""
    begin = text.find(_OPEN_TAG)
    for piece in pieces:
        if 0 <= piece.start < begin < piece.end and isinstance(piece, JsonObject):
            begin = text.find(_OPEN_TAG, piece.end)
    return begin


def _find_sections(text: str, pieces: Sequence[JsonObject | JsonFault]) -> list[tuple[int, bool]]:
    """Behind which places a labelled section begins, and whether it is the action's.

    `Action:` and `### Action ###` announce it; a label inside an object is part of a text.
    """
    spans = [(piece.start, piece.end) for piece in pieces if isinstance(piece, JsonObject)]
    return [
        (mark.end(), mark.group(1).lower() == "action")
        for mark in islice(_LABEL.finditer(text), _LABELS_MAX)
        if not any(start < mark.end() <= end for start, end in spans)
    ]


def _is_in_action(sections: Sequence[tuple[int, bool]], place: int) -> bool:
    return next((action for start, action in reversed(sections) if start <= place), False)


def _is_draft(
    text: str,
    piece: JsonObject | JsonFault,
    sections: Sequence[tuple[int, bool]],
    announced: int,
) -> bool:
    """Whether a call is part of a thought's sentence, in front of the action's label."""
    if piece.start >= announced or _is_in_action(sections, piece.start):
        return False
    return _WORD.search(_line_before(text, piece.start)) is not None


def is_mentioned(text: str, piece: JsonObject) -> bool:
    """Whether a sentence goes on round a call: words before it on its line, and words behind."""
    before = _line_before(text, piece.start)
    label = _LABEL.match(before)
    if _WORD.search(before, label.end() if label else 0) is None:
        return False
    behind = _CLOSERS.sub("", text[piece.end : piece.end + 400]).lstrip()
    if behind.startswith("<conclusion>") or _LABEL.match(behind):
        return False
    return _WORD.search(behind) is not None


def _line_before(text: str, start: int) -> str:
    """What stands before a call (with its tag) on the same line."""
    before = text[max(0, start - 400) : start]
    head = before.rstrip()
    if head.endswith(_OPEN_TAG):
        before = head.removesuffix(_OPEN_TAG)
    return _CLOSERS.sub("", before[before.rfind("\n") + 1 :])


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
        while parameter := _PARAMETER.match(text, _skip_space(text, position), limit):
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
        rest = text[_skip_space(text, position) : limit]
        if rest and not rest.startswith("<"):
            raise Refused("bad_arg", "text stands outside of a parameter", rest)
        if rest.startswith(("<parameter", "<function")) or (rest and ">" not in rest):
            raise Refused("truncated", "a tag breaks off", rest)
        close = text.find("</function>", position, limit)
        calls.append(ToolCall(mark.group(1), arguments, close + 11 if close >= 0 else position))
    return marks[0].start(), calls


def _skip_space(text: str, position: int) -> int:
    while position < len(text) and text[position].isspace():
        position += 1
    return position


def _native_call(call: Mapping[str, Any]) -> ToolCall:
    function = call.get("function", call)
    if not isinstance(function, Mapping):
        raise Refused("bad_arg", "the tool call has no function", call)
    name = function.get("name")
    arguments: object = next((function[key] for key in _ARGUMENT_KEYS if key in function), {})
    if isinstance(arguments, Mapping):
        arguments = dict(arguments)
    return ToolCall(name if isinstance(name, str) else "", _read_arguments(arguments))
