"""The loops of a run: complete when made, tolerances by the solver, and what a new start leaves behind."""

import numpy as np
import pytest

import gori
from gori.integrate import RK4, Dopri5, FrozenExplicit, Multipliers, Partition
from gori.integrate.clock import CLOCK, Sizes
from gori.kernels.layout import row
from gori.model.machine import machine_of
from gori.sim import Simulation
from gori.sim.loops.closure import LOOSE, MOST_LEAPS, Closure, solver_of
from tests.integrate.closed_machines import rockers

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
    clock.time, clock.steps_done = 1.0, 100
    loops.head.pivot = 1.0
    assert not loops.step_over_singularity(memory, clock) and memory.head["loosened"][0] == 0.0
    loops.head.pivot = 1e-4
    for _ in range(MOST_LEAPS):
        assert loops.step_over_singularity(memory, clock)
        assert memory.head["loosened"][0] == LOOSE and 0.01 <= clock.step < 0.03
    assert not loops.step_over_singularity(memory, clock)
    loops.singularity_passed(memory)
    assert memory.head["loosened"][0] == 0.0 and loops.step_over_singularity(memory, clock)
