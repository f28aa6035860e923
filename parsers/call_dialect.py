"""Dialects whose replies are calls: `read` finds the one call, `act` says what it means."""

from __future__ import annotations

import abc
import re
from collections.abc import Mapping, Sequence
from typing import ClassVar

from parsers.action import Action
from parsers.base import Reply
from parsers.call_arguments import Arguments, Param, bind
from parsers.call_reading import Call, choose_call, read_calls
from parsers.dialect import Dialect
from parsers.reading import Reading, Refused, strip_tokens
from parsers.tool_fields import read_tool_call

_LABEL = re.compile(r"[ \t*]{0,9}(?:Action|动作|操作)[ *]{0,4}[:：][ *]{0,4}", re.IGNORECASE)


class CallDialect(Dialect):
    """A dialect with a table of functions.

    Attributes:
        functions: Lower-case name -> its parameters.
        stops: Lower-case names of the functions that end the task.
        drafts: The thought stands untagged before the call.
    """

    functions: ClassVar[Mapping[str, Sequence[Param]]]
    stops: ClassVar[frozenset[str]] = frozenset()
    drafts: ClassVar[bool] = False

    @abc.abstractmethod
    def act(self, name: str, args: Arguments, reading: Reading) -> Action:
        """What a call of a known function means.

        Args:
            name: Lower-case name, one of `functions`.
            args: Its arguments by the names of `functions`.
            reading: Takes warnings and repairs.

        Raises:
            Refused: An argument is missing or wrong.
        """

    def is_stop(self, call: Call) -> bool:
        return self.canonical(call.name) in self.stops

    def knows(self, name: str) -> bool:
        return self.canonical(name) in self.functions

    def canonical(self, name: str) -> str:
        """The spelling under which `functions` knows a name."""
        return name.lower()

    def read_one(
        self, text: str, reading: Reading, *, thought: str = "", drafts: bool | None = None
    ) -> Action:
        """Find the one call in `text` and act on it; `drafts` speaks for this text alone.

        Raises:
            Refused: There is none, or it cannot be read.
        """
        calls = read_calls(text, self.knows, reading) or self._read_bare_name(text, reading)
        drafts = self.drafts if drafts is None else drafts
        call = choose_call(calls, self.is_stop, text, reading, drafts=drafts)
        action = self.act_on(call, reading)
        cot = _drop_label(strip_tokens(thought or text[: call.start])).strip(" \t\r\n`*")
        return action.model_copy(update={"cot": cot}) if cot else action

    def _read_bare_name(self, text: str, reading: Reading) -> list[Call]:
        """`PressBack` alone, of a function that takes no argument."""
        name = text.strip(" \t\r\n`*.。")
        if not name.isidentifier() or self.functions.get(self.canonical(name)) != ():
            return []
        reading.repair("the brackets are forgotten")
        return [Call(name, (), 0, len(text))]

    def act_on(self, call: Call, reading: Reading) -> Action:
        name = self.canonical(call.name)
        if name not in self.functions:
            raise Refused("unknown_action", f"there is no such action; use {self._names()}", name)
        values = bind(call, self.functions[name], reading)
        return self.act(name, Arguments(values, call.cut, reading), reading)

    def read_tool_calls(self, reply: Reply, reading: Reading) -> Action | None:
        """A native call has a name and named arguments, just as a written one."""
        if reply.content.strip() and not reply.tool_calls:
            return None
        name, arguments = read_tool_call(reply.tool_calls)
        return self.act_on(Call(name, tuple(arguments.items())), reading)

    def _names(self) -> str:
        return ", ".join(list(self.functions)[:16])


def _drop_label(said: str) -> str:
    """What was said before the call, without the `Action:` that announces it."""
    before, line_break, last_line = said.rpartition("\n")
    return before if _LABEL.fullmatch(last_line) else before + line_break + last_line
