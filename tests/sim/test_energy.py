"""The energy balance of runs: everything that does work is counted, by every method, and what is missing is told."""

import warnings

import numpy as np
import pytest

import gori
from gori.errors import EnergyWarning
from gori.integrate import (
    EXACT,
    RK4,
    Adams,
    AdamsMoulton,
    Dopri5,
    GeneralizedAlpha,
    ImplicitEuler,
    Radau5,
    SemiImplicit,
    TimeStepping,
)
from gori.record import Recording
from gori.sim import Event, Simulation
from gori.sim.energy import Balance, balance, limit, passed_through, unseen, warn_of_imbalance, works
from gori.spec import GROUND, Spec
from tests.checks import arm
from tests.integrate.closed_machines import slider_crank
from tests.integrate.test_time_stepping import STILL, at, scene
from tests.sim import coupled
from tests.sim.machines import busy, falling, with_forces

ORDERS = {
    "semi_implicit": (SemiImplicit, 1),
    "rk4": (RK4, 4),
    "adams": (Adams, 3),
    "adams_moulton": (AdamsMoulton, 4),
    "implicit_euler": (ImplicitEuler, 1),
    "generalized_alpha": (GeneralizedAlpha, 2),
}


def run(spec, method, duration=1.0, sample=0.1, **options) -> Recording:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EnergyWarning)  # coarse steps, for the order
        return Simulation(gori.compile(spec), method, **options).run(duration, sample=sample, progress=False)


def smooth() -> Spec:
    """Motors, dampers, springs between and in joints, a wrench: all but friction, whose rate has a corner."""
    return busy().set("joints.ja.friction", 0.0)


def off(rec: Recording) -> float:
    return float(np.abs(rec["energy.balance"]).max())


# ---- every method


@pytest.mark.parametrize("kind", ORDERS)
def test_the_balance_has_the_order_of_the_method(kind):
    method, order = ORDERS[kind]
    coarse, fine = (run(smooth(), method(step=h), 2.0) for h in (4e-3, 2e-3))
    assert abs(fine["energy.work"][-1]) > 0.5 and np.ptp(fine["energy.total"]) > 0.5
    assert np.log2(off(coarse) / off(fine)) > order - 0.1


@pytest.mark.parametrize("method", [Dopri5, Radau5], ids=lambda m: m.kind)
@pytest.mark.parametrize("rtol", [1e-4, 1e-8])
def test_adaptive_steps_balance_to_their_tolerance(rtol, method):
    rec = run(smooth(), method(rtol=rtol, atol=rtol), 2.0, sample=0.013)  # samples within steps
    assert balance(rec).share < rtol


def test_the_work_leaves_the_steps_alone():
    """It is not under error control: a work of a thousand terajoules does not change the steps."""
    wind = {"type": "wrench", "body": "mass", "force": [0.0, 0.0, 1.0]}
    heavy = {"type": "wrench", "body": "mass", "force": [0.0, 0.0, 1e9]}
    light, strong = (run(with_forces(falling(), wind=w), Dopri5(), 0.1) for w in (wind, heavy))
    assert light.info["steps"] < 40 and strong["energy.work"][-1] > 1e15
    assert off(strong) < 1e-9 * strong["energy.work"][-1]


# ---- everything that does work


@pytest.mark.parametrize("solver", [*EXACT, "implicit"])
@pytest.mark.parametrize("given", [False, True], ids=["free", "driven"])
def test_loops_do_no_work_but_given_motions_do(solver, given):
    spec = slider_crank(damping=0.002)
    if given:
        spec = spec.set("motions", {"drive": {"joint": "axle", "value": "6*t + 0.5*sin(5*t)"}})
        spec = spec.set("joints.axle.v", 8.5)
    method = GeneralizedAlpha(step=5e-4) if solver == "implicit" else RK4(step=1e-3)
    rec = run(spec, method, loops=None if solver == "implicit" else solver)
    assert np.abs(rec["energy.work"]).max() > 0.02 and np.ptp(rec["energy.total"]) > 0.02
    assert off(rec) < (1e-4 if solver == "implicit" else 1e-8)
    if given and solver != "implicit":
        fine = Simulation(rec.model, method, loops=solver).run(1.0, sample=1e-3, progress=False)
        power = fine["drive.drive"] * fine["axle.v"] - 0.002 * fine["axle.v"] ** 2
        assert fine["energy.work"][-1] == pytest.approx(np.trapezoid(power, fine.time), abs=1e-5)


def test_a_moving_base_does_work():
    base = {"position": [0, 0, "0.05*sin(20*t)"], "rpy": ["0.1*sin(3*t)", 0, 0]}
    rec = run(arm(joints__shoulder__q=0.5).set("base", base), RK4(step=1e-3))
    assert np.ptp(rec["energy.work"]) > 1.0 and off(rec) < 1e-8 * np.ptp(rec["energy.work"])


def test_friction_limits_and_the_user():
    spec = arm(
        joints__shoulder__friction=0.5, joints__shoulder__stick_stiffness=50.0, joints__elbow__limits=(-0.3, 0.3)
    )
    spec = spec.set("joints.elbow.limit_stiffness", 300.0).set("joints.elbow.limit_damping", 3.0)
    spec = spec.set("joints.elbow.v", 3.0).set("joints.shoulder.q", 0.4)
    rec = run(spec, RK4(step=2e-4), sample=1e-3, forces=lambda t, q, v: -0.05 * v)
    assert rec["energy.elastic"].max() > 0.1 and rec["energy.work"][-1] < -1.0
    assert off(rec) < 1e-5 * abs(rec["energy.work"][-1])
    drag = np.trapezoid(-0.05 * (rec.v**2).sum(axis=1), rec.time)
    parts = works(rec, {})
    assert set(parts) == {"joint 'shoulder'", "joint 'elbow'", "user functions"}
    assert parts["user functions"] == pytest.approx(drag, rel=0.02) and parts["joint 'shoulder'"] < 0.0
    through = passed_through(rec, {})
    assert through["joint 'shoulder'"] == -parts["joint 'shoulder'"]
    assert through["joint 'elbow'"] == pytest.approx(np.ptp(rec["elbow.energy"]) - parts["joint 'elbow'"])


def test_subsystems():
    simulation = Simulation(coupled.slider(v=1.0), RK4(step=1e-3), subsystems=[coupled.Spring(damping=5.0)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rec = simulation.run(1.0, sample=0.01, progress=False)
    assert abs(rec["energy.work"][-1]) > 0.1 and off(rec) < 1e-9
    assert rec["energy.work"][-1] == pytest.approx(simulation.exchanges["spring"].work.on_bodies, rel=1e-4)


@pytest.mark.parametrize("method", [RK4(step=1e-3), Dopri5(), Radau5(), Adams(step=1e-3), GeneralizedAlpha(step=1e-3)])
def test_impulses_of_events_are_work(method):
    bounce = Event("rail.q", when="falling", action=lambda s: s.replace(v=-0.8 * s.v))
    simulation = Simulation(gori.compile(falling(damping=0.1)), method, events={"bounce": bounce})
    rec = simulation.run(1.5, sample=0.01, progress=False)
    assert len(rec.info["events"]) >= 2
    before, after = np.flatnonzero(np.diff(rec.time) == 0.0)[0], np.flatnonzero(np.diff(rec.time) == 0.0)[0] + 1
    lost = rec["energy.total"][after] - rec["energy.total"][before]
    assert lost < -2.0 and rec["energy.work"][after] - rec["energy.work"][before] == pytest.approx(lost, rel=1e-12)
    assert off(rec) < 1e-5
    assert set(works(rec, {})) == {"joint 'rail'", "actions of events"}


# ---- States and files


def test_the_work_goes_on_in_another_run():
    model, method = gori.compile(busy()), RK4(step=1e-3)
    one = Simulation(model, method)
    whole = one.run(1.0, sample=0.1, progress=False)
    other = Simulation(model, method)
    other.run(0.5, sample=0.1, progress=False)
    half = other.state
    assert half.parts["energy"]["work"] == other.stepper.work != 0.0
    last = Simulation(model, method, state=gori.State.from_bytes(half.to_bytes())).run(0.5, sample=0.1, progress=False)
    assert last["energy.work"][-1] == whole["energy.work"][-1] and last["energy.balance"][0] == 0.0
    assert Simulation(model, method, state=half.replace(v=half.v)).stepper.work == half.parts["energy"]["work"]
    damaged = half.replace(energy={"work": np.array(np.nan)})
    with pytest.raises(gori.errors.InputError, match=r"state.energy\['work'\] must be finite"):
        other.state = damaged


def test_files_hold_the_work(tmp_path):
    rec = Simulation(gori.compile(busy()), RK4(step=1e-3)).run(0.2, sample=0.01, path=tmp_path / "a.h5", progress=False)
    back = Recording.load(tmp_path / "a.h5")
    for name in ("energy.work", "energy.balance", "energy.elastic", "energy.total"):
        assert np.array_equal(back[name], rec[name]) and back.units(name) == ("J",)
    motion = Recording(rec.model, rec.time, rec.q, rec.v, rec.z)  # no run: nothing is known of its work
    assert "energy.balance" not in motion and "energy.total" in motion


# ---- what is told


def stiff(step, **more) -> Simulation:
    """A mass on a spring of 1.6 ms period, beside a motor."""
    spec = with_forces(
        falling(q=0.0, v=1.0, damping=0.2),
        spring={"type": "spring", "parent": GROUND, "at": [0, 0, -1], "child": "mass", "stiffness": 1.5e7},
        lift={"type": "motor", "joint": "rail", "kp": 100.0, "target": "0.1*sin(t)"},
    )
    return Simulation(gori.compile(spec), RK4(step=step), **more)


def test_energy_that_vanishes_is_told():
    """RK4 damps an oscillation that has three steps a period, and says nothing else."""
    with pytest.warns(EnergyWarning) as caught:
        rec = stiff(5e-4).run(0.2, sample=1e-3, progress=False)
    (warning,) = caught
    words = str(warning.message)
    assert "energy.balance: " in words and "vanished until t = " in words
    assert "The largest contribution was that of force 'spring', " in words
    assert "Try a smaller step (it is 0.0005 s)" in words and warning.filename == __file__
    found = balance(rec)
    assert found.energy < 0.0 and found.share > 0.1 and found.exchanged > 0.5


def test_no_contributor_is_named_where_there_is_none():
    with pytest.warns(EnergyWarning, match=r"vanished until t = [\d.]+ s\. Try a smaller step \(it is 0\.1 s\)"):
        Simulation(gori.compile(arm(joints__shoulder__q=1.5)), ImplicitEuler(step=0.1)).run(3.0, progress=False)


def test_too_few_samples_to_judge_by():
    """A pendulum that is at rest at every sample: nothing seems to be exchanged."""
    bob = {"mass": 1.0, "com": [0, 0, -1]}
    pivot = {"type": "revolute", "parent": GROUND, "child": "bob", "axis": [0, 1, 0], "q": 0.5 * np.pi}
    model = gori.compile(Spec(bodies={"bob": bob}, joints={"pivot": pivot}))
    period = 2.36784194757624
    with warnings.catch_warnings():
        warnings.simplefilter("error", EnergyWarning)
        rec = Simulation(model, RK4(step=period / 500)).run(2.0 * period, sample=period, progress=False)
        assert balance(rec).share > 1e-3
        Simulation(model, RK4(step=period / 500)).run(2.0 * period, progress=False)


def test_good_runs_are_not_told_of():
    with warnings.catch_warnings():
        warnings.simplefilter("error", EnergyWarning)
        stiff(2e-5).run(0.02, sample=1e-3, progress=False)
        for method in (SemiImplicit(step=1e-3), Dopri5(rtol=1e-3, atol=1e-3), GeneralizedAlpha(step=1e-3)):
            Simulation(gori.compile(busy()), method).run(1.0, sample=0.01, progress=False)
        at_rest = with_forces(falling(), hold={"type": "force", "joint": "rail", "value": 9.81})
        Simulation(gori.compile(at_rest), RK4(step=1e-3)).run(1.0, progress=False)


def test_the_share_and_what_it_is_of():
    assert Balance(0.0, 0.0, 0.0).share == 0.0 and Balance(1.0, -2.0, 8.0).share == 0.25
    model, t = gori.compile(falling()), np.linspace(0.0, 1.0, 11)
    fall = {"q": 1.0 - 0.5 * 9.81 * t[:, None] ** 2, "v": -9.81 * t[:, None]}
    good = Recording(model, t, **fall, extra={"energy.work": 0 * t})
    assert balance(good).share < 1e-14 and balance(good).exchanged == pytest.approx(9.81**2, rel=1e-6)
    bad = Recording(model, t, **fall, extra={"energy.work": -t})
    assert balance(bad) == (1.0, pytest.approx(1.0), pytest.approx(9.81**2 + 1.0, rel=1e-6))
    with pytest.warns(
        EnergyWarning, match=r"1 J, 1 % of the 97\.2 J that were exchanged, appeared until t = 1 s\. Try x"
    ):
        warn_of_imbalance(bad, {}, limit(RK4()), "x")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_imbalance(bad, {}, limit(Dopri5(rtol=1e-3)), "x")  # at its tolerance
        warn_of_imbalance(good, {}, limit(RK4()), "x")
    assert limit(SemiImplicit()) == 1e-2 and limit(Dopri5(rtol=1e-8)) == 1e-3 and limit(Dopri5(rtol=1e-4)) == 1e-2


def put_down(gap: float, step: float) -> Simulation:
    box = ({"type": "box", "size": [0.2, 0.2, 0.2]}, at(z=0.1 + gap), STILL)
    return Simulation(gori.compile(scene(box=box)), TimeStepping(step=step))


@pytest.mark.parametrize(
    "gap, duration", [(0.0, 0.2), (2.0, 0.2), (2.0, 0.1)], ids=["put down", "falls", "falls shortly"]
)
@pytest.mark.parametrize("step", [1e-2, 1e-3])
def test_first_order_is_no_alarm_where_it_is_right(gap, duration, step):
    """A box that is put down settles by micrometres; one that falls has an error of m g h v / 2."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", EnergyWarning)
        rec = put_down(gap, step).run(duration, sample=1e-2, progress=False)
    found = balance(rec)
    assert abs(found.energy) <= unseen(rec, TimeStepping(step=step))
    if gap and step == 1e-2:
        assert found.share > limit(TimeStepping())  # by its share alone it would be one


def test_the_floor_is_weight_times_a_way():
    model, t = gori.compile(falling()), np.linspace(0.0, 1.0, 11)
    rec = Recording(model, t, q=1.0 - 0.5 * 9.81 * t[:, None] ** 2, v=-9.81 * t[:, None], extra={"energy.work": -t})
    expected = 9.81 * (0.5 * 0.02 * 9.81 + 0.1 * 9.81 * 0.02**2)  # of 1 kg
    assert unseen(rec, SemiImplicit(step=0.02)) == pytest.approx(expected, rel=1e-12)
    assert unseen(rec, RK4(step=0.02)) == unseen(rec, Dopri5()) == unseen(rec, GeneralizedAlpha(step=0.02)) == 0.0
    with pytest.warns(EnergyWarning):
        warn_of_imbalance(rec, {}, 1e-3, "x", unseen(rec, SemiImplicit(step=1e-2)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_imbalance(rec, {}, 1e-3, "x", unseen(rec, SemiImplicit(step=0.1)))


def test_a_loss_of_first_order_is_still_told():
    """A stiff spring damped by the method: the loss is far above the weight times the way of a step."""
    with pytest.warns(EnergyWarning, match="vanished"):
        spring = {"type": "spring", "parent": GROUND, "at": [0, 0, -1], "child": "mass", "stiffness": 1.5e7}
        spec = with_forces(falling(q=0.0, v=1.0), spring=spring)
        Simulation(gori.compile(spec), ImplicitEuler(step=1e-4)).run(0.1, sample=1e-3, progress=False)
