"""Places of arrays that are decided while code is compiled."""

from itertools import pairwise

import numba
import numpy as np
import pytest

from gori.integrate.batch.many import MANY
from gori.kernels.batch.members import (
    APART,
    SHARED,
    SIDE_BY_SIDE,
    TILE,
    TILED,
    Laid,
    Members,
    leaves,
    members_at,
    structure_of,
)
from gori.kernels.batch.regions import Regions
from gori.sim.batch.plan import MemoryPlan

COUNT = 35


def tree():
    """One array of each kind, in two bundles."""
    return {
        "machine": {"law": Laid(np.arange(3.0), SHARED, True), "unused": Laid(np.zeros(7), SHARED, True)},
        "data": {
            "rows": Laid(MANY.zeros(2), APART), "y": Laid(np.zeros(2), SIDE_BY_SIDE),
            "w": Laid(np.zeros((2, 2)), TILED), "half": Laid(np.zeros(5), TILED, single=True),
            "more": Laid(np.zeros(3), TILED),
        },
    }  # fmt: skip


def test_each_gets_the_next_free_place_of_its_region_once():
    regions, arrays = Regions(), dict(leaves(tree()))
    assert [regions.place(path, arrays[path]) for path in ("data.w", "data.more", "data.w", "machine.law")] == [
        0, 32, 0, 0,
    ]  # fmt: skip
    assert regions.sizes[TILED] == 56 and regions.sizes[SHARED] == 24 and regions.sizes[APART] == 0
    again = Regions(dict(regions.at), list(regions.sizes))
    assert again == regions and again.place("data.y", arrays["data.y"]) == 0 and "data.y" not in regions.at


def test_machines_see_their_own_numbers_without_reading_where_they_are():
    made, regions, used = tree(), Regions(), set()
    members = members_at(Members(made, numba.typeof, used, regions=regions))

    @numba.njit
    def change(words, machines, t):
        own = members(words, machines, t)
        own.data.w[1, 0] += own.machine.law[2]
        own.data.more[2] = own.data.w.shape[0] * 10 + len(own.data.more)
        own.data.half[4] = 0.5 * t
        own.data.y[1] += 100.0 * t
        own.data.rows[1].steps_done = 7 * t

    change.compile((numba.int64,) * 3)
    plan = MemoryPlan(made, used | {"data.y"}, COUNT, regions)
    assert "machine.unused" not in plan.at and len(plan.words(0)) == 5
    memory = np.zeros(plan.size, np.uint8)
    arrays = dict(leaves(made))

    def number(path, k, t, dtype=np.float64):
        """Number k of machine t."""
        tile, machine, word = plan.apart(path)
        first = plan.at[path] + t // TILE * tile + t % TILE * machine + k * word
        return memory[first : first + np.dtype(dtype).itemsize].view(dtype)

    memory[plan.at["machine.law"] :][:24] = arrays["machine.law"].array.view(np.uint8)
    for t in range(COUNT):
        number("data.w", 2, t)[0] = t
        number("data.y", 1, t)[0] = -t
    before = memory.copy()
    words = plan.words(memory.ctypes.data)
    change(words.ctypes.data, COUNT, 33)
    for t in range(COUNT):
        own = t == 33
        assert number("data.w", 2, t)[0] == t + 2.0 * own and number("data.more", 2, t)[0] == 23.0 * own
        assert number("data.half", 4, t, np.float32)[0] == 0.5 * t * own
        assert number("data.y", 1, t)[0] == -t + 100.0 * t * own
        assert number("data.rows", 4, t, np.int64)[0] == 7 * t * own  # three words a row
    assert (memory != before).sum() <= 5 * 8


@pytest.mark.parametrize("count", [1, 32, 50])
def test_a_plan_in_regions_overlaps_nowhere(count):
    made, regions = tree(), Regions()
    arrays = dict(leaves(made))
    plan = MemoryPlan(made, set(arrays) - {"data.more"}, count, regions)
    taken = []
    for path in plan.at:
        laid = arrays[path]
        if path in plan.shared:
            taken.append((plan.at[path], laid.nbytes))
            continue
        tile, machine, word = plan.apart(path)
        size = laid.stored.itemsize if laid.place == TILED else 8
        taken += [
            (plan.at[path] + t // TILE * tile + t % TILE * machine + k * word, size)
            for t in range(count) for k in range(laid.words)
        ]  # fmt: skip
    taken.sort()
    assert all(first + size <= second for (first, size), (second, _) in pairwise(taken))
    assert taken[-1][0] + taken[-1][1] <= plan.size


def test_sizes_belong_to_the_structure_of_such_a_program():
    one, other = tree(), tree()
    other["data"]["more"] = Laid(np.zeros(4), TILED)
    assert structure_of(one) == structure_of(other) and structure_of(one, True) != structure_of(other, True)
    one["machine"]["law"] = Laid(np.arange(3.0), SHARED, True, in_code=True)
    told = structure_of(one, True)
    one["machine"]["law"] = Laid(np.arange(3.0) + 1.0, SHARED, True, in_code=True)
    assert structure_of(one, True) != told
