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

from gori.errors import GoriError, SimulationError
from gori.model import threads
from gori.web.serve.drive.engine import BLOCK, NEAR, DriveEngine, Ended, try_levers, values_of
from gori.web.serve.drive.pace import Pace
from gori.web.serve.drive.pedals import Order, Orders
from gori.web.serve.drive.truck import DriveOptions, driven

BLOCKS = 2
"""between two frames"""
IN_FLIGHT = 3
"""frames that may be under way"""
DEAD_MAN = 2.0
"""without a word from the driver for so long, pedals are released [s]"""
PRIORITY = -10
"""of the process, as `nice` counts"""
QUICK, NOWHERE = 5.0, 3.0
"""a drive that ends so soon [s], so near its start [m], has not been one"""
IN_VAIN = 2
"""drives that were none, after which the vehicle waits for its driver instead of starting again"""
SEEN = 3
"""blocks after which one sees what a key does: wheels follow the steering a little later"""
MANY = 400
"""pieces of ruts after which they are put together"""


def work(options: DriveOptions, pipe: Connection) -> None:
    """Main function of the process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the server, and the server ends this
    be_punctual()
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


def be_punctual(on: bool = True) -> None:
    """This process runs as soon as its time has come, where the system permits that; else it hurries. Only for what
    rests most of the time.
    """
    hurry()
    with suppress(AttributeError, OSError):
        os.sched_setscheduler(0, os.SCHED_RR if on else os.SCHED_OTHER, os.sched_param(1 if on else 0))


class Worker:
    """The loop of the process."""

    def __init__(self, options: DriveOptions, pipe: Connection):
        self.pipe, self.vehicle = pipe, driven(options)
        self.engine = self._settled()
        run = self.engine.simulation
        self.pace = Pace(BLOCK, time.perf_counter())
        self.credit, self.paused, self.recording, self.ended = IN_FLIGHT, False, False, False
        self.heard, self.run_number, self.blocks = time.perf_counter(), 0, 0
        self.trouble: str | None = None
        self.punctual = True
        self._orders, self._acting, self._vain, self._warned = Orders(), deque[tuple[int, float]](), 0, False
        self._rows: list[np.ndarray] = []
        self._ruts: list[tuple[np.ndarray, np.ndarray]] = []
        info = run._info(0.0)
        info["sample"] = BLOCKS * BLOCK
        pipe.send(("ready", {"info": info, "outputs": run.outputs, "gears": try_levers(self.engine)}))
        gc.collect()
        gc.freeze()

    def _settled(self) -> DriveEngine:
        """The vehicle on its wheels; an error where the soil does not carry it."""
        try:
            engine = DriveEngine(self.vehicle)
        except SimulationError as error:
            raise SimulationError(self.vehicle.sinks if "sunk" in str(error) else str(error), 0.0) from None
        if self.vehicle.soil is not None and not self.vehicle.options.stones and not engine.stands():
            raise SimulationError(self.vehicle.sinks, 0.0)
        return engine

    def run(self) -> None:
        """Until it is told to end."""
        self.pace.restart(time.perf_counter())
        self._look()
        while not self.ended:
            self._take(0.0)
            if self.paused:
                self._orders.only_last()
                self._take(0.05)
                self._send()
                self.pace.restart(time.perf_counter())
                continue
            self._press()
            if time.perf_counter() - self.heard > DEAD_MAN:
                self.engine.pedals.release()
            if (ended := self.engine.advance()) is not None:
                self._start_again(ended)
            self.blocks += 1
            self._keep_time()
            answered = self._answer()
            if self.blocks % BLOCKS == 0:
                self._warn()
                self._look()
                self._send()
            elif answered:
                self._send()  # what comes of a key is told at once
            while not self.ended and (left := self.pace.due - time.perf_counter()) > 0.0:
                self._take(left)

    def _keep_time(self) -> None:
        """Tell the clock of a block. A machine that is too slow is left to others as well: a page wants to be drawn."""
        lost = self.pace.lost
        self.pace.finished(time.perf_counter())
        if self.pace.lost > lost and self.punctual:
            self.punctual = False
            be_punctual(False)

    def _start_again(self, ended: Ended) -> None:
        """The vehicle is back at the start. After drives that were none it waits there, and says why."""
        self._begin()
        self.pace.restart(time.perf_counter())
        self._vain = self._vain + 1 if ended.moment < QUICK and ended.far < NOWHERE else 0
        if self._vain < IN_VAIN:
            self.pipe.send(("notice", f"{ended.words}. The vehicle is back at the start"))
            return
        pressed = self.engine.pedals.throttle > 0.0
        words = f"it cannot start here: {ended.words}" if pressed else self.vehicle.sinks
        self.trouble, self.paused, self._vain = f"{words}. Reset (R) tries again", True, 0

    def _warn(self) -> None:
        """The driver hears of the end of the soft soil before the vehicle is there."""
        left = self.engine.soil_left
        if left < NEAR and not self._warned:
            self.pipe.send(("notice", f"the soft soil ends in {max(0.0, left):.0f} m, at the red posts"))
        self._warned = left < NEAR

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
            "behind": max(0.0, pace.behind(now)), "lost": pace.lost, "sent": self._sent, "trouble": self.trouble,
        }  # fmt: skip
        if self._ruts:
            frame["ruts"], self._ruts = _latest(self._ruts), []
        if self._rows:
            frame["rows"], self._rows = np.array(self._rows), []
        if (stones := self.engine.stones()) is not None:
            frame["stones"] = stones
        self.pipe.send(("frame", frame))

    _sent = 0.0
    """clock of the page when it sent the latest pedals whose effect one sees now [ms]"""

    def _answer(self) -> bool:
        """Whether one sees only now what an order does."""
        before = self._sent
        while self._acting and self._acting[0][0] <= self.blocks:
            self._sent = self._acting.popleft()[1]
        return self._sent != before

    def _begin(self) -> None:
        self.run_number, self._ruts, self._rows, self.recording = self.run_number + 1, [], [], False

    def _press(self) -> None:
        """The next order of the driver."""
        if (order := self._orders.take()) is not None:
            self.engine.gear, self.engine.low = order.gear, order.low
            self.engine.pedals.want(order.throttle, order.brake, order.steering, order.smooth)
            self._acting.append((self.blocks + SEEN, order.sent))

    def _take(self, wait: float) -> None:
        """Messages that are there, or that come within a time [s]."""
        while self.pipe.poll(wait):
            wait, (kind, *given) = 0.0, self.pipe.recv()
            engine = self.engine
            if kind == "credit":
                self.credit += 1
            elif kind == "pedals":
                self._orders.put(Order(*given))
                self.heard = time.perf_counter()
            elif kind == "pause":
                self.paused, self.trouble = given[0], self.trouble if given[0] else None
            elif kind == "reset":
                engine.begin()
                self.trouble = None
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
