"""Factors and solutions without loops or indices, for programs that are compiled for one pattern (`kernels/batch`).

Where the pattern of the factors is part of the code, each of its entries has its own instructions: numbers of a row
stay in registers, nothing is looked up, and all that is read is known beforehand, so that a GPU reads far ahead. The
arithmetic is that of `factors.py`, in the same order.

Each function answers whether it did the work: on a CPU, whose kernels serve all machines, the answer is a constant
False, and the compiler leaves out the question. They take the Machine and a tuple of arrays.
"""

import hashlib
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from gori.kernels.batch.members import Members
from gori.kernels.batch.placed import PlacedArray

_I64, _REAL = ir.IntType(64), ir.DoubleType()
_FLAGS = ("contract", "reassoc", "nsz", "arcp", "afn")


class _Code:
    """Instructions on arrays of one machine, in a function of their addresses."""

    def __init__(self, builder: Any, arguments: Any, scales: list[int]):
        self._builder, self._addresses, self._scales = builder, arguments, scales

    def _pointer(self, array: int, index: int) -> Any:
        builder = self._builder
        at = builder.add(self._addresses[array], ir.Constant(_I64, self._scales[array] * index))
        return builder.inttoptr(at, _REAL.as_pointer())

    def read(self, array: int, index: int) -> Any:
        return self._builder.load(self._pointer(array, int(index)))

    def write(self, array: int, index: int, value: Any) -> None:
        self._builder.store(value, self._pointer(array, int(index)))

    def less(self, value: Any, a: Any, b: Any) -> Any:
        """value - a b."""
        return self._builder.fsub(value, self.times(a, b), flags=_FLAGS)

    def times(self, a: Any, b: Any) -> Any:
        return self._builder.fmul(a, b, flags=_FLAGS)

    def plus(self, a: Any, b: Any) -> Any:
        return self._builder.fadd(a, b, flags=_FLAGS)

    def negative(self, a: Any) -> Any:
        return self._builder.fsub(ir.Constant(_REAL, -0.0), a, flags=_FLAGS)

    def inverse(self, a: Any) -> Any:
        return self._builder.fdiv(ir.Constant(_REAL, 1.0), a, flags=_FLAGS)


Pattern = dict[str, np.ndarray]
"""arrays of the Pattern by name"""
Writer = Callable[[_Code, Pattern, int], None]
"""writes the code for a pattern with so many axes; the others of its places are equations"""
Keep = Callable[[list[Any]], None]
"""writes numbers, in the order of elimination, to where they belong"""


def _gather_mass(code: _Code, s: Pattern, nv: int) -> None:
    mass, jac, extra, eps, entries, diagonal = range(6)
    for p, (d, source) in enumerate(zip(s["source_row"], s["source"])):
        code.write(entries, p, code.read(mass, d * nv + source) if d >= 0 else code.read(jac, source))
    for k, d in enumerate(s["order"]):
        if d < nv:
            code.write(diagonal, k, code.plus(code.read(mass, d * nv + d), code.read(extra, d)))
        else:
            code.write(diagonal, k, code.negative(code.read(eps, d - nv)))


def _factor(code: _Code, s: Pattern, nv: int) -> None:
    entries, diagonal, lower, over_pivots = range(4)
    for k in range(len(s["order"])):
        row = {int(s["row"][p]): code.read(entries, p) for p in range(s["start"][k], s["start"][k + 1])}
        pivot = code.read(diagonal, k)
        for p in range(s["lower_start"][k], s["lower_start"][k + 1]):
            j, end = int(s["column"][p]), int(s["at"][p])
            value = row.pop(j, None)
            if value is None:  # the pattern has room for what is zero in every matrix
                code.write(lower, end, ir.Constant(_REAL, 0.0))
                continue
            for i in range(s["below"][j], end):
                at = int(s["lower_row"][i])
                row[at] = code.less(row.get(at, ir.Constant(_REAL, -0.0)), code.read(lower, i), value)
            share = code.times(value, code.read(over_pivots, j))
            code.write(lower, end, share)
            pivot = code.less(pivot, share, value)
        code.write(over_pivots, k, code.inverse(pivot))


def _substituted(code: _Code, s: Pattern, lower: int, over_pivots: int, x: list[Any], keep: Keep) -> None:
    """Keep (L D L')^-1 x, where x is given in the order of elimination.

    What stands half way is kept too: it may lie where L does, for all that a compiler knows, so that numbers of L are
    read once more. Those of a whole L are more than there are registers.
    """
    n = len(x)
    for k in range(n):
        for p in range(s["below"][k], s["below"][k + 1]):
            x[s["lower_row"][p]] = code.less(x[s["lower_row"][p]], code.read(lower, p), x[k])
    keep(x)
    for k in range(n - 1, -1, -1):
        value = code.times(x[k], code.read(over_pivots, k))
        for p in range(s["below"][k], s["below"][k + 1]):
            value = code.less(value, code.read(lower, p), x[s["lower_row"][p]])
        x[k] = value
    keep(x)


def _solve(code: _Code, s: Pattern, nv: int) -> None:
    lower, over_pivots, f, g, lam, eps, extra, out = range(8)
    right = []
    for d in s["order"]:
        if d < nv:
            right.append(code.plus(code.read(f, d), code.times(code.read(extra, d), code.read(out, d))))
        else:
            e = d - nv
            right.append(code.less(code.negative(code.read(g, e)), code.read(eps, e), code.read(lam, e)))

    def keep(x: list[Any]) -> None:
        for d, value in zip(s["order"], x):
            code.write(*((out, d) if d < nv else (lam, d - nv)), value)

    _substituted(code, s, lower, over_pivots, right, keep)


def _correct(code: _Code, s: Pattern, nv: int) -> None:
    lower, over_pivots, g, out = range(4)
    right = [ir.Constant(_REAL, 0.0) if d < nv else code.negative(code.read(g, d - nv)) for d in s["order"]]

    def keep(x: list[Any]) -> None:
        for d, value in zip(s["order"], x):
            if d < nv:
                code.write(out, d, value)

    _substituted(code, s, lower, over_pivots, right, keep)


def _made_of(writer: Writer) -> Any:
    """The function f(machine, arrays) -> whether there is such code, which then has done its work."""

    def in_code(typingctx: Any, machine: Any, arrays: Any) -> Any:
        placed = all(isinstance(one, PlacedArray) and one.scale and one.stored == one.dtype for one in arrays)
        known = isinstance(machine, Members) and machine.regions is not None and placed

        def codegen(context, builder, signature, args):
            if not known:
                return context.get_constant(types.boolean, False)
            addresses = [
                cgutils.create_struct_proxy(kind)(context, builder, value=value).data
                for kind, value in zip(arrays, cgutils.unpack_tuple(builder, args[1], len(arrays)))
            ]
            builder.call(_function(builder.module, writer, machine, [kind.scale for kind in arrays]), addresses)
            return context.get_constant(types.boolean, True)

        return types.boolean(machine, arrays), codegen

    return intrinsic(in_code)


def _function(module: ir.Module, writer: Writer, machine: Members, scales: list[int]) -> ir.Function:
    """The function of addresses, once in a module."""
    pattern = {name: laid.array for name, laid in machine.members["pattern"].laid.items()}
    nv = len(pattern["order"]) - len(machine.laid["equation"].array)
    told = b"".join(array.tobytes() for array in pattern.values()) + repr((nv, scales)).encode()
    name = f"gori{writer.__name__}_{hashlib.sha256(told).hexdigest()[:12]}"
    if isinstance(found := module.globals.get(name), ir.Function):
        return found
    function = ir.Function(module, ir.FunctionType(ir.VoidType(), [_I64] * len(scales)), name)
    function.linkage = "linkonce_odr"
    function.attributes.add("noinline")
    builder = ir.IRBuilder(function.append_basic_block())
    writer(_Code(builder, function.args, scales), pattern, nv)
    builder.ret_void()
    return function


gather_mass_in_code = _made_of(_gather_mass)
"""of (mass, jac, extra_inertia, eps, entries, diagonal)"""
factor_in_code = _made_of(_factor)
"""of (entries, diagonal, lower, over_pivots)"""
solve_in_code = _made_of(_solve)
"""of (lower, over_pivots, f, g, lam, eps, extra, x)"""
correct_in_code = _made_of(_correct)
"""of (lower, over_pivots, g, x)"""
