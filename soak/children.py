"""Forked children: each does one thing, and how it ended is told. Forked from a process that has loaded all kernels, so
that a kill costs no start of an interpreter.
"""

import os
import signal
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

PATIENCE = 120.0
"""wall time after which a child counts as hanging [s]"""


class Ended(NamedTuple):
    """code: exit code, or minus the number of the signal; None: it hung. text: what it returned or raised."""

    code: int | None
    text: str


class Child:
    """A function that runs in a process of its own."""

    def __init__(self, work: Callable[[], object]):
        self._read, write = os.pipe()
        sys.stdout.flush()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self._read)
            self._work(work, write)
        os.close(write)

    @staticmethod
    def _work(work: Callable[[], object], write: int) -> None:
        code = 0
        try:
            text = str(work())
        except BaseException:
            text, code = traceback.format_exc(), 1
        with suppress(OSError):
            os.write(write, text.encode()[-60_000:])
        os._exit(code)

    def kill(self, number: int = signal.SIGKILL) -> None:
        with suppress(ProcessLookupError):
            os.kill(self.pid, number)

    def wait(self, seconds: float = PATIENCE) -> Ended:
        """How it ended; a child that hangs is killed."""
        end, code = time.monotonic() + seconds, None
        while time.monotonic() < end:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                code = os.waitstatus_to_exitcode(status)
                break
            time.sleep(0.005)
        else:
            self.kill()
            os.waitpid(self.pid, 0)
        with os.fdopen(self._read, "rb") as pipe:
            text = b"" if code is None else pipe.read()
        return Ended(code, text.decode(errors="replace"))


def run(work: Callable[[], object], seconds: float = PATIENCE) -> Ended:
    return Child(work).wait(seconds)
