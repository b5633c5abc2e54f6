"""Functions of a GPU as plain Python, on flat arrays of the host."""

from types import SimpleNamespace

import numpy as np

from gori.kernels.particles.arrays import SETTINGS
from tests.plain import plain, rows


def _read(width):
    return lambda array, k: tuple(array[k : k + width])


def _write(width):
    def write(array, k, numbers):
        array[k : k + width] = numbers

    return write


def _atomic_or(array, k, bits):
    array[k] |= bits


def _compare_and_swap(array, k, old, new):
    before = array[k]
    if before == old:
        array[k] = new
    return before


_THREADS = SimpleNamespace(atomic=SimpleNamespace(or_=_atomic_or, cas=_compare_and_swap))
ON_HOST = {"read2": _read(2), "read4": _read(4), "write2": _write(2), "write4": _write(4), "here": _THREADS,
           "cuda": _THREADS}  # fmt: skip


def on_host(function):
    """A device function that the interpreter runs, with all that it calls, as one thread."""
    return plain(function, ON_HOST)


def settings(**fields):
    """Settings of a run of particles."""
    table = SETTINGS.zeros(1)
    for name, value in fields.items():
        table[name] = value
    return rows(table)


def flat(values, dtype=np.float32):
    return np.array(values, dtype).ravel()
