"""Radau IIA of order 5: order, tolerances, dense output, stiff machines, loops, and what it keeps."""

import numpy as np
import pytest

import gori
from bench.chains import chain
from bench.mechanism_references import PUBLISHED_ANDREWS
from bench.mechanisms import n_four_bar
from bench.stiff_machines import CASES, error, run
from gori.errors import SimulationError
from gori.integrate import Dopri5, Radau5
from gori.integrate.radau.memory import FOR_ITS_ERROR, FOR_ITS_STAGES
from gori.integrate.radau.method import (
    GAP,
    accepted,
    arrive,
    attempt,
    dense_output,
    dodge,
    first_step,
    growth,
    singular_pose,
)
from gori.integrate.radau.stages import evaluate_stages, improve, prepare, start
from gori.kernels.codes import NO_CONVERGENCE, OK
from gori.sim import Event, Simulation
from tests.checks import close
from tests.integrate.machines import MACHINES, PERIOD, pendulum, pendulum_angle, solution
from tests.integrate.radau.steps import PRECISE, begun, random_step, sticking
from tests.integrate.steps import bundle, slider
from tests.integrate.test_order import END, drift, error_of
from tests.integrate.test_order import error as away
from tests.integrate.test_order import model_of as tree_of
from tests.plain import plain
from tests.reference import radau

# ---- one step


@pytest.mark.parametrize("on_axes", [True, False], ids=["in O(n)", "with a matrix"])
def test_a_step_is_that_of_the_twin(on_axes):
    made, f = random_step(3, on_axes, Radau5(rtol=1e-3, atol=1e-3))
    h = 0.005
    code, size = plain(attempt)(*made[:3], 0.0, h, made.y)
    assert code == OK and size < 1.0
    made, f = random_step(3, on_axes)
    assert plain(attempt)(*made[:3], 0.0, h, made.y)[0] == OK
    work, Z = made.memory.work, radau.stages(f, 0.0, h, made.y)
    e, out = radau.error(f, 0.0, h, made.y, Z), np.empty(len(made.y))
    for s in (0.0, 0.2, 0.7, 1.0):
        plain(dense_output)(made.machine, (made.y, work.Z, work.error), s, out)
        close(out[:-1], radau.between(made.y, Z, e, s)[:-1], 1e-5)


def test_dense_output_is_of_order_four():
    """Within a step its error falls by 2^5 with half the step, that of the polynomial of the stages by 2^4."""

    def motion(t):
        return np.sin(5.0 * t + 0.4), 5.0 * np.cos(5.0 * t + 0.4)

    away, plainly = [], []
    for h in (0.04, 0.02):
        q, v = motion(0.0)
        made = bundle(slider(q=q, v=v, stiffness=25.0, rest=0.0), PRECISE, on_axes=True)
        begun(made)
        plain(attempt)(*made[:3], 0.0, h, made.y)
        work, out, places = made.memory.work, np.empty(3), np.linspace(0.05, 0.95, 19)
        found = []
        for s in places:
            plain(dense_output)(made.machine, (made.y, work.Z, work.error), s, out)
            found.append(out[:2].copy())
        exact = np.array([motion(s * h) for s in places])
        away.append(np.abs(found - exact).max())
        poorer = np.array([radau.between(made.y, work.Z, 0.0, s) for s in places])[:, :2]
        plainly.append(np.abs(poorer - exact).max())
    orders = np.log2([away[0] / away[1], plainly[0] / plainly[1]])
    print(f"\nwithin a step: error ~ h^{orders[0]:.2f}, of the polynomial of the stages h^{orders[1]:.2f}")
    assert abs(orders[0] - 5.0) < 0.3 and abs(orders[1] - 4.0) < 0.3 and away[0] < 0.3 * plainly[0]


def test_a_step_that_fails_says_how_to_go_on():
    made = bundle(slider(v=1.0), PRECISE, user=lambda t, q, v, tau: tau.fill(np.nan if t > 0.1 else 0.0) or 0)
    begun(made)
    assert plain(attempt)(*made[:3], 0.0, 1.0, made.y)[0] == NO_CONVERGENCE
    assert made.memory.step[0].slow == 0.5 and made.memory.head[0].attempts == 1


def test_step_lengths():
    made, _ = sticking(on_axes=True)
    memory, clock = made.memory, np.rec.array([(1e-2,)], dtype=[("last_error", float)])[0]
    memory.step[0].iterations = 1
    assert plain(growth)(memory, clock, 0.1, 1e-10) == 8.0
    assert plain(growth)(memory, clock, 0.1, 1.0) == pytest.approx(0.9)
    memory.head[0].known, memory.head[0].last_step = 1, 0.2  # errors that grow although the step was halved
    assert plain(growth)(memory, clock, 0.1, 0.5) < 0.25
    memory.head[0].refused = 1
    assert plain(growth)(memory, clock, 0.1, 1e-6) <= 1.0
    assert plain(first_step)(memory, made.y) < 1e-3
    assert plain(first_step)(memory, 0.0 * made.y) == 1e-6


# ---- trees


def in_equal_steps(name, count):
    """Distance from the reference at END, after equal steps whose stages are found precisely."""
    made = bundle(tree_of(name), PRECISE, on_axes=True)
    begun(made)
    (machine, data, memory, y), h = made, END / count
    for k in range(count):
        assert plain(prepare)(machine, data, memory, k * h, h, y) == OK
        plain(start)(machine, data, memory, h, y)
        for _ in range(12):
            assert plain(evaluate_stages)(machine, data, memory, k * h, h, y) == OK
            left = plain(improve)(machine, data, memory, h, y)
        assert left < 1e-4  # times the tolerance
        y += memory.work.Z[2]
        assert plain(arrive)(machine, data, (k + 1) * h, y, memory.state.rates) == OK
    nq = tree_of(name).nq
    return away(name, y[:nq], y[nq:-1])


@pytest.mark.parametrize("name", MACHINES)
def test_order_with_equal_steps(name):
    counts = [100, 200] if name == "top" else [20, 40]
    errors = [in_equal_steps(name, count) for count in counts]
    order = np.log2(errors[0] / errors[1])
    print(f"\norder radau5 {name:16s} expected 5: {order:.3f}, error {errors[-1]:.1e}")
    assert abs(order - 5.0) < 0.6


@pytest.mark.parametrize("name", MACHINES)
def test_error_follows_the_tolerance(name):
    tolerances = 10.0 ** -np.arange(4, 12)
    errors = np.array([error_of(name, Radau5(rtol=tol, atol=tol)) for tol in tolerances])
    slope = np.polyfit(np.log10(tolerances), np.log10(errors), 1)[0]
    print(f"\nradau5 {name:16s} error ~ tol^{slope:.2f}; error / tol", *(f"{e:.2f}" for e in errors / tolerances))
    assert 0.9 < slope < 1.1
    assert (errors < 10.0 * max(1.0, np.abs(tree_of(name).v0).max()) * tolerances).all()


@pytest.mark.parametrize("name", MACHINES)
def test_samples_are_as_good_as_the_steps(name):
    """Dense output between steps: no sample is much worse than the end."""
    model, times = tree_of(name), np.linspace(0.0, END, 101)
    q, v = solution(model.spec, model.q0, model.v0, times)
    for tol in (1e-4, 1e-6, 1e-8):
        rec = Simulation(model, Radau5(rtol=tol, atol=tol)).run(END, sample=END / 100, progress=False)
        np.testing.assert_allclose(rec.time, times, rtol=0, atol=1e-15)
        faster = (rec.v - v) / (1.0 + np.abs(v).max())
        errors = np.abs(np.column_stack([model.difference(q, rec.q), faster])).max(axis=1)
        print(f"\nradau5 {name}, {tol:g}: largest error of a sample {errors.max():.1e}, at the end {errors[-1]:.1e}")
        assert errors.max() < 10.0 * tol


@pytest.mark.parametrize("name", MACHINES)
def test_energy_drift(name):
    drifts = [drift(name, Radau5(rtol=tol, atol=tol)) for tol in (1e-6, 1e-9)]
    print(f"\nenergy radau5 {name:16s} {drifts[0]:.1e} (1e-6)  {drifts[1]:.1e} (1e-9)")
    assert drifts[0] < 1e-5 and drifts[1] < 1e-8


def test_period_of_the_pendulum():
    events = {"right": Event("pin.q", when="falling"), "left": Event("pin.q", when="rising")}
    simulation = Simulation(gori.compile(pendulum()), Radau5(rtol=1e-11, atol=1e-11), events=events)
    met = simulation.run(5 * PERIOD, progress=False).info["events"]
    assert [name for name, _ in met] == ["right", "left"] * 5
    error = np.abs(np.array([time for _, time in met]) - PERIOD * (0.25 + 0.5 * np.arange(10))).max()
    print(f"\nA01 with radau5: crossings of ten half periods to {error:.1e} s")
    assert error < 1e-9


def test_pendulum_all_along():
    rec = Simulation(gori.compile(pendulum()), Radau5(rtol=1e-10, atol=1e-10)).run(10.0, sample=0.01, progress=False)
    q, v = pendulum_angle(rec.time)
    np.testing.assert_allclose(rec["pin.q"], q, rtol=0, atol=1e-8)
    np.testing.assert_allclose(rec["pin.v"], v, rtol=0, atol=1e-8)


# ---- stiff machines


@pytest.mark.parametrize("name", CASES)
def test_achieved_errors_are_as_asked_for(name):
    """Within ten times rtol at every sample, coordinate by coordinate."""
    tolerances = 10.0 ** -np.arange(4, 9)
    found = [error(name, run(name, Radau5(rtol=tol, atol=1e-3 * tol))) for tol in tolerances]
    print(f"\n{name}: error / rtol", *(f"{e:.2f}" for e in found / tolerances))
    assert (found < 10.0 * tolerances).all()


def test_andrews_against_published_angles():
    """IVP test set, relative errors angle by angle at 0.03 s."""
    for tol in (1e-4, 1e-6, 1e-8):
        rec = run("andrews", Radau5(rtol=tol, atol=1e-3 * tol))
        worst = max(abs(rec[f"{name}.q"][-1] / angle - 1.0) for name, angle in PUBLISHED_ANDREWS.items())
        print(f"\nandrews, rtol {tol:g}: {worst:.1e}")
        assert worst < 10.0 * tol


@pytest.mark.parametrize(("name", "ratio"), [("spring_pendulum", 100.0), ("suspension", 10.0)])
def test_steps_follow_the_slow_motion(name, ratio):
    """An explicit method is held by the fastest frequency, whatever error is allowed."""
    steps = [run(name, method(rtol=1e-6, atol=1e-9)).info["steps"] for method in (Radau5, Dopri5)]
    print(f"\n{name}: {steps[0]} steps, dopri5 {steps[1]}")
    assert ratio * steps[0] < steps[1]


def test_a_matrix_is_made_only_where_it_is_needed():
    counts = run("suspension", Radau5(rtol=1e-8, atol=1e-11)).info["newton"]
    assert counts["jacobians"] < counts["factorisations"] <= counts["attempts"] < counts["iterations"]
    counts = run("spring_pendulum", Radau5(rtol=1e-8, atol=1e-11)).info["newton"]
    assert counts["jacobians"] == 0 and counts["factorisations"] == counts["attempts"]


def test_long_chains_have_no_matrix():
    """What is kept grows in proportion; so does the time (bench/stiff.py)."""
    kept = []
    for links in (50, 200):
        simulation = Simulation(chain(links, "alternating", 200.0, 2.0), Radau5(rtol=1e-4, atol=1e-6))
        rec = simulation.run(0.02, progress=False)
        assert rec.info["newton"]["jacobians"] == 0 and np.isfinite(rec.q).all()
        kept.append(len(simulation.state.to_bytes()))
    assert kept[1] < 4.5 * kept[0]


# ---- forces with kinks


def bouncing(stiffness):
    """A ball that falls on a stiff stop, again and again."""
    rail = {
        "type": "prismatic", "parent": "ground", "child": "ball", "axis": [0, 0, 1], "q": 0.5, "limits": [0.0, 10.0],
        "limit_stiffness": stiffness, "limit_damping": 0.05 * stiffness**0.5,
    }  # fmt: skip
    return gori.compile(gori.Spec(bodies={"ball": {"mass": 1.0}}, joints={"rail": rail}))


@pytest.mark.parametrize("tol", [1e-4, 1e-6])
def test_kinks_of_a_force(tol):
    """There steps have no order: the estimate has to be smaller. Errors grow with each of five bounces."""
    model = bouncing(1e6)
    exact = Simulation(model, Dopri5(rtol=1e-12, atol=1e-13)).run(2.0, sample=0.05, progress=False)
    found = [
        np.abs(Simulation(model, method).run(2.0, sample=0.05, progress=False).q - exact.q).max() / tol
        for method in (Radau5(rtol=tol, atol=1e-2 * tol), Dopri5(rtol=tol, atol=1e-2 * tol))
    ]
    print(f"\nbouncing, rtol {tol:g}: error / rtol {found[0]:.1f}, dopri5 {found[1]:.1f}")
    assert found[0] < 50.0 and found[0] < 0.1 * found[1]


def test_errors_that_come_as_a_surprise():
    made, _ = sticking(on_axes=True, method=Radau5(rtol=1e-5))
    memory, clock = made.memory, np.rec.array([(0.02,)], dtype=[("last_error", float)])[0]
    assert plain(accepted)(memory, clock, 0.1, 0.9) == 1.0  # there is nothing to compare with
    memory.head[0].known, memory.head[0].last_step = 1, 0.1
    assert plain(accepted)(memory, clock, 0.1, 0.15) == 1.0
    assert plain(accepted)(memory, clock, 0.1, 0.9) == pytest.approx(0.1)
    assert plain(accepted)(memory, clock, 0.15, 0.9) == 1.0  # of a longer step it is no surprise
    memory.head[0].refused = FOR_ITS_STAGES
    assert plain(accepted)(memory, clock, 0.1, 0.15) == 1.0
    memory.head[0].refused = FOR_ITS_ERROR
    assert plain(accepted)(memory, clock, 0.1, 0.15) == pytest.approx(0.1)


# ---- singular poses of loops


@pytest.mark.parametrize("share", [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.9, 0.99, 1.2])
def test_a_singular_pose_comes_between_stages(share):
    """It is ahead by a share of h: the next step, or the one after it, has it in the middle of its widest gap."""
    made, _ = sticking(on_axes=True)
    memory, h = made.memory, 0.01
    row = memory.step[0]
    row.pivot_1, row.pivot_2, row.pivot_3 = 0.3 * (radau.NODES - share) ** 2
    assert plain(singular_pose)(memory) == pytest.approx(share)
    step = plain(dodge)(memory, h)
    planned = memory.head[0].planned
    assert 0.0 < step < h and planned <= h
    assert share * h == pytest.approx(GAP * step if planned == 0.0 else step + GAP * planned)


def test_where_pivots_do_not_tell_the_nearest_stage_counts():
    made, _ = sticking(on_axes=True)
    row = made.memory.step[0]
    row.nearest = radau.NODES[1]
    for pivots in [(0.3, 1e-7, 0.0), (0.3, 0.3, 0.3)]:  # an evaluation was refused; the pivots are old
        row.pivot_1, row.pivot_2, row.pivot_3 = pivots
        assert plain(singular_pose)(made.memory) == radau.NODES[1]


def test_through_singular_poses():
    """Ten four-bars in a row, whose bars come in line twice a turn: along the branch, and as precise as asked for."""
    model = gori.compile(n_four_bar(10))
    exact = Simulation(model, Dopri5(rtol=1e-12, atol=1e-13)).run(4.0, sample=0.08, progress=False)
    for tol in (1e-4, 1e-6, 1e-8):
        rec = Simulation(model, Radau5(rtol=tol, atol=1e-2 * tol)).run(4.0, sample=0.08, progress=False)
        error = np.abs(model.difference(exact.q, rec.q)).max()
        print(f"\nten four-bars, rtol {tol:g}: {error:.1e} rad, {rec.info['steps']} steps")
        assert error < 100.0 * tol


def test_rounding_near_a_singular_pose_is_not_taken_for_divergence():
    """With a tight tolerance iterations end in rounding there; the run went off its branch, to 239 rad/s."""
    model = gori.compile(n_four_bar(2))
    rec = Simulation(model, Radau5(rtol=1e-10, atol=1e-12)).run(10.0, sample=0.1, progress=False)
    energy = rec["energy.total"]
    assert np.abs(energy - energy[0]).max() < 1e-6 and np.abs(rec.v).max() < 20.0


# ---- what it cannot do


def test_a_wall():
    """A force that goes to infinity: the step shrinks to nothing, and the message says so."""
    pull = {"type": "force", "joint": "rail", "value": "-1/(rail.q*rail.q)"}
    model = slider(q=0.5, forces={"pull": pull})
    with pytest.raises(SimulationError, match=r"too small.*larger tolerances \(.*\), or check for a disc") as caught:
        Simulation(model, Radau5()).run(10.0)
    assert 0.1 < caught.value.time < 1.0
