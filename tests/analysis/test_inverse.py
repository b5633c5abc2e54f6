"""Inverse dynamics along a motion: virtual work, powers, agreement with forward dynamics, and what is refused."""

import numpy as np
import pytest

import gori
from bench.mechanisms import four_bar
from gori.analysis.inverse import inverse_dynamics
from gori.errors import InputError
from tests.checks import arm, close
from tests.integrate.closed_machines import slider_crank

TIMES = np.linspace(0.0, 1.0, 51)


def test_a_wrench_on_an_end_effector_by_virtual_work():
    """What a constant force on the last body adds to the drive is the power that it takes, over the speed."""
    model = gori.compile(four_bar())
    body, wrench = model.body_names[-1], np.array([0.0, 0.0, 5.0, 30.0, -20.0, 0.0])
    speed = 0.5
    runs = [
        inverse_dynamics(model, TIMES, {"foot0": f"-0.2 - {speed}*t"}, wrenches=given)
        for given in (None, {body: wrench}, {body: np.tile(wrench, (len(TIMES), 1))})
    ]
    power = runs[0][f"{body}.velocity"] @ wrench
    for loaded in runs[1:]:
        close(loaded["foot0.drive"] - runs[0]["foot0.drive"], power / speed, 1e-9)


def test_the_power_of_the_drive_is_the_change_of_energy():
    times = np.linspace(0.0, 1.0, 401)
    rec = inverse_dynamics(gori.compile(slider_crank()), times, {"axle": "3*t**2"}, progress=False)
    power = rec["axle.drive"] * rec["axle.v"]
    work = np.concatenate([[0.0], np.cumsum(0.5 * (power[1:] + power[:-1]) * np.diff(times))])
    close(rec["energy.total"] - rec["energy.total"][0], work, 1e-3)


def test_what_drives_must_do_moves_the_machine_so():
    """A tree: the torques of the Model's own inverse dynamics."""
    motions = {"shoulder": "sin(2*t)", "elbow": "t**2"}
    model = gori.compile(arm())
    rec = inverse_dynamics(model, TIMES, motions, progress=False)
    q = np.column_stack([np.sin(2 * TIMES), TIMES**2])
    v = np.column_stack([2 * np.cos(2 * TIMES), 2 * TIMES])
    a = np.column_stack([-4 * np.sin(2 * TIMES), 2 + 0 * TIMES])
    tau = model.inverse_dynamics(q, v, a)
    for k, name in enumerate(("shoulder", "elbow")):
        close(rec[f"{name}.drive"], tau[:, k], 1e-9)


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_forces_that_are_not_finite():
    spec = arm().set("forces", {"f": {"type": "torque", "joint": "elbow", "value": "1/(t - t)"}})
    with pytest.raises(InputError, match="the forces are not finite: check for a division by zero"):
        inverse_dynamics(gori.compile(spec), TIMES, {"shoulder": "t", "elbow": "t"}, progress=False)
