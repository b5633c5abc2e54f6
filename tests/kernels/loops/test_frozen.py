"""The solver with frozen factors: exact equations, corrected with factors of an earlier pose."""

import numpy as np
import pytest

from gori.kernels.codes import OK, USER_ERROR
from gori.kernels.loops.frozen import WARY, extrapolate, frozen, unbalance
from gori.kernels.loops.system import BLURRED
from gori.kernels.loops.system import close as close_loops
from gori.kernels.machine import PROJECT, PROJECT_AND_EVALUATE, RATES
from tests.checks import close
from tests.integrate.closed_machines import rockers, slider_crank
from tests.kernels.loops.closed import case
from tests.plain import plain
from tests.reference import dynamics as dyn
from tests.reference import loops

NONE = np.zeros(0)


def state(made):
    return np.concatenate([made.q, made.v])


def evaluated(made, y, what=RATES, t=0.0):
    k = np.full(len(y), np.nan)
    assert plain(frozen)(made.machine, made.data, t, y, k, what) == OK
    return k[len(made.q) :]


@pytest.mark.parametrize("make", [rockers, slider_crank])
def test_factors_are_made_once(make):
    """At the first evaluation; later ones correct until the equations hold."""
    made = case(make(), solver="frozen_explicit")
    evaluated(made, state(made))
    head = made.m.head[0]
    made_so_far, corrected = head.factorisations, head.corrections
    tree = loops.open_tree(made.spec)
    q = loops.assemble(made.spec, dyn.integrate(tree, made.q, 0.01 * made.v), tolerance=1e-14)
    v = loops.consistent(made.spec, q, 1.1 * made.v)
    expected = loops.constrained(made.spec, q, v, np.zeros(tree.nv))[0]
    close(evaluated(made, np.concatenate([q, v])), expected, 1e-9)
    assert head.factorisations == made_so_far and head.corrections > corrected


def test_near_a_singular_pose_factors_are_made_at_every_evaluation():
    made = case(slider_crank(), solver="frozen_explicit")
    evaluated(made, state(made))
    head = made.m.head[0]
    before = head.factorisations
    head.best_pivot_mass *= 10.0 / WARY
    head.pivot = 0.1 * WARY
    evaluated(made, state(made))
    assert head.factorisations == before + 1


def test_what_is_unbalanced_vanishes_at_the_solution():
    made = case(slider_crank(), solver="frozen_explicit")
    evaluated(made, state(made))
    evaluated(made, state(made))
    m = made.m
    assert plain(close_loops)(made.machine, made.data, m, 0.0, made.q, made.v, False)
    assert plain(unbalance)(made.machine, made.data, m, 0.0, made.q, made.v, NONE, NONE) == OK
    close(m.work.force, np.zeros(len(made.v)), 1e-7)
    close(m.work.gamma, np.zeros(len(made.kept)), 1e-7)
    machine = made.machine.replace(user=lambda *_: 1)
    assert plain(unbalance)(machine, made.data, m, 0.0, made.q, made.v, NONE, NONE) == USER_ERROR


def test_the_start_is_carried_on_in_a_straight_line():
    made = case(rockers(), solver="frozen_explicit")
    head, kept = made.m.head[0], made.m.state
    head.time_before, head.time_last = 0.0, 1.0
    kept.accelerations[:], kept.accelerations_before[:] = 3.0, 1.0
    kept.multipliers[:], kept.multipliers_before[:] = 5.0, 7.0
    extrapolate.py_func(made.m, 1.5)
    assert (kept.accelerations == 4.0).all() and (kept.accelerations_before == 3.0).all()
    assert (kept.multipliers == 4.0).all() and (head.time_before, head.time_last) == (1.0, 1.5)
    extrapolate.py_func(made.m, 9.0)  # too far to guess
    assert (kept.accelerations == 4.0).all()


def test_projected_and_evaluated_at_once():
    made = case(slider_crank(), solver="frozen_explicit")
    evaluated(made, state(made))
    y = state(made)
    y[0] += 1e-4
    qdd = evaluated(made, y, PROJECT_AND_EVALUATE, t=1e-3)
    q, v = y[: len(made.q)], y[len(made.q) :]
    assert np.abs(loops.residual(made.spec, q)).max() < 1e-9
    close(qdd, loops.constrained(made.spec, q, v, np.zeros(len(v)))[0], 1e-6)


def test_next_to_a_singular_pose_a_state_is_not_projected():
    """Its place on the loops is known less well than the one that the step leads to: energy jumped there."""
    made = case(rockers(), solver="frozen_explicit")
    evaluated(made, state(made))
    head, y = made.m.head[0], state(made) + 1e-9
    for pivot, stays in ((0.5 * BLURRED, True), (2.0 * BLURRED, False)):
        head.pivot, now = pivot, y.copy()
        assert plain(frozen)(made.machine, made.data, 0.0, now, np.zeros(len(y)), PROJECT) == OK
        assert np.array_equal(now, y) is stays
