"""Given positions of particles: rows, and radii that a rule adds."""

import numpy as np
import pytest

from gori.errors import InputError
from gori.model.particles.positions import given_rows
from gori.spec import ParticleGroup


def test_rows_are_filled_up():
    rows = given_rows(ParticleGroup(material="grain", positions=[[0, 0, 1, 0.1, 1, 2, 3]]), "load")
    assert rows.tolist() == [[0, 0, 1, 0.1, 1, 2, 3, 0, 0, 0]]


def test_radii_of_a_rule():
    group = ParticleGroup(material="grain", radius=[0.1, 0.2], positions=np.eye(3).tolist())
    rows = given_rows(group, "load")
    assert ((rows[:, 3] >= 0.1) & (rows[:, 3] <= 0.2)).all() and np.ptp(rows[:, 3]) > 0.0
    assert np.array_equal(rows, given_rows(group, "load"))


def test_a_file_without_radii_needs_a_rule(tmp_path):
    np.save(tmp_path / "a.npy", np.eye(3))
    with pytest.raises(InputError, match="have no radius"):
        given_rows(ParticleGroup(material="grain", positions=str(tmp_path / "a.npy")), "load")
