"""Building blocks of the CPU for the GPU, its threads, and one sub-step as all device functions see it.

here      in the simulator only the module of a kernel knows its threads; others ask for them by this name
barrier   of all threads of the device
"""

from types import FunctionType
from typing import Any, NamedTuple

import numba
from numba import cuda
from numba.core.dispatcher import Dispatcher

from gori.kernels.particles.cuda_flags import BARRIER
from gori.kernels.particles.cuda_wide import acquire

_ON_DEVICE: dict = {}
i8 = numba.int64


def on_device(function):
    """A building block of the CPU, with all that it calls, for the GPU."""
    plain = function.py_func if isinstance(function, Dispatcher) else function
    if plain not in _ON_DEVICE:
        scope = plain.__globals__
        used = {name: scope[name] for name in plain.__code__.co_names if name in scope}
        calls = {name: on_device(f) for name, f in used.items() if isinstance(f, (Dispatcher, FunctionType))}
        _ON_DEVICE[plain] = cuda.jit(device=True)(FunctionType(plain.__code__, {**scope, **calls}, plain.__name__))
    return _ON_DEVICE[plain]


class SubStep(NamedTuple):
    """What does not change within a sub-step: rows of the arrays, buffers of particles and of lists, law, number of
    materials, whether contacts resist rolling, and the step [s], single. Kept in registers, not read again.
    """

    n: Any
    now: Any
    lists: Any
    law: Any
    materials: Any
    rolls: Any
    dt: Any


@cuda.jit(device=True)
def sub_step(g, now, lists):
    """The SubStep of these buffers."""
    s = g.settings[0]
    return SubStep(s.count, i8(now), i8(lists), s.law, s.materials, s.history > 4, numba.float32(s.step))


class _Threads:
    """The kernel that the simulator runs now."""

    def __getattr__(self, name):
        from numba.cuda.simulator.kernel import _get_kernel_context

        return getattr(_get_kernel_context(), name)


SIMULATED = bool(numba.config.ENABLE_CUDASIM)
here = _Threads() if SIMULATED else cuda


@cuda.jit(device=True)
def barrier(flags):
    """All threads of a kernel whose blocks run at the same time wait for each other, and see what each has written.

    As the library's `grid.sync`, but part of the kernel: a call in its midst costs more than the barrier. Blocks count
    themselves; the first one brings what is missing to 2^31, so that the highest bit turns when all have come.
    """
    here.syncthreads()
    if not SIMULATED and here.threadIdx.x == 0:
        here.threadfence()
        share = 1 if here.blockIdx.x > 0 else -(1 << 31) - here.gridDim.x + 1
        before = here.atomic.add(flags, BARRIER, share)
        while acquire(flags, BARRIER) ^ before >= 0:
            pass
    here.syncthreads()
