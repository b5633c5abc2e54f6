"""Functions of the user and their exceptions; runs that cannot go on."""

import numba
import numpy as np
import pytest

import gori
from gori.errors import InputError, SimulationError
from gori.integrate import METHODS, RK4
from gori.model.state import State
from gori.spec import GROUND, Spec
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


# ---- runs that cannot go on


@pytest.mark.parametrize("kind", ["rk4", "semi_implicit"])
def test_divergence(kind, tmp_path):
    """A spring of 10 MN/m on 1 kg has a period of 2 ms: steps of 5 ms blow up."""
    spec = falling(stiffness=1e7, rest=0.9)
    simulation = simulate(spec, {"type": kind, "step": 5e-3})
    with pytest.raises(SimulationError) as caught:
        simulation.run(10.0, sample=5e-3, path=tmp_path / "run.h5")
    error, words = caught.value, str(caught.value)
    assert "diverged" in words and "'rail'" in words and "smaller step" in words and f"t = {error.time:.6g}" in words
    rec = error.recording
    assert len(rec) > 5 and rec.time[-1] == pytest.approx(error.time) and 0.0 < error.time < 10.0
    assert np.isfinite(rec.q).all() and np.isfinite(rec.v).all()
    np.testing.assert_array_equal(simulation.state.v, rec.v[-1])
    loaded = gori.Recording.load(tmp_path / "run.h5")
    np.testing.assert_array_equal(loaded.q, rec.q)
    assert "diverged" in loaded.info["error"]


def test_divergence_while_stepping():
    simulation = simulate(falling(stiffness=1e7, rest=0.9), RK4(step=5e-3))
    with pytest.raises(SimulationError, match="diverged"):
        simulation.step(2000)
    assert 0.0 < simulation.time < 10.0 and np.isfinite(simulation.state.v).all()


def bad_plain(t, q, v):
    return np.array([np.nan if t > 0.3001 else 0.0])


@pytest.mark.parametrize("kind", METHODS)
@pytest.mark.parametrize("when", ["later", "at once"])
def test_forces_that_are_not_numbers(kind, when):
    bad = {
        "later": (bad_plain, "1/(0.3001 - t)*0 + sqrt(0.3001 - t)*0"),
        "at once": (lambda t, q, v: np.array([np.inf]), "1/(t - t)"),
    }
    function, expression = bad[when]
    spec = with_forces(falling(), gust={"type": "force", "joint": "rail", "value": expression})
    for simulation, culprit in (
        (simulate(falling(), {"type": kind, **STEPS.get(kind, {})}, forces=function), "your function"),
        (simulate(spec, {"type": kind, **STEPS.get(kind, {})}), "forces.gust.value"),
    ):
        with pytest.raises(SimulationError, match=f"{culprit}.* (nan|inf)") as caught:
            simulation.run(1.0, sample=0.01)
        reached = caught.value.recording.time[-1]
        assert reached == 0.0 if when == "at once" else 0.28 < reached <= 0.3001
        assert np.isfinite(caught.value.recording.v).all()


@pytest.mark.parametrize("kind", METHODS)
def test_a_joint_that_moves_no_inertia(kind):
    axle = {"type": "revolute", "parent": GROUND, "child": "nothing"}
    spec = Spec(
        bodies={"nothing": {}}, joints={"axle": axle}, forces={"f": {"type": "torque", "joint": "axle", "value": 1.0}}
    )
    with pytest.raises(SimulationError, match=r"'axle' moves no inertia.*armature"):
        simulate(spec, kind).run(1.0)


def test_dopri5_gives_up_at_a_wall():
    """A force that goes to infinity at q = 0: the step shrinks to nothing, and the message says what to try."""
    spec = with_forces(falling(), pull={"type": "force", "joint": "rail", "value": "-1/(rail.q*rail.q)"})
    with pytest.raises(SimulationError, match=r"too small.*(implicit|tolerances)|diverged.*'rail'") as caught:
        simulate(spec, "dopri5").run(10.0)
    assert 0.1 < caught.value.time < 1.0 and caught.value.recording["rail.q"][-1] < 0.5
