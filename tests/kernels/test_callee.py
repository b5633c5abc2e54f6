"""Callees stay intermediate code: their callers get the same numbers as from Numba's own compiler."""

import numba
import numpy as np

from gori.kernels.callee import CalleeCompiler, CalleeLibrary


def _square(x):
    return x * x


def _norm(x, square):
    total = 0.0
    for k in range(x.shape[0]):
        total += square(x[k])
    return total**0.5


def test_a_callee_has_no_machine_code_and_its_caller_has():
    square = numba.njit(pipeline_class=CalleeCompiler, no_cpython_wrapper=True, no_cfunc_wrapper=True)(_square)

    @numba.njit
    def norm(x):
        total = 0.0
        for k in range(x.shape[0]):
            total += square(x[k])
        return total**0.5

    x = np.array([3.0, 4.0])
    assert norm(x) == 5.0 == _norm(x, _square)
    (compiled,) = square.overloads.values()
    assert isinstance(compiled.library, CalleeLibrary) and "define" in compiled.library.get_llvm_str()
    (caller,) = norm.overloads.values()
    assert not isinstance(caller.library, CalleeLibrary)


def test_callees_of_callees_are_linked():
    inner = numba.njit(pipeline_class=CalleeCompiler, no_cpython_wrapper=True, no_cfunc_wrapper=True)(_square)

    @numba.njit(pipeline_class=CalleeCompiler, no_cpython_wrapper=True, no_cfunc_wrapper=True)
    def fourth(x):
        return inner(inner(x))

    @numba.njit
    def outer(x):
        return fourth(x) + inner(x)

    assert outer(2.0) == 20.0
