"""Splitting a step0920 reply into its fields: tabs, and what arrives in their place."""

from __future__ import annotations

import re
from collections.abc import Iterator

from parsers.action import RejectionCode
from parsers.json_reading import JsonObject, read_objects
from parsers.mapping import KNOWN_FIELDS, SYNONYMS, canonical_fields
from parsers.reading import Reading, Refused, clip, strip_edges

_FIELD_NAMES = sorted(KNOWN_FIELDS | set(SYNONYMS), key=len, reverse=True)
_KEY = rf"(?:{'|'.join(_FIELD_NAMES)})"
# Quantised models damage the tag: <TINK>, <THIN>, <THNIK>, < think >. A real HTML-like tag that
# may stand in text (<title>, <point>) is not within reach of these letters.
_TAG = re.compile(
    r"<\s{0,3}(/?)\s{0,3}(?:TH?I?N?KS?|THIN|THNIK|THIKN|HINK|THINKING|THOUGHT)\s{0,3}>",
    re.IGNORECASE,
)
_TAB = re.compile(r"\t+|\n[ \t\r]{0,20}(?=" + _KEY + r"\s{0,3}[:：])", re.IGNORECASE)
_LITERAL_TAB = re.compile(r"(?:\\t|\n)[ \t\r]{0,20}(?=" + _KEY + r"\s{0,3}[:：])", re.IGNORECASE)
_SPACES = re.compile(
    r"(?:(?<! ) {2,}+|(?<!\u3000)\u3000++|\n[ \t\r]{0,20})(?=" + _KEY + r"\s{0,3}[:：])",
    re.IGNORECASE,
)
_ONE_SPACE = re.compile(r"(?<!\s)\s++(?=" + _KEY + r"\s{0,3}[:：])", re.IGNORECASE)
_FIELD = re.compile(r"\s*([A-Za-z_][A-Za-z_0-9]{0,30})\s{0,3}[:：](.*)", re.DOTALL)
# A key stands behind no other letter, except that of a written-out `\t` or `\n`.
_KEY_START = r"(?:(?<!\w)|(?<=\\[tn]))"
_ACTION_KEY = re.compile(_KEY_START + r"action(?:_type)?\s{0,3}[:：]", re.IGNORECASE)
_SPACED_ACTION = re.compile(r"\s*action(?:_type)?\s{0,3}[:：] ", re.IGNORECASE)
_BLOCK_START = re.compile(r"\n[ \t\r]{0,20}(?=explain\s{0,3}[:：])", re.IGNORECASE)
_EXPLAIN = re.compile(_KEY_START + r"(?=explain\s{0,3}[:：])", re.IGNORECASE)
_LINE_START = re.compile(r"(?:^|\n|\t)[ \r]{0,20}(?=" + _KEY + r"\s{0,3}[:：])", re.IGNORECASE)
_OPEN_POINT = re.compile(
    r"[:：]\s{0,3}(?:[(\[（]{1,2}[^)\]）\n\t]{0,40}|<(?:point|bbox)>[^>\n\t]{0,40})\Z",
    re.IGNORECASE,
)
_CANONICAL = ("explain", "action", "summary")


def read_block(text: str, reading: Reading) -> dict[str, object]:
    """Find the one block of fields of a reply, with the thought as `cot`.

    The block after the *last* closing tag counts. An earlier block that is whole in itself
    (explain, action and summary) makes the reply ambiguous, unless it says the same.

    Returns:
        Canonical field name -> text.

    Raises:
        Refused: `no_action`, `multiple_actions` or `conflict`.
    """
    text = strip_edges(text)
    tags = list(_TAG.finditer(text))
    closing = [tag for tag in tags if tag.group(1)]
    thought, body = "", text
    is_inside = False  # the fields stand inside the thinking
    if closing:
        thought, body = text[: closing[-1].start()], text[closing[-1].end() :]
        if not _ACTION_KEY.search(body) and len(closing) == 1 and _looks_whole(thought):
            # The closing tag stands behind the fields: nothing else can be meant.
            reading.repair("a closing tag behind the fields")
            thought, body = _split_at_fields(thought)
            is_inside = True
    elif tags:
        reading.repair("the closing tag is missing")
        rest = text[tags[0].end() :]
        thought, body = _split_at_fields(rest)
        # Fields in the middle of a line of thought are a draft.
        is_inside = bool(thought.strip()) and rest[len(thought) : len(thought) + 1] != "\n"
    elif text.startswith("{"):
        body = text
    else:
        thought, body = _split_at_fields(text)
        reading.repair("no think block")
    blocks = list(_split_blocks(strip_edges(body), reading))
    if not blocks and body.lstrip(" \t\r\n`json").startswith("{"):
        blocks = _read_objects(body, reading)
    if not blocks:
        raise Refused("no_action", "there is no `action:` field after the think block", body)
    fields = _choose_block(blocks, reading)
    if is_inside and _is_stop(fields):
        raise Refused("no_action", "an end that is only thought about ends nothing", body)
    _check_last_field(body, fields)
    _check_earlier(thought, fields, reading)
    cot = _TAG.sub(" ", thought).strip()
    if cot:
        fields["cot"] = cot
    if reading.from_reasoning and any("\n" in str(fields[key]) for key in fields if key != "cot"):
        raise Refused("no_action", "the reasoning does not end with a whole action", body)
    return fields


def _read_objects(body: str, reading: Reading) -> list[dict[str, object]]:
    """The same fields as a JSON object: the dict form that Step-GUI tools pass around."""
    objects = [item for item in read_objects(body) if isinstance(item, JsonObject)]
    if objects:
        reading.repair("a JSON object in place of fields")
    return [canonical_fields(item.value) for item in objects]


def _split_at_fields(text: str) -> tuple[str, str]:
    """Without a closing tag the fields begin at the first line that begins with a known key."""
    match = _LINE_START.search(text)
    if match is None:
        match = _EXPLAIN.search(text)
    return (text, "") if match is None else (text[: match.start()], text[match.end() :])


def _looks_whole(text: str) -> bool:
    lowered = text.lower()
    return all(
        # The plain search is far quicker, and mostly enough.
        key in lowered and re.search(rf"{_KEY_START}{key}\s{{0,3}}[:：]", lowered)
        for key in _CANONICAL
    )


def _split_blocks(body: str, reading: Reading) -> Iterator[dict[str, object]]:
    """Blocks begin at a line `explain:`; each is a dict of its fields."""
    for part in _BLOCK_START.split(body.strip()):
        if _ACTION_KEY.search(part):
            fields = _split_fields(part, reading)
            if "action" in fields:
                yield fields


def _split_fields(block: str, reading: Reading) -> dict[str, object]:
    pieces = _cut(block, reading)
    fields: dict[str, object] = {}
    spaced = any(_SPACED_ACTION.match(piece) for piece in pieces)
    last = ""
    for piece in pieces:
        match = _FIELD.match(piece)
        name = match.group(1).lower() if match else ""
        name = SYNONYMS.get(name, name)
        if match is None or match.group(2).startswith("//"):
            if last and piece.strip():
                fields[last] = f"{fields[last]}\t{piece}"
            continue
        value = match.group(2)
        value = value.removeprefix(" ") if spaced and name == "value" else value
        value = value if name == "value" else value.strip()
        if name in fields and fields[name] != value:
            code: RejectionCode = "multiple_actions" if name == "action" else "conflict"
            raise Refused(code, f"`{name}` is given twice with different values", piece)
        fields[name] = value
        last = name
    return fields


def _cut(block: str, reading: Reading) -> list[str]:
    """Cut a block at its separators, by the first style that shows an action of its own."""
    for style, pattern in (
        ("", _TAB),
        ("a written-out \\t", _LITERAL_TAB),
        ("spaces in place of tabs", _SPACES),
    ):
        pieces = [piece for piece in pattern.split(block) if piece]
        if any(_ACTION_KEY.match(piece.lstrip()) for piece in pieces) and _has_end(pieces):
            if style:
                reading.repair(style)
            return pieces
    pieces = [piece for piece in _ONE_SPACE.split(block) if piece]
    names = [match.group(1).lower() for piece in pieces if (match := _FIELD.match(piece))]
    if len(set(names)) == len(names) and [n for n in names if n in _CANONICAL] == list(_CANONICAL):
        reading.repair("single spaces in place of tabs")
        return pieces
    raise Refused("no_action", "the fields are not separated by tabs", clip(block))


def _has_end(pieces: list[str]) -> bool:
    """Whether the piece with the action holds nothing but its name."""
    for piece in pieces:
        match = _FIELD.match(piece)
        if match and match.group(1).lower() in ("action", "action_type"):
            return not _ONE_SPACE.search(match.group(2).strip()) and "\\t" not in match.group(2)
    return False


def _check_last_field(body: str, fields: dict[str, object]) -> None:
    """A point that ends the reply with an open bracket or a comma lacks some digits; an end of
    the task is whole when its `return` has begun or its summary is there."""
    last = next(reversed(fields), "")
    if fields.get("action") == "COMPLETE" and last == "action":
        raise Refused("truncated", "the reply was cut before `return`", body)
    end = body.rstrip()
    if last.startswith("point") and (_OPEN_POINT.search(end) or end.endswith((",", "，"))):
        raise Refused("truncated", f"the reply was cut inside `{last}`", fields[last])


def _choose_block(blocks: list[dict[str, object]], reading: Reading) -> dict[str, object]:
    first = blocks[0]
    for other in blocks[1:]:
        if _acts(other) == _acts(first):
            reading.warn("the same action is written twice")
        elif _is_stop(other) != _is_stop(first):
            raise Refused("multiple_actions", "an act and a stop in one reply", _acts(other))
        else:
            reading.warn("several actions in one reply: the first is taken")
    return first


def _check_earlier(thought: str, fields: dict[str, object], reading: Reading) -> None:
    """A whole block before the last closing tag is a second reply, not a thought."""
    if not _looks_whole(thought):
        return
    for part in _TAG.split(thought):
        if part and _looks_whole(part):
            try:
                earlier = _split_fields(_split_at_fields(part)[1], reading)
            except Refused:
                earlier = {}
            if _acts(earlier) != _acts(fields):
                raise Refused("multiple_actions", "two whole replies in one", part.strip())


def _acts(fields: dict[str, object]) -> dict[str, object]:
    """What a block does, without its words."""
    return {k: v for k, v in fields.items() if k not in ("explain", "summary", "cot")}


def _is_stop(fields: dict[str, object]) -> bool:
    return str(fields.get("action", "")).strip().upper() in ("COMPLETE", "ABORT")
