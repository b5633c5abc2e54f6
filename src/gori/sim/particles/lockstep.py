"""Worker threads that run in lockstep; SIGINT is deferred meanwhile."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
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


@contextmanager
def without_interrupts() -> Iterator[None]:
    """Ctrl-C waits until this is done: a worker waits at barriers for the others, for ever if one is gone."""
    if threading.current_thread() is not threading.main_thread():  # others are not interrupted
        yield
        return
    pressed: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: pressed.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL if before is None else before)
    if pressed:
        signal.raise_signal(signal.SIGINT)
