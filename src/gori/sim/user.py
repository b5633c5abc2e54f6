"""A user's function as an address that compiled code can call: int64 f(double t, double *q, double *v, double *tau).

f(t, q, v) -> tau is plain Python; f(t, q, v, tau), compiled by `numba.njit`, adds to tau in place. An exception in
either stops the run: the plain one is kept here and raised again; the compiled one is called once more from Python,
which raises it with its own words.
"""

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

_POINTER = ctypes.POINTER(ctypes.c_double)
_CALL = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_double, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)


def _is_compiled(function: Callable) -> bool:
    from numba.core.dispatcher import Dispatcher

    return isinstance(function, Dispatcher)


class UserForce:
    """One or several functions, added up. Keep it alive as long as its address is in use."""

    def __init__(self, functions: list[Callable], nq: int, nv: int):
        self.functions, self.nq, self.nv = functions, nq, nv
        self.error: BaseException | None = None
        self._compiled = bool(functions) and all(map(_is_compiled, functions))
        self._keep: Any = None
        self.address = 0
        if functions:
            self._keep = self._compile() if self._compiled else _CALL(self._call)
            self.address = self._keep.address if self._compiled else ctypes.cast(self._keep, ctypes.c_void_p).value

    def _call(self, t, q, v, tau) -> int:
        try:
            q, v, tau = (self._array(*x) for x in ((q, self.nq), (v, self.nv), (tau, self.nv)))
            for function in self.functions:
                if _is_compiled(function):
                    function(t, q, v, tau)
                else:
                    tau += self._checked(function, function(t, q.copy(), v.copy()))
            return 0
        except BaseException as error:
            self.error = error
            return 1

    @staticmethod
    def _array(address: int, count: int) -> np.ndarray:
        return np.frombuffer((ctypes.c_double * count).from_address(address)) if count else np.zeros(0)

    def _checked(self, function: Callable, tau: Any) -> np.ndarray:
        tau = np.asarray(tau, float)
        if tau.shape != (self.nv,):
            name = getattr(function, "__name__", repr(function))
            raise ValueError(f"{name} must give an array of shape ({self.nv},), one force for each degree of freedom, "
                             f"not {tau.shape}")  # fmt: skip
        return tau

    def _compile(self) -> Any:
        import numba

        nq, nv, total = self.nq, self.nv, self.functions[0]
        for function in self.functions[1:]:
            total = _both(total, function)

        @numba.cfunc("i8(f8, CPointer(f8), CPointer(f8), CPointer(f8))", nopython=True)
        def call(t, q, v, tau):
            try:
                total(t, numba.carray(q, (nq,)), numba.carray(v, (nv,)), numba.carray(tau, (nv,)))
            except Exception:
                return 1
            return 0

        return call

    def reproduce(self, t: float, q: np.ndarray, v: np.ndarray) -> BaseException:
        """The exception behind a USER_ERROR near this state."""
        if self.error is None:
            self._call_again(t, q, v)
        return self.error or RuntimeError("a user's function failed")

    def _call_again(self, t: float, q: np.ndarray, v: np.ndarray) -> None:
        try:
            for function in self.functions:
                function(t, q.copy(), v.copy(), np.zeros(self.nv))
        except BaseException as error:
            self.error = error


def _both(one: Callable, other: Callable) -> Callable:
    import numba

    @numba.njit
    def both(t, q, v, tau):
        one(t, q, v, tau)
        other(t, q, v, tau)

    return both
