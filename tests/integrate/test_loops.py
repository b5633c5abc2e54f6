"""Orders of convergence on closed machines: every explicit method with every solver, and implicit methods by
themselves, in positions and velocities.
"""

from functools import cache

import numpy as np
import pytest

import gori
from gori.integrate import (
    METHODS,
    RK4,
    Adams,
    AdamsMoulton,
    Dopri5,
    GeneralizedAlpha,
    ImplicitEuler,
    Radau5,
    SemiImplicit,
)
from gori.integrate.loops import EXACT, LOOPS, FrozenExplicit, Multipliers, Partition, RealTime, loops_of
from gori.sim import Simulation
from tests.integrate.closed_machines import row_of_squares, slider_crank, solution
from tests.reference.random_loops import four_bars

END = 0.5
"""[s]: half a turn of the crank"""
SAMPLES = 10
"""places along the way at which the error is taken: at one place alone it may happen to vanish"""
SOLVERS = (Multipliers(), Partition(), FrozenExplicit())
EXPLICIT = {
    # method, settings, order, steps of the coarsest run
    "semi_implicit": (SemiImplicit, {}, 1, 400),
    "adams 2": (Adams, {"order": 2}, 2, 100),
    "adams 3": (Adams, {"order": 3}, 3, 100),
    "adams 4": (Adams, {"order": 4}, 4, 100),
    "adams_moulton 2": (AdamsMoulton, {"order": 2}, 2, 100),
    "adams_moulton 3": (AdamsMoulton, {"order": 3}, 3, 100),
    "adams_moulton 4": (AdamsMoulton, {"order": 4}, 4, 100),
    "rk4": (RK4, {}, 4, 20),
}
IMPLICIT = {
    "generalized_alpha": (GeneralizedAlpha, {}, 2, 100),
    "generalized_alpha 0": (GeneralizedAlpha, {"rho_inf": 0.0}, 2, 100),
    "implicit_euler": (ImplicitEuler, {}, 1, 400),
}


def test_all_methods_have_a_row_here():
    assert {row[0].kind for row in (EXPLICIT | IMPLICIT).values()} | {"dopri5", "radau5"} == set(METHODS) - {
        "time_stepping"  # in test_closed_contact.py
    }


@cache
def model_of(name):
    # an inertia on the crank makes it run smoothly; the bars swing between 0.5 and 0.6 rad
    return gori.compile(slider_crank(armature=0.02) if name == "slider crank" else four_bars(2, -0.5, 2.0)[0])


@cache
def reference(name):
    """q and v of the samples."""
    if name == "slider crank":
        return run(name, Dopri5(rtol=1e-13, atol=1e-14))
    model, times = model_of(name), np.linspace(0.0, END, SAMPLES + 1)
    phi, rate = row_of_squares(2, times, -0.5, 2.0)
    q, v = np.zeros((len(times), model.nq)), np.zeros((len(times), model.nv))
    for info in model.joints:
        foot = info.name.startswith("foot")
        q[:, info.q.start], v[:, info.v.start] = (0.5 * np.pi - phi, -rate) if foot else (phi - 0.5 * np.pi, rate)
    return q, v


def run(name, method, loops=None):
    rec = Simulation(model_of(name), method, loops=loops).run(END, sample=END / SAMPLES, progress=False)
    assert len(rec) == SAMPLES + 1
    return rec.q, rec.v


def errors_of(name, method, loops=None):
    """Largest distance from the reference, of positions (in their tangent space) and of velocities."""
    (q_ref, v_ref), (q, v) = reference(name), run(name, method, loops)
    away = np.stack([model_of(name).difference(q_ref, q), v - v_ref])
    return np.linalg.norm(away, axis=2).max(axis=1)


def check_order(name, row, loops=None):
    make, settings, expected, count = row
    errors = np.array([errors_of(name, make(step=END / (count << k), **settings), loops) for k in range(3)])
    orders = np.log2(errors[:-1] / errors[1:])
    words = "  ".join(f"{q:.2f} {v:.2f}" for q, v in orders)
    print(f"\n{name}, {make.kind} {loops.kind if loops else ''}: orders of q and v {words}, errors {errors[-1]}")
    assert (errors[-1] < errors[0]).all() and errors[0].max() < 0.5
    assert (np.abs(orders[-1] - expected) < 0.15).all()


def test_all_solvers_are_here_and_known_by_name():
    assert {solver.kind: solver for solver in SOLVERS} == {kind: loops_of(kind) for kind in EXACT}
    assert set(LOOPS) == {*EXACT, "real_time"}
    assert loops_of({"type": "partition"}) == Partition() and loops_of(SOLVERS[0]) is SOLVERS[0]


def test_real_time_is_a_named_preset():
    """Of frozen factors, by its name in files and settings; other tolerances are told, and refused where impossible."""
    preset = loops_of("real_time")
    assert preset == RealTime() and isinstance(preset, FrozenExplicit)
    assert preset.settings() == {"type": "real_time", "tolerance": 1e-3, "closure": 1e-7}
    assert loops_of(preset.settings() | {"closure": 1e-8}).closure == 1e-8
    with pytest.raises(gori.errors.InputError, match="real_time: tolerance must be a number from"):
        RealTime(tolerance=0.5)


def test_reference_against_the_twin():
    model = model_of("slider crank")
    start = Simulation(model).state
    q, v = solution(model.spec, start.q, start.v, 0.1)
    rec = Simulation(model, Dopri5(rtol=1e-13, atol=1e-14)).run(0.1, sample=0.1, progress=False)
    assert np.abs(model.difference(q, rec.q[-1])).max() < 1e-12
    assert np.abs(rec.v[-1] - v).max() < 1e-10


@pytest.mark.parametrize("name", ["slider crank", "four bars"])
@pytest.mark.parametrize("loops", SOLVERS, ids=lambda loops: loops.kind)
@pytest.mark.parametrize("method", EXPLICIT)
def test_order_of_explicit_methods(method, loops, name):
    check_order(name, EXPLICIT[method], loops)


@pytest.mark.parametrize("name", ["slider crank", "four bars"])
@pytest.mark.parametrize("method", IMPLICIT)
def test_order_of_implicit_methods(method, name):
    check_order(name, IMPLICIT[method])


@pytest.mark.parametrize("name", ["slider crank", "four bars"])
@pytest.mark.parametrize("loops", SOLVERS, ids=lambda loops: loops.kind)
def test_error_of_dopri5_follows_the_tolerance(loops, name):
    tolerances = 10.0 ** -np.arange(5, 12)
    errors = np.array([errors_of(name, Dopri5(rtol=tol, atol=tol), loops).max() for tol in tolerances])
    slope = np.polyfit(np.log10(tolerances), np.log10(errors), 1)[0]
    print(
        f"\ndopri5, {loops.kind}, {name}: error ~ tol^{slope:.2f}; error / tol",
        *(f"{e:.1f}" for e in errors / tolerances),
    )
    assert 0.8 < slope < 1.25
    assert (errors < 1000.0 * tolerances).all()


@pytest.mark.parametrize("name", ["slider crank", "four bars"])
@pytest.mark.parametrize("loops", SOLVERS, ids=lambda loops: loops.kind)
def test_error_of_radau5_follows_the_tolerance(loops, name):
    """At every sample, in positions and velocities, which are of about 3 and 10."""
    tolerances = 10.0 ** -np.arange(4, 11)
    errors = np.array([errors_of(name, Radau5(rtol=tol, atol=tol), loops).max() for tol in tolerances])
    slope = np.polyfit(np.log10(tolerances), np.log10(errors), 1)[0]
    print(
        f"\nradau5, {loops.kind}, {name}: error ~ tol^{slope:.2f}; error / tol",
        *(f"{e:.1f}" for e in errors / tolerances),
    )
    assert 0.7 < slope < 1.1
    assert (errors < 30.0 * tolerances).all()


@pytest.mark.parametrize("loops", SOLVERS, ids=lambda loops: loops.kind)
def test_order_of_dopri5_with_a_forced_step(loops):
    """At the end of the last step; samples between steps are of order 4."""
    (q_ref, v_ref), errors = reference("slider crank"), []
    for count in (20, 40, 80):
        q, v = run("slider crank", Dopri5(1e8, 1e8, largest_step=END / count), loops)
        away = [model_of("slider crank").difference(q_ref[-1], q[-1]), v[-1] - v_ref[-1]]
        errors.append(np.linalg.norm(np.concatenate(away)))
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    print(f"\ndopri5, {loops.kind}: orders", *(f"{order:.2f}" for order in orders), f"error {errors[-1]:.1e}")
    assert (np.abs(orders - 5.0) < 0.5).all()
