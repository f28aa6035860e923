"""What stands round an action in a reply: template tokens, code fences, tags, the thought."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

TOKENS = re.compile(
    r"<\|(?:begin_of_box|end_of_box|box_start|box_end|im_start|im_end|endoftext|eot_id|"
    r"end|begin_of_text|end_of_text|assistant|user|object_ref_start|object_ref_end)\|>"
    r"|</?s>|\[/?INST\]"
)
_FENCE = re.compile(r"^[ \t]*```[\w+-]*[ \t]*$", re.MULTILINE)
_WRAPPER_TAG = re.compile(
    r"</?\s{0,3}(?:answer|computer_env|output|response)\s{0,3}>", re.IGNORECASE
)
_EDGE = r"(?:" + TOKENS.pattern + r"|" + _WRAPPER_TAG.pattern + r")"
_EDGE_START = re.compile(
    r"(?:\s|" + _EDGE + r"|```(?:[\w+-]{0,20}[ \t]{0,9}(?=\n))?)*+", re.IGNORECASE
)
_EDGE_END = re.compile(r"(?:" + _EDGE + r"|```)\Z", re.IGNORECASE)
_EDGES_MAX = 20
_THINK_TAG = re.compile(
    r"<\s{0,3}(/?)\s{0,3}(?:think(?:ing)?|thought|grounding_think)\s{0,3}>",
    re.IGNORECASE,
)


def strip_tokens(text: str) -> str:
    """Drop chat-template and box tokens, wherever they stand."""
    return TOKENS.sub("", text) if "<" in text or "[" in text else text


def strip_fences(text: str) -> str:
    """Drop code-fence lines (and a fence that shares the first or last line); keep what is inside.

    A fence in the middle of a line may be text to type, and stays.
    """
    if "```" not in text:
        return text
    text = _FENCE.sub("", text).strip()
    if text.startswith("```"):
        text = re.sub(r"^```(?:json|python|text|xml|plaintext)?", "", text)
    return text.removesuffix("```").strip()


def strip_edges(text: str) -> str:
    """Take wrappers off both ends: template tokens, answer-like tags, code fences.

    What stands inside stays as it is: it may be text to type.
    """
    start = _EDGE_START.match(text)
    text = text[start.end() if start else 0 :].rstrip()
    for _ in range(_EDGES_MAX):
        end = _EDGE_END.search(text, max(0, len(text) - 60))
        if end is None:
            break
        text = text[: end.start()].rstrip()
    return text


def line_matches(text: str, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
    """Matches of a pattern at the beginnings of lines (quicker than `(?:^|\\n)…`)."""
    position = 0
    while True:
        match = pattern.match(text, position)
        if match is not None:
            yield match
        position = text.find("\n", position) + 1
        if position == 0:
            return


class Thought(NamedTuple):
    """A reply split at its thinking: `thought`, and `rest`, where alone an action may stand."""

    thought: str
    rest: str


def split_thought(text: str) -> Thought:
    """Split `<think>…</think>` (or `<thinking>`, `<thought>`) off the front of a reply.

    What stands before the first opening tag was not thought but said: it belongs to the rest.
    Where opening and closing tags alternate, so does all that stands behind a closed block.
    Else the *last* closing tag ends the thinking, so that a thought which quotes a closing tag or
    a draft action never wins. An opened tag that is never closed swallows all that follows.
    """
    tags = list(_THINK_TAG.finditer(text)) if "<" in text else []
    closing = [tag for tag in tags if tag.group(1)]
    if not tags:
        return Thought("", text.strip())
    if not closing:
        return Thought(text[tags[0].end() :].strip(), text[: tags[0].start()].strip())
    if len(closing) > 1 and _alternate(tags):
        ends = [*(tag.start() for tag in tags[2::2]), len(text)]
        thoughts = [text[tags[n].end() : tags[n + 1].start()] for n in range(0, len(tags), 2)]
        rests = [text[close.end() : end] for close, end in zip(closing, ends, strict=True)]
        rests.insert(0, text[: tags[0].start()])
        return Thought("\n".join(thoughts).strip(), "\n".join(rests).strip())
    begin = 0 if tags[0].group(1) else tags[0].start()
    end = closing[-1]
    thought = _THINK_TAG.sub(" ", text[begin : end.start()]).strip()
    return Thought(thought, f"{text[:begin]}\n{text[end.end() :]}".strip())


def is_thinking_open(text: str) -> bool:
    """Whether a reply opens its thinking and never closes it."""
    tags = list(_THINK_TAG.finditer(text)) if "<" in text else []
    return bool(tags) and not any(tag.group(1) for tag in tags)


def _alternate(tags: Sequence[re.Match[str]]) -> bool:
    return len(tags) % 2 == 0 and all(bool(t.group(1)) == bool(n % 2) for n, t in enumerate(tags))
