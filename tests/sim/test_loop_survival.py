"""Closed machines with all that a run may meet: events, functions of the user, friction, a stop and a new start."""

import time

import numpy as np
import pytest

import gori
from bench.mechanisms import four_bar
from gori.integrate import RK4, Adams, Dopri5, GeneralizedAlpha, ImplicitEuler, Radau5, SemiImplicit
from gori.model.state import State
from gori.record import read_checkpoint
from gori.sim import Event, Simulation
from gori.sim.recorded import RecordedRun
from gori.spec import Spec
from tests.integrate.closed_machines import rockers, slider_crank, slider_position
from tests.model.loops.singular import parallelogram
from tests.reference.random_loops import four_bars
from tests.sim.test_simulation import same

SOLVERS = ("multipliers", "partition", "frozen_explicit")
ADAPTIVE = [Dopri5(rtol=1e-8, atol=1e-10), Radau5(rtol=1e-8, atol=1e-10)]
METHODS = [RK4(step=1e-3), Adams(step=1e-3), SemiImplicit(step=1e-3), *ADAPTIVE]
CASES = [(method, loops) for method in METHODS for loops in SOLVERS]
CASES += [(GeneralizedAlpha(step=1e-3), None), (ImplicitEuler(step=1e-3), None)]


def kind(x):
    return getattr(x, "kind", x)


# ---- stop and go on


@pytest.mark.parametrize("method, loops", CASES, ids=kind)
def test_a_run_from_a_singular_pose_goes_on_from_its_first_checkpoint(method, loops, tmp_path, monkeypatch):
    """Killed before its first step: accelerations of the branch are found again, to the last bit."""
    path, model = tmp_path / "run.h5", gori.compile(parallelogram(gravity=9.81, rocker=8.0, A=6.0, C=6.0))

    def die(run, *_):
        run._recorder.close("interrupted")
        raise KeyError

    with monkeypatch.context() as killed, pytest.raises(KeyError):
        killed.setattr(RecordedRun, "finish", die)
        Simulation(model, method, loops=loops).run(0.2, path=path, progress=False)
    same(Simulation.resume(path, progress=False), Simulation(model, method, loops=loops).run(0.2, progress=False))


@pytest.mark.parametrize("method, loops", CASES, ids=kind)
def test_a_stopped_run_goes_on_bit_for_bit(method, loops, tmp_path, monkeypatch):
    """From a checkpoint on the way: one is written after half a second of wall clock."""
    monkeypatch.setattr("gori.sim.simulation.FIRST_PLAIN_BLOCK", 256)  # steps; it ends far from the start
    path, model = tmp_path / "run.h5", gori.compile(rockers() if loops == "partition" else slider_crank())
    events = {"passing": Event(f"{model.joint_names[0]}.q - 1.2")}
    first, stopping = True, True

    def force(t, q, v):
        nonlocal first
        if first:
            time.sleep(0.6)
            first = False
        if stopping and t > 0.8:
            raise KeyboardInterrupt
        return -0.001 * np.cos(t) * v

    def simulation():
        return Simulation(model, method, forces=force, events=events, loops=loops)

    rec = simulation().run(1.2, sample=0.01, path=path)
    assert rec.info["interrupted"] and rec.time[-1] < 0.9
    assert 0.05 < read_checkpoint(path).time < 0.8
    stopping = False
    whole = simulation().run(1.2, sample=0.01)
    assert whole.info["events"]
    same(Simulation.resume(path, forces=force, events=events), whole)


# ---- events


@pytest.mark.parametrize("method, loops", CASES, ids=kind)
def test_events(method, loops):
    """Where the slider turns back, and where the crank has turned half way: found in their order."""
    events = {"back": Event("rail.v", when="falling"), "half": Event("axle.q - 3.141592653589793")}
    model = gori.compile(slider_crank(armature=0.02))
    rec = Simulation(model, method, events=events, loops=loops).run(0.6, sample=0.01, progress=False)
    found = dict(rec.info["events"])
    fine = Simulation(model, Dopri5(rtol=1e-12, atol=1e-13), events=events).run(0.6, sample=0.01, progress=False)
    assert list(found) == [name for name, _ in fine.info["events"]] == ["back", "half"]
    tolerance = 3e-3 if method.kind in ("semi_implicit", "implicit_euler") else 1e-5
    for name, when in fine.info["events"]:
        assert found[name] == pytest.approx(when, abs=tolerance)
    # states at events are on the loops, too
    for when in found.values():
        k = int(np.flatnonzero(rec.time == when)[0])
        assert np.abs(model.loop_system.terms(rec.q[k]).gap).max() < 1e-11


@pytest.mark.parametrize("loops", SOLVERS)
def test_an_event_that_turns_the_machine_back(loops):
    """Elastic: it goes back the way it came, to where it started, at the speed that it had."""
    events = {"stop": Event("axle.q - 2", when="rising", action=lambda s: State(s.time, s.q, -s.v, s.z))}
    model = gori.compile(slider_crank(armature=0.02))
    simulation = Simulation(model, Dopri5(rtol=1e-11, atol=1e-12), events=events, loops=loops)
    start = simulation.state
    ((_, when),) = simulation.run(0.5, sample=0.01, progress=False).info["events"]
    rec = Simulation(model, Dopri5(rtol=1e-11, atol=1e-12), events=events, loops=loops).run(2 * when, progress=False)
    np.testing.assert_allclose(rec.q[-1], start.q, rtol=0, atol=1e-8)
    np.testing.assert_allclose(rec.v[-1], -start.v, rtol=0, atol=1e-7)


# ---- forces


def pushed(spec, **forces) -> Spec:
    return Spec(**spec.model_dump(exclude_unset=True), forces=forces)


@pytest.mark.parametrize("method, loops", CASES, ids=kind)
def test_a_function_of_the_user_is_a_force_of_the_spec(method, loops):
    spec = slider_crank(speed=1.0)
    torque = pushed(spec, drive={"type": "torque", "joint": "axle", "value": "0.3*sin(5*t) - 0.01*axle.v"})
    model = gori.compile(spec)

    def drive(t, q, v):
        tau = np.zeros(model.nv)
        at = model.joint("axle").v
        tau[at] = 0.3 * np.sin(5 * t) - 0.01 * v[at]
        return tau

    mine = Simulation(model, method, forces=drive, loops=loops).run(0.3, sample=0.1, progress=False)
    theirs = Simulation(gori.compile(torque), method, loops=loops).run(0.3, sample=0.1, progress=False)
    np.testing.assert_allclose(mine.q, theirs.q, rtol=0, atol=1e-9)
    assert np.abs(mine.q[-1] - mine.q[0]).max() > 0.1


@pytest.mark.parametrize("method, loops", CASES, ids=kind)
def test_work_of_a_torque_is_energy(method, loops):
    """Half a turn under a constant torque of 2 N m, without gravity: 2 pi J."""
    spec = slider_crank(speed=1.0, armature=0.02).set("gravity", [0, 0, 0])
    model = gori.compile(pushed(spec, drive={"type": "torque", "joint": "axle", "value": 2.0}))
    events = {"half": Event("axle.q - 3.141592653589793", action="stop")}
    rec = Simulation(model, method, events=events, loops=loops).run(2.0, sample=0.01, progress=False)
    tolerance = 0.1 if method.kind in ("semi_implicit", "implicit_euler") else 1e-3
    assert rec["energy.kinetic"][-1] - rec["energy.kinetic"][0] == pytest.approx(2 * np.pi, abs=tolerance)


@pytest.mark.parametrize("loops", [*SOLVERS, None])
def test_friction_brings_a_four_bar_to_rest(loops):
    """Coulomb friction in one foot, no gravity: the energy W is gone after the angle W / F."""
    friction, speed = 2.0, 1.5
    spec = four_bar().set("gravity", [0, 0, 0]).set("joints.foot0.friction", friction)
    for name, sign in (("foot0", -1), ("foot1", -1), ("elbow1", 1)):
        spec = spec.set(f"joints.{name}.v", sign * speed)
    model = gori.compile(spec)
    method = GeneralizedAlpha(step=1e-3) if loops is None else RK4(step=1e-4)
    rec = Simulation(model, method, loops=loops).run(3.0, sample=0.01, progress=False)
    energy = rec["energy.kinetic"]
    assert energy[0] == pytest.approx(speed**2 * (1 / 3 + 1 / 3 + 1) / 2, rel=1e-12)
    assert energy[-1] < 1e-9 * energy[0]
    # a little earlier: the bristles of the friction are damped
    assert 0.88 * energy[0] / friction < -rec["foot0.q"][-1] < energy[0] / friction
    assert np.abs(model.loop_system.terms(rec.q[-1]).gap).max() < 1e-11


@pytest.mark.parametrize("loops", [*SOLVERS, None])
def test_a_driven_machine_goes_where_its_motion_says(loops):
    """The crank by a motion over time: everything else is geometry."""
    spec = slider_crank(speed=0.0).model_dump(exclude_unset=True)
    spec["motions"] = {"drive": {"joint": "axle", "value": "2*t + 0.5*sin(4*t)"}}
    model = gori.compile(Spec(**spec))
    method = GeneralizedAlpha(step=1e-3) if loops is None else RK4(step=1e-3)
    rec = Simulation(model, method, loops=loops).run(3.0, sample=0.01, progress=False)
    angle = 2 * rec.time + 0.5 * np.sin(4 * rec.time)
    np.testing.assert_allclose(rec["axle.q"], angle, rtol=0, atol=1e-11)
    np.testing.assert_allclose(rec["rail.q"], slider_position(angle), rtol=0, atol=1e-11)
    speed = np.gradient(slider_position(angle), rec.time, edge_order=2)
    np.testing.assert_allclose(rec["rail.v"][1:-1], speed[1:-1], rtol=0, atol=1e-3)


def test_redundant_and_plain_cuts_move_alike():
    """A four-bar closed by a revolute cut, three of whose equations are redundant, and by a spherical one, with one."""
    results = []
    for cut in ("revolute", "spherical"):
        spec, _, _ = four_bars(1, 0.4, 1.0, cut_type=cut)
        results.append(Simulation(gori.compile(spec)).run(1.0, sample=0.1, progress=False).q)
    np.testing.assert_allclose(results[0], results[1], rtol=0, atol=1e-11)
