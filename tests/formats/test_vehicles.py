"""Vehicles however they are given: templates, Specs, and files of both."""

import pytest

import gori
from gori.errors import GoriError, InputError
from gori.formats.vehicles import is_own, vehicle_spec
from gori.vehicle import read_vehicle
from tests.vehicle.own import own_vehicle


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("own") / "car.yaml"
    gori.save(own_vehicle(terrain={"friction": 0.3}), path)
    return path


def test_templates_and_vehicles_of_your_own(file, tmp_path):
    assert not is_own("hmmwv") and not is_own(read_vehicle("hmmwv"))
    assert is_own(own_vehicle()) and is_own(file)
    small = tmp_path / "small.yaml"
    small.write_text("gori: 1\nuse: hmmwv.yaml\npayload: {mass: 10}\n", encoding="utf-8")
    assert not is_own(small)


def test_the_spec_stands_on_the_terrain_that_is_asked_for(file):
    for given in (own_vehicle(terrain={"friction": 0.3}), file):
        spec = vehicle_spec(given, terrain={"friction": 0.6}, set={"frame.mass": 1600.0})
        assert spec.terrain.friction == 0.6 and spec.bodies["frame"].mass == 1600.0
        assert spec.run is None and not spec.controls and set(spec.wheels) == set(own_vehicle().wheels)
    assert vehicle_spec("hmmwv", "lead", {"payload.mass": 100.0}).joints["lead"].type == "free"


def test_refused():
    with pytest.raises(InputError, match="the name of a template, a YAML file, or a Spec, not int"):
        vehicle_spec(3)
    with pytest.raises(InputError, match="has already been read"):
        vehicle_spec(read_vehicle("hmmwv"), set={"payload.mass": 1.0})
    with pytest.raises(GoriError, match="is not a vehicle included in Gori"):
        vehicle_spec("no_such")
