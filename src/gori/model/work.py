"""Work: the scratch arrays of the kernels. Always recomputable, allocated once, lent to one call at a time."""

import math
from collections.abc import Callable
from contextlib import contextmanager
from functools import cached_property

import numpy as np

from gori.kernels.lanes import WIDTH, aligned
from gori.kernels.tree.columns import N_BODY_W, N_DOF_W
from gori.kernels.tree.derivatives import N_BODY_D, N_DOF_D
from gori.model.threads import run_rows

PLAIN = ("body_w8", "dof_w8", "buffer8")
SQUARE = (*PLAIN, "square8")
"""names of the scratch arrays that most batch kernels take, in their order"""


class Work:
    """Scratch for one thread; each array is made when it is first asked for."""

    def __init__(self, nrow: int, nq: int, nv: int, nframe: int):
        self._sizes = nrow, nq, nv, nframe

    @cached_property
    def body_w(self) -> np.ndarray:
        return aligned((self._sizes[0], N_BODY_W))

    @cached_property
    def dof_w(self) -> np.ndarray:
        return aligned((self._sizes[2], N_DOF_W))

    @cached_property
    def body_d(self) -> np.ndarray:
        return aligned((self._sizes[0], N_BODY_D))

    @cached_property
    def dof_d(self) -> np.ndarray:
        return aligned((self._sizes[2], N_DOF_D))

    @cached_property
    def squares(self) -> np.ndarray:
        nv = self._sizes[2]
        return aligned((3, nv, nv))

    @cached_property
    def qdd(self) -> np.ndarray:
        return aligned((self._sizes[2],))

    @cached_property
    def body_w8(self) -> np.ndarray:
        return aligned((self._sizes[0], N_BODY_W, WIDTH))

    @cached_property
    def dof_w8(self) -> np.ndarray:
        return aligned((self._sizes[2], N_DOF_W, WIDTH))

    @cached_property
    def body_d8(self) -> np.ndarray:
        return aligned((self._sizes[0], N_BODY_D, WIDTH))

    @cached_property
    def dof_d8(self) -> np.ndarray:
        return aligned((self._sizes[2], N_DOF_D, WIDTH))

    @cached_property
    def buffer8(self) -> np.ndarray:
        """Inputs and outputs of eight states; the largest need is a wrench on, or a pose of, every frame."""
        _, nq, nv, nframe = self._sizes
        return aligned((nq + 8 * nv + 12 * nframe + 16, WIDTH))

    @cached_property
    def squares8(self) -> np.ndarray:
        nv = self._sizes[2]
        return aligned((3, nv, nv, WIDTH))

    @cached_property
    def square8(self) -> np.ndarray:
        nv = self._sizes[2]
        return aligned((nv * nv, WIDTH))


class Lender:
    """Lends Work: one for each call under way, kept for the next."""

    def __init__(self, nrow: int, nq: int, nv: int, nframe: int):
        self._sizes = nrow, nq, nv, nframe
        self.pool: list[Work] = []

    @contextmanager
    def work(self):
        try:
            work = self.pool.pop()
        except IndexError:  # all are lent
            work = Work(*self._sizes)
        try:
            yield work
        finally:
            self.pool.append(work)

    def arrays(self, names: tuple[str, ...]) -> tuple[np.ndarray, ...]:
        """New scratch arrays by name."""
        work = Work(*self._sizes)
        return tuple(getattr(work, name) for name in names)

    def run(self, kernel: Callable, arguments: tuple, scratch: tuple[str, ...], count: int) -> None:
        """Run a batch kernel over all rows, each thread with a Work of its own."""

        def task(start, stop):
            with self.work() as work:
                kernel(*arguments, *(getattr(work, name) for name in scratch), start, stop)

        run_rows(task, count, self._sizes[2])


def one_state(kernel, lender: Lender, before: tuple, after: tuple, shape: tuple, scratch: tuple[str, ...]) -> Callable:
    """The straight way for one state: a function of its arrays that calls the kernel and gives a new array.

    It gives None when the kernel's check number is not finite, and raises TypeError when an argument is not a
    contiguous, writable float64 array: then the careful way finds out what is wrong, or converts.
    """
    pool: list[tuple[np.ndarray, ...]] = []

    def run(*state):
        try:
            lent = pool.pop()
        except IndexError:  # all are lent
            lent = lender.arrays(scratch)
        out = np.empty(shape)
        try:
            check = kernel.call(*before, *state, *after, out, *lent)
        finally:
            pool.append(lent)
        return out if math.isfinite(check) else None

    return run
