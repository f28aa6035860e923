"""A thread for calls that may hang: whoever waits for one can leave it behind."""

from __future__ import annotations

import contextvars
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

T = TypeVar("T")


class Worker:
    """One daemon thread that runs calls in order: a hung call never blocks the program's end.

    The thread begins with the first call, so that a task that waits in line costs none.
    """

    def __init__(self, name: str) -> None:
        self._calls: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._start_lock = threading.Lock()

    def submit(self, call: Callable[[], T]) -> Future[T]:
        """Run `call` after those that were submitted before it, in the submitter's context."""
        future: Future[T] = Future()
        context = contextvars.copy_context()  # what is bound to log lines crosses into the thread

        def run() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                result = context.run(call)
            except BaseException as error:
                future.set_exception(error)
            else:
                future.set_result(result)

        with self._start_lock:
            if self._thread.ident is None:
                self._thread.start()
        self._calls.put(run)
        return future

    def close(self) -> None:
        """Take no more calls; those already submitted still run."""
        self._calls.put(None)

    def join(self, timeout_s: float | None = None) -> bool:
        """Wait until the last call has ended; False if it has not within `timeout_s`."""
        if self._thread.ident is not None:
            self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while (call := self._calls.get()) is not None:
            call()
