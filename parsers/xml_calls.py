"""Calls written as tags: `<invoke name="click"><parameter name="index">5</parameter></invoke>`
and `<function=click><parameter=index>5</parameter></function>`.

Values are opaque text: no entity is resolved and nothing in them is a tag, except the closing
`</parameter>`.
"""

from __future__ import annotations

import re

from parsers.call_reading import ARGUMENTS_MAX, Call
from parsers.reading import Cut, Refused

_HEAD = re.compile(
    r"<(?:invoke\s{1,5}name\s{0,3}=\s{0,3}[\"']?|function\s{0,3}=\s{0,3}[\"']?)"
    r"([A-Za-z_][\w.-]{0,60})[\"']?\s{0,3}/?>"
)
_PARAMETER = re.compile(
    r"<parameter(?:\s{1,5}name)?\s{0,3}=\s{0,3}[\"']?([A-Za-z_]\w{0,60})[\"']?"
    r"(?:\s{1,5}string\s{0,3}=\s{0,3}[\"']?\w{1,9}[\"']?)?\s{0,3}>"
)
_TAG = re.compile(r"</?(?!parameter)[\w:]{1,40}[^<>]{0,200}>|```|<｜|<\|")
_PARAMETER_END = "</parameter>"


def read_xml_calls(text: str) -> list[Call]:
    """All tagged calls of a text, in order; empty where there is none.

    A parameter that lost its end tag is a `Cut`; a call that lost its own end tag is whole as long
    as its parameters are.

    Raises:
        Refused: `bad_arg` for text between or behind the parameters (a value that holds
            `</parameter>` would lose its end), `truncated` where a tag breaks off.
    """
    if "<" not in text:
        return []
    heads = list(_HEAD.finditer(text))[:ARGUMENTS_MAX]
    calls: list[Call] = []
    position = 0
    for head in heads:
        if head.start() < position:
            continue
        arguments: list[tuple[str | None, object]] = []
        position = head.end()
        while len(arguments) < ARGUMENTS_MAX:
            gap = re.compile(r"\s*").match(text, position)
            parameter = _PARAMETER.match(text, gap.end() if gap else position)
            if parameter is None:
                _check_end(text, gap.end() if gap else position)
                break
            end = text.find(_PARAMETER_END, parameter.end())
            if end < 0:
                arguments.append((parameter.group(1), Cut(text[parameter.end() :])))
                position = len(text)
                break
            arguments.append((parameter.group(1), _trim(text[parameter.end() : end])))
            position = end + len(_PARAMETER_END)
        calls.append(Call(head.group(1), tuple(arguments), head.start(), position))
    return calls


def _check_end(text: str, position: int) -> None:
    """What stands behind the last parameter: a tag, or nothing."""
    if position >= len(text) or _TAG.match(text, position):
        return
    if text[position] == "<" and ">" not in text[position:]:
        raise Refused("truncated", "the reply was cut inside a tag", text[position:])
    raise Refused("bad_arg", "text stands outside of a parameter", text[position:])


def _trim(value: str) -> str:
    """One line break at each end is layout, not text."""
    if value.startswith("\n") and value.endswith("\n") and len(value) > 1:
        return value[1:-1]
    return value
