"""Running, stepping and sampling; functions of the user; controls; what the forces must do; what is refused."""

import numba
import numpy as np
import pytest

import gori
from gori.errors import InputError, SimulationError, UnsupportedError
from gori.integrate import METHODS, RK4, Dopri5, method_of
from gori.model.state import State
from gori.sim import Event, Simulation
from gori.sim import loop as module
from gori.spec import GROUND, Spec
from tests.sim.machines import EVENTS, busy, falling, hinge, with_forces

STEPS = {"dopri5": {"largest_step": 5e-3}}
STICKING = [kind for kind in METHODS if "friction" in METHODS[kind].supports]
FIXED = [kind for kind in STICKING if not METHODS[kind].adaptive]


def simulate(spec, method="rk4", **options):
    return Simulation(gori.compile(spec), method, **options)


def same(one, other):
    """Two Recordings with the same numbers, bit for bit."""
    for name in ("time", "q", "v", "z"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)
    assert one.info["events"] == other.info["events"]


# ---- time and state


@pytest.mark.parametrize("kind", FIXED)
def test_steps_one_by_one_equal_a_run(kind):
    settings = {"type": kind, "step": 1e-3}
    rec = simulate(busy(), settings, events=EVENTS).run(1.0, sample=1e-3, progress=False)
    rows = ~np.isin(rec.time, [time for _, time in rec.info["events"]])
    stepping, jumping = simulate(busy(), settings, events=EVENTS), simulate(busy(), settings, events=EVENTS)
    for k in range(1, 1001):
        state = stepping.step()
        assert state.time == rec.time[rows][k]
        np.testing.assert_array_equal(np.concatenate([state.q, state.v, state.z]),
                                      np.concatenate([rec.q[rows][k], rec.v[rows][k], rec.z[rows][k]]))  # fmt: skip
    state, last = jumping.step(1000), stepping.state
    assert state.time == last.time == 1.0
    np.testing.assert_array_equal(state.q, last.q)
    assert stepping.event_log == rec.info["events"] != []


@pytest.mark.parametrize("kind", STICKING)
def test_the_length_of_compiled_blocks_changes_nothing(kind, monkeypatch):
    """Blocks last as long as the clock says: no number may depend on where they end."""
    settings = {"type": kind, **({"rtol": 1e-7} if METHODS[kind].adaptive else {"step": 2e-3})}
    events = {**EVENTS, "tick": Event("t - 0.6"), "fast": Event("jc.v - 0.1")}
    whole = simulate(busy(), settings, events=events).run(4.0, sample=0.01, progress=False)
    monkeypatch.setattr(module, "BLOCK_SECONDS", 0.0)
    pieces = simulate(busy(), settings, events=events).run(4.0, sample=0.01, progress=False)
    assert len(whole.info["events"]) > 6
    same(whole, pieces)


@pytest.mark.parametrize("kind", METHODS)
def test_time_grid_is_exact(kind):
    step = {} if METHODS[kind].adaptive else {"step": 1e-3}
    rec = simulate(falling(), {"type": kind, **step}).run(1.0, sample=0.01, progress=False)
    np.testing.assert_allclose(rec.time, np.arange(101) * 0.01, rtol=0, atol=2e-16 * 100)
    assert rec.time[0] == 0.0 and rec.time[-1] == 1.0


@pytest.mark.parametrize("kind", METHODS)
def test_events_leave_the_grid_of_samples_alone(kind):
    """Also where an event falls on a sample, or between the steps; and the run ends where it shall."""
    step = {} if METHODS[kind].adaptive else {"step": 1e-3}
    events = {"on": Event("t - 0.5"), "between": Event("0.123456789 - t"), "first": Event("t - 0.01")}
    rec = simulate(falling(), {"type": kind, **step}, events=events).run(1.0, sample=0.1, progress=False)
    assert [name for name, _ in rec.info["events"]] == ["first", "between", "on"]
    np.testing.assert_allclose([time for _, time in rec.info["events"]], [0.01, 0.123456789, 0.5], rtol=0, atol=1e-15)
    expected = np.sort([*np.arange(11) / 10, 0.01, 0.123456789, 0.5])
    np.testing.assert_allclose(rec.time, expected, rtol=0, atol=1e-14)
    np.testing.assert_allclose(rec["rail.v"], -9.81 * rec.time, rtol=0, atol=1e-8 if step == {} else 1e-11)


def test_default_samples():
    assert len(simulate(falling()).run(2.0)) == 1001
    assert len(simulate(falling()).run(0.05)) == 51  # not more than there are steps
    assert len(simulate(falling(), "dopri5").run(0.05)) == 1001
    assert len(simulate(falling()).run(0.05, sample=99.0)) == 2
    rec = simulate(falling()).run(0.01, sample=0.003)
    np.testing.assert_allclose(rec.time, [0.0, 0.003, 0.006, 0.009], rtol=0, atol=1e-15)


@pytest.mark.parametrize("period", [1e-7, 3.3e-7, 1e-6])
def test_more_samples_in_a_step_than_a_block_holds(period):
    rec = simulate(falling(), "dopri5").run(20_000 * period, sample=period, progress=False)
    np.testing.assert_allclose(rec.time, np.arange(20_001) * period, rtol=0, atol=1e-15)
    np.testing.assert_allclose(rec["rail.v"], -9.81 * rec.time, rtol=0, atol=1e-12)


@pytest.mark.parametrize("kind", METHODS)
def test_runs_follow_each_other(kind):
    simulation = simulate(falling(), kind)
    first, second = simulation.run(0.2), simulation.run(0.3)
    assert first.time[-1] == second.time[0] == pytest.approx(0.2, abs=1e-15)
    assert simulation.time == pytest.approx(0.5, abs=1e-15)
    np.testing.assert_array_equal(first.q[-1], second.q[0])
    assert simulation.state.v[0] == pytest.approx(-9.81 * 0.5, rel=1e-9)


def test_state_is_a_copy_and_can_be_set():
    simulation = simulate(falling())
    simulation.state.q[:] = 99.0
    assert simulation.state.q[0] == 1.0
    simulation.step(10)
    simulation.state = State(5.0, np.array([2.0]), np.array([3.0]))
    assert simulation.time == 5.0
    rec = simulation.run(1.0, sample=1.0)
    np.testing.assert_allclose(rec.time, [5.0, 6.0])
    np.testing.assert_allclose(rec["rail.q"][-1], 2.0 + 3.0 - 9.81 / 2, rtol=1e-12)


@pytest.mark.parametrize(
    "state",
    [
        State(0.0, np.zeros(3), np.zeros(1)),
        State(0.0, np.zeros(1), np.zeros(2)),
        State(0.0, np.array([np.nan]), np.zeros(1)),
        State(np.nan, np.zeros(1), np.zeros(1)),
        State(0.0, np.zeros(1), np.zeros(1), np.zeros(1)),
    ],
)
def test_states_that_are_refused(state):
    with pytest.raises(InputError, match="state"):
        simulate(falling(), state=state)


def test_a_zero_quaternion_is_refused():
    spec = Spec(bodies={"b": {"mass": 1.0}}, joints={"j": {"type": "free", "parent": GROUND, "child": "b"}})
    with pytest.raises(InputError, match="quaternion of joint 'j'"):
        simulate(spec, state=State(0.0, np.zeros(7), np.zeros(6)))


@pytest.mark.parametrize("kind", METHODS)
def test_a_machine_that_cannot_move(kind):
    spec = Spec(bodies={"b": {"mass": 1.0}}, joints={"j": {"type": "fixed", "parent": GROUND, "child": "b"}})
    rec = simulate(spec, kind).run(0.1, sample=0.01)
    np.testing.assert_allclose(rec.time, np.arange(11) * 0.01, rtol=0, atol=1e-15)


# ---- what is refused


@pytest.mark.parametrize("value", [0.0, -1.0, np.nan, np.inf, "1", None, True])
def test_times_that_are_refused(value):
    with pytest.raises(InputError, match="duration"):
        simulate(falling()).run(value)
    if value is not None:
        with pytest.raises(InputError, match="sample"):
            simulate(falling()).run(1.0, sample=value)
    if value is not True:
        with pytest.raises(InputError, match="step"):
            RK4(step=value)
        with pytest.raises(InputError, match="rtol"):
            Dopri5(rtol=value)


def test_steps_that_are_refused():
    for count in (0, -1, 1.5, True, "2"):
        with pytest.raises(InputError, match="number of steps"):
            simulate(falling()).step(count)
    with pytest.raises(InputError, match="dopri5 chooses its own steps"):
        simulate(falling(), "dopri5").step()
    with pytest.raises(InputError, match="less than one step"):
        simulate(falling(), RK4(step=0.1)).run(0.04)


def test_names_that_are_not_there():
    with pytest.raises(InputError, match=r"rail\.q"):
        simulate(falling()).run(0.01)["rial.q"]
    with pytest.raises(InputError, match="'push' is not a force"):
        simulate(falling(), controls={"push": 1.0})
    with pytest.raises(InputError, match=r"event 'low'.*rial"):
        simulate(falling(), events={"low": "rial.q"})
    with pytest.raises(InputError, match="'rk5' is not one of"):
        simulate(falling(), "rk5")
    with pytest.raises(InputError, match="takes step"):
        simulate(falling(), {"type": "rk4", "stepp": 1.0})
    with pytest.raises(InputError, match="functions"):
        simulate(falling(), forces=[3.0])


def test_what_a_method_does_not_support_is_refused():
    with pytest.raises(UnsupportedError, match="adams does not support: friction"):
        simulate(hinge(friction=1.0), "adams")


# ---- functions of the user


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

    with pytest.raises(SimulationError, match=r"lopsided must give an array of shape \(1,\).*not \(") as caught:
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
    with pytest.raises(SimulationError, match=r"'axle' moves nothing that has inertia.*armature"):
        simulate(spec, kind).run(1.0)


def test_dopri5_gives_up_at_a_wall():
    """A force that goes to infinity at q = 0: the step shrinks to nothing, and the message says what to try."""
    spec = with_forces(falling(), pull={"type": "force", "joint": "rail", "value": "-1/(rail.q*rail.q)"})
    with pytest.raises(SimulationError, match=r"too small.*(implicit|tolerances)|diverged.*'rail'") as caught:
        simulate(spec, "dopri5").run(10.0)
    assert 0.1 < caught.value.time < 1.0 and caught.value.recording["rail.q"][-1] < 0.5


# ---- controls


def test_controls_take_the_place_of_values():
    spec = with_forces(
        hinge(),
        push={"type": "torque", "joint": "axle", "value": 1.0},
        drive={"type": "motor", "joint": "axle", "kp": 0.0, "kd": 0.0},
    )
    model = gori.compile(spec)
    for value, speed in ((3.0, 3.0), ("2*t", 1.0), ([[0.0, 0.0], [0.5, 4.0]], 3.0)):
        assert Simulation(model, controls={"push": value}).run(1.0).v[-1, 0] == pytest.approx(speed, abs=1e-9)
    assert Simulation(model).run(1.0).v[-1, 0] == pytest.approx(1.0)  # the Model itself is as it was
    with pytest.raises(gori.errors.SpecError, match="push"):
        Simulation(model, controls={"push": "2*unknown"})
    bound = with_forces(hinge(), coil={"type": "torsion", "joint": "axle", "stiffness": 1.0})
    with pytest.raises(InputError, match="only motors, torques and forces"):
        simulate(bound, controls={"coil": 1.0})


def test_controls_are_in_the_file(tmp_path):
    spec = with_forces(hinge(), push={"type": "torque", "joint": "axle", "value": 1.0})
    simulate(spec, controls={"push": "3*t"}).run(0.1, path=tmp_path / "run.h5")
    assert gori.Recording.load(tmp_path / "run.h5").model.spec.forces["push"].value == "3*t"


# ---- what forces must do


@pytest.mark.parametrize("kind", METHODS)
def test_motors_reach_their_target_within_their_limit(kind):
    motor = {"type": "motor", "joint": "axle", "kp": 100.0, "kd": 20.0, "limit": 2.0}
    simulation = simulate(with_forces(hinge(), m=motor), kind, controls={"m": 1.5})
    rec = simulation.run(10.0, sample=0.01)
    push = np.diff(rec.v[:, 0]) / np.diff(rec.time)  # the inertia is 1
    assert np.abs(push).max() < 2.0 + 1e-6 and np.abs(push).max() > 1.9
    assert abs(rec["axle.q"][-1] - 1.5) < 1e-6 and abs(rec["axle.v"][-1]) < 1e-6
    held = simulate(with_forces(hinge(q=0.7), m=motor), kind).run(1.0)  # without a target it holds the start
    assert np.abs(held["axle.q"] - 0.7).max() < 1e-12


def slope(angle, mu=0.5, **joint):
    """A block of 2 kg on a slope, with the friction that its weight makes."""
    push = 2.0 * 9.81 * np.cos(angle) * mu
    axis = [np.cos(angle), 0.0, -np.sin(angle)]
    rail = {"type": "prismatic", "parent": GROUND, "child": "block", "axis": axis, "friction": push, **joint}
    return Spec(bodies={"block": {"mass": 2.0}}, joints={"rail": rail}), push


@pytest.mark.parametrize("kind", STICKING)
@pytest.mark.parametrize("share", [0.5, 0.8])
def test_friction_sticks_below_the_friction_angle(kind, share):
    """Let go at once, with damping in the joint (see the next test for none): dz/dq = 1 - z s/F ends at the deflection
    -ln(1 - share) F/s, which is less than 2 F/s up to 86 % of the friction.
    """
    stiffness = 2e4
    spec, push = slope(np.arctan(0.5 * share), stick_stiffness=stiffness, damping=2.0 * np.sqrt(stiffness * 2.0))
    settings = {"type": kind, **({} if METHODS[kind].adaptive else {"step": 2e-4})}
    q = simulate(spec, settings).run(5.0)["rail.q"]
    print(f"\n{kind}: creeps {q.max() * stiffness / push:.3f} F/s at {share} of the friction angle")
    assert 0.0 < q.max() < 2.0 * push / stiffness
    assert q[-1] == pytest.approx(-np.log(1.0 - share) * push / stiffness, rel=5e-3)
    assert abs(q[-1] - q[len(q) // 2]) < 1e-3 * push / stiffness  # and it has come to rest


@pytest.mark.parametrize("share", [0.5, 0.8, 0.9])
def test_friction_sticks_without_damping_in_the_joint(share):
    """The stick has damping of its own. Let go at once, the block overshoots a little; then it does not move."""
    spec, push = slope(np.arctan(0.5 * share), stick_stiffness=2e4)
    q = simulate(spec, RK4(step=2e-4)).run(5.0)["rail.q"] * 2e4 / push
    print(f"\nends at {q[-1]:.3f} F/s; {-np.log(1.0 - share):.3f} if loaded slowly")
    assert -np.log(1.0 - share) * 0.99 < q[-1] < 3.0 and abs(q[-1] - q[-201]) < 1e-6


@pytest.mark.parametrize("kind", STICKING)
def test_friction_holds_what_it_holds(kind):
    """Set down with the bristles bent as far as the weight needs: nothing moves."""
    angle = np.arctan(0.5 * 0.9)
    spec, _ = slope(angle, stick_stiffness=2e4)
    z = np.array([2.0 * 9.81 * np.sin(angle) / 2e4])
    rec = simulate(spec, kind, state=State(0.0, np.zeros(1), np.zeros(1), z)).run(5.0)
    assert np.abs(rec["rail.q"]).max() < 1e-9


@pytest.mark.parametrize("kind", STICKING)
def test_friction_slides_above_the_friction_angle(kind):
    angle = np.arctan(0.8)
    settings = {"type": kind, **({} if METHODS[kind].adaptive else {"step": 2e-4})}
    rec = simulate(slope(angle)[0], settings).run(2.0)
    acceleration = 9.81 * (np.sin(angle) - 0.5 * np.cos(angle))
    slide = rec["rail.v"][-1] - rec["rail.v"][-501]
    assert slide == pytest.approx(acceleration, rel=1e-3)


def test_dahl_friction_in_closed_form():
    """At constant speed the bristle bends as z = F/s (1 - exp(-s v t / F))."""
    spec = hinge(friction=2.0, stick_stiffness=40.0, armature=1e20, v=0.1)  # too heavy to slow down
    rec = simulate(spec, Dopri5(rtol=1e-10, atol=1e-12)).run(3.0)
    np.testing.assert_allclose(
        rec.z[:, 0], 2.0 / 40.0 * (1.0 - np.exp(-40.0 * 0.1 * rec.time / 2.0)), rtol=0, atol=1e-9
    )


@pytest.mark.parametrize("kind", METHODS)
def test_soft_limits_hold(kind):
    """A fall of 1 m on a stop of 10 kN/m: no deeper than energy allows, never pulled back, at rest at m g / k."""
    spec = falling(limits=[0.0, 5.0], limit_stiffness=1e4, limit_damping=50.0)
    settings = {"type": kind, **({} if METHODS[kind].adaptive else {"step": 1e-4})}
    rec = simulate(spec, settings).run(4.0, sample=1e-3)
    q = rec["rail.q"]
    deepest = -(9.81 + np.sqrt(9.81**2 + 2 * 1e4 * 9.81)) / 1e4  # k x^2 / 2 = m g (1 + x), without damping
    assert deepest < q.min() < 0.5 * deepest
    assert q[-1] == pytest.approx(-9.81 / 1e4, abs=1e-6)
    push = np.diff(rec["rail.v"]) / np.diff(rec.time) + 9.81
    assert push.min() > -1e-3 * push.max()


def test_limits_without_stiffness_do_nothing():
    rec = simulate(falling(limits=[0.0, 5.0])).run(1.0)
    assert rec["rail.q"][-1] == pytest.approx(1.0 - 9.81 / 2)


def test_settings_are_told():
    rec = simulate(falling(), method_of({"type": "rk4", "step": 0.01})).run(1.0, sample=0.02)
    assert rec.info["method"] == {"type": "rk4", "step": 0.01}
    assert rec.info["duration"] == 1.0 and rec.info["sample"] == 0.02 and rec.info["steps"] == 100
