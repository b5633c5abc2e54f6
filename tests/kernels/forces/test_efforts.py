"""Effort and power of force elements along a motion."""

import numpy as np
import pytest

import gori
from gori.kernels.forces.efforts import efforts
from gori.model.machine import machine_of
from gori.sim import Simulation
from gori.spec import GROUND, Spec
from tests.checks import close

LINK = {"mass": 1.0, "com": [0, 0, -0.5], "inertia": [0.1, 0.1, 0.1]}
SPEC = Spec(
    bodies={"link": LINK, "block": {"mass": 2.0}},
    joints={
        "pin": {
            "type": "revolute", "parent": GROUND, "child": "link", "axis": [0, 1, 0], "stiffness": 3.0, "damping": 0.5,
            "q": 0.4,
        },
        "rail": {"type": "prismatic", "parent": GROUND, "child": "block", "axis": [1, 0, 0], "v": 1.0},
    },
    forces={
        "motor": {"type": "motor", "joint": "rail", "target": "t", "kp": 20.0, "kd": 1.0, "limit": 4.0},
        "line": {
            "type": "spring", "parent": GROUND, "at": [2, 0, 1], "child": "block", "stiffness": 7.0, "damping": 0.3,
            "length": 1.0,
        },
        "wind": {"type": "wrench", "body": "block", "force": [1, 0, 0]},
    },
)  # fmt: skip


@pytest.fixture(scope="module")
def run():
    """Samples, and the efforts and powers of all elements in them."""
    model = gori.compile(SPEC)
    rec = Simulation(model, gori.RK4(step=1e-3)).run(1.0, sample=1e-3, progress=False)
    machine, data = machine_of(model)
    out = np.zeros((len(rec), len(machine.element_i), 2))
    efforts(machine, data, np.column_stack([rec.time, rec.q, rec.v]), np.zeros(0), out)
    return rec, out


def columns(out, expected):
    """The element whose effort is the expected one: there is exactly one."""
    (found,) = (e for e in range(out.shape[1]) if np.allclose(out[:, e, 0], expected, rtol=0, atol=1e-9))
    return out[:, found]


def test_spring_and_damper_of_a_joint(run):
    rec, out = run
    torque = -3.0 * rec["pin.q"] - 0.5 * rec["pin.v"]
    close(columns(out, torque)[:, 1], torque * rec["pin.v"], 1e-12)


def test_a_motor_at_its_limit_and_below(run):
    rec, out = run
    force = np.clip(20.0 * (rec.time - rec["rail.q"]) - rec["rail.v"], -4.0, 4.0)
    close(columns(out, force)[:, 1], force * rec["rail.v"], 1e-12)


def test_the_tension_of_a_line(run):
    rec, out = run
    away = np.hypot(2.0 - rec["rail.q"], 1.0)
    rate = -(2.0 - rec["rail.q"]) / away * rec["rail.v"]
    tension = 7.0 * (away - 1.0) + 0.3 * rate
    close(columns(out, tension)[:, 1], -tension * rate, 1e-12)


def test_powers_are_the_change_of_energy(run):
    """With that of gravity, which is in the total, and of the wrench, which has no effort here."""
    rec, out = run
    work = np.concatenate([[0.0], np.cumsum(0.5 * (out[1:, :, 1] + out[:-1, :, 1]).sum(axis=1) * np.diff(rec.time))])
    work += rec["rail.q"] - rec["rail.q"][0]
    close(rec["energy.total"] - rec["energy.total"][0], work, 1e-5)
