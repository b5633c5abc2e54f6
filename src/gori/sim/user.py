"""A user's function as an address that compiled code can call: int64 f(double t, double *q, double *v, double *tau).

f(t, q, v) -> tau is plain Python; f(t, q, v, tau), compiled by `numba.njit`, adds to tau in place. An exception in
either stops the run: the plain one is kept here and raised again; the compiled one is called once more from Python,
which raises it with its own words.
"""

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

from gori.errors import InputError

_CALL = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_double, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)


def _name(function: Callable) -> str:
    return getattr(function, "__name__", repr(function))


def _is_compiled(function: Callable) -> bool:
    from numba.core.dispatcher import Dispatcher

    return isinstance(function, Dispatcher)


class UserForce:
    """One or several functions, added up. Keep it alive as long as its address is in use."""

    def __init__(self, functions: list[Callable], nq: int, nv: int):
        for function in functions:
            if not callable(function):
                raise InputError(f"forces must be functions, not {function!r}")
        self.functions, self.nq, self.nv = functions, nq, nv
        self.error: BaseException | None = None
        self._compiled = bool(functions) and all(map(_is_compiled, functions))
        self._keep: Any = None
        self._failed = np.zeros(1 + nq + nv)  # time and state at which a compiled function failed
        self.address: Any = 0
        if functions:
            self._keep = self._compile() if self._compiled else _CALL(self._call)
            self.address = self._keep.address if self._compiled else ctypes.cast(self._keep, ctypes.c_void_p).value

    def __reduce__(self):
        return UserForce, (self.functions, self.nq, self.nv)  # an address means nothing in another process

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
            wanted = f"({self.nv},), one force for each degree of freedom"
            raise ValueError(f"{_name(function)} must return an array of shape {wanted}, not {tau.shape}")
        return tau

    def _compile(self) -> Any:
        import numba

        nq, nv, total = self.nq, self.nv, self.functions[0]
        for function in self.functions[1:]:
            total = _both(total, function)

        at, address = _pointer(), self._failed.ctypes.data

        def call(t, q, v, tau):
            try:
                total(t, numba.carray(q, (nq,)), numba.carray(v, (nv,)), numba.carray(tau, (nv,)))
            except Exception:
                failed = numba.carray(at(address), (1 + nq + nv,))
                failed[0] = t
                failed[1 : 1 + nq] = numba.carray(q, (nq,))
                failed[1 + nq :] = numba.carray(v, (nv,))
                return 1
            return 0

        try:
            return numba.cfunc("i8(f8, CPointer(f8), CPointer(f8), CPointer(f8))", nopython=True)(call)
        except numba.core.errors.NumbaError as error:
            names = ", ".join(function.__name__ for function in self.functions)
            raise InputError(
                f"{names} does not compile as f(t, q, v, tau) that adds to tau (nv,) in place: {error}"
            ) from error

    def reproduce(self) -> BaseException:
        """The exception behind a USER_ERROR. That of a compiled function is raised once more, with its words."""
        if self.error is None:
            try:
                self.values(self._failed[0], *np.split(self._failed[1:], [self.nq]))
            except BaseException as error:
                self.error = error
        return self.error or RuntimeError("it failed once, but not when called again")

    def values(self, t: float, q: np.ndarray, v: np.ndarray) -> dict[str, np.ndarray]:
        """What each function gives, by name."""
        result = {}
        for function in self.functions:
            if _is_compiled(function):
                tau = np.zeros(self.nv)
                function(t, q.copy(), v.copy(), tau)
            else:
                tau = self._checked(function, function(t, q.copy(), v.copy()))
            result[_name(function)] = tau
        return result


def _both(one: Callable, other: Callable) -> Callable:
    import numba

    @numba.njit
    def both(t, q, v, tau):
        one(t, q, v, tau)
        other(t, q, v, tau)

    return both


def _pointer() -> Callable:
    """A compiled function that makes a pointer to numbers out of their address."""
    from numba import types
    from numba.extending import intrinsic

    @intrinsic
    def pointer(typingctx, address):
        kind = types.CPointer(types.float64)

        def codegen(context, builder, signature, args):
            return builder.inttoptr(args[0], context.get_value_type(kind))

        return kind(types.int64), codegen

    return pointer
