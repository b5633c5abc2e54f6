"""Records of vehicles and their ground: what is declared is what kernels and models have."""

import numpy as np
import pytest
from numba import types

import gori
from gori import vehicle
from gori.kernels.layout import Record
from gori.kernels.machine import Machine
from gori.kernels.vehicle import magic
from gori.kernels.vehicle import tables as t
from gori.model.machine import machine_of
from gori.spec.vehicle.tyre import FialaTyre
from tests.reference.tyres import FIALA

RECORDS = {name: part for name, part in vars(t).items() if isinstance(part, Record)}


@pytest.mark.parametrize("name", RECORDS)
def test_fields_have_their_place_and_unit(name):
    """Without gaps, in the order of the declaration; numbers with a unit are float64, counts and rows int64."""
    part = RECORDS[name]
    assert part.dtype.names == tuple(field.name for field in part.fields)
    assert part.dtype.itemsize == 8 * sum(max(1, field.shape) for field in part.fields)
    for field in part.fields:
        kind = part.dtype[field.name]
        assert kind.base == np.dtype(field.dtype) and kind.shape == ((field.shape,) if field.shape else ())
        assert field.dtype == "f8" or not field.unit, f"{field.name} is whole, and so has no unit"
    assert isinstance(part.type, types.Record) and part.type.size == part.dtype.itemsize


def test_a_model_has_these_tables():
    model = gori.compile(vehicle.spec())
    machine, _ = machine_of(model)
    for name in ("wheel", "tyre", "train", "axle", "steer", "drag", "terrain", "feature", "area", "soil"):
        assert getattr(machine, name).dtype == RECORDS[name.upper()].dtype
    assert set(t.Ground._fields) - {"cells", "window", "forgotten"} <= set(Machine.type.members)
    row = machine.train[0]
    ends = [row["map"] + row["speeds"] + row["throttles"] + row["speeds"] * row["throttles"]]
    ends += [row["converter"] + 3 * row["ratios"], row["up"] + 2 * row["ups"], row["down"] + 2 * row["downs"]]
    assert ends == [row["converter"], row["up"], row["down"], row["gear"]]  # one map after the other
    assert row["gear"] + 1 + row["gears"] == len(machine.curve)


def test_load_tables_fit():
    longest = [[0.01 * k, 1000.0 * k] for k in range(1, t.MOST_POINTS + 1)]
    fields = {name: value for name, value in FIALA.items() if name != "stiffness"}
    assert len(FialaTyre(**fields, load_table=longest).load_table) == t.MOST_POINTS
    with pytest.raises(gori.errors.SpecError, match="load_table"):
        FialaTyre(**fields, load_table=[*longest, [1.0, 1e6]])
    assert t.TYRE.dtype["magic"].shape == (magic.N_MAGIC,)
