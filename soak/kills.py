"""Kills at random times, inside the writing of a checkpoint, and while a run is closed; then the run is taken up, and
compared with one that was left alone.
"""

import os
import random
import signal
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from gori.record import read_checkpoint, recorder
from gori.record.rows import RowFile
from soak.cases import Case, print_of
from soak.children import Child, Ended

KINDS = ("random time", "random time", "in a checkpoint", "while closing", "stopped by a signal")
STOPS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)


class Undisturbed:
    """Prints and wall times of the cases, each run once and left alone."""

    def __init__(self, cases: dict[str, Case], folder: Path):
        self.prints, self.seconds = {}, {}
        for name, case in cases.items():
            path = folder / f"{name.replace(' ', '_')}.h5"
            began = time.perf_counter()
            ended = Child(lambda case=case, path=path: (case.begin(path), print_of(path))[1]).wait()
            if ended.code != 0:
                raise SystemExit(f"the case {name} does not run: {ended.text}")
            self.prints[name], self.seconds[name] = ended.text, time.perf_counter() - began


def die_at(kind: str, when: int) -> None:
    """In a child: the `when`-th write of that kind is its last."""
    left = when

    def count() -> None:
        nonlocal left
        left -= 1
        if left <= 0:
            os.kill(os.getpid(), signal.SIGKILL)

    if kind == "in a checkpoint":
        put, write_slot = RowFile._put, RowFile.write_slot

        def torn_put(self, name, offset, array):
            """Half of it, then the end."""
            if left <= 1:
                put(self, name, offset, array.reshape(-1)[: array.size // 2])
            count()
            put(self, name, offset, array)

        def torn_slot(self, slot):
            RowFile._put = torn_put
            try:
                write_slot(self, slot)
            finally:
                RowFile._put = put

        RowFile.write_slot = torn_slot
    else:
        write_packed = recorder.write_packed

        def torn_packed(path, header, columns, count_of, rows, *rest):
            def torn_rows(*where):
                count()
                return rows(*where)

            return write_packed(path, header, columns, count_of, torn_rows, *rest)

        recorder.write_packed = torn_packed


class Soak:
    """Kills runs of all cases one after the other: `counts` are the figures, `problems` what is not as it should be."""

    def __init__(self, cases: dict[str, Case], undisturbed: Undisturbed, folder: Path, rng: random.Random):
        self._cases, self._undisturbed, self._folder, self._rng = cases, undisturbed, folder, rng
        names = ("kills", "signals", "resumes", "resumes_identical", "kills_in_checkpoint", "crashes", "hangs")
        self.counts: Counter[str] = Counter(dict.fromkeys(names, 0))
        self.problems: list[str] = []

    def one(self, number: int) -> None:
        """One run: killed, taken up, perhaps killed again, and compared."""
        rng, name = self._rng, list(self._cases)[number % len(self._cases)]
        case, kind = self._cases[name], KINDS[(number // len(self._cases)) % len(KINDS)]
        path = self._folder / f"{name.replace(' ', '_')}_{number}.h5"
        self._disturb(name, kind, lambda: case.begin(path), path, rng)
        again = 0
        while path.exists() and rng.random() < 0.2 and again < 2:
            again += 1
            self._disturb(name, "random time", lambda: case.resume(path), path, rng)
        if not path.exists() or read_checkpoint(path) is None:
            self._end(f"{name}, {kind}", Child(lambda: (case.begin(path), print_of(path))[1]).wait(), name)
        else:
            self._end(f"{name}, {kind}", Child(lambda: (case.resume(path), print_of(path))[1]).wait(), name)
        for file in self._folder.glob(f"*{path.stem}*"):
            file.unlink()

    def _disturb(self, name: str, kind: str, work: Callable[[], None], path: Path, rng: random.Random) -> None:
        at_write = rng.randint(1, 6 if kind == "in a checkpoint" else 12)
        inside = kind in ("in a checkpoint", "while closing")
        child = Child(lambda: (die_at(kind, at_write) if inside else None, work()))
        if inside:
            ended = child.wait()
            if ended.code == -signal.SIGKILL:
                self.counts["kills"] += 1
                self.counts["kills_in_checkpoint"] += kind == "in a checkpoint"
            elif ended.code != 0:
                self._trouble(f"{name}, {kind}", ended)
            return
        end = time.monotonic() + 30.0
        while not path.exists() and time.monotonic() < end:
            time.sleep(0.002)
        time.sleep(rng.uniform(0.0, 0.9 * self._undisturbed.seconds[name]))
        stop = rng.choice(STOPS) if kind == "stopped by a signal" else signal.SIGKILL
        child.kill(stop)
        ended = child.wait(10.0 if stop == signal.SIGKILL else 30.0)
        if stop == signal.SIGKILL:
            self.counts["kills"] += ended.code == -signal.SIGKILL
        else:
            self.counts["signals"] += ended.code in (0, -stop)
        # Ctrl-C ends a run, and the program goes on: code 0; so does one that was already through. Beside a run it is
        # an exception like in any program
        beside = stop == signal.SIGINT and ended.text.rstrip().endswith("KeyboardInterrupt")
        if ended.code not in (-stop, 0) and not beside:
            self._trouble(f"{name}, {kind}", ended)

    def _end(self, what: str, ended: Ended, name: str) -> None:
        self.counts["resumes"] += 1
        if ended.code == 0 and ended.text == self._undisturbed.prints[name]:
            self.counts["resumes_identical"] += 1
        elif ended.code == 0:
            self.problems.append(f"{what}: the run differs from one that was left alone: {ended.text}")
        else:
            self._trouble(what, ended)

    def _trouble(self, what: str, ended: Ended) -> None:
        self.counts["hangs" if ended.code is None else "crashes"] += 1
        self.problems.append(f"{what}: code {ended.code}: {ended.text[-1500:]}")
