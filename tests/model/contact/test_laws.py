"""Laws of pairs of materials."""

import numpy as np
import pytest

from gori.model.contact.laws import (
    LEAST_RESTITUTION,
    collision_damping,
    deepest_damping_ratio,
    hertz_stiffness,
    law_table,
)
from gori.spec import Material
from tests.model.contact.machines import machine, solid


def test_stiffness_of_hertz():
    steel, rubber, rigid, bare = Material(E=2e11, nu=0.3), Material(E=1e7, nu=0.5), Material(rigid=True), Material()
    both = 4 / 3 / ((1 - 0.09) / 2e11 + 0.75 / 1e7)
    assert hertz_stiffness(steel, rubber) == hertz_stiffness(rubber, steel) == pytest.approx(both, rel=1e-14)
    assert hertz_stiffness(steel, rigid) == pytest.approx(4 / 3 * 2e11 / 0.91, rel=1e-14)
    assert hertz_stiffness(rigid, rigid) == hertz_stiffness(steel, bare) == hertz_stiffness(bare, rigid) == 0.0


def test_the_table_holds_only_what_collides():
    ball = {"s": solid("sphere", "rubber", radius=0.1), "view": {"type": "sphere", "radius": 1.0, "material": "stone"}}
    spec = machine({"a": ball, "b": {"s": solid("sphere", radius=0.1)}})
    names, law = law_table(spec)
    assert names == ("rubber", "steel")
    assert law["touches"].tolist() == [[0, 1], [1, 1]]
    assert np.array_equal(law, law.T)
    row = law[0, 1]
    assert (row["friction"], row["restitution"], row["rolling"], row["torsion"]) == (0.9, 0.4, 0.01, 0.02)
    assert row["fixed_stiffness"] == 0.0 and row["stiffness"] > 0.0


def test_a_given_stiffness():
    spec = machine({"a": {"s": solid("sphere", "stone", radius=0.1)}, "b": {"s": solid("sphere", radius=0.1)}})
    names, law = law_table(spec)
    assert law[names.index("stone"), names.index("steel")]["fixed_stiffness"] == 1e8
    assert law[0, 0]["stiffness"] == 0.0  # stone on stone, both rigid


def test_damping_of_a_collision():
    """(1 + e) a = ln((1 + a) / (1 - e a)), and near e = 1 the 1.5 (1 - e) of Hunt and Crossley."""
    for e in (0.05, 0.1, 0.3, 0.5, 0.8, 0.99, 0.9999):
        a = collision_damping(e)
        assert (1 + e) * a == pytest.approx(np.log1p(a) - np.log1p(-e * a), rel=1e-9)
    assert collision_damping(1.0) == 0.0
    assert collision_damping(0.999999) == pytest.approx(1.5e-6, rel=1e-3)
    assert collision_damping(0.0) == collision_damping(LEAST_RESTITUTION) == pytest.approx(1 / LEAST_RESTITUTION)
    assert all(collision_damping(e) > collision_damping(e + 0.01) for e in np.arange(0.02, 0.99, 0.01))


def test_damping_where_a_collision_is_deepest():
    assert deepest_damping_ratio(0.0) == 0.0
    assert deepest_damping_ratio(1e-3) == pytest.approx(1e-3 * np.sqrt(1.25 / 1.5) / 2, rel=1e-3)
