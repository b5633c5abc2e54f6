"""Manoeuvres by name: arguments, words, and what is refused."""

import pytest

import gori
from gori.errors import GoriError, InputError
from gori.manoeuvre import circle, soft_soil
from gori.manoeuvre.manoeuvres import MANOEUVRES, about, arguments_of, manoeuvre
from tests.vehicle.own import own_vehicle


def test_all_have_words_and_arguments():
    for name in MANOEUVRES:
        assert len(about(name)) > 10 and {"vehicle", "set", "soil", "loops"} <= set(arguments_of(name))


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("bumps", {}, "did you mean 'bump'"),
        ("bump", {"sped": 3}, "did you mean 'speed'"),
        ("bump", {"speed": -3.0}, "speed"),
        ("bump", {"vehicle": "tractor"}, "not a vehicle"),
    ],
)
def test_refused(name, arguments, words):
    with pytest.raises(GoriError, match=words):
        manoeuvre(name, progress=False, **arguments)


def test_signatures_are_those_of_the_functions():
    assert circle.__module__.startswith("gori.manoeuvre") and soft_soil is MANOEUVRES["soft_soil"]


@pytest.mark.parametrize(
    ("name", "arguments", "figure", "low", "high"),
    [
        ("bump", {"speed": 10.0}, "speed at the bump", 34.0, 38.0),
        ("acceleration", {"longest": 5.0}, "0 to 30 mph", 3.0, 5.0),
        ("braking", {"speed": 12.0}, "mean deceleration", 4.5, 6.5),
        ("slope", {"grade": 0.3, "hold": 1.0, "climb": 4.0}, "climbs", 1.0, 1.0),
        ("step_steer", {"speed": 15.0, "lateral": 2.0}, "yaw rate against v/R", 0.97, 1.03),
        ("lane_change", {"speed": 12.0}, "all gates passed", 1.0, 1.0),
        ("circle", {"radius": 40.0, "lateral": 2.0}, "deviation from the circle", 0.0, 0.3),
        ("soft_soil", {"length": 10.0, "drawbar": False}, "go", 1.0, 1.0),
    ],
)
def test_vehicles_of_your_own_drive_them_all(name, arguments, figure, low, high):
    """Own names, joints and cuts; it was "'chassis' is missing", or a TypeError."""
    result = manoeuvre(name, vehicle=own_vehicle(), progress=False, loops="real_time", **arguments)
    assert low <= result[figure] <= high
    assert "a vehicle of your own" in result.about


def test_a_file_of_your_own_and_what_is_no_vehicle(tmp_path):
    gori.save(own_vehicle(terrain={"friction": 0.2}), tmp_path / "car.yaml")
    result = manoeuvre("braking", vehicle=tmp_path / "car.yaml", set={"frame.mass": 1600.0}, speed=5.0, progress=False)
    assert result["stopped"] and result.recording.model.spec.terrain.friction == 0.8
    assert result.recording.model.spec.bodies["frame"].mass == 1600.0
    with pytest.raises(InputError, match="a vehicle is the name of a template, a YAML file, or a Spec"):
        manoeuvre("braking", vehicle=7, progress=False)
    with pytest.raises(InputError, match="has no drive train: a manoeuvre needs one"):
        manoeuvre("braking", vehicle=own_vehicle(drive=False), progress=False)
