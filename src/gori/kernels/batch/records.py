"""Records whose numbers do not stand side by side: those of a machine in a tile, with those of others between them.

Numba's own record is an address, and its fields stand at fixed distances from it. Here these distances are multiplied:
a field that is a number is read and written there, one that is an array is a PlacedArray.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core.imputils import lower_setattr_generic
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, lower_getattr_generic, models, register_model

_I64 = ir.IntType(64)
WORD = 8
"""bytes: all fields of records consist of words"""
_NUMBERS: dict[tuple[Any, ...], int] = {}


class PlacedRecord(types.Type):
    """Numba's type of such a record.

    record   as Numba has it
    apart    by how much more than there its fields are apart
    """

    def __init__(self, record: types.Record, apart: int, constant: bool = False):
        self.record, self.apart, self.constant = record, apart, constant
        number = _NUMBERS.setdefault((record, apart, constant), len(_NUMBERS))
        super().__init__(name=f"PlacedRecord{number}")  # short: names of types are in all symbols

    def kind_of(self, field: str) -> Any:
        """Type of a field; None if there is none."""
        from gori.kernels.batch.placed import PlacedArray

        if field not in self.record.fields:
            return None
        kind = self.record.typeof(field)
        if not isinstance(kind, types.NestedArray):
            return kind
        return PlacedArray(kind.dtype, [stride // WORD for stride in kind.strides], WORD * self.apart, self.constant)


@register_model(PlacedRecord)
class PlacedRecordModel(models.PrimitiveModel):
    """Its address."""

    def __init__(self, manager, kind):
        super().__init__(manager, kind, _I64)


@infer_getattr
class _Fields(AttributeTemplate):
    key = PlacedRecord

    def generic_resolve(self, typ: PlacedRecord, attr: str) -> Any:
        return typ.kind_of(attr)


def _address(builder: Any, typ: PlacedRecord, value: Any, field: str) -> Any:
    return builder.add(value, ir.Constant(_I64, typ.record.offset(field) * typ.apart))


@lower_getattr_generic(PlacedRecord)
def _load_field(context, builder, typ, value, attr):
    from gori.kernels.batch.placed import make_placed

    address, kind = _address(builder, typ, value, attr), typ.kind_of(attr)
    if isinstance(typ.record.typeof(attr), types.NestedArray):
        return make_placed(
            context, builder, kind, address, [ir.Constant(_I64, n) for n in typ.record.typeof(attr).shape]
        )
    return builder.load(builder.inttoptr(address, context.get_data_type(kind).as_pointer()))


@lower_setattr_generic(PlacedRecord)
def _store_field(context, builder, sig, args, attr):
    typ, given = sig.args
    record, value = args
    kind = typ.kind_of(attr)
    number = context.cast(builder, value, given, kind)
    builder.store(
        number, builder.inttoptr(_address(builder, typ, record, attr), context.get_data_type(kind).as_pointer())
    )


def copy_record(builder: Any, to_type: Any, to: Any, of_type: Any, of: Any) -> None:
    """All words of a record, from one to another; each a PlacedRecord, or Numba's own."""
    record = to_type.record if isinstance(to_type, PlacedRecord) else to_type
    to_apart, of_apart = (kind.apart if isinstance(kind, PlacedRecord) else 1 for kind in (to_type, of_type))
    if not isinstance(of_type, PlacedRecord):
        of = builder.ptrtoint(of, _I64)
    for word in range(0, record.size, WORD):
        source = builder.inttoptr(builder.add(of, ir.Constant(_I64, word * of_apart)), _I64.as_pointer())
        target = builder.inttoptr(builder.add(to, ir.Constant(_I64, word * to_apart)), _I64.as_pointer())
        builder.store(builder.load(source), target)
