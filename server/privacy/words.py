"""The words by which names and labelled values are told: `configs/private_words.yaml`."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from server.config_files import ConfigFile, read_config_file

WORDS_FILE = "private_words.yaml"


@dataclass(frozen=True, slots=True)
class PrivateWords:
    """The file's lists, ready to look up; Latin words are lower case.

    Attributes:
        always: Texts that are private wherever they stand.
        never: Texts that are not, whatever they look like.
        surnames: Chinese family names of one character.
        double_surnames: Of two.
        given: Characters of Chinese given names.
        not_names: Words that look like a name.
        family: How relatives are called.
        titles: What follows a family name.
        first_names: In Latin letters.
        last_names: In Latin letters.
        not_first_names: First names that are words too.
        labels: The kind of value that a label announces.
        password_fields: What ids and hints of password fields say.
        person_ids: What ids of views with a person's name say.
    """

    always: frozenset[str]
    never: frozenset[str]
    surnames: frozenset[str]
    double_surnames: frozenset[str]
    given: frozenset[str]
    not_names: frozenset[str]
    family: frozenset[str]
    titles: frozenset[str]
    first_names: frozenset[str]
    last_names: frozenset[str]
    not_first_names: frozenset[str]
    labels: dict[str, str]
    password_fields: frozenset[str]
    person_ids: frozenset[str]

    @classmethod
    def load(cls, config_dir: Path) -> PrivateWords:
        """Read the file of a config folder.

        Raises:
            ConfigError: It is missing or wrong; the message says where.
        """
        file = read_config_file(config_dir / WORDS_FILE)
        known = {item.name for item in fields(cls)}
        for name in file.data:
            if name not in known:
                raise file.error((name,), "unknown key; see the comments in the file")
        lists: dict[str, Any] = {
            name: _read_list(file, name) for name in known - {"labels", "surnames", "given"}
        }
        return cls(
            **lists,
            surnames=frozenset("".join(_read_list(file, "surnames"))),
            given=frozenset("".join(_read_list(file, "given"))),
            labels=_read_labels(file),
        )


def _read_list(file: ConfigFile, name: str) -> frozenset[str]:
    """A list of texts, or one text of words between spaces."""
    value = file.data.get(name) or []
    words = value.split() if isinstance(value, str) else value
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise file.error((name,), "must be a list of texts, or one text of words; quote numbers")
    return frozenset(word.strip().lower() for word in words if word.strip())


def _read_labels(file: ConfigFile) -> dict[str, str]:
    labels = file.data.get("labels") or {}
    if not isinstance(labels, dict):
        raise file.error(("labels",), "must map kinds to lists of labels")
    found: dict[str, str] = {}
    for kind, words in labels.items():
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            raise file.error(("labels", str(kind)), "must be a list of texts")
        found.update({word.lower(): str(kind) for word in words})
    return found
