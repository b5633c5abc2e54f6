"""Bundles of many machines: the members of a Bundle (`kernels/bundle.py`), laid out for all machines in one memory.

Tables that all machines share are there once. Of what each machine has for itself, numbers stand SIDE_BY_SIDE, with
the machine as the last axis, so that threads read neighbouring ones; records stand APART, machine after machine.
Compiled code gets one table of words, in which each array has its address and its shape, and the number of the
machine; it sees the members of that machine as if there were no others. Where the CPU calls a kernel by its address,
the function itself is a member (`jit.call_at`).

Sizes are in the words and not in the types: what was compiled for one machine serves all that are built alike.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import count
from typing import Any, NamedTuple

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, intrinsic, lower_getattr_generic, models, register_model
from numba.np.arrayobj import populate_array

from gori.kernels.bundle import Bundle

SHARED, APART, SIDE_BY_SIDE = 0, 1, 2
"""how an array stands in memory"""
IN_LANES = ("body_n", "dof_n")
"""arrays whose rows are read eight numbers at a time (`kernels/tree/tree_solve.py`), which stand apart as well"""
WORD = 8
"""bytes: all arrays of bundles consist of words"""
_NUMBERS = count(1)


class Laid(NamedTuple):
    """An array of one machine, and how those of all machines stand."""

    array: np.ndarray
    place: int

    @property
    def words(self) -> int:
        """Of one machine."""
        return self.array.nbytes // WORD


Tree = Mapping[str, Any]
"""members by name: Laid, functions, None, and trees of them"""


def tree_of(bundle: Bundle, shared: bool, functions: Mapping[str, Any], varied: Mapping[str, Any] = {}) -> Tree:
    """The members of a Bundle; shared: all machines have the same.

    functions   in place of addresses, by member; addresses that are 0 become None
    varied      of a shared bundle, members by path that differ from machine to machine
    """
    made: dict[str, Any] = {}
    for name, value in bundle.members().items():
        if isinstance(value, Bundle):
            within = {path.removeprefix(f"{name}."): x for path, x in varied.items() if path.startswith(f"{name}.")}
            made[name] = tree_of(value, shared, functions, within)
        elif isinstance(value, np.ndarray):
            alone = APART if value.dtype.names or name in IN_LANES or name in bundle.in_lanes else SIDE_BY_SIDE
            same = (shared and name not in varied) or name in bundle.constant
            made[name] = Laid(value, SHARED if same else alone)
        else:
            made[name] = functions[name] if value else None
    return made


def leaves(tree: Tree, above: str = "") -> Iterator[tuple[str, Laid]]:
    """All arrays of a tree, with their paths."""
    for name, value in tree.items():
        if isinstance(value, Mapping):
            yield from leaves(value, f"{above}{name}.")
        elif isinstance(value, Laid):
            yield f"{above}{name}", value


class Members(types.Type):
    """Numba's type of a tree: types of its members, and at which of the words each begins.

    used   paths of the arrays that compiled code has asked for: others need no memory
    """

    def __init__(self, tree: Tree, type_of_function: Callable[[Any], Any], used: set[str], above: str = ""):
        super().__init__(name=f"Members{next(_NUMBERS)}")  # short: names of types are in all symbols
        self.members: dict[str, Any] = {}
        self.places: dict[str, int] = {}
        self.first: dict[str, int] = {}
        self.used, self.above, self.words = used, above, 0
        for name, value in tree.items():
            self.first[name] = self.words
            if isinstance(value, Mapping):
                inner = self.members[name] = Members(value, type_of_function, used, f"{above}{name}.")
                self.words += inner.words
            elif isinstance(value, Laid):
                layout = "A" if value.place == SIDE_BY_SIDE else "C"
                self.members[name] = types.Array(numba.from_dtype(value.array.dtype), value.array.ndim, layout)
                self.places[name] = value.place
                self.words += 1 + value.array.ndim
            else:
                self.members[name] = types.none if value is None else type_of_function(value)


def structure_of(tree: Tree) -> str:
    """All that a compiled program depends on, in one text."""
    parts = []
    for name, value in tree.items():
        if isinstance(value, Mapping):
            parts.append(f"{name}({structure_of(value)})")
        elif isinstance(value, Laid):
            parts.append(f"{name}:{value.array.dtype.descr}{value.array.ndim}{value.place}")
        else:
            parts.append(f"{name}={getattr(value, '__name__', value)}")
    return " ".join(parts)


@register_model(Members)
class MembersModel(models.StructModel):
    """The words of the tree, how many machines there are, and which one this is."""

    def __init__(self, manager, kind):
        super().__init__(manager, kind, MEMBERS_FIELDS)


MEMBERS_FIELDS = [("words", types.CPointer(types.int64)), ("count", types.intp), ("t", types.intp)]


@infer_getattr
class _Attributes(AttributeTemplate):
    key = Members

    def generic_resolve(self, typ: Members, attr: str) -> Any:
        return typ.members.get(attr)


@lower_getattr_generic(Members)
def _load_member(context, builder, typ, value, attr):
    kind, bundle = typ.members[attr], cgutils.create_struct_proxy(typ)(context, builder, value=value)
    first = builder.gep(bundle.words, [ir.Constant(ir.IntType(64), typ.first[attr])])

    def load(k: int):
        number = builder.load(builder.gep(first, [ir.Constant(ir.IntType(64), k)]))
        number.set_metadata("invariant.load", builder.module.add_metadata([]))
        return number

    if isinstance(kind, Members):
        inner = cgutils.create_struct_proxy(kind)(context, builder)
        inner.words, inner.count, inner.t = first, bundle.count, bundle.t
        return inner._getvalue()
    if not isinstance(kind, types.Array):
        return context.get_dummy_value()  # a function, or None
    typ.used.add(f"{typ.above}{attr}")
    made = context.make_array(kind)(context, builder)
    item = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(kind.dtype)))
    data, shape, apart = load(0), [load(1 + axis) for axis in range(kind.ndim)], item
    if typ.places[attr] == APART:
        size = item
        for length in shape:
            size = builder.mul(size, length)
        data = builder.add(data, builder.mul(bundle.t, size))
    elif typ.places[attr] == SIDE_BY_SIDE:
        data, apart = builder.add(data, builder.mul(bundle.t, item)), builder.mul(bundle.count, item)
    strides = [apart]
    for size in reversed(shape[1:]):
        strides.insert(0, builder.mul(strides[0], size))
    populate_array(made, builder.inttoptr(data, made.data.type), shape, strides, item, None)
    return made._getvalue()


def members_at(kind: Members) -> Any:
    """members(address, machines, t): those of machine t, from the address of the words."""

    @intrinsic
    def members(typingctx, address, machines, t):
        def codegen(context, builder, signature, args):
            made = cgutils.create_struct_proxy(kind)(context, builder)
            made.words = builder.inttoptr(args[0], made.words.type)
            made.count, made.t = args[1], args[2]
            return made._getvalue()

        return kind(types.int64, types.intp, types.intp), codegen

    return members


def _read_byte(typingctx, address):
    """The byte at an address, as a whole number."""

    def codegen(context, builder, signature, args):
        byte = builder.load(builder.inttoptr(args[0], ir.IntType(8).as_pointer()))
        return builder.zext(byte, ir.IntType(64))

    return types.int64(types.int64), codegen


read_byte: Any = intrinsic(_read_byte)


def _read_word(typingctx, address):
    """The word at an address."""

    def codegen(context, builder, signature, args):
        return builder.load(builder.inttoptr(args[0], ir.IntType(64).as_pointer()))

    return types.int64(types.int64), codegen


read_word: Any = intrinsic(_read_word)


def _write_word(typingctx, address, word):
    """Put a word at an address."""

    def codegen(context, builder, signature, args):
        builder.store(args[1], builder.inttoptr(args[0], ir.IntType(64).as_pointer()))
        return context.get_dummy_value()

    return types.none(types.int64, types.int64), codegen


write_word: Any = intrinsic(_write_word)
