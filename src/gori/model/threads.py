"""A batch over threads: compiled code without the GIL, one slice of rows for each thread.

A pool of Python threads, not Numba's `prange`: it starts in 30 us, needs no OpenMP, lives with fork and with callers
that are threads themselves, and the kernels stay serial, which halves their compile time.
"""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

from gori.errors import InputError
from gori.kernels.lanes import WIDTH

SMALLEST = 16 * WIDTH
"""a batch smaller than this is not worth a second thread"""


def checked(count: object, name: str) -> int:
    if not str(count).isdecimal() or int(str(count)) < 1:
        raise InputError(f"{name} must be a whole number of at least 1, not {count!r}")
    return int(str(count))


def _available() -> int:
    if "GORI_THREADS" in os.environ:
        return checked(os.environ["GORI_THREADS"], "GORI_THREADS")
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


_count = _available()
_pool: ThreadPoolExecutor | None = None


def _forget_pool() -> None:
    global _pool
    _pool = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_pool)


def threads(count: int | None = None) -> int:
    """The number of threads that batches use; set it by giving a count (at first: all cores, or $GORI_THREADS)."""
    global _count
    if count is not None and checked(count, "threads") != _count:
        _count = int(count)
        _forget_pool()
    return _count


def run_rows(task: Callable[[int, int], None], rows: int) -> None:
    """Call task(start, stop) so that together they cover range(rows); slices start at multiples of WIDTH."""
    global _pool
    if _count == 1 or rows < SMALLEST:
        task(0, rows)
        return
    blocks = -(-rows // WIDTH)
    cuts = [min(rows, WIDTH * (blocks * k // _count)) for k in range(_count + 1)]
    if _pool is None:
        _pool = ThreadPoolExecutor(_count, thread_name_prefix="gori")
    for done in [_pool.submit(task, a, b) for a, b in pairwise(cuts) if b > a]:
        done.result()
