"""What the code of a GPU takes from elsewhere: building blocks of the CPU, and its threads.

here   in the simulator only the module of a kernel knows its threads; others ask for them by this name
"""

from types import FunctionType

import numba
from numba import cuda
from numba.core.dispatcher import Dispatcher

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


here = _Threads() if numba.config.ENABLE_CUDASIM else cuda
