"""Functions of the user and their exceptions."""

import ctypes

import numba
import numpy as np
import pytest

from gori.errors import InputError, SimulationError
from gori.integrate import METHODS
from gori.model.state import State
from gori.sim.user import UserForce
from tests.sim.machines import falling, hinge, with_forces
from tests.sim.test_simulation import STEPS, simulate


def plain(t, q, v):
    return np.array([np.sin(3.0 * t) - 2.0 * q[0] - 0.1 * v[0]])


@numba.njit
def compiled(t, q, v, tau):
    tau[0] += np.sin(3.0 * t) - 2.0 * q[0] - 0.1 * v[0]


@numba.njit
def half(t, q, v, tau):
    tau[0] += 0.5 * (np.sin(3.0 * t) - 2.0 * q[0] - 0.1 * v[0])


@pytest.mark.parametrize("kind", METHODS)
def test_plain_and_compiled_functions_are_the_same(kind):
    expression = with_forces(
        hinge(), f={"type": "torque", "joint": "axle", "value": "sin(3*t) - 2*axle.q - 0.1*axle.v"}
    )
    ends = [simulate(expression, kind).run(1.0, sample=0.1)]
    for forces in (plain, compiled, [half, half], [half, lambda t, q, v: 0.5 * plain(t, q, v)]):
        ends.append(simulate(hinge(), kind, forces=forces).run(1.0, sample=0.1))
    assert np.abs(ends[0].q).max() > 0.1
    for rec in ends[1:]:
        np.testing.assert_allclose(rec.q, ends[0].q, rtol=0, atol=1e-13 if kind in ("rk4", "semi_implicit") else 1e-9)


def test_plain_functions_may_keep_their_arguments():
    """They get copies: what they keep does not change later."""
    seen = []

    def force(t, q, v):
        seen.append((t, q, v))
        return np.zeros(1)

    simulate(falling(), forces=force).step(100)
    for t, q, v in seen:
        assert v[0] == pytest.approx(-9.81 * t, abs=1e-12) and q[0] == pytest.approx(1.0 - 0.5 * 9.81 * t * t, abs=1e-5)


class Broken(Exception):
    pass


def breaks_plain(t, q, v):
    if t > 0.5001:
        raise Broken("no pressure in the cylinder")
    return np.zeros(1)


@numba.njit
def breaks_compiled(t, q, v, tau):
    if t > 0.5001:
        raise ValueError("no pressure in the cylinder")


@numba.njit
def breaks_at_speed(t, q, v, tau):
    if v[0] < -4.9051:
        raise ValueError("no pressure in the cylinder")


@pytest.mark.parametrize("kind", METHODS)
@pytest.mark.parametrize("function", [breaks_plain, breaks_compiled, breaks_at_speed])
def test_exceptions_in_functions_of_the_user(kind, function):
    simulation = simulate(falling(), {"type": kind, **STEPS.get(kind, {})}, forces=function)
    with pytest.raises(SimulationError, match="no pressure in the cylinder") as caught:
        simulation.run(1.0, sample=0.01)
    error = caught.value
    assert isinstance(error.__cause__, Broken if function is breaks_plain else ValueError)
    assert 0.49 < error.time < 0.5015 and f"t = {error.time:.6g}" in str(error)
    rec = error.recording
    assert error.time - 0.01 - 1e-9 <= rec.time[-1] <= error.time
    np.testing.assert_allclose(rec["rail.v"], -9.81 * rec.time, rtol=0, atol=1e-8)


def test_an_old_error_is_not_told_again():
    simulation = simulate(falling(), forces=breaks_plain)
    for _ in range(2):
        with pytest.raises(SimulationError, match="no pressure"):
            simulation.run(1.0)
    simulation.state = State(0.0, np.ones(1), np.zeros(1))
    assert len(simulation.run(0.1)) > 10


@pytest.mark.parametrize("shape", [(), (2,), (1, 1)])
def test_wrong_shapes_of_tau(shape):
    def lopsided(t, q, v):
        return np.zeros(shape)

    with pytest.raises(SimulationError, match=r"lopsided must return an array of shape \(1,\).*not \(") as caught:
        simulate(falling(), forces=lopsided).run(1.0)
    assert len(caught.value.recording) == 1


def test_a_compiled_function_with_other_arguments():
    @numba.njit
    def three(t, q, v):
        return q

    with pytest.raises(InputError, match=r"three does not compile as f\(t, q, v, tau\)"):
        simulate(falling(), forces=three)


def called(user, t, q, v):
    """The compiled door: what it returns, and tau."""
    q, v, tau = np.array(q), np.array(v), np.zeros(user.nv)
    kind = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_double, *[ctypes.c_void_p] * 3)
    return kind(user.address)(t, q.ctypes.data, v.ctypes.data, tau.ctypes.data), tau


def test_functions_are_added_up():
    user = UserForce([plain, plain], 1, 1)
    code, tau = called(user, 0.5, [0.1], [0.2])
    assert code == 0 and tau[0] == 2.0 * plain(0.5, [0.1], [0.2])[0] and user.error is None
    assert user.values(0.5, np.array([0.1]), np.array([0.2]))["plain"] == plain(0.5, [0.1], [0.2])
    none = UserForce([], 1, 1)
    assert none.address == 0 and none.values(0.0, np.zeros(1), np.zeros(1)) == {}


def test_an_exception_becomes_a_code_and_is_kept():
    user = UserForce([breaks_plain], 1, 1)
    code, tau = called(user, 1.0, [0.0], [0.0])
    assert code == 1 and not tau.any() and isinstance(user.reproduce(), Broken)


def test_only_functions():
    with pytest.raises(InputError, match="forces must be functions, not 3"):
        UserForce([3], 1, 1)
