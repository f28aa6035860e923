"""Which sessions to export: one by its id, or all that a filter lets through."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from server.errors import BadRequestError
from server.export.episode import Episode, open_episode
from server.records.store import ReadsRecords

KEYS = ("task", "dialect", "model", "stop_reason", "app", "since", "until")


@dataclass(frozen=True, slots=True)
class Filter:
    """One condition, `key=value`.

    `task` and `model` hold a part of the text, whatever its case; `dialect` and `stop_reason` the
    whole word; `app` a package that was in front at some step; `since` and `until` a date
    (2026-11-30) or a time in UTC.
    """

    key: str
    value: str

    def fits(self, episode: Episode) -> bool:
        match self.key:
            case "task":
                return self.value.casefold() in episode.task.casefold()
            case "model":
                return self.value.casefold() in episode.model_name.casefold()
            case "dialect":
                return self.value == episode.dialect
            case "stop_reason":
                return self.value.upper() == (episode.stop_reason or "OPEN").upper()
            case "app":
                return any(
                    step.message["environment"].get("foreground") == self.value
                    for step in episode.iter_steps()
                )
            case "since":
                return episode.created_at >= self.value
            case _:
                return episode.created_at[: len(self.value)] <= self.value


def read_filters(texts: Sequence[str]) -> list[Filter]:
    """Read `key=value` conditions.

    Raises:
        BadRequestError: One is not of that form; the message names the keys.
    """
    filters = []
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or key not in KEYS or not value:
            raise BadRequestError(
                f"--filter {text!r} is not key=value with a key of {', '.join(KEYS)}"
            )
        filters.append(Filter(key, value))
    return filters


def select_sessions(
    store: ReadsRecords, filters: Sequence[Filter], report: Callable[[str], None]
) -> Iterator[Episode]:
    """The sessions that fit all filters, oldest last; `report` is told of unreadable ones."""
    for stored in store.list_sessions():
        try:
            episode = open_episode(store, stored.session_id)
            if all(one.fits(episode) for one in filters):
                yield episode
        except Exception as error:
            if getattr(error, "code", None) is None:
                raise
            report(f"{stored.session_id}: {error}")
