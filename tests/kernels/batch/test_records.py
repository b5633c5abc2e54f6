"""Records whose numbers stand apart, with those of other machines between them."""

import numba
import numpy as np
import pytest
from numba.core.errors import TypingError

from gori.kernels.batch.members import APART, SHARED, TILE, TILED, Laid, Members, members_at
from gori.kernels.batch.placed import PlacedArray
from gori.kernels.batch.records import PlacedRecord
from gori.kernels.batch.regions import Regions
from gori.kernels.layout import field, record
from gori.sim.batch.plan import MemoryPlan

WHEEL = record(
    "Wheel", field("speed", "rad/s", ""), field("force", "N", "", shape=3), field("gear", "", "", dtype="i8"),
    field("turn", "", "", shape=4),
)  # fmt: skip
COUNT = 40


class Wheels:
    """Two wheels of each machine in tiles, two that stand in one piece, two that all share; run(function, t)."""

    def __init__(self):
        rng = np.random.default_rng(0)
        self.tables = {name: WHEEL.zeros(2) for name in ("tiled", "whole", "shared")}
        for table in self.tables.values():
            table.view(np.float64)[...] = rng.integers(1, 1000, table.view(np.float64).shape)
            table["gear"] = rng.integers(1, 9, 2)
        places = {"tiled": TILED, "whole": APART, "shared": SHARED}
        self.tree = {name: Laid(table, places[name]) for name, table in self.tables.items()}
        self.regions = Regions()
        self.kind = Members(self.tree, numba.typeof, set(), regions=self.regions)

    def run(self, function, t):
        """Result, and the tables of machine t afterwards; no other machine has changed."""
        members, inner = members_at(self.kind), numba.njit(function)

        @numba.njit
        def of_one(words, machines, t):
            return inner(members(words, machines, t))

        of_one.compile((numba.int64,) * 3)
        plan = MemoryPlan(self.tree, set(self.tree), COUNT, self.regions)
        memory = np.zeros(plan.size // 8, np.int64)

        def words_of(name):
            if name == "shared":
                return plan.at[name] // 8 + np.arange(2 * WHEEL.dtype.itemsize // 8)
            tile, machine, word = (step // 8 for step in plan.apart(name))
            first = plan.at[name] // 8 + t // TILE * tile + t % TILE * machine
            return first + word * np.arange(2 * WHEEL.dtype.itemsize // 8)

        for name, table in self.tables.items():
            memory[words_of(name)] = table.view(np.int64).reshape(-1)
        before, words = memory.copy(), plan.words(memory.ctypes.data)
        result = of_one(words.ctypes.data, COUNT, t)
        own = np.concatenate([words_of(name) for name in self.tables])
        assert np.array_equal(np.delete(memory, own), np.delete(before, own))
        return result, {name: memory[words_of(name)].view(WHEEL.dtype) for name in self.tables}


@pytest.mark.parametrize("t", [0, 33])
def test_fields_are_read_and_written(t):
    wheels = Wheels()

    def change(m):
        wheel = m.tiled[1]
        wheel.speed += 0.5
        wheel.gear = 10 * wheel.gear
        wheel.force[2] = wheel.force[0] + m.tiled[0].turn[2]
        row = wheel.turn[2:]
        for k in range(row.shape[0]):
            row[k] -= 1.0
        return wheel.speed + 1e4 * wheel.force.shape[0]

    result, after = wheels.run(change, t)
    zero, one = wheels.tables["tiled"]
    assert result == one["speed"] + 0.5 + 3e4
    expected = one.copy()
    expected["speed"], expected["gear"] = one["speed"] + 0.5, 10 * one["gear"]
    expected["force"][2] = one["force"][0] + zero["turn"][2]
    expected["turn"][2:] -= 1.0
    assert after["tiled"][1] == expected and after["tiled"][0] == zero


@pytest.mark.parametrize("source", ["tiled", "whole", "shared"])
def test_whole_records_are_copied(source):
    wheels = Wheels()
    text = f"def copy(m):\n    m.tiled[0] = m.{source}[1]\n    m.whole[0] = m.tiled[0]\n"
    space = {}
    exec(text, space)
    _, after = wheels.run(space["copy"], 34)
    wanted = wheels.tables[source][1]
    assert after["tiled"][0] == wanted and after["whole"][0] == wanted
    assert after["tiled"][1] == wheels.tables["tiled"][1]


def test_tables_of_different_places_do_not_meet():
    """One variable cannot stand for both: numbers would be read from where they are not."""

    def either(m):
        wheels = m.whole
        if m.tiled[0].speed > 1e9:
            wheels = m.tiled
        return wheels[0].speed

    with pytest.raises(TypingError, match="unify"):
        Wheels().run(either, 0)


def test_types_of_fields():
    kind = PlacedRecord(numba.from_dtype(WHEEL.dtype), TILE)
    assert kind.kind_of("speed") == numba.float64 and kind.kind_of("gear") == numba.int64
    assert kind.kind_of("nothing") is None
    force = kind.kind_of("turn")
    assert isinstance(force, PlacedArray) and force.steps == (1,) and force.scale == 8 * TILE
