"""Impacts in runs: closed forms of balls, blocks, stops and loops."""

import warnings

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import gori
from gori.errors import ImpactWarning, InputError, SimulationError
from gori.sim.contact.impact_stage import COLUMNS, ImpactLog, ImpactStage
from tests.reference.impacts import PainleveRod, rolling_from, rolling_speed
from tests.sim.contact.impact_machines import (
    STEEL,
    G,
    above,
    ball,
    belt,
    block,
    double_pendulum,
    four_bar,
    machine,
    row_of_balls,
    sliding_rod,
    sphere,
    stack,
    stopped_pendulum,
)
from tests.sim.contact.machines import four_bar as stop_four_bar

EXACT = gori.Dopri5(rtol=1e-10, atol=1e-12)


def column(recording, name):
    return np.array([row[name] for row in recording.info["impacts"]])


@pytest.mark.parametrize("method", [EXACT, gori.RK4(step=1e-3)])
def test_bouncing_ball(method):
    model, e, h, n = ball(0.8), 0.8, 1.0, np.arange(20)
    simulation = gori.Simulation(model, method, state=above(model, 0, 0, 0.1 + h), impacts=gori.Impacts())
    run = simulation.run(6.0, progress=False)
    v0 = np.sqrt(2.0 * G * h)
    time = v0 / G * (1.0 + 2.0 * e * (1.0 - e**n) / (1.0 - e))
    np.testing.assert_allclose(column(run, "time")[:20], time, rtol=1e-9)
    np.testing.assert_allclose(column(run, "impulse")[:20], (1.0 + e) * v0 * e**n, rtol=1e-9)
    np.testing.assert_allclose(column(run, "energy_after")[:20], 0.5 * v0**2 * e ** (2 * n + 2), rtol=1e-9)
    assert run.info["events"][0] == ("impact ground.floor/ball.ball", pytest.approx(time[0]))
    assert set(run.info["impacts"][0]) == set(COLUMNS)
    # it comes to rest when all its bounces are over, and stays there
    assert column(run, "time")[-1] == pytest.approx(v0 / G * (1.0 + e) / (1.0 - e), rel=1e-5)
    late = run.time > column(run, "time")[-1]
    assert late.sum() > 100 and np.abs(run.q[late, 6] - 0.1).max() < 1e-9
    assert np.abs(run.v[late]).max() < 1e-9
    np.testing.assert_allclose(run["ball.contact"][-1], [0.0, 0.0, G], rtol=1e-9)


@pytest.mark.parametrize("x", [0.1, 5.0])
def test_a_ball_comes_to_rest_with_long_steps(x):
    # free fall has no error, so that steps grow to seconds: the last bounces are a millionth of that
    model = ball(0.3)
    simulation = gori.Simulation(model, gori.Dopri5(), state=above(model, x, 0, 0.7), impacts=True)
    run = simulation.run(3.0, progress=False, max_wall=60.0)
    fall = np.sqrt(2.0 * 0.6 / G)
    assert run.info["end"] == "complete" and len(run.info["impacts"]) == 12
    assert column(run, "time")[-1] == pytest.approx(fall * 1.3 / 0.7, rel=1e-5)
    assert abs(run.q[-1, 6] - 0.1) < 1e-9


@pytest.mark.parametrize("method", [gori.Dopri5(), gori.RK4(step=1e-3)])
def test_work_of_a_belt_that_takes_a_box_along(method):
    # half of what the drive gives is heat: it gives m v^2, and the box has m v^2 / 2 at last
    run = gori.Simulation(belt(0.5, 0.3), method, impacts=True).run(0.5, progress=False)
    assert run["energy.work"][-1] == pytest.approx(0.25, rel=1e-4)
    assert np.abs(run["energy.balance"]).max() < 1e-5
    assert run["box.vx"][-1] == pytest.approx(0.5, rel=1e-6)


@pytest.mark.parametrize("method", [gori.Dopri5(), gori.RK4(step=1e-3)])
def test_a_heavy_box_rests_on_a_light_one(method):
    run = gori.Simulation(stack(100.0), method, impacts=True).run(0.3, progress=False)
    assert abs(run["high.z"][-1] - 0.15) < 1e-9 and np.abs(run.v).max() < 1e-6
    np.testing.assert_allclose(run["high.contact"][-1], [0.0, 0.0, 100.0 * G], atol=1e-4)


def test_states_continue_bit_for_bit(tmp_path):
    model = ball(0.6, 0.3)
    start = above(model, 0, 0, 0.3, w=np.array([5.0, 1.0, 2.0]), v=np.array([1.0, 0.0, 0.0]))
    whole = gori.Simulation(model, gori.RK4(step=1e-3), state=start, impacts=True)
    parts = gori.Simulation(model, gori.RK4(step=1e-3), state=start, impacts={"law": "stronge"})
    whole.step(1500)
    for _ in range(3):
        parts.step(500)
        state = parts.state
        state.save(tmp_path / "state.npz")
        parts = gori.Simulation(
            model, gori.RK4(step=1e-3), state=gori.State.load(tmp_path / "state.npz"), impacts=gori.Impacts()
        )
    assert np.array_equal(whole.q, parts.q) and np.array_equal(whole.v, parts.v)
    assert isinstance(whole._kept.impacts, ImpactLog) and whole.event_log == parts.event_log
    held = parts.state.parts["events"]["held"].copy()
    held["a"] = 99
    events = dict(parts.state.parts["events"]) | {"held": held}
    wrong = gori.State(
        parts.time, parts.q, parts.v, parts=dict(parts.state.parts) | {"events": events}, model=model.fingerprint
    )
    with pytest.raises(InputError, match="held"):
        parts.state = wrong


def test_sliding_ball_begins_to_roll():
    model = ball(0.0, 0.3)
    start = above(model, 0, 0, 0.1, v=np.array([2.0, 0.0, 0.0]))
    run = gori.Simulation(model, EXACT, state=start, impacts=True).run(2.0, progress=False)
    speed = np.linalg.norm(run.v[:, 3:], axis=1)
    assert speed[-1] == pytest.approx(rolling_speed(2.0, 0.0, 0.1), rel=1e-6)
    early = run.time < 0.98 * rolling_from(2.0, 0.0, 0.3, 0.1)
    np.testing.assert_allclose(speed[early], 2.0 - 0.3 * G * run.time[early], rtol=1e-7)
    assert np.abs(run.q[:, 6] - 0.1).max() < 1e-9
    assert np.abs(run["energy.balance"]).max() < 1e-6


@pytest.mark.parametrize("count", [3, 5])
def test_newtons_cradle(count):
    model, v = row_of_balls(count), np.zeros(count)
    v[0] = 1.5
    run = gori.Simulation(model, EXACT, state=model.state(v=v), impacts=gori.Impacts(order="sequential"))
    after = run.run(0.5, progress=False).v[-1]
    np.testing.assert_allclose(after, [*np.zeros(count - 1), 1.5], atol=1e-9)


def test_kanes_double_pendulum():
    height = float(np.cos(np.radians([20.0, 30.0])).sum()) + 0.01
    q = np.radians([20.0, 10.0])
    for mu in (0.3, 0.6, 1.0):
        model = double_pendulum(mu, 0.7, height)
        state = model.state(q=q, v=[0.0347, -0.7444])
        run = gori.Simulation(model, EXACT, state=state, impacts=True).run(0.05, progress=False)
        assert len(run.info["impacts"]) >= 1
        assert (column(run, "energy_after") <= column(run, "energy_before") * (1.0 + 1e-12)).all()
    with pytest.warns(ImpactWarning, match="gained"):
        gori.Simulation(model, EXACT, state=state, impacts={"law": "newton"}).run(0.01, progress=False)


@pytest.mark.parametrize("order", ["simultaneous", "sequential"])
def test_rocking_block(order):
    # Housner (1963): energy falls to r = (1 - 3/2 sin^2 a)^2 at each impact, and motion between is that of a pendulum
    w, h = 0.1, 0.4
    a, R, r = np.arctan2(w, h), np.hypot(w, h), (1.0 - 1.5 * w * w / (w * w + h * h)) ** 2
    rate2 = 0.75 * G / R

    def quarter(angle):
        def stands(t, y):
            return y[0]

        stands.terminal = True
        motion = solve_ivp(
            lambda t, y: [y[1], -rate2 * np.sin(a - y[0])], [0, 9], [angle, 0], events=stands, rtol=1e-12, atol=1e-14
        )
        return motion.t_events[0][0]

    angle, time = 0.5 * a, []
    model = block(w, h, 2.0)
    start = model.state(q=[0.0, w * np.sin(angle) + h * np.cos(angle), angle])
    run = gori.Simulation(model, EXACT, state=start, impacts=gori.Impacts(order=order)).run(1.6, progress=False)
    due = quarter(angle)
    while due < 1.6:
        time.append(due)
        angle = a - np.arccos(np.cos(a) + r * (np.cos(a - angle) - np.cos(a)))
        due += 2.0 * quarter(angle)
    assert len(time) == 3
    np.testing.assert_allclose(column(run, "time"), time, rtol=1e-8)
    np.testing.assert_allclose(column(run, "energy_after") / column(run, "energy_before"), r, rtol=1e-8)


@pytest.mark.parametrize("restitution", [0.0, 0.5])
def test_double_pendulum_at_a_stop(restitution):
    model = stopped_pendulum()
    impacts = gori.Impacts(limit_restitution=restitution)
    run = gori.Simulation(model, EXACT, impacts=impacts).run(3.0, progress=False)
    assert run.q[:, 0].min() > -0.3 - 1e-9 and len(run.info["impacts"]) >= 1
    assert run.info["events"][0][0] == "impact A lower"
    assert (column(run, "energy_after") < column(run, "energy_before")).all()
    first = np.flatnonzero(run.time == run.info["events"][0][1])
    before, after = run.v[first[0]], run.v[first[-1]]
    assert after[0] == pytest.approx(-restitution * before[0], abs=1e-12)
    M = model.mass_matrix(run.q[first[0]])
    np.testing.assert_allclose((M @ (after - before))[1], 0.0, atol=1e-12)  # the stop acts on the first joint alone
    assert np.abs(run["energy.balance"]).max() < 1e-6


def test_four_bar_on_the_floor():
    model = four_bar()
    run = gori.Simulation(model, EXACT, impacts=True).run(1.5, progress=False)
    assert len(run.info["impacts"]) > 3
    for row in run.info["impacts"]:
        k = np.flatnonzero(run.time == row["time"])
        terms = model.loop_system.terms(run.q[k[-1]], run.v[k[-1]])
        assert np.abs(terms.slip).max() < 1e-10
        assert row["energy_after"] <= row["energy_before"]
    assert np.diff(run["energy.total"]).max() < 1e-7
    foot = [min((p.gap for p in model.contacts(q, 0.1)), default=1.0) for q in run.q[::20]]
    assert min(foot) > -1e-8


def test_four_bar_hits_a_stop():
    """The machine of the penalty law: a ball on its right bar meets one of the ground at 1 rad."""
    model = gori.compile(stop_four_bar(friction=0.0))
    run = gori.Simulation(model, EXACT, impacts=True).run(3.0, progress=False)
    assert len(run.info["impacts"]) > 5
    k = np.flatnonzero(run.time == run.info["impacts"][0]["time"])
    assert run.q[k[0], 0] == pytest.approx(1.0, abs=1e-8)
    assert run.v[k[-1], 0] == pytest.approx(-0.5 * run.v[k[0], 0], rel=1e-9)  # one degree of freedom: e alone
    np.testing.assert_allclose(column(run, "energy_after")[:5] / column(run, "energy_before")[:5], 0.25, rtol=1e-8)
    assert np.abs(run.v[-1]).max() < 1e-6 and np.abs(run["energy.balance"]).max() < 1e-6
    forces = run["a.reaction"][-1, 3:] + run["d.reaction"][-1, 3:] + run["right.contact"][-1]
    np.testing.assert_allclose(forces, [0.0, 0.0, 3.0 * G], atol=1e-5)


def test_painleve():
    theta = np.arctan(2.0)
    good, bad = PainleveRod(1.0, 1.0, theta, 1.0), PainleveRod(1.0, 1.0, theta, 1.6)
    assert good.case == "contact" and bad.case == "inconsistent"
    model, state = sliding_rod(theta, 1.0, -1.0)
    simulation = gori.Simulation(model, EXACT, state=state, impacts=True)
    run = simulation.run(1e-3, progress=False)
    assert run["rod.contact"][-1][2] == pytest.approx(good.force, rel=1e-2)
    # it jams: the slip of 1 m/s is over within some ms, as by an impact, though nothing has collided
    model, state = sliding_rod(theta, 1.6, -1.0)
    run = gori.Simulation(model, EXACT, state=state, impacts=True).run(0.02, progress=False)
    (point,) = model.contacts(run.q[-1], 1e-6)
    assert abs(point.gap) < 1e-9 and np.abs(point.jacobian @ run.v[-1]).max() < 1e-5
    assert run["rod.contact"][1][2] > 100.0 and np.diff(run["energy.total"]).max() < 1e-9


def test_a_start_inside_each_other_is_refused():
    model = ball(0.5)
    with pytest.raises(SimulationError, match=r"ball\.ball are inside each other by 0\.05"):
        gori.Simulation(model, EXACT, state=above(model, 0, 0, 0.05), impacts=True).run(0.1, progress=False)


def test_fast_bodies_do_not_pass_thin_ones():
    # a step would take the first ball through the others
    model, v = row_of_balls(2), np.array([1000.0, 0.0])
    run = gori.Simulation(model, EXACT, state=model.state(v=v), impacts=True).run(0.5, progress=False)
    np.testing.assert_allclose(run.v[-1], [0.0, 1000.0], atol=1e-6)


def test_other_events_beside_impacts():
    model = ball(0.5)
    events = {"top": gori.Event("ball.vz", "falling")}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        start = above(model, 0, 0, 1.1)
        run = gori.Simulation(model, EXACT, state=start, impacts=True, events=events).run(1.0, progress=False)
    names = [name for name, _ in run.info["events"]]
    assert names[:3] == ["impact ground.floor/ball.ball", "top", "impact ground.floor/ball.ball"]
    assert ImpactStage.__doc__


@pytest.mark.parametrize("order", ["simultaneous", "sequential"])
@pytest.mark.parametrize("friction", [0.0, 0.2])
def test_a_ball_that_bounces_between_two_walls_does_not_fall_through(order, friction):
    """Two gaps close at once, and close again long before the step would end that free flight allows."""
    walls = {
        name: {"type": "box", "size": [0.1, 1, 1], "at": [0.15 * s, 0, 0.3], "rpy_deg": [0, 30 * s, 0], **STEEL}
        for name, s in (("left", -1), ("right", 1))
    }
    spec = machine(
        {"ball": sphere(0.06)}, {"fly": {"type": "free", "parent": "ground", "child": "ball"}}, friction, 0.3, False
    ).spec
    model = gori.compile(spec.set("bodies.ground", {"shapes": walls}))
    settings = gori.Impacts(order=order)
    simulation = gori.Simulation(model, gori.Dopri5(), state=above(model, 0.0, 0.0, 0.75), impacts=settings)
    record = simulation.run(3.0, progress=False)
    height = record["ball.z"]
    assert abs(height[-1] - 0.26019) < 1e-4 and height[record.time > 1.0].min() > 0.26
    assert len(record.info["impacts"]) > 6


def test_what_a_driven_platform_gives_is_no_gain_of_the_law():
    """A ball without friction on a platform that moves up: Newton's law gives it more energy, as all laws do."""
    spec = machine(
        {"ball": sphere(0.1),
         "platform": {"mass": 1.0, "shapes": {"top": {"type": "box", "size": [1, 1, 0.1], **STEEL}}}},
        {"fly": {"type": "free", "parent": "ground", "child": "ball"},
         "lift": {"type": "prismatic", "parent": "ground", "child": "platform", "axis": [0, 0, 1]}},
        0.0, 0.8, False, motions={"up": {"joint": "lift", "value": "t"}},
    ).spec  # fmt: skip
    model = gori.compile(spec)
    q = model.q0.copy()
    q[6] = 0.3
    start = model.state(q=q, v=[0, 0, 0, 0, 0, -0.1, 1.0])
    simulation = gori.Simulation(model, gori.Dopri5(), state=start, impacts=gori.Impacts(law="newton"))
    with warnings.catch_warnings():
        warnings.simplefilter("error", ImpactWarning)
        record = simulation.run(0.6, progress=False)
    assert column(record, "energy_after")[0] > column(record, "energy_before")[0]
