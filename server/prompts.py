"""Read `configs/prompts/*.yaml` once, and hand each parser its text."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from parsers.base import Parser
from parsers.errors import PromptError
from parsers.prompting import choose_prompt
from parsers.registry import BUILT_IN, get_parser, parser_class
from server.config_files import read_config_file
from server.errors import ConfigError


class ParserShelf:
    """All dialects with their prompts: made once at start, each parser once at first use.

    Args:
        config_dir: The folder with `prompts/`.

    Raises:
        ConfigError: A prompt file is not readable YAML.
    """

    def __init__(self, config_dir: Path) -> None:
        self._config_dir = config_dir
        folder = config_dir / "prompts"
        self._files: dict[str, Mapping[str, Any]] = {}
        for path in sorted(folder.glob("*.yaml")):
            data = read_config_file(path).data
            self._files[str(data.get("dialect", path.stem))] = data
        self._parsers: dict[tuple[str, str | None, str | None, str | None], Parser] = {}

    def get(
        self,
        task_type: str,
        *,
        variant: str | None = None,
        language: str | None = None,
        prompt_file: str | None = None,
    ) -> Parser:
        """The parser of a dialect.

        Args:
            task_type: Its name or an alias.
            variant: Model generation.
            language: "zh" or "en"; None: the prompt's default.
            prompt_file: From the configuration: a file in the config folder that takes the place
                of the dialect's own prompt.

        Raises:
            parsers.errors.UnknownDialectError: No such dialect or variant.
            parsers.errors.PromptError: Its prompt is missing or lacks the language.
            ConfigError: The prompt file is outside the config folder, or unreadable.
        """
        name = parser_class(task_type).name
        key = (name, variant, language, prompt_file)
        parser = self._parsers.get(key)
        if parser is None:
            data = self._files.get(name) if prompt_file is None else self._read(prompt_file)
            if data is None and name in BUILT_IN:
                raise PromptError(
                    f"the dialect {name} has no prompt; add configs/prompts/{name}.yaml"
                )
            # A third party's dialect may write its prompt without a file.
            prompts = {} if data is None else {name: choose_prompt(data, language)}
            parser = get_parser(name, prompts, variant)
            self._parsers[key] = parser
        return parser

    def _read(self, prompt_file: str) -> Mapping[str, Any]:
        path = (self._config_dir / prompt_file).resolve()
        if not path.is_relative_to(self._config_dir.resolve()):
            raise ConfigError("prompt_file must be inside the config folder; move it there")
        return read_config_file(path).data
