"""Dormand-Prince 5(4): order, tolerances, dense output, and agreement with closed forms and DOP853."""

import numpy as np
import pytest

import gori
from gori.errors import InputError
from gori.integrate import Dopri5, Radau5
from gori.integrate.dopri5 import dense, error_norm, first_step, make_dense, stages, tolerances
from gori.integrate.rates import rhs
from gori.kernels.codes import OK
from gori.model.state import State
from gori.sim import Event, Simulation
from tests.checks import close, machine
from tests.integrate.machines import MACHINES, PERIOD, pendulum, pendulum_angle, solution
from tests.integrate.steps import bundle, random_bundle, slider
from tests.integrate.test_order import END, FINER, drift, error_of, model_of
from tests.plain import plain
from tests.reference.random_spec import random_state


def taken(make, h):
    """A bundle after `stages`, and the pieces of its memory."""
    machine, data, memory, y = make
    k1, work = memory.state.k1, memory.work
    plain(rhs)(machine, data, 0.0, y, k1)
    assert plain(stages)(machine, data, memory, 0.0, h, y) == OK
    return machine, memory, y, k1, work


def test_dense_output_meets_both_ends_with_their_slopes():
    h, s = 0.05, 1e-6
    made, _ = random_bundle(3, Dopri5())
    machine, _, y, k1, work = taken(made, h)
    plain(make_dense)(k1, work, h, y)
    at = {place: np.empty(len(y)) for place in (0.0, s, 1.0 - s, 1.0)}
    for place, out in at.items():
        plain(dense)(work, place, machine.body_i, out)
    close(at[0.0], y, 1e-14)
    close(at[1.0], work.new, 1e-14)
    close((at[s] - at[0.0]) / (s * h), k1, 1e-3)
    close((at[1.0] - at[1.0 - s]) / (s * h), work.k7, 1e-3)


def test_a_polynomial_of_degree_five_has_no_error_and_degree_six_has():
    """v' = 5 t^4 is integrated exactly; of the embedded method of order 4 the error is what is left."""
    h = 0.5
    for power, exact in ((4, True), (5, False)):
        model = slider(forces={"push": {"type": "force", "joint": "rail", "value": f"t**{power}"}})
        _, memory, y, _, work = taken(bundle(model, Dopri5(rtol=1e-3, atol=1e-3)), h)
        error = abs(work.new[1] - h ** (power + 1) / (power + 1))
        assert (error < 1e-16) == exact
        assert plain(error_norm)(memory, h, y) > 1e-6


def test_tolerances_can_be_loosened_for_one_step():
    made, _ = random_bundle(3, Dopri5(rtol=1e-5, atol=1e-7))
    _, memory, y, k1, _ = taken(made, 0.05)
    strict, first = plain(error_norm)(memory, 0.05, y), plain(first_step)(memory, k1, y)
    memory.head[0].loosened = 10.0
    assert plain(tolerances)(memory) == pytest.approx((1e-4, 1e-6))
    assert plain(error_norm)(memory, 0.05, y) == pytest.approx(0.1 * strict)
    assert plain(first_step)(memory, k1, y) == pytest.approx(first)  # a ratio
    assert plain(first_step)(memory, 0.0 * k1, y) == 1e-6


@pytest.mark.parametrize("name", MACHINES)
def test_order_of_dopri5_with_a_forced_step(name):
    """With tolerances that never bite and a largest step, the formula shows its own order."""
    count = 25 * FINER[name]
    errors = [error_of(name, Dopri5(rtol=1e8, atol=1e8, largest_step=END / (count << k))) for k in range(3)]
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    print(f"\norder dopri5 {name:16s} expected 5:", *(f"{o:.3f}" for o in orders), f"error {errors[-1]:.1e}")
    assert (np.abs(orders - 5) < 0.5).all()


@pytest.mark.parametrize("name", MACHINES)
def test_error_of_dopri5_follows_the_tolerance(name):
    tolerances = 10.0 ** -np.arange(5, 12)
    errors = np.array([error_of(name, Dopri5(rtol=tol, atol=tol)) for tol in tolerances])
    slope = np.polyfit(np.log10(tolerances), np.log10(errors), 1)[0]
    print(f"\ndopri5 {name:16s} error ~ tol^{slope:.2f}; error / tol", *(f"{e:.1f}" for e in errors / tolerances))
    assert 0.8 < slope < 1.25
    assert (errors < 300.0 * tolerances).all()


@pytest.mark.parametrize("name", MACHINES)
def test_samples_of_dopri5_are_as_good_as_its_steps(name):
    """Dense output between steps: no sample is much worse than the end."""
    model, times = model_of(name), np.linspace(0.0, END, 101)
    rec = Simulation(model, Dopri5(rtol=1e-8, atol=1e-8)).run(END, sample=END / 100, progress=False)
    np.testing.assert_allclose(rec.time, times, rtol=0, atol=1e-15)
    q, v = solution(model.spec, model.q0, model.v0, times)
    errors = np.linalg.norm(np.column_stack([model.difference(q, rec.q), rec.v - v]), axis=1)
    print(f"\ndopri5 {name}: largest error of a sample {errors.max():.1e}, at the end {errors[-1]:.1e}")
    assert errors.max() < 3e-6


@pytest.mark.parametrize("name", MACHINES)
def test_energy_drift_of_dopri5(name):
    drifts = [drift(name, Dopri5(rtol=tol, atol=tol)) for tol in (1e-6, 1e-9)]
    print(f"\nenergy dopri5 {name:16s} {drifts[0]:.1e} (1e-6)  {drifts[1]:.1e} (1e-9)")
    assert drifts[0] < 1e-4 and drifts[1] < 1e-7


def test_period_of_the_pendulum():
    events = {"right": Event("pin.q", when="falling"), "left": Event("pin.q", when="rising")}
    simulation = Simulation(gori.compile(pendulum()), Dopri5(rtol=1e-12, atol=1e-12), events=events)
    met = simulation.run(5 * PERIOD, progress=False).info["events"]
    assert [name for name, _ in met] == ["right", "left"] * 5
    times = np.array([time for _, time in met])
    error = np.abs(times - PERIOD * (0.25 + 0.5 * np.arange(10))).max()
    print(f"\nA01 with dopri5: crossings of ten half periods to {error:.1e} s")
    assert error < 1e-9


def test_pendulum_all_along():
    rec = Simulation(gori.compile(pendulum()), Dopri5(rtol=1e-12, atol=1e-12)).run(10.0, sample=0.01, progress=False)
    q, v = pendulum_angle(rec.time)
    np.testing.assert_allclose(rec["pin.q"], q, rtol=0, atol=1e-9)
    np.testing.assert_allclose(rec["pin.v"], v, rtol=0, atol=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_random_trees_against_dop853(seed):
    model, tree = machine(seed, n=4, floating=seed == 4)
    q0, v0, _ = random_state(np.random.default_rng(seed), tree)
    q, v = solution(model.spec, q0, v0, [0.3], rtol=1e-12)
    simulation = Simulation(model, Dopri5(rtol=1e-11, atol=1e-11), state=State(0.0, q0, v0))
    rec = simulation.run(0.3, sample=0.3, progress=False)
    scale = max(1.0, np.abs(v).max())
    error = max(np.abs(model.difference(q[0], rec.q[-1])).max(), np.abs(rec.v[-1] - v[0]).max()) / scale
    print(f"\ntree {seed}: {model.nv} dof, largest speed {scale:.1f}, error {error:.1e}")
    assert error < 1e-8


# ---- time counts from the start of a run, however large it is there


@pytest.mark.parametrize("method", [Dopri5(rtol=1e-9, atol=1e-11), Radau5(rtol=1e-9, atol=1e-11)], ids=lambda m: m.kind)
def test_a_run_far_from_time_zero_is_the_same_run(method):
    """A pendulum of some seconds at t = 0, 1e6 and 1e9 s, with an event, in two runs and with a State in between."""
    model, rows = gori.compile(pendulum()), []
    for start in (0.0, 1e6, 1e9):
        events = {"low": Event("pin.q", when="falling")}
        simulation = Simulation(model, method, state=State(start, model.q0, model.v0), events=events)
        first = simulation.run(1.3, sample=0.1, progress=False)
        second = Simulation(model, method, state=simulation.state, events=events).run(1.7, sample=0.1, progress=False)
        assert len(first) == 14 + len(first.info["events"]) and second.time[-1] == first.time[-1] + 1.7
        rows.append(np.concatenate([first.q[-1], first.v[-1], second.q[-1], second.v[-1]]))
        assert np.array(rows[-1]) == pytest.approx(rows[0], abs=1e-12)
        assert [t - start for _, t in first.info["events"]] == pytest.approx(
            [PERIOD * k for k in (0.25,) if PERIOD * k < 1.3], abs=3e-7
        )


@pytest.mark.parametrize("method", [Dopri5(), Radau5()], ids=lambda method: method.kind)
@pytest.mark.parametrize(("start", "sample"), [(0.0, 1e-8), (1e3, 1e-8), (1e9, 1e-6)])
def test_stiff_and_small_at_any_time(method, start, sample):
    """1 TN/m on 1 kg, 1 nm: steps of 0.1 us where time is resolved to as much."""
    model = slider(stiffness=1e12)
    simulation = Simulation(model, method, state=State(start, np.array([1e-9]), np.zeros(1)))
    rec = simulation.run(1e-5, sample=sample, progress=False)
    assert len(rec) == round(1e-5 / sample) + 1
    np.testing.assert_allclose(rec.q[:, 0], 1e-9 * np.cos(1e6 * sample * np.arange(len(rec))), rtol=0, atol=3e-14)


@pytest.mark.parametrize("method", [Dopri5(), Radau5()], ids=lambda method: method.kind)
def test_samples_that_time_does_not_resolve_are_refused(method):
    model = slider(stiffness=1.0)
    simulation = Simulation(model, method, state=State(1e9, model.q0, model.v0))
    with pytest.raises(InputError, match=r"too large for samples 1e-08 s apart.* resolved to 1.2e-07 s"):
        simulation.run(1e-5, progress=False)
