"""Orders of convergence of all methods, energy, quaternions, and agreement with DOP853 and closed forms."""

from functools import cache

import numpy as np
import pytest

import gori
from gori.integrate import METHODS, method_of
from gori.sim import Event, Simulation
from tests.integrate.machines import MACHINES, pendulum_angle, solution

END = 0.5
"""[s]: long enough for the errors to build up, short enough for no chaos"""

FIXED = {
    # settings: expected order, and how many steps the coarsest run takes
    ("semi_implicit",): (1, 500),
    ("rk4",): (4, 50),
    ("implicit_euler",): (1, 500),
    ("implicit_euler", ("newton", True)): (1, 500),
    ("generalized_alpha",): (2, 100),
    ("adams", ("order", 2)): (2, 200),
    ("adams", ("order", 3)): (3, 200),
    ("adams", ("order", 4)): (4, 200),
    ("adams_moulton", ("order", 2)): (2, 200),
    ("adams_moulton", ("order", 3)): (3, 200),
    ("adams_moulton", ("order", 4)): (4, 200),
}


def id_of(settings):
    return "_".join([settings[0], *(f"{name}_{value}" for name, value in settings[1:])])


FINER = {"pendulum": 1, "double pendulum": 1, "top": 8, "ball chain": 1}
"""the top turns about ten times as fast as the others"""


def test_all_methods_have_a_row_here():
    assert {row[0] for row in FIXED} | {"dopri5", "radau5", "time_stepping"} == set(METHODS)  # in their own tests


@cache
def model_of(name):
    return gori.compile(MACHINES[name]())


@cache
def reference(name):
    """q and v at END."""
    if name == "pendulum":
        q, v = pendulum_angle(END)
        return np.array([q]), np.array([v])
    model = model_of(name)
    q, v = solution(model.spec, model.q0, model.v0, [END])
    return q[0], v[0]


def error(name, q, v):
    """Distance from the reference: in the tangent space of q, and in v."""
    q_ref, v_ref = reference(name)
    return np.linalg.norm(np.concatenate([model_of(name).difference(q_ref, q), v - v_ref]))


def error_of(name, method):
    rec = Simulation(model_of(name), method).run(END, sample=END, progress=False)
    assert rec.time[-1] == pytest.approx(END, abs=1e-15)
    return error(name, rec.q[-1], rec.v[-1])


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("settings", FIXED, ids=id_of)
def test_order_of_fixed_steps(settings, name):
    expected, count = FIXED[settings]
    count *= FINER[name]
    errors = []
    for k in range(4):
        method = method_of({"type": settings[0], "step": END / (count << k), **dict(settings[1:])})
        errors.append(error_of(name, method))
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    words = " ".join(f"{order:.3f}" for order in orders)
    print(f"\norder {settings[0]:18s} {name:16s} expected {expected}: {words}  error {errors[-1]:.1e}")
    assert errors[-1] < errors[0] < 0.2  # small enough to speak of an order
    # the next term of this one's error is large, and fades only where rounding begins
    last, all_of_them = (0.2, 0.45) if settings == ("adams_moulton", ("order", 4)) else (0.1, 0.3)
    assert abs(orders[-1] - expected) < last
    assert (np.abs(orders - expected) < all_of_them).all()


def drift(name, method):
    """Largest change of energy over 2 s, relative to the largest kinetic energy."""
    rec = Simulation(model_of(name), method).run(2.0, progress=False)
    energy = rec["energy.total"]
    return np.abs(energy - energy[0]).max() / rec["energy.kinetic"].max()


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("settings", FIXED, ids=id_of)
def test_energy_drift_vanishes_with_the_order(settings, name):
    expected, _ = FIXED[settings]
    steps = np.array([1e-2, 5e-3, 2.5e-3] if expected == 4 else [1e-3, 5e-4, 2.5e-4]) / FINER[name]
    drifts = [drift(name, method_of({"type": settings[0], "step": h, **dict(settings[1:])})) for h in steps]
    order = np.log2(drifts[-2] / drifts[-1])
    words = "  ".join(f"{d:.1e} (h = {1e3 * h:g} ms)" for d, h in zip(drifts, steps))
    print(f"\nenergy {settings[0]:18s} {name:16s} {words}, order {order:.2f}")
    assert order > expected - 0.25
    assert drifts[0] < 0.3


@pytest.mark.parametrize("kind", METHODS)
def test_quaternions_stay_unit(kind):
    spec = MACHINES["ball chain"]().model_dump(exclude_unset=True)
    spec["bodies"]["d"] = spec["bodies"]["a"]
    spec["joints"]["jd"] = {"type": "free", "parent": "ground", "child": "d", "v": [3, 5, -4, 1, 0, 0]}
    spec["bodies"]["e"] = spec["bodies"]["a"]
    spec["joints"]["je"] = {"type": "revolute", "parent": "ground", "child": "e", "axis": [1, 0, 0], "q": 1.0}
    model = gori.compile(gori.Spec(**spec))
    settings = {"rtol": 1e-4, "atol": 1e-4} if METHODS[kind].adaptive else {"step": 1e-2}
    events = {"down": Event("je.q"), "time": Event("t - 0.3333")}
    rec = Simulation(model, method_of({"type": kind, **settings}), events=events).run(3.0, sample=0.01, progress=False)
    assert len(rec.info["events"]) >= 2
    for info in model.joints[:4]:
        lengths = np.linalg.norm(rec.q[:, info.q][:, :4], axis=1)
        if info.nq > 1:
            assert np.abs(lengths - 1.0).max() < 1e-14
