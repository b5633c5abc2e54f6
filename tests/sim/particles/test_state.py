"""Saved states of particles: complete, and refused where something is wrong with them."""

import numpy as np
import pytest

from gori.errors import InputError
from tests.sim.particles.shaken import simulation


@pytest.fixture(scope="module")
def run():
    sim = simulation()
    sim.advance(60)
    return sim


def test_it_holds_all_that_is_needed(run):
    """Another Simulation that loads it gives the same state, and the same forces on walls."""
    saved = run.particles.state()
    other = simulation()
    other.particles.load(saved)
    for name, value in other.particles.state().items():
        np.testing.assert_array_equal(value, saved[name], err_msg=name)
    for name, force in run.particles.wall_forces().items():
        np.testing.assert_array_equal(other.particles.wall_forces()[name], force)
    assert other.particles.about()["inlets"] == run.particles.about()["inlets"]
    assert np.abs(run.particles.wrench).max() > 0.0


WRONG = {
    "group": lambda x: x[:-1],
    "next_id": lambda x: np.int64(3),
    "wrench": lambda x: x * np.nan,
    "wall_wrench": lambda x: x[:-1],
    "domain_high": lambda x: x - 1e6,
    "domain_low": lambda x: x[:2],
    "inlet_feeder": lambda x: x[:5],
    "sphere": lambda x: x[:, :3],
    "walls": lambda x: x + 1000,
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_named(run, name):
    saved = run.particles.state()
    with pytest.raises(InputError, match=f"'{name}'"):
        run.particles.load(saved | {name: WRONG[name](saved[name])})
    with pytest.raises(InputError, match=rf"\['{name}'\] is missing"):
        run.particles.load({key: value for key, value in saved.items() if key != name})
    assert all(np.array_equal(saved[key], value) for key, value in run.particles.state().items())  # as it was
