"""Drivers of a Spec: what is refused, and why; positions of levers."""

import numpy as np
import pytest

import gori
from gori import vehicle
from gori.errors import SpecError
from gori.spec.vehicle.control import Schedule, inputs_of, lever, owner

SPEC = vehicle.spec("hmmwv")


def refused(controls):
    with pytest.raises(SpecError) as caught:
        SPEC.set("controls", controls)
    return str(caught.value)


@pytest.mark.parametrize(
    ("control", "words"),
    [
        ({"throttle": 1.2}, "throttle: must be from 0 to 1, is 1.2"),
        ({"brake": [[0, 0], [1, -1]]}, "brake.1: must be from 0 to 1, is -1"),
        ({"steer": [[0, 0], [0, 1]]}, "steer.1: times must increase"),
        ({"steer": "sin("}, "steer: 'sin(' is not an expression"),
        ({"steer": {}}, "steer: must be a number, an expression or a table"),
        ({"selector": "X"}, "selector: must be one of R, P, N, D, a gear from 1 to 4"),
        ({"selector": "low"}, "selector: must be one of R, P, N, D"),
        ({"selector": 5}, "selector: must be one of"),
        ({"selector": [[0, "N"], [0, "D"]]}, "selector.1: times must increase from row to row: 0 follows 0"),
        ({"selector": [[0]]}, "selector.0: must be a row [t, position]"),
        ({"selector": []}, "selector: must be a lever position, a gear, or a table"),
        ({"transfer": "D"}, "transfer: must be one of neutral, high, low, high_locked"),
        ({"vehicle": "lorry"}, "there is no vehicle 'lorry' with drive train or steering; there are truck"),
        ({"every": 0}, "every: must be positive"),
    ],
)
def test_controls_that_are_none(control, words):
    assert words in refused({"truck.driver": {"type": "schedule"} | control})


def test_a_vehicle_has_one_driver_and_needs_what_he_handles():
    driver = {"type": "schedule"}
    words = refused({"truck.driver": driver, "b": driver | {"vehicle": "truck"}})
    assert "controls.b: 'truck' is already driven by 'truck.driver'" in words
    data = SPEC.model_dump(exclude_unset=True)
    del data["steering"]
    with pytest.raises(SpecError, match=r"controls.truck.driver.steer: 'truck' has no steering"):
        gori.Spec(**data, controls={"truck.driver": driver | {"steer": 0.1}})
    assert gori.Spec(**data, controls={"truck.driver": driver}).controls


def test_levers():
    assert [lever("selector", word, 4) for word in ("R", "P", "N", "D", 3, 13, np.int64(2))] == [-1, 0, 0, 10, 3, 13, 2]
    assert [lever("transfer", word, 4) for word in ("neutral", "high", "low", "high_locked")] == [0, 1, 2, 3]
    for bad in (True, 1.5, np.nan, np.inf, 15, None, "d"):
        with pytest.raises(ValueError, match="must be one of R, P, N, D"):
            lever("selector", bad, 4)
    assert owner("truck.drivetrain") == "truck" and owner("a.b.c") == "a.b" and owner("engine") == "engine"


def test_positions_of_levers_over_time():
    driver = Schedule(type="schedule", selector=[[0, "N"], [2, "D"]], transfer=[[1, "low"]])
    assert driver.positions("selector") == ((0.0, "N"), (2.0, "D"))
    assert driver.positions("transfer") == ((0.0, "low"),)


def test_inputs_are_named_after_the_vehicle():
    inputs = inputs_of(SPEC)
    assert {name for name, part in inputs.items() if part == "truck.steering"} == {"truck.steer"}
    assert {name for name, part in inputs.items() if part == "truck.drivetrain"} == {
        "truck.throttle", "truck.brake", "truck.selector", "truck.transfer"
    }  # fmt: skip
