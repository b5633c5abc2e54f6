"""Energy of the springs of a Model. Against its twin on random trees: `sim/test_forces.py`."""

import numpy as np
import pytest

import gori
from gori.model.elastic import elastic_elements, elastic_energies
from tests.checks import arm, close

SPRING = {"type": "spring", "parent": "ground", "at": [0, 0, 3], "child": "tool", "stiffness": 7.0, "length": 0.5}
FORCES = {
    "spring": SPRING,
    "damper": SPRING | {"stiffness": 0.0, "damping": 1.0},
    "spiral": {"type": "torsion", "joint": "elbow", "stiffness": 0.0, "preload": 2.0},
    "drive": {"type": "motor", "joint": "elbow", "kp": 3.0},
}


def model():
    return gori.compile(arm(joints__shoulder__damping=1.0, joints__elbow__stiffness=2.0).set("forces", FORCES))


def test_which_elements_store_energy():
    names = [model().forces.names[k] for k in elastic_elements(model())]
    assert names == ["elbow", "spring", "damper", "spiral"]  # a line always, if only of no stiffness


def test_one_state_and_many():
    m, q = model(), np.array([[0.3, -0.7], [1.2, 0.4], [0.0, 0.0]])
    parts = elastic_energies(m, q)
    assert parts.shape == (3, 4) and not parts[:, 2].any()
    close(parts[:, 0], q[:, 1] ** 2, 1e-14)
    close(parts[:, 3], -2.0 * q[:, 1], 1e-14)
    close(m.elastic_energy(q), parts.sum(axis=1), 1e-14)
    assert isinstance(m.elastic_energy(q[0]), float) and m.elastic_energy(q[0]) == pytest.approx(parts[0].sum())
    v = np.array([1.0, 2.0])
    assert m.total_energy(q[0], v) == pytest.approx(sum(m.energy(q[0], v)) + parts[0].sum())


def test_a_model_without_springs():
    m = gori.compile(arm())
    assert elastic_energies(m, np.zeros((4, 2))).shape == (4, 0)
    assert m.elastic_energy(np.zeros(2)) == 0.0 and m.elastic_energy(np.zeros((4, 2))).tolist() == [0.0] * 4
