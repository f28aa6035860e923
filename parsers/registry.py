"""Finding a parser by name. Dialects are imported when they are first asked for."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from parsers.base import Parser, PromptText
from parsers.errors import UnknownDialectError

ENTRY_POINT_GROUP = "localserver.parsers"

BUILT_IN: dict[str, str] = {
    "step0920": "parsers.parser_0920_summary:Parser0920Summary",
    "ui_tars": "parsers.ui_tars:UiTars",
    "autoglm": "parsers.autoglm:AutoGlm",
    "qwen_mobile_use": "parsers.qwen_mobile_use:QwenMobileUse",
    "gui_owl": "parsers.gui_owl:GuiOwl",
    "mai_ui": "parsers.mai_ui:MaiUi",
    "agentcpm": "parsers.agentcpm:AgentCpm",
    "ui_venus": "parsers.ui_venus:UiVenus",
    "m3a": "parsers.m3a:M3a",
    "element_dsl": "parsers.element_dsl:ElementDsl",
    "cogagent": "parsers.cogagent:CogAgent",
    "glm45v": "parsers.glm45v:Glm45v",
    "os_atlas": "parsers.os_atlas:OsAtlas",
    "os_genesis": "parsers.os_genesis:OsGenesis",
    "aguvis": "parsers.aguvis:Aguvis",
    "showui": "parsers.showui:ShowUi",
    "holo1": "parsers.holo1:Holo1",
    "infigui": "parsers.infigui:InfiGui",
    "claude_cu": "parsers.claude_cu:ClaudeCu",
    "openai_cua": "parsers.openai_cua:OpenAiCua",
    "appagent": "parsers.appagent:AppAgent",
    "droidrun_xml": "parsers.droidrun_xml:DroidrunXml",
}
"""Every dialect that ships, as `name -> module:class`."""

ALIASES: dict[str, str] = {
    "parser_0922_summary": "step0920",
    "parser_0920_summary": "step0920",
    "parser_0920": "step0920",
    "glm_v": "glm45v",
}
"""Other names of the built-in dialects."""


@dataclass(frozen=True, slots=True)
class DialectChoice:
    """What the table of models says about a model name.

    Attributes:
        dialect: Name of the parser.
        variant: Model generation, where the table gives one.
        pattern: The line of the table that matched.
    """

    dialect: str
    variant: str | None
    pattern: str


def list_dialects() -> list[str]:
    """Names of all dialects: the built-in ones in their documented order, then third parties'."""
    return [*BUILT_IN, *sorted(name for name in _third_party() if name not in BUILT_IN)]


def parser_class(task_type: str) -> type[Parser]:
    """Find a dialect's class.

    Args:
        task_type: Its name or an alias.

    Raises:
        UnknownDialectError: Nobody registered that name.
    """
    name = ALIASES.get(task_type, task_type)
    if name in BUILT_IN:
        return _load(BUILT_IN[name])
    entry = _third_party().get(name)
    if entry is None:
        raise UnknownDialectError(
            f"no parser is called {task_type!r}; use one of {', '.join(list_dialects())}",
            task_type=task_type,
            known=list_dialects(),
        )
    found = entry.load()
    if not (isinstance(found, type) and issubclass(found, Parser)):
        raise UnknownDialectError(
            f"the entry point {entry.value!r} is not a parsers.base.Parser class; fix the package "
            f"that registers {name!r}",
            task_type=task_type,
        )
    return found


def get_parser(
    task_type: str,
    prompts: Mapping[str, PromptText] | None = None,
    variant: str | None = None,
) -> Parser:
    """Make the parser of a dialect.

    Args:
        task_type: The dialect's name or an alias (`parser_0922_summary`).
        prompts: Prompt texts by dialect name, in the language that is wanted. Without its text a
            parser reads and writes replies but builds no prompt.
        variant: Model generation; None takes the dialect's first.

    Raises:
        UnknownDialectError: No such dialect, or no such variant of it.
    """
    found = parser_class(task_type)
    if variant is not None and found.variants and variant not in found.variants:
        raise UnknownDialectError(
            f"{found.name} has no variant {variant!r}; use one of {', '.join(found.variants)}",
            task_type=task_type,
            variant=variant,
        )
    return found((prompts or {}).get(found.name), variant)


def pick_dialect(model_name: str, table: Iterable[Mapping[str, Any]]) -> DialectChoice | None:
    """Find the dialect of a model by its name (`task_type: auto`).

    Args:
        model_name: As the provider calls it (`Qwen/Qwen3-VL-8B-Instruct`).
        table: Lines `{pattern, dialect, variant?}` in order; `pattern` is a regular expression
            that is searched without regard to case. The first line that matches wins.

    Returns:
        The choice, or None where no line matches.
    """
    for line in table:
        pattern = str(line["pattern"])
        if re.search(pattern, model_name[:500], re.IGNORECASE):
            variant = line.get("variant")
            return DialectChoice(
                str(line["dialect"]), None if variant is None else str(variant), pattern
            )
    return None


@cache
def _load(target: str) -> type[Parser]:
    module, _, name = target.partition(":")
    found: type[Parser] = getattr(importlib.import_module(module), name)
    return found


@cache
def _third_party() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=ENTRY_POINT_GROUP)}
