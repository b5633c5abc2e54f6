"""Runs that cannot go on: what is told, and what was recorded until then."""

import numpy as np
import pytest

import gori
from bench.mechanisms import four_bar
from gori.errors import FrictionWarning, SimulationError
from gori.integrate import METHODS, RK4, Dopri5, GeneralizedAlpha, ImplicitEuler
from gori.kernels import codes
from gori.sim.failure import ahead, explain, listed, near_singular, not_a_number, opening, singular
from gori.sim.user import UserForce
from gori.spec import GROUND, Spec
from tests.model.loops.singular import parallelogram
from tests.sim.machines import falling, with_forces
from tests.sim.test_simulation import STEPS, simulate


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


@pytest.mark.parametrize("kind", ["rk4", "semi_implicit", "adams", "adams_moulton"])
def test_divergence_of_a_free_body(kind):
    """Its coordinates overflow before its velocities do: the error names time and cure, and has the recording."""
    free = {"type": "free", "parent": GROUND, "child": "b"}
    mount = {"type": "bushing", "parent": GROUND, "child": "b", "stiffness": [1e7] * 6}
    body = {"mass": 1.0, "inertia": [0.1, 0.2, 0.3]}
    spec = Spec(bodies={"b": body}, joints={"flight": free}, forces={"mount": mount})
    with pytest.raises(SimulationError, match=r"diverged at t = .*'flight'.* smaller step") as caught:
        simulate(spec, {"type": kind, "step": 5e-3}).run(10.0, sample=5e-3)
    rec = caught.value.recording
    assert len(rec) > 3 and np.isfinite(rec.q).all() and rec.time[-1] == pytest.approx(caught.value.time)


@pytest.mark.parametrize("kind", METHODS)
def test_coordinates_overflow_before_velocities_do(kind):
    step = {} if METHODS[kind].adaptive else {"step": 10.0}
    with pytest.raises(SimulationError, match=r"at t = .*'rail'.* Try (a smaller step|larger tolerances)") as caught:
        simulate(falling(v=1e308), {"type": kind, **step}).run(100.0, sample=10.0)
    assert np.isfinite(caught.value.recording.q).all()


def test_friction_that_is_too_fast_is_named():
    spec = falling(stiffness=1e7, rest=0.9, friction=1.0, stick_stiffness=1e9)
    with pytest.warns(FrictionWarning):
        simulation = simulate(spec, {"type": "rk4", "step": 5e-3})
    with pytest.raises(SimulationError, match=r"diverged .*friction of joint 'rail' sticks with 3.16e\+04 rad/s"):
        simulation.run(10.0)


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
    with pytest.raises(SimulationError, match=r"'axle' moves nothing that has inertia.*armature"):
        simulate(spec, kind).run(1.0)


def test_dopri5_gives_up_at_a_wall():
    """A force that goes to infinity at q = 0: the step shrinks to nothing, and the message says what to try."""
    spec = with_forces(falling(), pull={"type": "force", "joint": "rail", "value": "-1/(rail.q*rail.q)"})
    with pytest.raises(SimulationError, match=r"too small.*(implicit|tolerances)|diverged.*'rail'") as caught:
        simulate(spec, "dopri5").run(10.0)
    assert 0.1 < caught.value.time < 1.0 and caught.value.recording["rail.q"][-1] < 0.5


# ---- words for result codes

NOBODY = UserForce([], 1, 1)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (codes.SINGULAR, "the equations have no solution at t = 0 s"),
        (codes.STEP_TOO_SMALL, "the step became too small at t = 0 s"),
        (codes.SUNK, "a wheel has sunk by more than its radius"),
        (codes.NO_CONVERGENCE, "did not converge at t = 0 s"),
        (codes.CONTACT_JAMMED, "jam (the paradox of Painlevé)"),
        (codes.CONTACT_UNSOLVED, "forces of contacts that rest were not found at t = 0 s"),
        (codes.NOT_FINITE, "the motion diverged at t = 0 s: joint 'rail' is the fastest with 3"),
    ],
)
def test_every_code_has_its_words(code, words):
    stepper = simulate(falling(v=3.0)).stepper
    error = explain(stepper, NOBODY, code)
    assert words in str(error) and error.time == 0.0


def test_a_time_that_is_too_large_is_blamed():
    stepper = simulate(falling(), Dopri5()).stepper
    stepper._clock.time, stepper._clock.step = 1e9, 1e-8
    words = str(explain(stepper, NOBODY, codes.STEP_TOO_SMALL))
    assert "the time itself is too large for it, as it is resolved to 1.2e-07 s only" in words
    stepper._clock.step = 1e-6
    assert "the forces change too fast" in str(explain(stepper, NOBODY, codes.STEP_TOO_SMALL))


@pytest.mark.parametrize("kind", METHODS)
def test_an_axis_without_inertia_ends_a_run_in_any_pose(kind):
    """A rod that flies, turned at random: rounding about its own axis may have either sign."""
    rng = np.random.default_rng(3)
    for quat in rng.normal(size=(8, 4)):
        fly = {"type": "free", "parent": GROUND, "child": "rod", "quat": quat / np.linalg.norm(quat), "v": [1] * 6}
        spec = Spec(bodies={"rod": {"mass": 1.0, "inertia": [1, 1, 0]}}, joints={"fly": fly})
        with pytest.raises(SimulationError, match="no solution at t = 0 s: joint 'fly' moves nothing that has inertia"):
            simulate(spec, {"type": kind, **STEPS.get(kind, {})}).run(0.05, progress=False)


def test_states_ahead_go_on_with_the_motion():
    stepper = simulate(falling(v=2.0), RK4(step=0.01)).stepper
    stepper.plan_steps(10)
    times, q, v = zip(*ahead(stepper), strict=True)
    assert times[0] == 0.0 and times[5] == 0.01 and times == tuple(sorted(times))
    np.testing.assert_allclose(np.array(q)[:, 0], 1.0 + 2.0 * np.array(times), atol=1e-15)
    assert all(row[0] == 2.0 for row in v)
    fast = simulate(falling(v=1e308), RK4(step=10.0)).stepper
    fast.plan_steps(10)
    assert [t for t, _, _ in ahead(fast)] == [0.0]  # numbers overflow beyond


def test_nothing_is_wrong_with_a_good_machine():
    stepper = simulate(falling()).stepper
    assert singular(stepper) is None and not_a_number(stepper, NOBODY) is None
    assert opening(stepper, codes.NOT_CLOSED) is None  # it has no loops
    closed = gori.Simulation(gori.compile(four_bar())).stepper
    assert opening(closed, codes.NO_CONVERGENCE) is None
    assert "would open" in str(opening(closed, codes.NOT_CLOSED))


@pytest.mark.parametrize("size", [1e30, 1e155, 1e300])
def test_coordinates_beyond_all_bounds(size):
    """No words on cuts, but none of another error either."""
    stepper = gori.Simulation(gori.compile(four_bar())).stepper
    stepper.y[:] = size * np.random.default_rng(0).normal(size=len(stepper.y))
    with np.errstate(all="ignore"):
        assert str(explain(stepper, NOBODY, codes.NOT_CLOSED))


# ---- what to try


def advice(spec, method, code, forces=(), **more):
    """Which cures are named for a code."""
    simulation = simulate(spec, method, **more)
    words = str(explain(simulation.stepper, UserForce(list(forces), 1, 1), code))
    return words[words.index("Try ") :]


SPRUNG = falling(stiffness=1e4)
PUSHED = with_forces(falling(), push={"type": "force", "joint": "rail", "value": 1.0})


@pytest.mark.parametrize(
    ("spec", "method", "code", "named", "not_named"),
    [
        (falling(), RK4(step=0.02), codes.NOT_FINITE,
         ["a smaller step (it is 0.02 s)", "an adaptive method"], ["spring", "forces", "implicit"]),
        (SPRUNG, RK4(step=0.02), codes.NOT_FINITE, ["softer springs", "an implicit method"], ["signs"]),
        (PUSHED, RK4(step=0.02), codes.NOT_FINITE, ["check the signs of your forces"], ["spring"]),
        (SPRUNG, Dopri5(rtol=1e-5), codes.NOT_FINITE,
         ["smaller tolerances (rtol is 1e-05)", "softer springs"], ["smaller step", "adaptive", "dopri5"]),
        (SPRUNG, GeneralizedAlpha(step=0.02), codes.NOT_FINITE, ["a smaller step", "softer"], ["implicit", "adaptive"]),
        (falling(), GeneralizedAlpha(step=0.02), codes.NOT_FINITE, ["check the initial velocities"], ["spring"]),
        (falling(), Dopri5(rtol=1e-3, atol=1e-4), codes.STEP_TOO_SMALL,
         ["larger tolerances (rtol is 0.001, atol 0.0001)", "an implicit method"], ["spring", "discontinuous"]),
        (PUSHED, Dopri5(), codes.STEP_TOO_SMALL, ["check for a discontinuous force"], ["spring"]),
        (SPRUNG, ImplicitEuler(step=0.02, newton=True), codes.NO_CONVERGENCE,
         ["a smaller step (it is 0.02 s)", "jacobian: full", "newton: false"], []),
        (SPRUNG, ImplicitEuler(step=0.02, jacobian="full"), codes.NO_CONVERGENCE, ["smaller step"], ["full", "newton"]),
        (four_bar(), GeneralizedAlpha(step=0.02), codes.NO_CONVERGENCE, ["smaller step"], ["full"]),
    ],
)  # fmt: skip
def test_advice_is_not_already_followed(spec, method, code, named, not_named):
    words = advice(spec, method, code)
    assert all(word in words for word in named) and not any(word in words for word in not_named), words


def test_advice_counts_functions_of_the_user_and_the_loop_solver():
    assert "signs of your forces" in advice(falling(), RK4(), codes.NOT_FINITE, forces=[lambda t, q, v: 0.0 * v])
    frozen = advice(four_bar(), RK4(), codes.NO_CONVERGENCE, loops="frozen_explicit")
    assert "another loop solver (loops: multipliers)" in frozen
    assert "loop solver" not in advice(four_bar(), RK4(), codes.NO_CONVERGENCE, loops="multipliers")


def test_a_wheel_that_sinks_without_throttle_needs_no_less():
    words = str(explain(simulate(falling()).stepper, NOBODY, codes.SUNK))
    assert "Use less payload, or firmer soil" in words and "throttle" not in words


def test_lists_in_words():
    assert listed(["a"]) == "a" and listed(["a", "b"]) == "a, or b" and listed(["a", "b", "c"]) == "a, b, or c"


def test_singular_poses_are_blamed_only_where_they_are():
    def ended(spec, **v):
        stepper = gori.Simulation(gori.compile(spec), Dopri5()).stepper
        stepper.y[stepper.model.nq : stepper.model.nq + stepper.model.nv] = list(v.values())
        stepper.closure.head.pivot = 1e-4  # what the loop solver saw last
        return near_singular(stepper), str(explain(stepper, NOBODY, codes.STEP_TOO_SMALL))

    words, _ = ended(parallelogram(A=2.0, C=2.0), A=2.0, B=-3.0, C=0.0)
    assert words is not None and "lie on none of them" in words
    words, whole = ended(parallelogram(A=2.0, C=2.0), A=2.0, B=-2.0, C=2.0)
    assert words is not None and "next to a singular pose" in words and "none of them" not in whole
    words, whole = ended(parallelogram(0.8), A=2.0, B=-2.0, C=2.0)
    assert words is None and "singular" not in whole
