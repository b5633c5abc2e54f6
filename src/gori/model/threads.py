"""A batch over threads: compiled code without the GIL, one slice of rows for each thread.

A pool of Python threads, not Numba's `prange`: it needs no OpenMP, lives with fork and with callers that are threads
themselves, and the kernels stay serial.
"""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

from gori.errors import InputError
from gori.kernels.lanes import WIDTH

SMALLEST = 4096
"""rows times degrees of freedom that are worth a thread of their own"""


def checked(count: object, name: str) -> int:
    if not str(count).isdecimal() or int(str(count)) < 1:
        raise InputError(f"{name} must be a positive integer, not {count!r}")
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


def run_rows(task: Callable[[int, int], None], rows: int, nv: int) -> None:
    """Call task(start, stop) so that together they cover range(rows); slices start at multiples of WIDTH.

    The caller does the last slice itself.
    """
    global _pool
    count = min(_count, rows * nv // SMALLEST)
    if count <= 1:
        task(0, rows)
        return
    blocks = -(-rows // WIDTH)
    cuts = [min(rows, WIDTH * (blocks * k // count)) for k in range(count + 1)]
    pool = _pool
    if pool is None:
        pool = _pool = ThreadPoolExecutor(_count, thread_name_prefix="gori")
    others = [pool.submit(task, a, b) for a, b in pairwise(cuts[:-1])]
    task(cuts[-2], cuts[-1])
    for other in others:
        other.result()
