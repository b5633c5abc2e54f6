"""Drive trains in files: what is refused, where, and in which words."""

import copy

import numpy as np
import pytest
import yaml

from gori.errors import FileError, SpecError
from gori.formats.drivetrain import LIBRARY, read_drivetrain
from gori.spec.vehicle.drivetrain import DriveTrain

GOOD = read_drivetrain().model_dump(mode="json")


def test_library():
    train = read_drivetrain("hmmwv", wheels=("fl", "fr", "rl", "rr"), chassis="truck.chassis")
    assert train.gearbox.ratios == (2.48, 1.48, 1.0, 0.75) and train.gearbox.reverse == -2.1
    assert (train.transfer.high, train.transfer.low, train.final_ratio, train.hub_ratio) == (1.01, 2.72, 2.73, 1.92)
    assert train.wheels[3] == "rr" and train.chassis == "truck.chassis"
    assert "assumption" in train.source.lower()
    power = max(s * np.pi / 30.0 * T for s, T in zip(train.engine.speed_rpm, train.engine.torque[-1]))
    assert abs(power / 745.7 - 190.0) < 2.0


@pytest.mark.parametrize(
    ("place", "value", "words"),
    [
        ("engine.speed_rpm.3", 900.0, "engine.speed_rpm.3: must increase: 900 follows 1000"),
        ("engine.throttle.4", 0.9, "engine.throttle: goes from 0 to 0.9, must be 0 to 1"),
        ("engine.torque.2", [1.0, 2.0], "engine.torque.2: needs a number for each of the 14 speeds, has 2"),
        ("engine.torque.0.0", 10.0, "engine.torque.0: torque at zero throttle must not be positive"),
        ("engine.torque.3.2", 1.0, "engine.torque.3: torque falls with more throttle"),
        ("engine.cutoff_rpm", 5000.0, "engine.speed_rpm: the map holds 500 to 4200, the engine runs from 560 to 5000"),
        ("engine.cutoff_rpm", 3600.0, "lowest_rpm < idle_rpm < governed_rpm < cutoff_rpm"),
        ("engine.inertia", 0.0, "engine.inertia: must be positive, is 0"),
        ("engine.torque.1.1", float("nan"), "engine.torque.1.1: must be finite"),
        ("engine.torque", [[1.0]], "engine.torque: needs a row for each of the 5 throttles, has 1"),
        ("converter.speed_ratio.10", 1.0, "converter.speed_ratio: goes from 0 to 1, must be 0 to below 1"),
        (
            "converter.torque_ratio",
            [2.0],
            "converter.torque_ratio: needs a number for each of the 11 speed ratios, has 1",
        ),
        (
            "converter.torque_ratio.9",
            1.5,
            "converter.torque_ratio.9: 1.5 at speed ratio 0.9 implies an efficiency above 1",
        ),
        ("converter.capacity.0", -1.0, "converter.capacity: must be positive, is -1"),
        ("gearbox.ratios.1", 3.0, "gearbox.ratios.1: must be positive and fall from gear to gear"),
        ("gearbox.reverse", 2.1, "gearbox.reverse: must be negative, is 2.1"),
        ("gearbox.down.3.1", 2500.0, "gearbox.down: at throttle 1 it shifts up at 3350 rev/min, which leaves 1999"),
        ("gearbox.up.1.0", 0.9, "gearbox.up.2: must increase|gearbox.up: must increase"),
        ("gearbox.release", 0.5, "gearbox.release: must be shorter than shift_time"),
        ("gearbox.efficiency", 1.2, "gearbox.efficiency: must be from 0.5 to 1, is 1.2"),
        ("transfer.centre", "viscous", "transfer.centre: 'viscous' is not one of 'open' or 'locked'"),
        ("axles.0.share", 0.7, "axles: the shares of the axles must sum up to 1, not 1.2"),
        ("axles", [], "axles: needs at least one axle"),
        ("wheels", ["fl", "fr"], "wheels: needs left and right wheel of each of the 2 axles: 4 names, has 2"),
    ],
)
def test_refused(place, value, words):
    data = copy.deepcopy(GOOD)
    *way, last = [int(key) if key.isdigit() else key for key in place.split(".")]
    inner = data
    for key in way:
        inner = inner[key]
    inner[last] = value
    with pytest.raises(SpecError) as caught:
        DriveTrain(**data)
    assert any(option in str(caught.value) for option in words.split("|")), str(caught.value)


@pytest.mark.parametrize("gone", ["engine", "converter", "gearbox"])
def test_missing_tables(gone):
    with pytest.raises(SpecError, match=f"'{gone}' is missing"):
        DriveTrain(**{key: value for key, value in GOOD.items() if key != gone})


def test_errors_of_files_tell_the_line(tmp_path):
    text = (LIBRARY / "hmmwv.yaml").read_text()
    line = next(n for n, row in enumerate(text.splitlines(), 1) if row.startswith("  capacity:"))
    file = tmp_path / "mine.yaml"
    file.write_text(text.replace("capacity: [7.285,", "capacity: ["))
    with pytest.raises(FileError, match=rf"mine.yaml, line {line}: converter.capacity: needs a number for each"):
        read_drivetrain(file)
    file.write_text(text.replace("hub_ratio", "hub_ration"))
    with pytest.raises(FileError, match="unknown key 'hub_ration'"):
        read_drivetrain(file)
    with pytest.raises(FileError, match="no drive train 'tank'; known: hmmwv"):
        read_drivetrain("tank")
    with pytest.raises(FileError, match="no such file"):
        read_drivetrain(tmp_path / "none.yaml")


def test_round_trip(tmp_path):
    file = tmp_path / "same.yaml"
    file.write_text(yaml.safe_dump({"gori": 1} | GOOD))
    assert read_drivetrain(file) == read_drivetrain()
