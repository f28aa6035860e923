"""One thread with one event loop, on which all asynchronous core work runs.

So plain callers, threads and other event loops (the HTTP server's) may mix freely.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from server.errors import ShuttingDownError

T = TypeVar("T")

FILE_THREADS = 8


class Engine:
    """The loop's thread, and bounded pools for work that blocks.

    Args:
        image_threads: How many pictures are worked on at a time.
    """

    def __init__(self, image_threads: int) -> None:
        self._files = ThreadPoolExecutor(FILE_THREADS, thread_name_prefix="localserver-files")
        self._images = ThreadPoolExecutor(image_threads, thread_name_prefix="localserver-images")
        self._loop = asyncio.new_event_loop()
        self._loop.set_default_executor(self._files)
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="localserver-engine", daemon=True
        )
        self._thread.start()

    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Start work on the engine's loop.

        Raises:
            ShuttingDownError: The engine was closed.
        """
        if self._loop.is_closed():
            work.close()
            raise ShuttingDownError("this LocalServer was closed; make a new one")
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run work on the engine's loop and wait for its result.

        Raises:
            RuntimeError: Called on the engine's own thread, which would wait for ever.
        """
        if threading.current_thread() is self._thread:
            work.close()
            raise RuntimeError("a plain method was called on the engine's loop; await it instead")
        return self.submit(work).result()

    async def in_files(self, work: Callable[..., T], *args: Any) -> T:
        """Run blocking file work off the loop."""
        return await self._run_in(self._files, work, *args)

    async def in_images(self, work: Callable[..., T], *args: Any) -> T:
        """Run image work off the loop."""
        return await self._run_in(self._images, work, *args)

    async def _run_in(self, pool: ThreadPoolExecutor, work: Callable[..., T], *args: Any) -> T:
        """A cancelled caller still waits for the work's end: nobody then meets half of it."""
        future = pool.submit(work, *args)
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            if not future.cancelled():
                await asyncio.wait({asyncio.wrap_future(future)})
            raise

    def close(self, last: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Cancel what still runs, do one last thing on the loop, and end the threads."""
        if self._loop.is_closed():
            return
        self.submit(self._cancel_all()).result()
        self.submit(last()).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        self._files.shutdown()
        self._images.shutdown()

    async def _cancel_all(self) -> None:
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
