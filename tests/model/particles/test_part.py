"""The part `particles` of a State: at the start, and as it is taken over."""

import numpy as np
import pytest

import gori
from gori.errors import InputError
from gori.model.particles.inlets import fresh_memory
from gori.model.particles.part import carrier_poses, checked_part, initial_part
from tests.sim.particles.shaken import shaken


@pytest.fixture(scope="module")
def model():
    return gori.compile(shaken())


def test_poses_of_carriers_are_those_of_the_model(model):
    poses, expected = carrier_poses(model, np.array([0.2]), np.array([3.0])), model.forward_kinematics(np.array([0.2]))
    R, p = model.particles.pose_of("tray", poses)
    np.testing.assert_allclose(R, expected["tray"][:3, :3], atol=1e-15)
    np.testing.assert_allclose(p, expected["tray"][:3, 3], atol=1e-15)
    velocity, angular, _ = model.particles.motion_of("tray", poses)
    np.testing.assert_allclose([*velocity, *angular], [3.0, 0.0, 0.0, 0.0, 0.0, 0.0], atol=1e-15)


def test_the_start_is_taken_over_as_it_is(model):
    part = initial_part(model.particles, carrier_poses(model, model.q0, model.v0))
    arrays = part.arrays()
    again = checked_part(arrays, model.particles)
    assert again.arrays().keys() == arrays.keys()
    for name, value in again.arrays().items():
        np.testing.assert_array_equal(value, arrays[name], err_msg=name)
    assert again.domain.home == part.domain.home and again.domain.body == part.domain.body
    assert part.next_id == len(part.state.id) == len(part.group) == 400 and not part.wrench.any()
    np.testing.assert_array_equal(part.inlets["feeder"], fresh_memory(model.particles.inlets[0]))


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("substeps", lambda x: np.int64(-1)),
        ("next_id", lambda x: np.int64(3)),
        ("group", lambda x: x + 7),
        ("sphere", lambda x: x * [1.0, 1.0, 1.0, 50.0]),
        ("grid", lambda x: x + (1 << 21)),
        ("inlet_feeder", lambda x: -x),
        ("inlet_feeder", lambda x: x * 0),
    ],
)
def test_what_is_wrong_is_named(model, name, change):
    saved = model.state().particles
    with pytest.raises(InputError, match=rf"state.particles\['{name}'\]"):
        checked_part({**saved, name: change(saved[name])}, model.particles)
