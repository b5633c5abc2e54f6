"""Runs that start in a singular pose: accelerations of the branch, and what is refused."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import gori
from gori.errors import InputError
from gori.integrate import Dopri5, Radau5
from gori.model.loops.beside import branch_at
from gori.sim import Simulation
from gori.sim.loops.departure import departure, elsewhere, first_step
from gori.spec import GROUND, Spec
from tests.model.loops.singular import dead_centre, locomotive, parallelogram

SOLVERS = ("multipliers", "partition", "frozen_explicit")
METHODS = [
    (gori.RK4(step=1e-3), 1e-10), (gori.Adams(step=1e-3), 1e-7), (Dopri5(rtol=1e-4), 1e-4), (Dopri5(rtol=1e-8), 1e-8),
    (Radau5(rtol=1e-4), 1e-4), (Radau5(rtol=1e-8), 1e-8),
]  # fmt: skip


def swung(rocker, duration, speed=6.0):
    """Angle of the parallelogram on its parallel branch after a while, and its first acceleration: one equation."""
    inertia, load = (1.0 + rocker) / 3 + 1.0, 9.81 * (0.5 + 0.5 * rocker + 1.0)
    path = solve_ivp(
        lambda _, y: [y[1], -load * np.cos(y[0]) / inertia], (0, duration), [0.0, speed], rtol=1e-12, atol=1e-13
    )
    return path.y[0, -1], -load / inertia


@pytest.mark.parametrize("loops", SOLVERS)
@pytest.mark.parametrize(("method", "accuracy"), METHODS, ids=str)
@pytest.mark.parametrize("rocker", [1.0, 8.0])
def test_every_method_starts_with_the_accelerations_of_its_branch(rocker, method, accuracy, loops):
    model = gori.compile(parallelogram(gravity=9.81, rocker=rocker, A=6.0, C=6.0))
    rec = Simulation(model, method, loops=loops).run(0.5, progress=False)
    angle, acceleration = swung(rocker, 0.5)
    np.testing.assert_allclose(rec.q[-1], [angle, -angle, angle], rtol=0, atol=10 * accuracy)
    np.testing.assert_allclose(rec["A.a"][0], acceleration, rtol=1e-6)
    assert np.ptp(rec["energy.balance"]) < 1e3 * accuracy


@pytest.mark.parametrize("method", [Dopri5(rtol=1e-6), Dopri5(rtol=1e-8), Radau5(rtol=1e-8)], ids=str)
@pytest.mark.parametrize("loops", SOLVERS)
def test_the_other_branch_keeps_its_energy(method, loops):
    model = gori.compile(parallelogram(gravity=9.81, A=6.0, B=-18.0, C=-18.0))
    rec = Simulation(model, method, loops=loops).run(0.5, progress=False)
    assert np.abs(rec["energy.balance"]).max() < 1e-2 and abs(rec.q[-1, 0] - rec.q[-1, 2]) > 0.1


@pytest.mark.parametrize("loops", SOLVERS)
@pytest.mark.parametrize("rtol", [1e-4, 1e-8])
def test_three_coupled_cranks(rtol, loops):
    model = gori.compile(locomotive(A=6.0, C=6.0, E=6.0))
    rec = Simulation(model, Dopri5(rtol=rtol), loops=loops).run(2.0, progress=False)
    np.testing.assert_allclose(rec.q[-1], [12.0, -12.0, 12.0, 12.0], rtol=0, atol=1e-6)


def test_rates_are_interpolated_and_the_first_step_leads_away():
    model = gori.compile(parallelogram())
    branch = branch_at(model, model.q0, np.array([2.0, -2.0, 2.0]), 0.0)
    found = departure(branch, lambda side: np.array([np.cos(side.q[0]), side.v[0]]))
    np.testing.assert_allclose(found, [1.0, 2.0], rtol=0, atol=1e-10)
    assert departure(branch, lambda side: None) is None
    assert first_step(branch) == pytest.approx(0.015)
    assert {round(float(side.q[0]), 3) for side in elsewhere(branch)} == {0.3, -0.3, 0.1, -0.1}


# ---- at rest


@pytest.mark.parametrize("method", [gori.RK4(step=1e-3), Dopri5(), gori.GeneralizedAlpha(step=1e-3)], ids=str)
def test_a_loaded_machine_at_rest_must_say_on_which_branch_it_moves(method):
    with pytest.raises(InputError, match=r"at rest in a singular pose where 2 branches cross") as error:
        Simulation(gori.compile(parallelogram(gravity=9.81)), method)
    rows = str(error.value).splitlines()[1:]
    assert len(rows) == 2 and any(row == "  A: {v: 0.001}, B: {v: -0.001}, C: {v: 0.001}" for row in rows)
    one = dict.fromkeys("AC", 1e-3)
    rec = Simulation(gori.compile(parallelogram(gravity=9.81, **one)), gori.RK4(step=1e-3)).run(0.3, progress=False)
    angle, _ = swung(1.0, 0.3, 1e-3)
    np.testing.assert_allclose(rec.q[-1], [angle, -angle, angle], rtol=0, atol=1e-6)


def test_a_torque_that_comes_later_counts():
    spec = parallelogram().model_dump(exclude_unset=True)
    spec = Spec(**spec, forces={"motor": {"type": "torque", "joint": "A", "value": "sin(t)"}})
    with pytest.raises(InputError, match="2 branches cross"):
        Simulation(gori.compile(spec), gori.RK4(step=1e-3))


def test_what_nothing_moves_may_rest_and_what_is_driven_is_held():
    for loops in SOLVERS:
        rec = Simulation(gori.compile(parallelogram()), gori.RK4(step=1e-3), loops=loops).run(0.1, progress=False)
        assert not rec.q.any()
    spec = parallelogram(gravity=9.81).model_dump(exclude_unset=True)
    held = Spec(**spec, motions={"still": {"joint": "A", "value": 0.0}})
    Simulation(gori.compile(held), gori.RK4(step=1e-3))


@pytest.mark.parametrize(
    "method",
    [gori.RK4(step=1e-3), Dopri5(), Radau5(), gori.GeneralizedAlpha(step=1e-3), gori.ImplicitEuler(step=1e-3)],
    ids=str,
)
def test_a_dead_centre_with_a_load_across_it_is_refused_alike(method):
    with pytest.raises(InputError, match=r"starts at a dead centre, loaded across it.*Start beside this pose"):
        Simulation(gori.compile(dead_centre(gravity=9.81)), method)
    Simulation(gori.compile(dead_centre()), method)


def test_a_locked_machine_beside_a_body_that_moves():
    """A bar that swings beside a truss at its dead centre, without a load across it."""
    spec = dead_centre().model_dump(exclude_unset=True)
    spec["bodies"]["swing"] = {"mass": 1.0, "com": [0, 0, -0.5], "inertia": [0.1, 0.1, 0.1]}
    spec["joints"]["S"] = {"type": "revolute", "parent": GROUND, "child": "swing", "axis": [0, 1, 0], "q": 1.0}
    spec["gravity"] = [0, 0, -9.81]
    rec = Simulation(gori.compile(Spec(**spec)), gori.RK4(step=1e-3)).run(0.1, progress=False)
    assert not rec.q[:, :2].any() and rec.q[-1, 2] < 1.0
