"""What the code of a GPU takes from elsewhere: building blocks of the CPU, and its threads.

here   in the simulator only the module of a kernel knows its threads; others ask for them by this name
meet   all threads of the device
"""

from types import FunctionType

import numba
from numba import cuda
from numba.core.dispatcher import Dispatcher

from gori.kernels.particles.cuda_tables import MET
from gori.kernels.particles.cuda_wide import acquire

_ON_DEVICE: dict = {}


def on_device(function):
    """A building block of the CPU, with all that it calls, for the GPU."""
    plain = function.py_func if isinstance(function, Dispatcher) else function
    if plain not in _ON_DEVICE:
        scope = plain.__globals__
        used = {name: scope[name] for name in plain.__code__.co_names if name in scope}
        calls = {name: on_device(f) for name, f in used.items() if isinstance(f, (Dispatcher, FunctionType))}
        _ON_DEVICE[plain] = cuda.jit(device=True)(FunctionType(plain.__code__, {**scope, **calls}, plain.__name__))
    return _ON_DEVICE[plain]


class _Threads:
    """The kernel that the simulator runs now."""

    def __getattr__(self, name):
        from numba.cuda.simulator.kernel import _get_kernel_context

        return getattr(_get_kernel_context(), name)


SIMULATED = bool(numba.config.ENABLE_CUDASIM)
here = _Threads() if SIMULATED else cuda


@cuda.jit(device=True)
def meet(flags):
    """All threads of a kernel whose blocks run at the same time wait for each other, and see what each has written.

    As the library's `grid.sync`, but part of the kernel: a call in its midst costs more than the meeting. Blocks count
    themselves; the first one brings what is missing to 2^31, so that the highest bit turns when all have come.
    """
    here.syncthreads()
    if not SIMULATED and here.threadIdx.x == 0:
        here.threadfence()
        share = 1 if here.blockIdx.x > 0 else -(1 << 31) - here.gridDim.x + 1
        before = here.atomic.add(flags, MET, share)
        while acquire(flags, MET) ^ before >= 0:
            pass
    here.syncthreads()
