"""A user's function as an address that compiled code can call: int64 f(double t, double *q, double *v, double *tau,
double *values), where values are those of the signals of the Model.

f(t, q, v) -> tau is plain Python; f(t, q, v, tau), compiled by `numba.njit`, adds to tau in place. An exception in
either stops the run: the plain one is kept here and raised again; the compiled one is called once more from Python,
which raises it with its own words.

ctypes drops an exception that arrives before the `try` of a callback, as that of a signal may, and goes on as if all
were well. Compiled code therefore numbers its calls, and a call that does not return its number has failed.
"""

import ctypes
import itertools
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from gori.errors import InputError

_CALL = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_double, *[ctypes.c_void_p] * 3, ctypes.c_int64)
"""t, q, v, tau and the number of the call, which is the result if all went well"""
_numbers = itertools.count()
SIGNATURE = "i8(f8, CPointer(f8), CPointer(f8), CPointer(f8), CPointer(f8))"
"""of what stands at the address, for `numba.cfunc`"""


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
        if self._compiled:
            self._keep = self._compile()
            self.address = self._keep.address
        elif functions:
            callback = _CALL(self._call)
            library, self.address = _numbered(ctypes.cast(callback, ctypes.c_void_p).value)
            self._keep = callback, library

    def __reduce__(self):
        return UserForce, (self.functions, self.nq, self.nv)

    @property
    def plain(self) -> bool:
        """Whether there is plain Python among the functions."""
        return bool(self.functions) and not self._compiled

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Within it, an exception that ctypes drops is kept as that of the function."""
        if not self.plain or threading.current_thread() is not threading.main_thread():  # others get no signals
            yield
            return
        before = sys.unraisablehook

        def keep(dropped: "sys.UnraisableHookArgs") -> None:
            if dropped.object == self._call:
                self.error = self.error or dropped.exc_value
            else:
                before(dropped)

        sys.unraisablehook = keep
        try:
            yield
        finally:
            sys.unraisablehook = before

    def interrupted(self) -> BaseException | None:
        """What ended a call and is not an error, such as Ctrl-C; None if a function failed by itself."""
        if self.error is None:
            return KeyboardInterrupt() if self.plain else None  # its exception was dropped: it came from outside
        return None if isinstance(self.error, Exception) else self.error

    def _call(self, t, q, v, tau, number) -> int:
        try:
            q, v, tau = (self._array(*x) for x in ((q, self.nq), (v, self.nv), (tau, self.nv)))
            for function in self.functions:
                if _is_compiled(function):
                    function(t, q, v, tau)
                else:
                    tau += self._checked(function, function(t, q.copy(), v.copy()))
            return number
        except BaseException as error:
            self.error = error
            return -1

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

        def call(t, q, v, tau, values):
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
            return numba.cfunc(SIGNATURE, nopython=True)(call)
        except numba.core.errors.NumbaError as error:
            names = ", ".join(function.__name__ for function in self.functions)
            raise InputError(
                f"{names} does not compile as f(t, q, v, tau) that adds to tau (nv,) in place: {error}"
            ) from error

    def reproduce(self) -> BaseException:
        """The exception behind a USER_ERROR. That of a compiled function is raised once more, with its words."""
        if self.error is None and self._compiled:
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


def _numbered(callback: int | None) -> tuple[Any, int]:
    """A compiled function that calls a callback with a new number each time: 0 if it returns that, else 1.

    Returns what must be kept alive, and the address.
    """
    from llvmlite import ir
    from numba.core.compiler_lock import global_compiler_lock
    from numba.core.registry import cpu_target

    integer, number, pointer = ir.IntType(64), ir.DoubleType(), ir.DoubleType().as_pointer()
    name = f"gori_numbered_{next(_numbers)}"
    library = cpu_target.target_context.codegen().create_library(name)
    module = library.create_ir_module(name)
    function = ir.Function(module, ir.FunctionType(integer, [number, *[pointer] * 4]), name)
    calls = ir.GlobalVariable(module, integer, f"{name}_calls")
    calls.initializer, calls.linkage = ir.Constant(integer, 0), "internal"
    builder = ir.IRBuilder(function.append_basic_block())
    this = builder.add(builder.load(calls), ir.Constant(integer, 1))
    builder.store(this, calls)
    kind = ir.FunctionType(integer, [number, pointer, pointer, pointer, integer])
    called = builder.call(
        builder.inttoptr(ir.Constant(integer, callback), kind.as_pointer()), [*function.args[:4], this]
    )
    builder.ret(builder.zext(builder.icmp_signed("!=", called, this), integer))
    with global_compiler_lock:
        library.add_ir_module(module)
        library.finalize()
    return library, library.get_pointer_to_function(name)


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
