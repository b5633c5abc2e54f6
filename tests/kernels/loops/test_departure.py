"""The first evaluation of a run that starts in a singular pose."""

import numpy as np

from gori.kernels.codes import OK
from gori.kernels.loops.departure import depart, departs
from gori.kernels.machine import ACCELERATIONS, PROJECT, PROJECT_AND_EVALUATE, RATES
from tests.integrate.closed_machines import rockers
from tests.kernels.loops.closed import case
from tests.plain import plain


def departing():
    made = case(rockers())
    work = made.m.work
    work.departing[:] = 1.0, 0.5, 7.0
    work.departure_q[:], work.departure_v[:], work.departure_a[:] = made.q, made.v, [3.0, 4.0, 5.0]
    return made


def test_only_rates_at_that_time_and_state():
    made = departing()
    ask = plain(departs)
    assert ask(made.m, 0.5, made.q, made.v, RATES) and ask(made.m, 0.5, made.q, made.v, ACCELERATIONS)
    assert not ask(made.m, 0.5, made.q, made.v, PROJECT) and not ask(made.m, 0.5, made.q, made.v, PROJECT_AND_EVALUATE)
    assert not ask(made.m, 0.6, made.q, made.v, RATES)
    assert not ask(made.m, 0.5, made.q + np.array([0.0, 1e-9, 0.0]), made.v, RATES)
    assert not ask(made.m, 0.5, made.q, made.v + np.array([0.0, 0.0, 1e-9]), RATES)
    made.m.work.departing[0] = 0.0
    assert not ask(made.m, 0.5, made.q, made.v, RATES)


def test_accelerations_and_power_are_those_that_were_found():
    made = departing()
    qdd, nothing = np.zeros(3), np.zeros(0)
    assert plain(depart)(made.machine, made.data, 0.5, made.q, made.v, nothing, nothing, qdd) == OK
    assert qdd.tolist() == [3.0, 4.0, 5.0] and made.data.power[0] == 7.0
