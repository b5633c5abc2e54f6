"""Running, stepping and sampling; controls; what is refused."""

import numpy as np
import pytest

import gori
from gori.errors import InputError, UnsupportedError
from gori.integrate import METHODS, RK4, Dopri5, method_of
from gori.model.state import State
from gori.sim import Event, Simulation
from gori.sim import run as module
from gori.spec import GROUND, Spec
from tests.sim.machines import EVENTS, busy, falling, hinge, with_forces

STEPS = {"dopri5": {"largest_step": 5e-3}, "radau5": {"largest_step": 5e-3}}
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
    np.testing.assert_allclose(rec.time, [0.0, 0.003, 0.006, 0.009, 0.01], rtol=0, atol=1e-15)  # and the end


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
    with pytest.raises(ValueError, match="read-only"):
        simulation.state.q[:] = 99.0
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
    with pytest.raises(InputError, match="dopri5 uses adaptive steps"):
        simulate(falling(), "dopri5").step()
    with pytest.raises(InputError, match="less than one step"):
        simulate(falling(), RK4(step=0.1)).run(0.04)


def test_names_that_are_not_there():
    with pytest.raises(InputError, match=r"rail\.q"):
        simulate(falling()).run(0.01)["rial.q"]
    with pytest.raises(InputError, match="'push' is not a force"):
        simulate(falling(), force_values={"push": 1.0})
    with pytest.raises(InputError, match=r"event 'low'.*rial"):
        simulate(falling(), events={"low": "rial.q"})
    with pytest.raises(InputError, match="'rk5' is not one of"):
        simulate(falling(), "rk5")
    with pytest.raises(InputError, match="takes step"):
        simulate(falling(), {"type": "rk4", "stepp": 1.0})
    with pytest.raises(InputError, match="functions"):
        simulate(falling(), forces=[3.0])


class WithoutFriction(RK4):
    supports = RK4.supports - {"friction"}


def test_what_a_method_does_not_support_is_refused():
    with pytest.raises(UnsupportedError, match="rk4 does not support: friction"):
        simulate(hinge(friction=1.0), WithoutFriction())


# ---- controls


def test_controls_take_the_place_of_values():
    spec = with_forces(
        hinge(),
        push={"type": "torque", "joint": "axle", "value": 1.0},
        drive={"type": "motor", "joint": "axle", "kp": 0.0, "kd": 0.0},
    )
    model = gori.compile(spec)
    for value, speed in ((3.0, 3.0), ("2*t", 1.0), ([[0.0, 0.0], [0.5, 4.0]], 3.0)):
        assert Simulation(model, force_values={"push": value}).run(1.0).v[-1, 0] == pytest.approx(speed, abs=1e-9)
    assert Simulation(model).run(1.0).v[-1, 0] == pytest.approx(1.0)  # the Model itself is as it was
    with pytest.raises(gori.errors.SpecError, match="push"):
        Simulation(model, force_values={"push": "2*unknown"})
    bound = with_forces(hinge(), coil={"type": "torsion", "joint": "axle", "stiffness": 1.0})
    with pytest.raises(InputError, match="only motors, torques and forces"):
        simulate(bound, force_values={"coil": 1.0})


def test_controls_are_in_the_file(tmp_path):
    spec = with_forces(hinge(), push={"type": "torque", "joint": "axle", "value": 1.0})
    simulate(spec, force_values={"push": "3*t"}).run(0.1, path=tmp_path / "run.h5")
    assert gori.Recording.load(tmp_path / "run.h5").model.spec.forces["push"].value == "3*t"


def test_settings_are_told():
    rec = simulate(falling(), method_of({"type": "rk4", "step": 0.01})).run(1.0, sample=0.02)
    assert rec.info["method"] == {"type": "rk4", "step": 0.01}
    assert rec.info["duration"] == 1.0 and rec.info["sample"] == 0.02 and rec.info["steps"] == 100
