"""Bundles of many machines on a GPU: the Bundle of one machine (`kernels/bundle.py`), laid out for all of them.

Tables that all share are as they are. Of what each machine has for itself, numbers stand side by side, with the machine
as the last axis, so that threads read neighbouring ones; records stand machine after machine. Compiled code gets a
bundle by the address of its table of addresses and shapes, as on the CPU, and a thread sees the members of its machine.
Types have short names: a named tuple of two hundred arrays makes compiling slow by its name alone.
"""

from itertools import count
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import cuda, types
from numba.core.typing.templates import AttributeTemplate
from numba.cuda import cgutils
from numba.cuda.descriptor import cuda_target
from numba.cuda.extending import core_models, register_model
from numba.cuda.np.arrayobj import populate_array
from numba.extending import infer_getattr, intrinsic, lower_getattr_generic

from gori.kernels.bundle import Bundle

ADDRESSES = ("user", "core", "closed", "vehicle", "penalty", "solver")
"""members that are addresses of kernels"""
_NUMBERS = count(1)


class Members(types.Type):
    """Numba's type of such a bundle: types of its members, and in which word of its table each one begins."""

    def __init__(self, name: str, members: dict[str, Any], shared: bool):
        super().__init__(name=f"{name}{next(_NUMBERS)}")
        self.members, self.shared, self.first, words = members, shared, {}, 0
        for member, kind in members.items():
            self.first[member] = words
            words += 1 + kind.ndim if isinstance(kind, types.Array) else 1


@register_model(Members)
class _Model(core_models.StructModel):
    def __init__(self, manager, kind):
        super().__init__(
            manager, kind, [("words", types.CPointer(types.int64)), ("count", types.intp), ("t", types.intp)]
        )


@infer_getattr
class _Attributes(AttributeTemplate):
    key = Members

    def generic_resolve(self, typ: Members, attr: str) -> Any:
        return typ.members.get(attr)


@lower_getattr_generic(Members)
def _load_member(context, builder, typ, value, attr):
    kind, bundle = typ.members[attr], cgutils.create_struct_proxy(typ)(context, builder, value=value)

    def load(k: int):
        number = builder.load(builder.gep(bundle.words, [ir.Constant(ir.IntType(64), typ.first[attr] + k)]))
        number.set_metadata("invariant.load", builder.module.add_metadata([]))
        return number

    if isinstance(kind, Members):
        inner = cgutils.create_struct_proxy(kind)(context, builder)
        inner.words, inner.count, inner.t = builder.inttoptr(load(0), bundle.words.type), bundle.count, bundle.t
        return inner._getvalue()
    if not isinstance(kind, types.Array):
        return context.get_dummy_value()  # a function, or None
    made = context.make_array(kind)(context, builder)
    item = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(kind.dtype)))
    data, shape, apart = load(0), [load(1 + axis) for axis in range(kind.ndim)], item
    if not typ.shared and isinstance(kind.dtype, types.Record):
        data = builder.add(data, builder.mul(bundle.t, builder.mul(shape[0], item)))
    elif not typ.shared:
        data, apart = builder.add(data, builder.mul(bundle.t, item)), builder.mul(bundle.count, item)
    strides = [apart]
    for size in reversed(shape[1:]):
        strides.insert(0, builder.mul(strides[0], size))
    populate_array(made, builder.inttoptr(data, made.data.type), shape, strides, item, None)
    return made._getvalue()


def _maker(kind: Members) -> Any:
    @intrinsic
    def members(typingctx, words, count, t):
        def codegen(context, builder, signature, args):
            made = cgutils.create_struct_proxy(kind)(context, builder)
            table = context.make_array(signature.args[0])(context, builder, args[0])
            made.words, made.count, made.t = builder.bitcast(table.data, made.words.type), args[1], args[2]
            return made._getvalue()

        return kind(words, types.intp, types.intp), codegen

    return members


class OnDevice:
    """A bundle for many machines: `arrays`, which a kernel takes, and `of(arrays, machines, t)`, members of machine t.

    shared      one for all, as tables are
    functions   that stand in the place of addresses, by member
    size        of all arrays [bytes]
    """

    def __init__(self, bundle: Bundle, machines: int, shared: bool, functions: dict[str, Any] | None = None):
        self.size, self._alive, self._functions = 0, [], functions or {}
        kind, self.arrays = self._laid(bundle, machines, shared)
        self.of = _maker(kind)

    def _laid(self, bundle: Bundle, machines: int, shared: bool) -> tuple[Members, Any]:
        members, words = {}, []
        for member, value in bundle.members().items():
            if member in ADDRESSES:
                function = self._functions.get(member) if value else None
                members[member] = (
                    types.none if function is None else cuda_target.typing_context.resolve_value_type(function)
                )
                words.append(0)
            elif isinstance(value, Bundle):
                members[member], table = self._laid(value, machines, shared)
                words.append(table.device_ctypes_pointer.value)
            else:
                whole = shared or bool(value.dtype.names)
                members[member] = types.Array(numba.from_dtype(value.dtype), value.ndim, "C" if whole else "A")
                words += [self._copied(value, machines, shared), *value.shape]
        table = cuda.to_device(np.array(words, np.int64))
        self._alive.append(table)
        return Members(type(bundle).__name__, members, shared), table

    def _copied(self, value: np.ndarray, machines: int, shared: bool) -> int:
        if value.size == 0:
            return 0
        if shared:
            laid = np.array(value)
        elif value.dtype.names:
            laid = np.tile(value, machines)
        else:
            laid = np.ascontiguousarray(np.repeat(value[..., None], machines, axis=-1))
        self._alive.append(cuda.to_device(laid))
        self.size += laid.nbytes
        return self._alive[-1].device_ctypes_pointer.value
