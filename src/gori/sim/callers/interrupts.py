"""Ctrl-C during a run: it waits for the end of a block of steps, so that nothing is half done."""

import signal
from types import FrameType
from typing import Any, Self

from gori.sim.callers.signals import Stopped, handle, in_main_thread, restore


class InterruptsLater:
    """Ctrl-C, and signals that end a run, wait until this is done: a step and the exchange at its end belong together.
    Twice, they do not wait.

    pressed   how often they came meanwhile
    """

    def __init__(self) -> None:
        self.pressed, self._first = 0, 0
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        self.pressed, self._before = 0, self._take_over()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        here, self._before = self._before, {}
        restore(here)
        if here and self.pressed and error is None:
            signal.raise_signal(self._first)

    def _take_over(self) -> dict[int, Any]:
        """Handle the signals from now on; what handled them before."""
        return handle(self._press) if in_main_thread() else {}

    def _press(self, number: int, frame: FrameType | None) -> None:
        self.pressed += 1
        if self.pressed > 1:
            raise KeyboardInterrupt if number == signal.SIGINT else Stopped(number)
        self._first = number


class RunInterrupts(InterruptsLater):
    """Of a run: between two blocks of steps `check` ends it. A handler of the caller's own stays in place.

    on   False: there is nothing to be broken, and Ctrl-C ends the run wherever it arrives
    """

    def __init__(self, on: bool = True) -> None:
        super().__init__()
        self._on = on

    def _take_over(self) -> dict[int, Any]:
        if self._on and in_main_thread() and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            return {signal.SIGINT: signal.signal(signal.SIGINT, self._press)}
        return {}

    def check(self) -> None:
        """Raise KeyboardInterrupt if it was pressed."""
        if self.pressed:
            self.pressed = 0
            raise KeyboardInterrupt


ANYWHERE = RunInterrupts(on=False)
"""nothing waits"""
