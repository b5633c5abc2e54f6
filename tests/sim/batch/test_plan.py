"""Where the arrays of many machines stand in one memory."""

from itertools import pairwise

import numba
import numpy as np
import pytest

from gori.integrate.batch.many import MANY
from gori.kernels.batch.members import APART, SHARED, SIDE_BY_SIDE, TILE, TILED, Laid, Members, leaves
from gori.sim.batch.devices import LINE
from gori.sim.batch.plan import MemoryPlan


def random_tree(rng: np.random.Generator, depth: int = 0) -> dict:
    """Arrays of any shape, some of them empty, functions' places, and trees within."""
    tree = {}
    for k in range(rng.integers(1, 6)):
        kind = rng.integers(0, 5)
        if kind == 0 and depth < 2:
            tree[f"t{k}"] = random_tree(rng, depth + 1)
        elif kind == 1:
            tree[f"n{k}"] = None
        elif kind == 2:
            tree[f"r{k}"] = Laid(MANY.zeros(int(rng.integers(0, 4))), int(rng.choice([SHARED, APART])))
        else:
            shape = tuple(rng.integers(0, 5, rng.integers(1, 4)))
            tree[f"a{k}"] = Laid(np.zeros(shape), int(rng.choice([SHARED, SIDE_BY_SIDE, TILED])))
    return tree


@pytest.mark.parametrize("seed", range(20))
def test_nothing_overlaps_and_all_has_its_room(seed):
    rng = np.random.default_rng(seed)
    tree, count = random_tree(rng), int(rng.integers(1, 50))
    arrays = dict(leaves(tree))
    used = {path for path in arrays if rng.random() < 0.7}
    plan = MemoryPlan(tree, used, count)
    assert plan.own_arrays.keys() | plan.shared.keys() == {path for path in used if arrays[path].array.size}
    tiled = {path: arrays[path].array.nbytes * TILE for path in plan.at if arrays[path].place == TILED}
    taken = [
        (plan.at[path] + tile * plan.tile, size) for path, size in tiled.items() for tile in range(-(-count // TILE))
    ]
    taken += [
        (plan.at[path], arrays[path].array.nbytes * (1 if path in plan.shared else count))
        for path in plan.at.keys() - tiled.keys()
    ]
    taken.sort()
    assert all(at % LINE == 0 for at, _ in taken) and plan.tile == sum(tiled.values())
    assert all(first + size <= second for (first, size), (second, _) in pairwise(taken))
    assert plan.size >= max((at + size for at, size in taken), default=0)
    image = sorted((plan.image_at[path], arrays[path].array.nbytes) for path in plan.own_arrays)
    assert [at for at, _ in image] == list(np.cumsum([0, *(size for _, size in image)])[: len(image)])
    assert plan.image == plan.own == sum(size for _, size in image)


@pytest.mark.parametrize("seed", range(20))
def test_words_stand_where_compiled_code_looks_for_them(seed):
    rng = np.random.default_rng(seed)
    tree, address = random_tree(rng), 1 << 20
    used = {path for path, _ in leaves(tree) if rng.random() < 0.7}
    plan, kind = MemoryPlan(tree, used, 3), Members(tree, numba.typeof, set())
    words = plan.words(address)
    assert len(words) == 1 + kind.words and words[0] == plan.tile

    def first_of(kind: Members, path: str) -> int:
        name, _, rest = path.partition(".")
        return kind.first[name] + (first_of(kind.members[name], rest) if rest else 0)

    for path, laid in leaves(tree):
        first = 1 + first_of(kind, path)
        assert words[first] == (address + plan.at[path] if path in plan.at else 0)
        assert tuple(words[first + 1 : first + 1 + laid.array.ndim]) == laid.array.shape


def test_table_of_copies():
    tree = {
        "law": Laid(np.zeros(3), SHARED), "x": Laid(np.zeros((2, 3)), SIDE_BY_SIDE), "rows": Laid(MANY.zeros(2), APART),
        "w": Laid(np.zeros((2, 2)), TILED), "u": Laid(np.zeros(5), TILED),
    }  # fmt: skip
    plan = MemoryPlan(tree, set(tree), 10)
    table, tile = plan.table(1000, 5000), 9 * 8 * TILE
    assert table.tolist() == [
        [1000 + plan.at["x"], 5000, 6, 8 * TILE, 8, 80],
        [1000 + plan.at["rows"], 5048, 6, 48 * TILE, 48, 8],
        [1000 + plan.at["w"], 5096, 4, tile, 8, 8 * TILE],
        [1000 + plan.at["w"] + 4 * 8 * TILE, 5128, 5, tile, 8, 8 * TILE],
    ]


def test_tables_of_the_machine_stand_last():
    """So that what moves can be put without them."""
    own = {"law": Laid(np.zeros(3), SIDE_BY_SIDE), "all": Laid(np.zeros(2), SHARED)}
    tree = {"machine": own, "data": {"tau": Laid(np.zeros(1), SIDE_BY_SIDE)}, "y": Laid(np.zeros(4), SIDE_BY_SIDE)}
    plan = MemoryPlan(tree, {path for path, _ in leaves(tree)}, 2)
    assert list(plan.own_arrays) == ["data.tau", "y", "machine.law"] and plan.moving == 2
    assert [row[2] for row in plan.table(0, 0)[: plan.moving]] == [1, 4] and list(plan.shared) == ["machine.all"]
