"""Laws that take indices which are not there are refused before anything is written."""

import numba
import numpy as np
import pytest

import gori
from gori.errors import InputError
from gori.sim.batch.laws.bounds import TRIALS, refuse_out_of_bounds
from gori.sim.batch.laws.own_functions import refuse_uncompilable
from tests.sim.batch.machines import arm, on_host, pendulum

__all__ = ["on_host"]
TABLE = np.array([1.0, 2.0, 3.0])


def beyond_tau(t, q, v, tau):
    tau[2] = 1.0


def beyond_q(t, q, v, tau):
    tau[0] += q[5]


def before_v(t, q, v, tau):
    tau[0] += v[-3]


def beyond_a_table(t, q, v, tau, place):
    tau[0] += TABLE[int(place)]


def later(t, q, v, tau):
    if t > 0.5:
        tau[7] = 1.0


def last(t, q, v, tau):
    tau[-1] -= v[-1]


@numba.njit
def read(q, k):
    return q[k]


@numba.njit
def read_by_another(q, k):
    return read(q, k) + 1.0


def by_a_helper(t, q, v, tau):
    tau[0] += read_by_another(q, 99)


@pytest.mark.parametrize("device", ["cpu", "cuda"])
@pytest.mark.parametrize(
    ("law", "words"),
    [
        (beyond_tau, r"index 2 is out of bounds for axis 0 with size 2 \(.*test_bounds.py, line \d+: tau\[2\] = 1"),
        (beyond_q, r"index 5 is out of bounds for axis 0 with size 2 .*q\[5\]\). q has 2 numbers, v and tau have 2"),
        (before_v, "index -3 is out of bounds"),
        (by_a_helper, r"index is out of bounds \(.*read_by_another\(q, 99\)"),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_an_index_that_is_not_there(law, words, device, on_host):
    with pytest.raises(InputError, match=rf"law '{law.__name__}' takes an index that is not there.*machine 0.*{words}"):
        gori.batch(pendulum(), 3, forces=law, device=device)


def test_parameters_of_each_machine_are_tried():
    path = "forces.beyond_a_table.place"
    gori.batch(pendulum(), 3, forces=beyond_a_table, parameters={path: [0, 1, 2]}).step()
    with pytest.raises(InputError, match="where machine 1 starts: index 7 is out of bounds for axis 0 with size 3"):
        gori.batch(pendulum(), 3, forces=beyond_a_table, parameters={path: [0, 7, 2]})
    with pytest.raises(InputError, match=f"where machine {5 * TRIALS - 1} starts"):
        gori.batch(pendulum(), 3, forces=beyond_a_table, parameters={path: [*[0] * (5 * TRIALS - 1), 7]})
    with pytest.raises(InputError, match="index 4 is out of bounds"):
        gori.batch(pendulum(), 3, forces=beyond_a_table, parameters={path: "4 + t"})


def test_states_are_where_laws_are_tried():
    model = pendulum()
    states = [model.state(), model.state().replace(time=1.0)]
    gori.batch(model, 2, forces=later, state=states[0])
    for given in (states, states[1]):
        with pytest.raises(InputError, match="law 'later' takes an index that is not there"):
            gori.batch(model, 2, forces=later, state=given)
    with pytest.raises(InputError, match="State belongs to another Model"):
        gori.batch(model, 2, forces=last, state=arm().state())


def test_indices_from_the_end_are_there():
    batch = gori.batch(pendulum(), 2, forces=last)
    batch.step(5)
    assert not batch.failed.any()


def test_the_law_alone():
    model = pendulum()
    laws = {"last": (refuse_uncompilable(last, "last", 0, False), [])}
    refuse_out_of_bounds(laws, model, [], [])
    laws |= {"beyond": (refuse_uncompilable(beyond_tau, "beyond", 0, False), [])}
    with pytest.raises(InputError, match="law 'beyond'"):
        refuse_out_of_bounds(laws, model, [], [])
