"""Memory of the penalty law: mobilities of rows as if alone, and roots of their trees."""

import pytest

import gori
from gori.kernels.contact.penalty_memory import penalty_memory, solids
from tests.checks import machine


def test_inverse_inertia_is_about_the_centre_of_mass():
    body = {"mass": 2.0, "com": [0.3, -0.1, 0.2], "inertia": [0.1, 0.2, 0.25]}
    model = gori.compile(
        gori.Spec(bodies={"a": body}, joints={"j": {"type": "free", "parent": "ground", "child": "a"}})
    )
    (none, own) = solids(model.kernel_tables.body_f)
    assert not none.any()
    assert own[:4] == pytest.approx([0.5, 10.0, 5.0, 4.0]) and own[4:] == pytest.approx(0.0, abs=1e-12)


def test_a_body_without_extent_turns_about_no_axis():
    model = gori.compile(
        gori.Spec(bodies={"a": {"mass": 2.0}}, joints={"j": {"type": "prismatic", "parent": "ground", "child": "a"}})
    )
    assert solids(model.kernel_tables.body_f)[1].tolist() == [0.5, 0, 0, 0, 0, 0, 0]


def test_roots_are_the_rows_on_the_ground():
    model, _ = machine(4, n=8)
    tables = model.kernel_tables
    memory, parent = penalty_memory(tables.body_i, tables.body_f, 3), tables.body_i[:, 0]
    for i in range(1, len(parent)):
        up = i
        while parent[up] > 0:
            up = parent[up]
        assert memory.root[i] == up
    assert memory.before.shape == (3, 12) and memory.apparent.shape == (len(parent), 48)
    assert penalty_memory().apparent.size == 0
