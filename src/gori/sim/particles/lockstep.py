"""Worker threads that run in lockstep."""

import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any


class WorkerThreads:
    """Threads that wait for work. A forked child has none of its parent's threads, and starts its own."""

    def __init__(self, count: int):
        self._count, self._process = count, 0
        self._pool: ThreadPoolExecutor | None = None

    def submit(self, function: Callable, *arguments: Any) -> Future:
        """Call a function in a thread that is free."""
        pool = self._pool
        if pool is None or self._process != os.getpid():
            pool = self._pool = ThreadPoolExecutor(self._count, thread_name_prefix="particles")
            self._process = os.getpid()
        return pool.submit(function, *arguments)
