"""Vehicles by name: plain data of all parts, and a Spec on its terrain."""

import numpy as np
import pytest

import gori
from gori.errors import SpecError
from gori.spec import Spec
from gori.vehicle import expand, read_vehicle, spec, vehicle, vehicles


def test_two_of_them_in_one_spec():
    one, other = expand(read_vehicle("hmmwv"), "one"), expand(read_vehicle("hmmwv"), "other")
    both = Spec(**{group: one[group] | other[group] for group in one})
    assert gori.compile(both).mobility().freedom == 22


def test_what_comes_with_gori():
    assert vehicles() == ["hmmwv"]


def test_a_name_a_file_and_a_template_give_the_same():
    template = read_vehicle("hmmwv", {"payload.mass": 600})
    assert vehicle(template, "lead") == vehicle("hmmwv", "lead", {"payload.mass": 600})


def test_where_it_starts():
    data = vehicle(at=(3.0, -2.0), yaw_deg=90.0)
    w, x, y, z, *position = data["joints"]["truck"]["q"]
    np.testing.assert_allclose([w, x, y, z], [np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)], atol=1e-12)
    assert position[:2] == [3.0, -2.0] and position[2] > 0.0


def test_without_running_gear_there_are_bodies_and_springs_alone():
    bare = spec(running_gear=False)
    assert bare.terrain is None and not (bare.wheels or bare.drivetrains or bare.steering or bare.drag)
    assert bare.bodies == spec().bodies and bare.forces == spec().forces


def test_problems_of_the_terrain_have_their_place():
    with pytest.raises(SpecError, match=r"terrain\.friction: must not be negative"):
        spec(terrain={"friction": -1})
