"""The process that simulates, so that nothing that a server or a page does can delay it. It takes pedals from a pipe,
goes on by blocks at the pace of the clock, and sends frames when the other side has taken those before.
"""

import gc
import os
import signal
import time
from collections import deque
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from gori.errors import GoriError
from gori.model import threads
from gori.web.serve.drive.engine import BLOCK, DriveEngine, try_levers, values_of
from gori.web.serve.drive.pace import Pace
from gori.web.serve.drive.truck import DriveOptions, driven

BLOCKS = 2
"""between two frames"""
IN_FLIGHT = 3
"""frames that may be under way"""
DEAD_MAN = 2.0
"""without a word from the driver for so long, pedals are released [s]"""
PRIORITY = -10
"""of the process, as `nice` counts"""
TAPS = 8
"""pedals that may wait for their block"""
MANY = 400
"""pieces of ruts after which they are put together"""


def work(options: DriveOptions, pipe: Connection) -> None:
    """Main function of the process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the server, and the server ends this
    hurry()
    threads(1)  # several that wait for each other are slower where a browser wants the cores as well
    try:
        worker = Worker(options, pipe)
        worker.run()
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return  # the server has gone
    except (GoriError, MemoryError) as error:
        with suppress(OSError):
            pipe.send(("failed", str(error)))


def hurry() -> None:
    """This thread (elsewhere than on Linux this process) goes before others, where the system permits it: a browser
    that draws with the processor wants all of it.
    """
    with suppress(AttributeError, OSError):
        os.setpriority(os.PRIO_PROCESS, 0, PRIORITY)


class Worker:
    """The loop of the process."""

    def __init__(self, options: DriveOptions, pipe: Connection):
        self.pipe, self.engine = pipe, DriveEngine(driven(options))
        run = self.engine.simulation
        self.pace = Pace(BLOCK, time.perf_counter())
        self.credit, self.paused, self.recording, self.ended = IN_FLIGHT, False, False, False
        self.heard, self.run_number, self.blocks = time.perf_counter(), 0, 0
        self._pedals: deque[tuple] = deque(maxlen=TAPS)
        self._rows: list[np.ndarray] = []
        self._ruts: list[tuple[np.ndarray, np.ndarray]] = []
        info = run._info(0.0)
        info["sample"] = BLOCKS * BLOCK
        pipe.send(("ready", {"info": info, "outputs": run.outputs, "gears": try_levers(self.engine)}))
        gc.collect()
        gc.freeze()

    def run(self) -> None:
        """Until it is told to end."""
        self.pace.restart(time.perf_counter())
        self._look()
        while not self.ended:
            self._take(0.0)
            if self.paused:
                self._take(0.05)
                self._send()
                self.pace.restart(time.perf_counter())
                continue
            self._press()
            if time.perf_counter() - self.heard > DEAD_MAN:
                self.engine.pedals.release()
            if (ended := self.engine.advance()) is not None:
                self._begin()
                self.pipe.send(("notice", f"{ended}. The vehicle is back at the start"))
            self.blocks += 1
            self.pace.finished(time.perf_counter())
            if self.blocks % BLOCKS == 0:
                self._look()
                self._send()
            while not self.ended and (left := self.pace.due - time.perf_counter()) > 0.0:
                self._take(left)

    def _look(self) -> None:
        """Keep what has changed since the last frame."""
        if (ruts := self.engine.ruts()) is not None and len(ruts[0]):
            self._ruts.append(ruts)
            if len(self._ruts) > MANY:
                self._ruts = [_latest(self._ruts)]
        if self.recording:
            self._rows.append(self.engine.sample())

    def _send(self) -> None:
        if not self.credit:
            return
        self.credit -= 1
        now, pace = time.perf_counter(), self.pace
        frame: dict[str, Any] = {
            "row": self.engine.sample(), "spin": self.engine.spin.astype(np.float32), "run": self.run_number,
            "paused": self.paused, "values": values_of(self.engine), "gear": self.engine.gear, "low": self.engine.low,
            "ratio": pace.ratio, "percent": pace.percent, "looks": pace.looks, "held": pace.held,
            "behind": max(0.0, pace.behind(now)), "lost": pace.lost, "sent": self._sent,
        }  # fmt: skip
        if self._ruts:
            frame["ruts"], self._ruts = _latest(self._ruts), []
        if self._rows:
            frame["rows"], self._rows = np.array(self._rows), []
        if (stones := self.engine.stones()) is not None:
            frame["stones"] = stones
        self.pipe.send(("frame", frame))

    _sent = 0.0
    """clock of the page when it sent the pedals that act now [ms]"""

    def _begin(self) -> None:
        self.run_number, self._ruts, self._rows, self.recording = self.run_number + 1, [], [], False

    def _press(self) -> None:
        """The next of the pedals that have come: each acts for a block at least, so that no tap of a key is lost."""
        if self._pedals:
            throttle, brake, steering, smooth, self.engine.gear, self.engine.low, self._sent = self._pedals.popleft()
            self.engine.pedals.want(throttle, brake, steering, smooth)

    def _take(self, wait: float) -> None:
        """Messages that are there, or that come within a time [s]."""
        while self.pipe.poll(wait):
            wait, (kind, *given) = 0.0, self.pipe.recv()
            engine = self.engine
            if kind == "credit":
                self.credit += 1
            elif kind == "pedals":
                self._pedals.append(given)
                self.heard = time.perf_counter()
            elif kind == "pause":
                self.paused = given[0]
            elif kind == "reset":
                engine.begin()
                self._begin()
                self.pace.restart(time.perf_counter())
                self._look()
            elif kind == "record":
                self.recording = given[0]
            elif kind == "end":
                self.ended = True
                return


def _latest(pieces: list[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    """Cells and depths of several looks, the latest of each cell."""
    cells = np.concatenate([piece[0] for piece in pieces])[::-1]
    depth = np.concatenate([piece[1] for piece in pieces])[::-1]
    found, first = np.unique(cells, return_index=True)
    return found, depth[first]
