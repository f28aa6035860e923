"""What the commands share: settings, sessions by the start of their id, errors in one line."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec

from server.commands.terminal import (
    print_error,
)
from server.errors import SessionNotFoundError
from server.settings import Settings, load_settings, move_logs

if TYPE_CHECKING:
    from server.session_reading import SessionReader


P = ParamSpec("P")
EXIT_NO = 1
"""It ran, and the answer is no."""
EXIT_COULD_NOT_RUN = 2


def clear_errors(command: Callable[P, int]) -> Callable[P, int]:
    """End our own errors in one line that names cause and remedy, and exit code 2."""

    @functools.wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> int:
        try:
            return command(*args, **kwargs)
        except Exception as error:
            if getattr(error, "code", None) is None:
                raise
            print_error(error)
            return EXIT_COULD_NOT_RUN

    return wrapped


def read_settings(config_dir: Path | None, log_dir: Path | None, **overrides: Any) -> Settings:
    """Settings with the log folder of the command line; pictures go beside the log then."""
    settings = load_settings(config_dir, **overrides)
    return settings if log_dir is None else move_logs(settings, log_dir)


def open_reader(settings: Settings) -> SessionReader:
    """Reads without owning the store: a running service goes on beside it."""
    from server.records.opening import open_files
    from server.session_reading import SessionReader

    return SessionReader(open_files(settings))


def find_session(settings: Settings, start: str) -> str:
    """The one session whose id begins so."""
    from server.records.opening import open_files

    stored = open_files(settings).list_sessions()
    fitting = [one.session_id for one in stored if one.session_id.startswith(start)]
    if len(fitting) == 1:
        return fitting[0]
    if not fitting:
        raise SessionNotFoundError(
            "no session has an id that begins so; `localserver sessions` lists them"
        )
    raise SessionNotFoundError(f"{len(fitting)} sessions begin so; give more of the id")
