"""The server's own log on standard error: which session, step and phone a line is about.

Lines are for people, or JSON for programs (`log_format`). Whatever is logged passes `redact` last,
as the finished text of the line: arguments, tracebacks and other packages' lines included.
"""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime

import orjson

from server.redaction import redact
from server.settings import LogFormat

_bound: ContextVar[Mapping[str, str | int]] = ContextVar("bound", default={})  # noqa: B039


@contextmanager
def bind(**facts: str | int) -> Iterator[None]:
    """Put facts (`session`, `step`, `device`) on every line that is logged inside."""
    token = _bound.set({**_bound.get(), **facts})
    try:
        yield
    finally:
        _bound.reset(token)


class TextLines(logging.Formatter):
    """Lines for people: `12:00:00 WARNING server.serving [session=... step=3] what happened`."""

    def format(self, record: logging.LogRecord) -> str:
        facts = " ".join(f"{name}={value}" for name, value in _bound.get().items())
        where = f" [{facts}]" if facts else ""
        time = datetime.fromtimestamp(record.created).strftime("%H:%M:%S")
        line = f"{time} {record.levelname} {record.name}{where} {_message(self, record)}"
        return redact(_inert(line))


class JsonLines(logging.Formatter):
    """One JSON object a line: `time`, `level`, `logger`, what is bound, `message`."""

    def format(self, record: logging.LogRecord) -> str:
        moment = datetime.fromtimestamp(record.created, UTC)
        line = {
            "time": moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            **_bound.get(),
            # Masked before it is quoted: a secret with a quote in it would look different after.
            "message": redact(_message(self, record)),
        }
        return redact(orjson.dumps(line).decode())


def configure_logging(log_format: LogFormat, *, debug: bool) -> None:
    """Send everything that is logged in this process to standard error, in one form."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines() if log_format == "json" else TextLines())
    logging.basicConfig(
        level=logging.INFO if debug else logging.WARNING, handlers=[handler], force=True
    )
    logging.captureWarnings(True)
    threading.excepthook = _log_thread_end


def _log_thread_end(arguments: threading.ExceptHookArgs) -> None:
    name = arguments.thread.name if arguments.thread else "a thread"
    error = arguments.exc_value
    logging.getLogger(__name__).error("%s ended by an error", name, exc_info=error)


def _message(formatter: logging.Formatter, record: logging.LogRecord) -> str:
    message = record.getMessage()
    if record.exc_info:
        message += "\n" + formatter.formatException(record.exc_info)
    return message


def _inert(text: str) -> str:
    """Control characters shown, not obeyed: what was logged may come from a stranger."""
    return "".join(
        char if char.isprintable() or char == "\n" else ascii(char)[1:-1] for char in text
    )
