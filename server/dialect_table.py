"""Which dialect a session speaks: by name, or by the model's name (`task_type: auto`)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from parsers.errors import UnknownDialectError
from parsers.registry import ALIASES, DialectChoice, list_dialects, parser_class, pick_dialect
from server.config_files import read_config_list

AUTO = "auto"
TABLE_FILE = "dialects.yaml"
_KEYS = frozenset({"pattern", "dialect", "variant"})


class DialectTable:
    """The lines of `configs/dialects.yaml`, checked once at start.

    Args:
        config_dir: The folder that has the file; without it nothing is known of any model.

    Raises:
        ConfigError: A line is wrong; the message says which.
    """

    def __init__(self, config_dir: Path) -> None:
        path = config_dir / TABLE_FILE
        self._lines = _read_lines(path) if path.exists() else []

    def choose(
        self, wanted: str | None, model_name: str, *, variant: str | None, default: str
    ) -> DialectChoice:
        """The dialect of a session.

        Args:
            wanted: What the request or the model's configuration names, `auto` included.
            model_name: As the provider calls it.
            variant: The same for the variant; None: the table's, else the dialect's first.
            default: Where nothing is named and no line of the table matches.

        Raises:
            UnknownDialectError: No such dialect, or `auto` and no line of the table matches.
        """
        match = pick_dialect(model_name, self._lines)
        if wanted is None and match is None:
            wanted = default
        if wanted is not None and wanted != AUTO:
            name = parser_class(wanted).name
            if variant is None and match is not None and match.dialect == name:
                return match
            return DialectChoice(name, variant, "")
        if match is None:
            raise UnknownDialectError(
                f"no line of {TABLE_FILE} matches the model name {model_name[:100]!r}; name its "
                f"dialect in task_type ({', '.join(list_dialects())}), or add a line",
                task_type=AUTO,
                model=model_name,
            )
        name = parser_class(match.dialect).name
        return DialectChoice(name, variant or match.variant, match.pattern)


def _read_lines(path: Path) -> list[Mapping[str, Any]]:
    file = read_config_list(path, "models")
    known = {*list_dialects(), *ALIASES}
    lines: list[Mapping[str, Any]] = []
    for place, line in enumerate(file.data["models"]):
        where = ("models", place)
        if not isinstance(line, dict) or not {"pattern", "dialect"} <= line.keys() <= _KEYS:
            raise file.error(where, "must be {pattern, dialect} with an optional variant; mend it")
        if str(line["dialect"]) not in known:
            raise file.error(where, f"no dialect is called {line['dialect']!r}; mend the name")
        try:
            re.compile(str(line["pattern"]))
        except re.error as error:
            raise file.error(where, f"the pattern is no regular expression ({error})") from error
        lines.append(line)
    return lines
