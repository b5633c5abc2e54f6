"""The loops of a run: complete when made, tolerances by the solver, and what a new start leaves behind."""

import numpy as np
import pytest

import gori
from gori.errors import InputError, SimulationError, SingularError, UnsupportedError
from gori.integrate import RK4, Dopri5, FrozenExplicit, Multipliers, Partition
from gori.integrate.clock import CLOCK, Sizes
from gori.kernels.layout import row
from gori.model.machine import machine_of
from gori.model.state import State
from gori.sim import Simulation
from gori.sim.loops.closure import LOOSE, MOST_LEAPS, Closure, solver_of
from tests.integrate.closed_machines import rockers
from tests.model.loops.singular import four_bar_without_mass, parallelogram

MODEL = gori.compile(rockers())


def closure(method=None, loops=None) -> Closure:
    loops = Multipliers() if loops is None else loops
    machine, data = machine_of(MODEL, loops=MODEL.loop_system.kept, closed=solver_of(loops).address)
    return Closure(MODEL, method or RK4(), loops, machine, data)


def test_tolerances_are_there_when_it_is_made():
    plain, frozen = closure(), closure(loops=FrozenExplicit(tolerance=1e-8, closure=7e-10))
    plain, frozen = (row(made.data.loops.settings) for made in (plain, frozen))
    assert plain.position_tolerance == MODEL.loop_system.tolerance
    assert frozen.position_tolerance == pytest.approx(1000 * MODEL.loop_system.tolerance)
    assert frozen.acceleration_tolerance == 1e-8


def test_a_new_start_leaves_nothing_of_the_run_before():
    used, fresh = Simulation(MODEL), Simulation(MODEL)
    start = used.state
    used.step(200)
    used.state = start
    np.testing.assert_array_equal(used.stepper.data.loops.head, fresh.stepper.data.loops.head)
    np.testing.assert_array_equal(used.stepper.data.loops.state.flat, fresh.stepper.data.loops.state.flat)


def test_coordinates_that_are_given_are_not_chosen():
    given = closure(loops=Partition(independent=("A",)))
    given.reset_thresholds()
    assert given.head.poor_pivot == 0.0
    free = closure(loops=Partition())
    free.reset_thresholds()
    assert free.head.poor_pivot > 0.0


def test_steps_over_a_singular_pose_are_few_and_loose():
    method = Dopri5()
    loops, memory, clock = closure(method), method.memory(Sizes(4, 3, 3, 0)), row(CLOCK.zeros(1))
    clock.time = clock.elapsed = 1.0
    clock.duration, clock.steps_done = 2.0, 100
    loops.head.pivot = 1.0
    assert not loops.step_over_singularity(memory, clock) and memory.head["loosened"][0] == 0.0
    loops.head.pivot = 1e-4
    for _ in range(MOST_LEAPS):
        assert loops.step_over_singularity(memory, clock)
        assert memory.head["loosened"][0] == LOOSE and 0.01 <= clock.step < 0.03
    assert not loops.step_over_singularity(memory, clock)
    loops.singularity_passed(memory)
    assert memory.head["loosened"][0] == 0.0 and not loops.step_over_singularity(memory, clock)
    clock.time = clock.elapsed = 1.1  # another pose
    assert loops.step_over_singularity(memory, clock)


# ---- singular starts, massless bodies

EVERY = [
    (method, loops)
    for method in (
        gori.RK4(step=1e-3), gori.SemiImplicit(step=1e-4), gori.Adams(step=1e-3), gori.AdamsMoulton(step=1e-3),
        gori.Dopri5(), gori.GeneralizedAlpha(step=1e-3), gori.ImplicitEuler(step=1e-4),
    )
    for loops in ((None,) if method.core_of_loops is not None else ("multipliers", "partition", "frozen_explicit"))
]  # fmt: skip


@pytest.mark.parametrize(("method", "loops"), EVERY, ids=str)
def test_every_method_stays_on_the_branch_that_it_starts_on(method, loops):
    """From flat, without gravity: the parallelogram keeps its speed, the other branch its energy."""
    options = {} if loops is None else {"loops": loops}
    rec = Simulation(gori.compile(parallelogram(A=2.0, C=2.0)), method, **options).run(1.0, progress=False)
    np.testing.assert_allclose(rec.q[-1], [2.0, -2.0, 2.0], rtol=0, atol=1e-8)
    rec = Simulation(gori.compile(parallelogram(A=2.0, C=-6.0)), method, **options).run(1.0, progress=False)
    np.testing.assert_allclose(rec.q[-1, [0, 2]], [4.205356189, -3.528972923], rtol=0, atol=2e-3)
    assert np.ptp(rec["energy.total"]) < 5e-3 * rec["energy.total"][0]


def test_a_state_off_the_branches_is_refused_and_a_run_from_there_ends():
    model = gori.compile(parallelogram())
    simulation = Simulation(model, Dopri5())
    with pytest.raises(InputError, match="lie on no branch"):
        simulation.state = State(0.0, model.q0, np.array([2.0, -3.0, 0.0]))
    for loops in ("multipliers", "frozen_explicit"):
        simulation = Simulation(model, Dopri5(), loops=loops)
        simulation.stepper.load(State(0.0, model.q0, np.array([2.0, -3.0, 0.0])), False)
        with pytest.raises(SimulationError, match=r"step became too small .*singular pose.*of one branch"):
            simulation.run(1.0, progress=False)


@pytest.mark.parametrize("massless", [("coupler",), ("coupler", "rocker"), ("crank",)], ids=", ".join)
def test_massless_bodies_within_a_loop(massless):
    """All solvers agree, and keep the energy."""
    model, ends = gori.compile(four_bar_without_mass(massless)), []
    for method, loops in EVERY:
        if method.kind in ("rk4", "dopri5", "generalized_alpha"):
            options = {} if loops is None else {"loops": loops}
            rec = Simulation(model, method, **options).run(0.5, progress=False)
            ends.append(rec.q[-1])
            assert np.ptp(rec["energy.total"]) < 1e-3, (method, loops)
    np.testing.assert_allclose(ends, [ends[0]] * len(ends), rtol=0, atol=1e-4)


def test_a_loop_without_any_mass_is_refused_by_name():
    with pytest.raises(SingularError, match=r"joint '[ABD]' moves no inertia"):
        Simulation(gori.compile(four_bar_without_mass(("crank", "coupler", "rocker"))), RK4())


def test_coarse_accelerations_are_refused_by_an_implicit_method():
    model = gori.compile(rockers())
    with pytest.raises(UnsupportedError, match="radau5 needs better accelerations than loops: real_time gives"):
        Simulation(model, gori.Radau5(), loops="real_time")
    Simulation(model, gori.Radau5(), loops="frozen_explicit")
    Simulation(model, Dopri5(), loops="real_time")
