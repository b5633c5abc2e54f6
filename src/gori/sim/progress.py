"""A bar for runs that take more than two seconds, where a person is looking."""

import sys
import time
from collections.abc import Callable


class Progress:
    """Shows nothing for two seconds, nothing at all without a terminal.

    about   gives more words to show
    """

    def __init__(self, wanted: bool, start: float, end: float, about: Callable[[], str] | None = None):
        self._about = about
        self._wanted = isinstance(wanted, bool | int) and bool(wanted) and sys.stderr.isatty()
        self._start, self._end = start, end
        self._began = self._shown = time.perf_counter()
        self._bar = None

    def move(self, now: float) -> None:
        if not self._wanted:
            return
        clock = time.perf_counter()
        if clock - self._began < 2.0 or clock - self._shown < 0.1:  # as often as an eye can follow
            return
        self._shown = clock
        if self._bar is None:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

            columns = (BarColumn(), TextColumn("{task.fields[words]}"), TimeRemainingColumn())
            self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
            self._task = self._bar.add_task("", total=self._end - self._start, words="")
            self._bar.start()
        words = f"t = {now:.3f} of {self._end:g} s" + ("" if self._about is None else f", {self._about()}")
        self._bar.update(self._task, completed=now - self._start, words=words)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.stop()
