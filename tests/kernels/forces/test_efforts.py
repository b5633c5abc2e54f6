"""Effort and power of force elements along a motion."""

import numpy as np
import pytest

import gori
from gori.kernels.forces.efforts import EFFORT, N_EFFORT, POWER, WORKING, efforts
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
        "mount": {
            "type": "bushing", "parent": "link", "child": "block", "stiffness": [1, 2, 3, 4, 5, 6],
            "damping": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6],
        },
    },
)  # fmt: skip


@pytest.fixture(scope="module")
def run():
    """Samples, and the efforts and powers of all elements in them."""
    model = gori.compile(SPEC)
    rec = Simulation(model, gori.RK4(step=1e-3)).run(1.0, sample=1e-3, progress=False)
    machine, data = machine_of(model)
    out, wrenches = np.zeros((len(rec), len(machine.element_i), N_EFFORT)), np.zeros((len(rec), 3, 6))
    efforts(machine, data, np.column_stack([rec.time, rec.q, rec.v]), np.zeros(0), out, wrenches)
    return rec, out, wrenches


def columns(out, expected):
    """The element whose effort is the expected one: there is exactly one."""
    (found,) = (e for e in range(out.shape[1]) if np.allclose(out[:, e, 0], expected, rtol=0, atol=1e-9))
    return out[:, found]


def test_spring_and_damper_of_a_joint(run):
    rec, out, _ = run
    torque = -3.0 * rec["pin.q"] - 0.5 * rec["pin.v"]
    close(columns(out, torque)[:, 1], torque * rec["pin.v"], 1e-12)


def test_a_motor_at_its_limit_and_below(run):
    rec, out, _ = run
    force = np.clip(20.0 * (rec.time - rec["rail.q"]) - rec["rail.v"], -4.0, 4.0)
    close(columns(out, force)[:, 1], force * rec["rail.v"], 1e-12)


def test_the_tension_of_a_line(run):
    rec, out, wrenches = run
    away = np.hypot(2.0 - rec["rail.q"], 1.0)
    rate = -(2.0 - rec["rail.q"]) / away * rec["rail.v"]
    tension = 7.0 * (away - 1.0) + 0.3 * rate
    found = columns(out, tension)
    close(found[:, POWER], -tension * rate, 1e-12)
    close(found[:, WORKING], -0.3 * rate**2, 1e-12)
    pull = np.column_stack([2.0 - rec["rail.q"], 0 * away, 1 + 0 * away]) * (tension / away)[:, None]
    close(wrenches[:, 0], np.column_stack([np.zeros((len(rec), 3)), pull]), 1e-12)


def test_a_wrench_has_its_power(run):
    rec, out, wrenches = run
    close(wrenches[:, 1], np.tile([0.0, 0, 0, 1, 0, 0], (len(rec), 1)), 1e-15)
    assert any(np.allclose(out[:, e, POWER], rec["rail.v"], atol=1e-12) for e in range(out.shape[1]))


def test_a_bushing_between_two_moving_bodies(run):
    """Turned about y alone: moments are those of the potential, forces act in the axes of the link."""
    rec, out, wrenches = run
    q, w, x, u = rec["pin.q"], rec["pin.v"], rec["rail.q"], rec["rail.v"]
    moment = 2.0 * q + 0.2 * w  # on the block, which does not turn
    R = rec["link.rotation"]
    d = np.einsum("nji,nj->ni", R, np.column_stack([x, 0 * x, 0 * x]))
    drift = np.column_stack([u, 0 * u, 0 * u]) - np.cross(rec["link.velocity"][:, :3], rec["block.position"])
    force = np.einsum("nij,nj->ni", R, -d * [4, 5, 6] - np.einsum("nji,nj->ni", R, drift) * [0.4, 0.5, 0.6])
    close(wrenches[:, 2], np.column_stack([0 * x, moment, 0 * x, force]), 1e-11)
    (found,) = (e for e in range(out.shape[1]) if not out[:, e, EFFORT].any() and out[:, e, WORKING].max() <= 0.0)
    close(out[:, found, POWER], -moment * w + np.einsum("ni,ni->n", force, drift), 1e-11)


def test_powers_are_the_change_of_energy(run):
    """All of them that of motion and gravity, and those of what has no potential that of all energy."""
    rec, out, _ = run

    def work(column):
        power = out[:, :, column].sum(axis=1)
        return np.concatenate([[0.0], np.cumsum(0.5 * (power[1:] + power[:-1]) * np.diff(rec.time))])

    moved = rec["energy.kinetic"] + rec["energy.potential"]
    close(moved - moved[0], work(POWER), 1e-5)
    close(rec["energy.total"] - rec["energy.total"][0], work(WORKING), 1e-5)
    close(rec["energy.work"], work(WORKING), 1e-5)
    close(rec["energy.balance"], 0.0, 1e-9)
