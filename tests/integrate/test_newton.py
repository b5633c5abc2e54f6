"""The accelerations of a step: one correction, iterations, damping, and two ways where one fails."""

import numpy as np
import pytest

import gori
from gori.integrate import STRATEGIES, ImplicitEuler
from gori.integrate.euler_steps import euler_steps
from gori.integrate.newton import begin_step, end_step, go_back, implicit_core, solve_step, take, tolerated
from gori.kernels.codes import NOT_FINITE, OK, USER_ERROR
from tests.checks import close
from tests.integrate.steps import bundle, random_bundle, slider
from tests.integrate.test_step_equations import H, begun
from tests.plain import plain
from tests.reference.implicit import linear_step, newton_step


@pytest.mark.parametrize("kind", STRATEGIES)
def test_iterations_end_at_the_solution(kind):
    made, step = random_bundle(2, ImplicitEuler(H, jacobian=kind, newton=True))
    work = begun(made)
    assert plain(solve_step)(*made) == OK
    close(work.x, newton_step(step, np.zeros(step.tree.nv)), 1e-6)
    assert made[2].head[0].steps == 1


def test_one_correction_is_the_linearly_implicit_step():
    """With derivatives for the accelerations of the step before."""
    made, step = random_bundle(3, ImplicitEuler(H, jacobian="full"))
    work, a = begun(made), np.linspace(-2.0, 3.0, step.tree.nv)
    made.memory.state.last[:] = a
    made[2].head[0].known = 1
    assert plain(solve_step)(*made) == OK and made[2].head[0].whole == 1
    close(work.x, linear_step(step, a), 1e-5)


def test_compiled_and_plain_are_the_same():
    """The core that methods call by its address, over some steps with a force of the user."""

    def user(t, q, v, tau):
        tau[0] = 2.0 - v[0] ** 3
        return 0

    simulation = gori.Simulation(slider(), ImplicitEuler(0.1), forces=lambda t, q, v: 2.0 - v**3)
    state = simulation.step(3)
    machine, data, memory, y = bundle(slider(), ImplicitEuler(0.1), user=user)
    machine = machine.replace(core=plain(implicit_core))
    for k in range(3):
        assert plain(euler_steps)(machine, data, memory, 0.1 * k, 0.1, y) == OK
    close(y, np.concatenate([state.q, state.v, [simulation.stepper.work]]), 1e-9)


def test_failures_come_back():
    made, _ = random_bundle(0, ImplicitEuler(H, jacobian="full"), user=lambda *_: 1)
    begun(made)
    assert plain(solve_step)(*made) == USER_ERROR

    def breaks(t, q, v, tau):
        tau[:] = np.nan
        return 0

    made, _ = random_bundle(0, ImplicitEuler(H, jacobian="full"), user=breaks)
    begun(made)
    assert plain(solve_step)(*made) == NOT_FINITE


def test_changes_are_taken_and_undone():
    work = begun(bundle(slider(), ImplicitEuler(H)))
    work.x[0], work.dx[0] = 1.0, 8.0
    take.py_func(work, 0.5)
    assert work.x[0] == -3.0 and work.taken[0] == 4.0
    go_back.py_func(work, 0.5)
    assert work.x[0] == -1.0 and work.taken[0] == 2.0
    go_back.py_func(work, 1.0)
    assert work.x[0] == 1.0 and work.taken[0] == 0.0


def test_an_error_driven_jacobian_leaves_a_share_of_the_change():
    last = np.zeros(1)
    for newton, expected in ((False, 0.2 * 4.0), (True, 4e-9)):
        made = bundle(slider(), ImplicitEuler(H, jacobian=gori.jacobian.ErrorDriven(0.2), newton=newton))
        work = begun(made)
        made.memory.step[0].strategy = made.memory.settings[0].strategy
        work.x[0] = 4.0
        assert plain(tolerated)(made.memory, work, last) == pytest.approx(expected, rel=1e-3)


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_the_end_of_a_step_is_taken_over():
    machine, data, memory, y = bundle(slider(v=2.0, damping=3.0), ImplicitEuler(H))
    work, last = memory.work, np.ones(1)
    plain(begin_step)(machine, data, memory, work, last, 1.0, 0.5, 0.5, 0.25)
    assert last[0] == 0.0 and memory.step[0].end_time == 1.5  # nothing is known of a step before
    work.base_velocity[0], work.base_increment[0], work.x[0] = 2.0, 1.0, 4.0
    memory.head[0].power = 7.0
    assert plain(end_step)(machine, data, memory, work, last, y, 0.25) == OK
    assert y[:-1].tolist() == [2.0, 4.0] and last[0] == 4.0 and memory.head[0].known == 1
    assert memory.head[0].power == -3.0 * 4.0**2  # of the damper, at the end
    assert y[-1] == 0.5 * (0.25 * 7.0 - 0.75 * 48.0)
    work.x[0] = np.inf
    assert plain(end_step)(machine, data, memory, work, last, y, 0.25) == NOT_FINITE
