"""Wheels whose shapes turn with them on other bodies: spin becomes motion, and momentum and energy are kept."""

import numpy as np
import pytest

import gori
from gori import Simulation
from gori.errors import SpecError, UnsupportedError
from gori.integrate import RK4, SemiImplicit, TimeStepping

R, INERTIA, PULL, STIFFNESS = 0.3, 0.8, 400.0, 3e5
TYRE = {"type": "fiala", "radius": R, "width": 0.2, "stiffness": 2e5, "damping": 1e3, "slip_stiffness": 5e4,
        "cornering_stiffness": 5e4, "friction_max": 1.0, "friction_min": 0.9}  # fmt: skip


def machine(friction=0.6, rolling=0.0, shape=None):
    """A wheel on a carrier that floats, pulled onto a plank that floats under it by a spring between both."""
    cylinder = {"type": "cylinder", "radius": R, "length": 0.2, "at": [0, -0.1, 0], "axis": [0, 1, 0]}
    cylinder |= {"material": "rubber", "collide": True, "wheel": "w"} | (shape or {})
    plank = {"type": "box", "size": [8.0, 0.6, 0.1], "material": "wood", "collide": True}
    law = {"friction": friction, "restitution": 0.2, "stiffness": STIFFNESS, "rolling_friction": rolling}
    free = {"type": "free", "parent": "ground"}
    return gori.Spec(
        gravity=[0, 0, 0],
        terrain={"at": [0, 0, -50.0]},
        materials={"rubber": {}, "wood": {}},
        contacts={"rubber/wood": law},
        bodies={
            "carrier": {"mass": 20.0, "inertia": [2.0, 2.0, 2.0], "shapes": {"tread": cylinder}},
            "plank": {"mass": 60.0, "inertia": [20.0, 320.0, 330.0], "shapes": {"top": plank}},
        },
        joints={
            "carrier_free": free | {"child": "carrier", "q": [1, 0, 0, 0, 0, 0, R]},
            "plank_free": free | {"child": "plank", "q": [1, 0, 0, 0, 0, 0, -0.05]},
        },
        wheels={"w": {"body": "carrier", "axis": [0, 1, 0], "inertia": INERTIA, "tyre": TYRE}},
        forces={
            "pull": {
                "type": "spring",
                "parent": "plank",
                "at": [0, 0, -2.0],
                "child": "carrier",
                "stiffness": PULL,
                "length": 0.0,
            }
        },
    )


def spun(method, speed, seconds, **options):
    """A run from rest, with the angular velocity of the wheel at its start."""
    model = gori.compile(machine(**options))
    state = model.state()
    wheel = state.vehicle["wheel"].copy()
    wheel["angular_velocity"] = speed
    simulation = Simulation(model, method, state=state.replace(vehicle=dict(state.vehicle) | {"wheel": wheel}))
    return simulation, simulation.run(seconds, sample=seconds / 100)


def books(model, rec, k):
    """Linear momentum, angular momentum about the common centre with the spin of the wheel, and all energy."""
    q, v, poses = rec.q[k], rec.v[k], model.forward_kinematics(rec.q[k])
    momentum, spin = np.asarray(model.momentum(q, v)), float(rec["w.speed"][k])
    ends = (poses[name] @ point for name, point in (("carrier", [0, 0, 0, 1]), ("plank", [0, 0, -2.0, 1])))
    way = np.subtract(*ends)
    depth = max(0.0, -float(rec["contact.gap"][k]))
    # two points along a line, with springs across it
    stored = 0.5 * PULL * way @ way + 2.0 * STIFFNESS * depth**2.5 / 2.5
    if depth > 0.0:
        stored += 0.25 * rec["carrier.contact"][k][0] ** 2 / (1.2 * STIFFNESS * np.sqrt(depth))
    kinetic = model.energy(q, v)[0] + 0.5 * INERTIA * spin**2
    return momentum[3:], momentum[:3] + INERTIA * spin * poses["carrier"][:3, 1], kinetic + stored


def slip_speed(model, rec, k):
    """Of the tread over the plank [m/s]."""
    q, v = rec.q[k], rec.v[k]
    hub, plank = (model.jacobian(q, name) @ v for name in ("carrier", "plank"))
    return hub[3] - plank[3] - rec["w.speed"][k] * R


def test_a_spinning_wheel_drives_carrier_and_plank_apart():
    simulation, rec = spun(RK4(step=1e-4), 30.0, 0.3)
    model = simulation.model
    first, last = books(model, rec, 0), books(model, rec, -1)
    drive = model.jacobian(rec.q[-1], "carrier")[3] @ rec.v[-1] * 20.0
    assert drive > 10.0 and rec["w.speed"][-1] < 29.0
    assert np.abs(last[0] - first[0]).max() < 1e-9 * drive
    assert np.abs(last[1] - first[1]).max() < 2e-3 * drive * R
    energies = [books(model, rec, k)[2] for k in range(len(rec.time))]
    assert np.diff(energies).max() < 1e-4 * energies[0] and energies[-1] < energies[0] - 1.0


def test_friction_takes_what_slips():
    """Energy that is lost = friction times slip, while the wheel spins through: to 2 %."""
    simulation, rec = spun(RK4(step=1e-4), 60.0, 0.1)
    model, t = simulation.model, rec.time
    slips = np.array([slip_speed(model, rec, k) for k in range(len(t))])
    force = np.abs(rec["carrier.contact"][:, 0])
    lost = np.trapezoid(force * np.abs(slips), t)
    before, after = books(model, rec, 0)[2], books(model, rec, -1)[2]
    assert slips.max() < -5.0 and lost > 20.0
    assert before - after == pytest.approx(lost, rel=0.02)


@pytest.mark.parametrize("method", [SemiImplicit(step=1e-4), RK4(step=2e-4)], ids=["semi_implicit", "rk4"])
def test_it_rolls_in_the_end_without_slip(method):
    simulation, rec = spun(method, 4.0, 0.5)
    slips = np.array([slip_speed(simulation.model, rec, k) for k in range(len(rec.time))])
    assert abs(slips[0]) > 1.0 and np.abs(slips[-10:]).max() < 0.02
    assert np.isfinite(rec.v).all()


def test_without_friction_nothing_turns_it():
    _, rec = spun(RK4(step=2e-4), 30.0, 0.05, friction=0.0)
    assert rec["w.speed"][-1] == pytest.approx(30.0, abs=1e-9) and np.abs(rec.v[-1][[3]]).max() < 1e-9


def test_it_goes_on_bit_for_bit():
    whole, _ = spun(SemiImplicit(step=1e-3), 20.0, 0.1)
    half, _ = spun(SemiImplicit(step=1e-3), 20.0, 0.05)
    rest = Simulation(half.model, SemiImplicit(step=1e-3), state=half.state)
    rest.run(0.05)
    one, other = rest.state.arrays(), whole.state.arrays()
    assert one.keys() == other.keys()
    for name in one.keys() - {"clock/first_step"}:
        assert one[name].tobytes() == other[name].tobytes(), name


def test_what_is_refused():
    with pytest.raises(UnsupportedError, match="turns with a wheel and has friction"):
        Simulation(gori.compile(machine()), TimeStepping(1e-3))
    Simulation(gori.compile(machine(friction=0.0)), TimeStepping(1e-3))
    with pytest.raises(UnsupportedError, match="rolling_friction"):
        gori.compile(machine(rolling=0.1))
    with pytest.raises(SpecError, match="round about the axle"):
        gori.compile(machine(shape={"axis": [1, 0, 0]}))
    with pytest.raises(SpecError, match="not one of the wheels"):
        gori.compile(machine(shape={"wheel": "v"}))
    with pytest.raises(SpecError, match="collide"):
        gori.compile(machine(shape={"collide": False}))
