"""Scratch arrays of the tree kernels: recomputable, allocated once, used by one call at a time."""

import math
from collections.abc import Callable

import numpy as np

from gori.kernels.lanes import WIDTH, aligned
from gori.kernels.layout import Layout
from gori.model.threads import run_rows


class Workspaces:
    """Flat workspaces for batch kernels: one for each call under way, kept for the next."""

    def __init__(self, nrow: int, nq: int, nv: int):
        self._sizes = {"nrow": nrow, "nq": nq, "nv": nv}
        self._lengths: dict[tuple, int] = {}
        self.pool: list[np.ndarray] = []

    def run(self, kernel: Callable, layout: Layout, tables: tuple, rows: tuple[np.ndarray, ...], **sizes: int) -> None:
        """Run a batch kernel over all rows, each thread with a workspace of its own.

        tables   arguments that are the same for all states
        rows     inputs and outputs with one row for each state
        sizes    of the layout, besides those of the tree
        """
        length, count = self._length(layout, sizes), len(rows[0])

        def task(start, stop):
            work, own = self._take(length), rows if stop - start == count else [x[start:stop] for x in rows]
            try:
                kernel(*tables, *own, work)
            finally:
                self.pool.append(work)

        run_rows(task, count, self._sizes["nv"])

    def _length(self, layout: Layout, sizes: dict[str, int]) -> int:
        key = (layout.name, *sizes.values())
        if key not in self._lengths:
            self._lengths[key] = WIDTH * layout.size(**self._sizes, **sizes)
        return self._lengths[key]

    def _take(self, length: int) -> np.ndarray:
        try:
            work = self.pool.pop()
        except IndexError:  # all are in use
            work = aligned(length)
        return work if len(work) >= length else aligned(length)


def one_state(kernel, before: tuple, after: tuple, shape: tuple, scratch: tuple[tuple, ...]) -> Callable:
    """A function of the arrays of one state that calls the kernel and returns a new array, with little overhead.

    It returns None when the kernel's check number is not finite, and raises TypeError when an argument is not a
    contiguous, writable float64 array: the caller then takes the general path, which converts or reports the error.

    before, after   arguments of the kernel before and after the state
    shape           of the result
    scratch         shapes of the scratch arrays, the last arguments
    """
    pool: list[tuple[np.ndarray, ...]] = []

    def run(*state):
        try:
            work = pool.pop()
        except IndexError:  # all are in use
            work = tuple(map(aligned, scratch))
        out = np.empty(shape)
        try:
            check = kernel.call(*before, *state, *after, out, *work)
        finally:
            pool.append(work)
        return out if math.isfinite(check) else None

    return run
