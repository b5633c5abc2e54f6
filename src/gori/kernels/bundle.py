"""Bundles: many arrays that go to compiled code by one address.

    class Rows(Bundle):
        body_i: Annotated[np.ndarray, types.int64[:, ::1]]
        solver: Annotated[int, types.int64]

    @kernel(types.int64(Rows.type))
    def count(rows):
        return rows.body_i.shape[0]

    count(Rows(body_i=table, solver=0))

By value a bundle of sixty arrays would be five hundred numbers at every call: slow to compile, and slow to call. Here
`rows.body_i` is loaded where it is used, and the compiler knows that it never changes. Members are arrays in C order,
whole numbers, and other bundles. A bundle checks its members when it is made, and keeps them alive; what is in the
arrays may change, the arrays themselves do not.
"""

from functools import cache
from typing import Any, ClassVar, Self, dataclass_transform, get_type_hints

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import impl_ret_borrowed
from numba.core.typing.templates import AttributeTemplate
from numba.extending import NativeValue, infer_getattr, lower_getattr_generic, models, register_model, unbox
from numba.np.arrayobj import populate_array

_WORD = ir.IntType(64)


class BundleType(types.Type):
    """Numba's type of a class of bundles: the names and types of its members, and where in the bundle they stand."""

    def __init__(self, name: str, members: dict[str, Any]):
        super().__init__(name=name)
        self.members = members
        self.first: dict[str, int] = {}  # word of each member
        self.words = 0
        for member, kind in members.items():
            self.first[member] = self.words
            self.words += 1 + kind.ndim if isinstance(kind, types.Array) else 1


register_model(BundleType)(models.OpaqueModel)


@infer_getattr
class _Members(AttributeTemplate):
    key = BundleType

    def generic_resolve(self, typ: BundleType, attr: str) -> Any:
        return typ.members.get(attr)


@lower_getattr_generic(BundleType)
def _load_member(context, builder, typ, value, attr):
    kind, words = typ.members[attr], builder.bitcast(value, _WORD.as_pointer())

    def load(k: int, pointer_to: Any = None):
        spot = cgutils.gep_inbounds(builder, words, typ.first[attr] + k)
        if pointer_to is not None:
            spot = builder.bitcast(spot, pointer_to.as_pointer().as_pointer())
        number = builder.load(spot)
        number.set_metadata("invariant.load", builder.module.add_metadata([]))
        return number

    if isinstance(kind, BundleType):
        return load(0, ir.IntType(8))
    if not isinstance(kind, types.Array):
        return load(0)
    made = context.make_array(kind)(context, builder)
    item = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(kind.dtype)))
    shape, strides = [load(1 + axis) for axis in range(kind.ndim)], [item]
    for size in reversed(shape[1:]):
        strides.insert(0, builder.mul(strides[0], size))
    populate_array(made, load(0, context.get_data_type(kind.dtype)), shape, strides, item, None)
    return impl_ret_borrowed(context, builder, kind, made._getvalue())


@unbox(BundleType)
def _address_of(typ, obj, c):
    address = c.pyapi.object_getattr_string(obj, "address")
    number = c.pyapi.long_as_longlong(address)
    c.pyapi.decref(address)
    return NativeValue(c.builder.inttoptr(number, ir.IntType(8).as_pointer()))


@dataclass_transform(kw_only_default=True, frozen_default=True)
class Bundle:
    """Base of bundles; a class declares its members as `name: Annotated[np.ndarray, TYPE]`."""

    in_lanes: ClassVar[frozenset[str]] = frozenset()
    """members that are read eight numbers at a time (`lanes.py`)"""
    constant: ClassVar[frozenset[str]] = frozenset()
    """members that nothing changes after they were made: machines that are built alike have the same"""
    in_code: ClassVar[frozenset[str]] = frozenset()
    """members whose numbers may be part of the code where a program is compiled for one machine (`kernels/batch`)"""
    type: ClassVar[BundleType]
    _numba_type_: ClassVar[BundleType]
    address: ClassVar[int]
    """of each bundle, where compiled code finds it; a ClassVar only so that it is no member"""

    def __init_subclass__(cls):
        hints = get_type_hints(cls, include_extras=True)
        members = {name: hint.__metadata__[0] for name, hint in hints.items() if hasattr(hint, "__metadata__")}
        cls.type = cls._numba_type_ = BundleType(cls.__name__, members)

    def __init__(self, **members: Any):
        if missing := set(self.type.members) ^ set(members):
            raise TypeError(f"{type(self).__name__}: {', '.join(sorted(missing))} missing, or not a member")
        words = np.zeros(self.type.words, np.int64)
        for name, kind in self.type.members.items():
            value, k = members[name], self.type.first[name]
            if isinstance(kind, types.Array):
                self._check(name, kind, value)
                words[k], words[k + 1 : k + 1 + kind.ndim] = value.ctypes.data, value.shape
            else:
                words[k] = value.address if isinstance(kind, BundleType) else value
        self.__dict__.update(members, _words=words, address=words.ctypes.data)

    def _check(self, name: str, kind: Any, value: Any) -> None:
        fits = isinstance(value, np.ndarray) and value.ndim == kind.ndim and value.flags.c_contiguous
        if not fits or _type_of(value.dtype) != kind.dtype:
            found = f"{value.dtype}, {value.ndim} axes" if isinstance(value, np.ndarray) else type(value).__name__
            raise TypeError(f"{type(self).__name__}.{name} must be an array {kind}, not {found}")

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{type(self).__name__}.{name} cannot be set: take `replace`")

    def __reduce__(self):
        return _rebuilt, (type(self), self.members())  # the addresses are those of this process

    def members(self) -> dict[str, Any]:
        return {name: self.__dict__[name] for name in self.type.members}

    def replace(self, **members: Any) -> Self:
        """The same arrays but for these members."""
        return type(self)(**self.members() | members)


def _rebuilt(kind: type[Bundle], members: dict[str, Any]) -> Bundle:
    return kind(**members)


@cache
def _type_of(dtype: np.dtype) -> Any:
    return numba.from_dtype(dtype)
