"""Tables of the cuts: records as declared, rows of each cut and equation, and the pattern of a dense elimination."""

import numpy as np
import pytest

import gori
from gori.kernels.loops import tables as t
from gori.kernels.tree.columns import DOF_PARENT
from gori.model.loops.equations import loop_tables
from tests.integrate.closed_machines import rockers, slider_crank
from tests.reference.random_loops import random_closed


@pytest.mark.parametrize("part", [t.CUT, t.EQUATION], ids=lambda part: part.name)
def test_fields_have_their_place_and_unit(part):
    """Without gaps, in the order of the declaration; counts and rows are int64, and have no unit."""
    assert part.dtype.names == tuple(field.name for field in part.fields)
    assert part.dtype.itemsize == 8 * sum(max(1, field.shape) for field in part.fields)
    assert all(field.dtype == "f8" or not field.unit for field in part.fields)


def test_rows_of_a_driven_four_bar():
    spec = rockers(driven=True)
    model = gori.compile(spec)
    tables = loop_tables(model, model.forces.motions)
    assert tables.equation["kind"].tolist() == [*[t.ALONG] * 3, t.TILT_X, t.TILT_Y, t.DRIVEN]
    revolute, motion = tables.cut
    assert (revolute["first"], revolute["equations"], revolute["axes"]) == (0, 5, 3)
    assert (motion["first"], motion["equations"], motion["axes"], motion["jac"]) == (5, 1, 1, 15)
    assert revolute["p_A"].tolist() == [0.5, 0.0, 0.0] and revolute["p_B"].tolist() == [0.6, 0.0, 0.0]
    assert revolute["root"] == 0 and set(tables.path[:3]) == {0, 1, 2}  # they meet on the ground
    assert tables.path[motion["path"]] == tables.equation["dof"][5] == model.joint("A").v.start


MACHINES = {"four-bar": rockers(), "slider-crank": slider_crank()} | {
    f"random {seed}": random_closed(np.random.default_rng(seed), n_mimic=1)[0] for seed in range(3)
}


@pytest.mark.parametrize("spec", MACHINES.values(), ids=MACHINES)
def test_the_pattern_is_that_of_a_dense_elimination(spec):
    """Entries are those of [M J'; J -eps], and L has those that Gaussian elimination in that order fills, no others."""
    model = gori.compile(spec)
    tables = loop_tables(model)
    p, nv, n = tables.pattern, model.nv, model.nv + len(tables.names)
    assert sorted(p.order) == list(range(n))
    matrix = np.eye(n, dtype=bool)
    for d in range(nv):
        above = d
        while (above := model.tables.dof_i[above, DOF_PARENT]) >= 0:
            matrix[d, above] = matrix[above, d] = True
    for cut in tables.cut:
        axes = tables.path[cut["path"] : cut["path"] + cut["axes"]]
        for e in range(nv + cut["first"], nv + cut["first"] + cut["equations"]):
            matrix[e, axes] = matrix[axes, e] = True
    matrix = matrix[np.ix_(p.order, p.order)]
    entries = np.zeros((n, n), bool)
    for k in range(n):
        entries[p.row[p.start[k] : p.start[k + 1]], k] = True
    assert np.array_equal(entries, np.triu(matrix, 1))
    for k in range(n):
        matrix[k + 1 :, k + 1 :] |= np.outer(matrix[k + 1 :, k], matrix[k, k + 1 :])
    lower = np.zeros((n, n), bool)
    for k in range(n):
        lower[p.lower_row[p.below[k] : p.below[k + 1]], k] = True
    assert np.array_equal(lower, np.tril(matrix, -1))


def test_a_pattern_is_made_of_whole_numbers():
    pattern = loop_tables(gori.compile(rockers())).pattern
    assert isinstance(pattern, t.Pattern) and set(pattern.members()) == set(t.Pattern.type.members)
    with pytest.raises(TypeError, match=r"Pattern\.row must be an array"):
        pattern.replace(row=pattern.row.astype(float))
