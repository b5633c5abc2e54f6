"""Bundles of many machines: the members of a Bundle (`kernels/bundle.py`), laid out for all machines in one memory.

Tables that all machines share are there once. Of what each machine has for itself, numbers stand in TILES of as many
machines as work in step: one number of all of them, then the next, so that threads read neighbouring ones, and where a
number stands is known when programs are compiled (`placed.py`). What others see as arrays of all machines stands
SIDE_BY_SIDE instead, with the machine as the last axis; some records stand APART, machine after machine.

Compiled code gets one table of words: the size of a tile, and of each array its address and its shape; and the number
of the machine. It sees the members of that machine as if there were no others. Where the CPU calls a kernel by its
address, the function itself is a member (`jit.call_at`).

Numbers of rows are in the words and not in the types: what was compiled for one machine serves all that are built
alike. Machines whose steps are long have their numbers of rows and their places in the code instead (`regions.py`).
"""

from collections.abc import Callable, Iterator, Mapping
from fnmatch import fnmatchcase
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

from gori.kernels.batch.placed import PlacedArray, make_placed
from gori.kernels.batch.regions import Regions
from gori.kernels.bundle import Bundle

SHARED, APART, SIDE_BY_SIDE, TILED = 0, 1, 2, 3
"""how an array stands in memory"""
TILE = 32
"""machines of a tile: the threads of a warp"""
SEEN = (
    "data.values", "data.forgotten", "data.contact_memory.wrench", "data.contact_memory.measured", "memory.trace.*",
)  # fmt: skip
"""paths of arrays of numbers that others see, besides the state"""
WHOLE = (
    "data.driver", "data.wheel", "data.train", "data.wheel_output", "data.train_output", "data.stage_output",
    "data.cells", "data.window", "data.contact_memory.head", "memory.head",
)  # fmt: skip
"""paths of tables whose records stand in one piece: others see them or what takes their place, or threads of a warp
need different ones
"""
IN_LANES = ("body_n", "dof_n")
"""arrays whose rows are read eight numbers at a time (`kernels/tree/tree_solve.py`), which stand apart as well"""
WORD = 8
"""bytes: all arrays of bundles consist of words"""
HALF = 4
"""bytes of a float32, as numbers that stand in TILES may be stored"""
_NUMBERS = count(1)


class Laid(NamedTuple):
    """An array of one machine, and how those of all machines stand.

    constant   compiled code never writes it
    single     its numbers are stored as float32, and it stands in TILES
    dense      compiled code reads neighbouring numbers at once, or hands its address on: an array of Numba's own
    in_code    its numbers may be part of the code
    """

    array: np.ndarray
    place: int
    constant: bool = False
    single: bool = False
    dense: bool = False
    in_code: bool = False

    @property
    def stored(self) -> np.dtype:
        """Of what is in the memory of all machines."""
        return np.dtype(np.float32) if self.single else self.array.dtype

    @property
    def nbytes(self) -> int:
        """Of one machine there."""
        return self.array.size * self.stored.itemsize

    @property
    def words(self) -> int:
        """Of one machine; numbers, where they are halves of words."""
        return self.array.size if self.single else self.array.nbytes // WORD

    @property
    def steps(self) -> tuple[int, ...]:
        """From one element to the next along each axis, in elements."""
        shape = self.array.shape
        return tuple(int(np.prod(shape[axis + 1 :])) for axis in range(len(shape)))

    @property
    def scale(self) -> int:
        """Bytes between neighbouring elements of one machine; 0: it depends on how many machines there are."""
        if self.place == SIDE_BY_SIDE:
            return 0
        return self.stored.itemsize * (TILE if self.place == TILED else 1)


Tree = Mapping[str, Any]
"""members by name: Laid, functions, None, and trees of them"""


def tree_of(
    bundle: Bundle, shared: bool, functions: Mapping[str, Any], varied: Mapping[str, Any] = {}, above: str = ""
) -> Tree:
    """The members of a Bundle; shared: all machines have the same, and nobody writes them.

    functions   in place of addresses, by member; addresses that are 0 become None
    varied      of a shared bundle, members by path that differ from machine to machine
    above       path of the bundle, with a dot at its end
    """
    made: dict[str, Any] = {}
    for name, value in bundle.members().items():
        if isinstance(value, Bundle):
            within = {path.removeprefix(f"{name}."): x for path, x in varied.items() if path.startswith(f"{name}.")}
            made[name] = tree_of(value, shared, functions, within, f"{above}{name}.")
        elif isinstance(value, np.ndarray):
            alone = SIDE_BY_SIDE if any(fnmatchcase(above + name, path) for path in SEEN) else TILED
            dense, constant = name in IN_LANES or name in bundle.in_lanes, shared or name in bundle.constant
            if dense or (value.dtype.names and above + name in WHOLE):
                alone = APART
            same = (shared and name not in varied) or name in bundle.constant
            made[name] = Laid(
                value, SHARED if same else alone, constant, dense=dense, in_code=same and name in bundle.in_code
            )
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

    used      paths of the arrays that compiled code has asked for: others need no memory
    regions   where arrays stand, if that is decided here; None: words tell it
    """

    def __init__(
        self,
        tree: Tree,
        type_of_function: Callable[[Any], Any],
        used: set[str],
        above: str = "",
        regions: Regions | None = None,
    ):
        super().__init__(name=f"Members{next(_NUMBERS)}")  # short: names of types are in all symbols
        self.members: dict[str, Any] = {}
        self.laid: dict[str, Laid] = {}
        self.first: dict[str, int] = {}
        self.used, self.above, self.regions, self.words = used, above, regions, 0
        for name, value in tree.items():
            self.first[name] = self.words
            if isinstance(value, Mapping):
                inner = self.members[name] = Members(value, type_of_function, used, f"{above}{name}.", regions)
                self.words += inner.words
            elif isinstance(value, Laid):
                dtype = numba.from_dtype(value.array.dtype)
                if value.dense:
                    self.members[name] = types.Array(dtype, value.array.ndim, "C")
                else:
                    stored = types.float32 if value.single else None
                    self.members[name] = PlacedArray(dtype, value.steps, value.scale, value.constant, stored)
                self.laid[name] = value
                self.words += 1 + value.array.ndim
            else:
                self.members[name] = types.none if value is None else type_of_function(value)


def structure_of(tree: Tree, sizes: bool = False) -> str:
    """All that a compiled program depends on, in one text; sizes: on numbers of rows, too."""
    parts = []
    for name, value in tree.items():
        if isinstance(value, Mapping):
            parts.append(f"{name}({structure_of(value, sizes)})")
        elif isinstance(value, Laid):
            shape = value.array.shape if sizes else value.steps
            parts.append(f"{name}:{value.array.dtype.descr}{value.stored}{shape}{value.place}{value.dense}")
            if sizes and value.in_code:
                parts.append(value.array.tobytes().hex())
        else:
            parts.append(f"{name}={getattr(value, '__name__', value)}")
    return " ".join(parts)


@register_model(Members)
class MembersModel(models.StructModel):
    """The words of the tree, how many machines there are, which one this is, and where its numbers stand in tiles; with
    regions also where those begin for it.
    """

    def __init__(self, manager, kind):
        super().__init__(manager, kind, MEMBERS_FIELDS)


MEMBERS_FIELDS = [
    ("words", types.CPointer(types.int64)), ("count", types.int64), ("t", types.int64), ("in_tiles", types.int64),
    ("shared", types.int64), ("apart", types.int64), ("side", types.int64),
]  # fmt: skip


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
        # nothing is told to be invariant: with constant elements that were, the compiler for GPUs made wrong code
        return builder.load(builder.gep(first, [ir.Constant(ir.IntType(64), k)]))

    if isinstance(kind, Members):
        inner = cgutils.create_struct_proxy(kind)(context, builder)
        inner.words = first
        for name, _ in MEMBERS_FIELDS[1:]:
            setattr(inner, name, getattr(bundle, name))
        return inner._getvalue()
    if not isinstance(kind, PlacedArray | types.Array):
        return context.get_dummy_value()  # a function, or None
    typ.used.add(f"{typ.above}{attr}")
    laid = typ.laid[attr]
    item = ir.Constant(ir.IntType(64), laid.array.itemsize)
    apart = builder.mul(bundle.count, item) if laid.place == SIDE_BY_SIDE else None
    if typ.regions is not None:
        shape = [ir.Constant(ir.IntType(64), length) for length in laid.array.shape]
        data = _in_region(builder, bundle, laid, typ.regions.place(f"{typ.above}{attr}", laid))
    else:
        data, shape = load(0), [load(1 + axis) for axis in range(laid.array.ndim)]
        if laid.place == APART:
            size = item
            for length in shape:
                size = builder.mul(size, length)
            data = builder.add(data, builder.mul(bundle.t, size))
        elif laid.place == SIDE_BY_SIDE:
            data = builder.add(data, builder.mul(bundle.t, item))
        elif laid.place == TILED:
            data = builder.add(data, bundle.in_tiles)
    if laid.single and laid.place == TILED:  # half as far from the beginning of the tile
        lane = builder.srem(bundle.t, ir.Constant(ir.IntType(64), TILE))
        data = builder.sub(data, builder.mul(lane, ir.Constant(ir.IntType(64), WORD - HALF)))
    if isinstance(kind, PlacedArray):
        return make_placed(context, builder, kind, data, shape, apart)
    made, strides = context.make_array(kind)(context, builder), [item]
    for size in reversed(shape[1:]):
        strides.insert(0, builder.mul(strides[0], size))
    populate_array(made, builder.inttoptr(data, made.data.type), shape, strides, item, None)
    return made._getvalue()


def _in_region(builder, bundle, laid: Laid, place: int):
    """Address of an array of this machine, at a place in its region."""
    begin = {SHARED: bundle.shared, APART: bundle.apart, SIDE_BY_SIDE: bundle.side, TILED: bundle.in_tiles}[laid.place]
    if laid.place in (SHARED, TILED):
        return builder.add(begin, ir.Constant(ir.IntType(64), place * (TILE if laid.place == TILED else 1)))
    own = builder.mul(bundle.t, ir.Constant(ir.IntType(64), laid.nbytes if laid.place == APART else WORD))
    return builder.add(begin, builder.add(builder.mul(bundle.count, ir.Constant(ir.IntType(64), place)), own))


def members_at(kind: Members) -> Any:
    """members(address, machines, t): those of machine t, from the address of the words."""

    @intrinsic
    def members(typingctx, address, machines, t):
        def codegen(context, builder, signature, args):
            made = cgutils.create_struct_proxy(kind)(context, builder)
            words = builder.inttoptr(args[0], made.words.type)

            def word(k):
                return builder.load(builder.gep(words, [ir.Constant(ir.IntType(64), k)]))

            whole, size = ir.Constant(ir.IntType(64), TILE), ir.Constant(ir.IntType(64), WORD)
            lane = builder.mul(builder.srem(args[2], whole), size)
            made.words = builder.gep(words, [ir.Constant(ir.IntType(64), 1)])
            made.count, made.t = args[1], args[2]
            made.in_tiles = builder.add(builder.mul(builder.sdiv(args[2], whole), word(0)), lane)
            if kind.regions is not None:
                made.shared, made.apart, made.side = word(1 + SHARED), word(1 + APART), word(1 + SIDE_BY_SIDE)
                made.in_tiles = builder.add(word(1 + TILED), made.in_tiles)
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


def _copy_half(typingctx, to, source):
    """Four bytes from an address to another."""

    def codegen(context, builder, signature, args):
        half = ir.IntType(32).as_pointer()
        builder.store(builder.load(builder.inttoptr(args[1], half)), builder.inttoptr(args[0], half))
        return context.get_dummy_value()

    return types.none(types.int64, types.int64), codegen


copy_half: Any = intrinsic(_copy_half)


def _write_single(typingctx, address, word):
    """Put a word, which is a float64, at an address as a float32."""

    def codegen(context, builder, signature, args):
        single = builder.fptrunc(builder.bitcast(args[1], ir.DoubleType()), ir.FloatType())
        builder.store(single, builder.inttoptr(args[0], ir.FloatType().as_pointer()))
        return context.get_dummy_value()

    return types.none(types.int64, types.int64), codegen


write_single: Any = intrinsic(_write_single)
