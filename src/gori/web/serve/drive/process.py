"""The process that simulates, as the server sees it: words to it, and what it says."""

import multiprocessing
import sys
import threading
from collections.abc import Callable
from typing import Any

from gori.web.serve.drive.truck import DriveOptions
from gori.web.serve.drive.worker import hurry, work

ENDING = 5.0
"""time that the process gets to end [s]"""
ENDED = "the simulation has ended"


class Process:
    """A process for one vehicle.

    hear   told, in a thread of its own, all that the process says: frame, ready, notice, failed
    """

    def __init__(self, options: DriveOptions, hear: Callable[[str, Any], None]):
        self.options, self._hear, self._ending = options, hear, False
        self._lock = threading.Lock()
        self._pipe: Any = None
        self._process: Any = None

    def start(self) -> None:
        """Start it, unless it was, and pass on quickly what it says."""
        if self._process is not None:
            return
        if sys.platform == "linux":  # there it is of this thread alone
            hurry()
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=work, args=(self.options, theirs), name="gori drive", daemon=True)
        self._process.start()
        theirs.close()
        threading.Thread(target=self._listen, name="gori drive", daemon=True).start()

    def stop(self) -> None:
        """End it."""
        self._ending = True
        self.tell("end")
        if self._process is not None:
            self._process.join(ENDING)
            self.kill()

    def kill(self) -> None:
        """End it at once."""
        if self._process is not None and self._process.is_alive():
            self._process.kill()
            self._process.join(ENDING)

    def tell(self, *message: Any) -> None:
        """Say something to it."""
        try:
            with self._lock:
                if self._pipe is not None:
                    self._pipe.send(message)
        except (OSError, ValueError):
            self._gone()

    def _listen(self) -> None:
        try:
            while True:
                kind, given = self._pipe.recv()
                self._hear(kind, given)
                if kind == "frame":
                    self.tell("credit")
        except (EOFError, OSError):
            self._gone()

    def _gone(self) -> None:
        if not self._ending:
            self._hear("failed", ENDED)
