"""The loop over steps of one machine among many, in plain Python."""

from types import SimpleNamespace

import numpy as np
import pytest

from gori.integrate.batch.many import MANY, steps_of_many
from gori.kernels.codes import NEAR_SINGULAR, NOT_FINITE, OK
from gori.kernels.forces.signals import N_SIGNAL_I
from gori.kernels.tree.columns import N_BODY_I, NQ
from gori.kernels.vehicle.state import DRIVER
from tests.plain import plain, rows

H = 0.25


def machine_and_data(nq=1, nv=1):
    body_i = np.zeros((1, N_BODY_I), np.int64)
    body_i[0, NQ] = nq
    machine = SimpleNamespace(body_i=body_i, signal_i=np.zeros((0, N_SIGNAL_I), np.int64))
    return machine, SimpleNamespace(tau=np.zeros(nv), driver=rows(DRIVER.zeros(0)), values=np.zeros(0))


def moved(step, steps, y, many=None, turning=False, instead=None):
    """y and many after so many steps."""
    many = MANY.zeros(1) if many is None else many
    advance = plain(steps_of_many(step, turning), instead)
    y = np.array(y)
    advance(*machine_and_data(), None, rows(many), y, np.zeros_like(y), steps, H)
    return y, many[0]


def test_steps_are_counted_and_time_follows_them():
    times = []

    def step(machine, data, memory, t, h, y):
        times.append(t)
        y[0] += h
        return OK

    many = MANY.zeros(1)
    many["start_time"], many["steps_done"] = 10.0, 2
    y, own = moved(step, 3, [1.0, 0.0, 0.0], many)
    assert times == [10.5, 10.75, 11.0] and y[0] == 1.75
    assert (own["steps_done"], own["code"]) == (5, OK)


@pytest.mark.parametrize("how", ["refused", "not finite"])
def test_a_step_that_fails_is_the_last_and_leaves_the_good_state(how):
    def step(machine, data, memory, t, h, y):
        y[:] += 1.0
        if t < 2 * H:
            return OK
        y[1] = 99.0 if how == "refused" else np.nan
        return NEAR_SINGULAR if how == "refused" else OK

    y, own = moved(step, 10, [0.0, 5.0, 0.0])
    assert y.tolist() == [2.0, 7.0, 2.0] and own["steps_done"] == 2
    assert own["code"] == (NEAR_SINGULAR if how == "refused" else NOT_FINITE)


def test_what_has_failed_stands_still():
    def step(machine, data, memory, t, h, y):
        raise AssertionError("a machine that has failed takes no step")

    many = MANY.zeros(1)
    many["code"], many["steps_done"] = NEAR_SINGULAR, 4
    y, own = moved(step, 10, [1.0, 2.0, 3.0], many)
    assert y.tolist() == [1.0, 2.0, 3.0] and (own["steps_done"], own["code"]) == (4, NEAR_SINGULAR)


def test_turns_are_counted_before_there_is_doubt():
    """At 0.7 rad/s and 0.25 s a step: whenever 0.5 rad may have passed, and at the end; where the bodies then are."""
    seen = []

    def follow(machine, data, t, q, v):
        seen.append((t, q[0], v[0]))

    def step(machine, data, memory, t, h, y):
        y[0] += h * y[1]
        return OK

    start, instead = [0.0, -0.7, 0.0], {"follow_turns": follow}
    y, _ = moved(step, 7, start, turning=True, instead=instead)
    assert [t for t, _, _ in seen] == [3 * H, 6 * H, 7 * H]
    assert [q for _, q, _ in seen] == pytest.approx([-0.7 * t for t, _, _ in seen]) and y[0] == seen[-1][1]
    seen.clear()
    moved(step, 7, start, turning=False, instead=instead)
    assert seen == []
