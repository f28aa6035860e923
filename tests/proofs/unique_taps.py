"""A model that never chooses the same tap twice: a tap that the phone saw twice was repeated."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Sequence
from pathlib import Path

from parsers.base import Message
from server.model.providers import ModelTarget
from server.model.reply import ModelReply

COLUMNS, ROWS, LEAP, LEFT, TOP, PITCH = 440, 460, 197, 50, 30, 2
"""Points on a grid of 2/1000 of the screen: no two are the same pixel, and one is far from the
next, so that they are not taken for the same action again."""


class UniqueTaps:
    """Answers each question with the next point of a grid, or with something slow.

    Args:
        folder: Where it counts, over restarts, its answers and the prompts with `mark`.
        delay_s: Longest thinking time.
        slow: Also type, press long, wait, ask and think long, so that there is something to stop.
        mark: Words to look for in prompts.
    """

    def __init__(
        self, folder: Path, *, delay_s: float = 0.0, slow: bool = False, mark: str = "\0"
    ) -> None:
        self._answers = folder / "answers"
        self._marked = folder / "marked"
        self._delay_s = delay_s
        self._slow = slow
        self._mark = mark
        self._random = random.Random()

    async def ask(
        self, target: ModelTarget, messages: Sequence[Message], before_send: object = None
    ) -> ModelReply:
        if self._mark in str(messages):
            _count(self._marked)
        await asyncio.sleep(self._random.uniform(0, self._delay_s))
        number = _count(self._answers)
        kind = self._random.random() if self._slow else 0.0
        if kind > 0.92:
            await asyncio.sleep(60)
        if kind > 0.74:
            return _reply("action:INFO\tvalue:which one?")
        if kind > 0.62:
            return _reply("action:WAIT\tvalue:60")
        x = LEFT + PITCH * (number * LEAP % COLUMNS)
        y = TOP + PITCH * (number // COLUMNS % ROWS)
        if kind > 0.44:
            return _reply(f"action:LONGPRESS\tpoint:{x},{y}")
        if kind > 0.34:
            return _reply(f"action:TYPE\tvalue:abc{number}\tpoint:{x},{y}")
        return _reply(f"action:CLICK\tpoint:{x},{y}")

    async def close(self) -> None:
        return


def number_of_tap(x: float, y: float) -> int:
    """Which answer a touch came from; 0-1 from the top left."""
    column = round((x * 1000 - LEFT) / PITCH) * pow(LEAP, -1, COLUMNS) % COLUMNS
    return round((y * 1000 - TOP) / PITCH) * COLUMNS + column


def number_of_text(text: str) -> int | None:
    """Which answer typed text came from; None: from none."""
    typed = re.search(r"abc(\d+)", text)
    return int(typed[1]) if typed else None


def count_of(folder: Path, name: str) -> int:
    """How many answers, or marked prompts, there were."""
    path = folder / name
    return path.stat().st_size if path.exists() else 0


def _count(path: Path) -> int:
    with path.open("ab") as file:
        file.write(b".")
        return file.tell()


def _reply(action: str) -> ModelReply:
    text = f"<THINK> on </THINK>\nexplain:tap\t{action}\tsummary:going on"
    return ModelReply(content=text, finish_reason="stop", model="unique")
