"""Inputs of a driver by name."""

import numpy as np
import pytest

import gori
from gori import vehicle
from gori.errors import InputError
from gori.kernels.vehicle.state import DRIVER
from gori.sim.vehicle.inputs import Inputs

ADAMS = gori.Adams(step=1e-3, order=2)


@pytest.fixture(scope="module")
def model():
    return gori.compile(vehicle.spec("hmmwv"))


def test_inputs_by_name(model):
    inputs = gori.Simulation(model, ADAMS).inputs
    assert set(inputs) == {f"truck.{name}" for name in ("throttle", "brake", "selector", "transfer", "steer")}
    assert len(inputs) == 5 and inputs["truck.transfer"] == 1.0 and inputs["truck.selector"] == 0.0
    inputs.update({"truck.selector": "R", "truck.throttle": 0.4, "truck.steer": -1, "truck.transfer": "low"})
    assert (inputs["truck.selector"], inputs["truck.throttle"], inputs["truck.transfer"]) == (-1.0, 0.4, 2.0)
    for name, bad, words in (
        ("truck.throttle", 1.1, "must be a number from 0 to 1, not 1.1"),
        ("truck.throttle", np.nan, "must be a number from 0 to 1"),
        ("truck.throttle", "full", "must be a number from 0 to 1, not 'full'"),
        ("truck.brake", True, "must be a number from 0 to 1"),
        ("truck.steer", -1.01, "must be a number from -1 to 1"),
        ("truck.selector", "low", "must be one of R, P, N, D, a gear from 1 to 4"),
        ("truck.selector", 5, "must be one of R, P, N, D"),
        ("truck.transfer", "D", "must be one of neutral, high, low, high_locked, not 'D'"),
        ("truck.trottle", 1.0, "there is no input 'truck.trottle'; did you mean 'truck.throttle'?"),
    ):
        with pytest.raises(InputError) as caught:
            inputs[name] = bad
        assert words in str(caught.value)
    with pytest.raises(InputError, match="cannot be deleted"):
        del inputs["truck.steer"]
    assert inputs["truck.throttle"] == 0.4


def test_two_vehicles_have_rows_of_their_own():
    rows = DRIVER.zeros(2)
    inputs = Inputs(rows, {"a.throttle": (0, "throttle"), "b.throttle": (1, "throttle"), "b.selector": (1, "selector")},
                    {"b.selector": 2})  # fmt: skip
    inputs["b.throttle"], inputs["b.selector"] = 0.5, 12
    assert rows["throttle"].tolist() == [0.0, 0.5] and rows["selector"].tolist() == [0.0, 12.0]
    assert dict(inputs) == {"a.throttle": 0.0, "b.throttle": 0.5, "b.selector": 12.0}
    with pytest.raises(InputError, match="a gear from 1 to 2"):
        inputs["b.selector"] = 3
    with pytest.raises(InputError, match=r"there is no input 'a\.selector'"):
        inputs["a.selector"]
