"""Read one YAML file and remember on which line each key stands.

Configuration mistakes are told with file, line and key. Aliases of lists and mappings are refused
(a few lines of them can unfold into gigabytes), and so are duplicate keys (the loser would vanish
silently).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, ClassVar

import yaml
from pydantic import BaseModel, ValidationError

from server.errors import ConfigError

MAX_FILE_BYTES = 1_000_000
KeyPath = tuple[str | int, ...]
_BaseLoader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_BOOLEAN = "tag:yaml.org,2002:bool"


class _Loader(_BaseLoader):  # type: ignore[misc]
    """`off`, `on`, `yes` and `no` are words, as in YAML 1.2: `privacy: off` is a level."""

    yaml_implicit_resolvers: ClassVar[dict[str, list[Any]]] = {
        first: [rule for rule in rules if rule[0] != _BOOLEAN or first in "tTfF"]
        for first, rules in _BaseLoader.yaml_implicit_resolvers.items()
    }


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """The content of one YAML file.

    Attributes:
        path: Where it was read.
        data: The mapping at its top; empty for an empty file.
        lines: Line (from 1) of each key, by its path of keys and list positions.
    """

    path: Path
    data: Mapping[str, Any]
    lines: Mapping[KeyPath, int]

    def line_of(self, key_path: KeyPath) -> int | None:
        """Line of a key, or of the nearest key above it."""
        while key_path:
            if key_path in self.lines:
                return self.lines[key_path]
            key_path = key_path[:-1]
        return None

    def error(self, key_path: KeyPath, problem: str) -> ConfigError:
        """A `ConfigError` that names this file, the key's line and the key."""
        line = self.line_of(key_path)
        place = f"{self.path}:{line}" if line is not None else str(self.path)
        key = ".".join(str(part) for part in key_path)
        return ConfigError(f"{place}: {key}: {problem}", file=self.path.name, line=line, key=key)


def read_config_file(path: Path) -> ConfigFile:
    """Read a YAML file whose top is a mapping.

    Raises:
        ConfigError: Unreadable, too large, not YAML, with aliases or duplicate keys.
    """
    data, lines = _read_yaml(path)
    if data is None:
        return ConfigFile(path, {}, {})
    if not isinstance(data, dict):
        raise ConfigError(f"{path}: the top must be `key: value` lines", file=path.name)
    return ConfigFile(path, data, lines)


def read_config_list(path: Path, name: str) -> ConfigFile:
    """Read a YAML file whose top is a list; its items stand under `name`.

    Raises:
        ConfigError: As `read_config_file`.
    """
    data, lines = _read_yaml(path)
    if data is None:
        data = []
    if not isinstance(data, list):
        raise ConfigError(f"{path}: the top must be a list of `- ...` lines", file=path.name)
    return ConfigFile(path, {name: data}, {(name, *key): line for key, line in lines.items()})


def _read_yaml(path: Path) -> tuple[Any, dict[KeyPath, int]]:
    """The content of a YAML file (None for an empty one) and the line of each key."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise ConfigError(
            f"{path}: cannot be read ({error.strerror}); check that it exists and is readable",
            file=path.name,
        ) from error
    if len(raw) > MAX_FILE_BYTES:
        raise ConfigError(
            f"{path}: larger than {MAX_FILE_BYTES} bytes; is it a config file?", file=path.name
        )
    try:
        text = raw.decode("utf-8-sig")
        loader = _Loader(text)
        node = loader.get_single_node()
        lines: dict[KeyPath, int] = {}
        data = None if node is None else _Builder(loader, path, lines).build(node, ())
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8; save it as UTF-8", file=path.name) from error
    except RecursionError as error:
        raise ConfigError(f"{path}: nested too deep; flatten it", file=path.name) from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark is not None else None
        problem = getattr(error, "problem", None) or "not valid YAML"
        raise ConfigError(
            f"{path}:{line}: {problem}; mend the YAML", file=path.name, line=line
        ) from error
    return data, lines


def explain_validation_error(error: ValidationError, model: type[BaseModel]) -> tuple[KeyPath, str]:
    """The first wrong key and what is wrong with it, with a suggestion for a mistyped one."""
    first = error.errors(include_url=False, include_input=False)[0]
    key_path: KeyPath = tuple(first["loc"])
    if first["type"] != "extra_forbidden":
        return key_path, first["msg"]
    return key_path, f"unknown key{suggest(str(key_path[-1]), model)}"


def suggest(key: str, model: type[BaseModel]) -> str:
    """`; did you mean ...?` for a key that is close to a field of `model`, else its keys."""
    near = get_close_matches(key, model.model_fields, n=1)
    return f"; did you mean `{near[0]}`?" if near else "; remove it"


class _Builder:
    """Turns YAML nodes into plain values."""

    def __init__(self, loader: Any, path: Path, lines: dict[KeyPath, int]) -> None:
        self._loader = loader
        self._path = path
        self._lines = lines
        self._seen: set[int] = set()

    def build(self, node: yaml.Node, key_path: KeyPath) -> Any:
        if isinstance(node, yaml.ScalarNode):
            return self._loader.construct_object(node, deep=True)
        if id(node) in self._seen:
            line = node.start_mark.line + 1
            raise self._error(line, "aliases of lists and mappings are refused; write them out")
        self._seen.add(id(node))
        if isinstance(node, yaml.MappingNode):
            mapping: dict[str, Any] = {}
            for key_node, value_node in node.value:
                key, key_line = str(key_node.value), key_node.start_mark.line + 1
                if key in mapping:
                    raise self._error(key_line, f"{key}: given twice; keep one", key)
                self._lines[(*key_path, key)] = key_line
                mapping[key] = self.build(value_node, (*key_path, key))
            return mapping
        if isinstance(node, yaml.SequenceNode):
            items = []
            for position, item in enumerate(node.value):
                self._lines[(*key_path, position)] = item.start_mark.line + 1
                items.append(self.build(item, (*key_path, position)))
            return items
        raise AssertionError(f"YAML has no such node: {node!r}")

    def _error(self, line: int, problem: str, key: str = "") -> ConfigError:
        facts = {"key": key} if key else {}
        return ConfigError(
            f"{self._path}:{line}: {problem}", file=self._path.name, line=line, **facts
        )
