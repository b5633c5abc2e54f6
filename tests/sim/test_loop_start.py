"""How a closed machine starts, and what is said where it cannot: assembly, velocities, wrong settings, lock-up."""

import numpy as np
import pytest

import gori
from bench.mechanisms import four_bar, stewart
from gori.errors import ClosureError, InputError, SimulationError, SpecError, UnsupportedError
from gori.integrate import (
    RK4,
    Adams,
    Dopri5,
    FrozenExplicit,
    GeneralizedAlpha,
    ImplicitEuler,
    Multipliers,
    Partition,
    Radau5,
    SemiImplicit,
)
from gori.sim import Simulation
from tests.integrate.closed_machines import rockers, slider_crank

SOLVERS = ("multipliers", "partition", "frozen_explicit")


def terms_of(simulation):
    state = simulation.state
    return simulation.model.loop_system.terms(state.q, state.v, state.time)


# ---- start


@pytest.mark.parametrize("method", ["rk4", "dopri5", "generalized_alpha"])
def test_a_rough_start_is_assembled(method):
    spec = slider_crank(q=0.5).set("joints.rail.q", 0.1)
    model = gori.compile(spec)
    assert np.abs(model.loop_system.terms(model.q0).gap).max() > 0.05
    simulation = Simulation(model, method)
    assert np.abs(terms_of(simulation).gap).max() < 1e-12
    assert np.abs(simulation.state.q - model.q0).max() < 0.5  # nearer than the pose it was taken from
    rec = simulation.run(0.1, progress=False)
    np.testing.assert_array_equal(rec.q[0], gori.assemble(model))


def test_start_velocities_are_made_consistent_and_those_given_are_kept():
    simulation = Simulation(gori.compile(slider_crank(speed=6.0)))
    v, model = simulation.state.v, simulation.model
    assert np.abs(terms_of(simulation).slip).max() < 1e-14
    assert v[model.joint("axle").v][0] == 6.0
    assert v[model.joint("rail").v][0] == pytest.approx(0.24, abs=1e-14)  # as published
    # by another joint: the same motion
    other = Simulation(gori.compile(slider_crank(speed=0.0).set("joints.rail.v", 0.24)))
    np.testing.assert_allclose(other.state.v, v, rtol=0, atol=1e-13)


def test_a_machine_at_rest_stays_at_rest_in_its_velocities():
    simulation = Simulation(gori.compile(stewart()))
    np.testing.assert_array_equal(simulation.state.v, 0.0)


def test_a_driven_machine_starts_with_the_velocity_of_its_motion():
    simulation = Simulation(gori.compile(rockers(speed=0.7, driven=True).set("joints.A.v", None)))
    assert simulation.state.v[simulation.model.joint("A").v][0] == pytest.approx(0.7, abs=1e-15)
    assert np.abs(terms_of(simulation).slip).max() < 1e-14


def test_conflicting_velocities_are_refused():
    spec = rockers().set("joints.D.v", 5.0)
    with pytest.raises(InputError, match=r"velocities of A, D are.*C\.[xy] would open.*independent joints only"):
        Simulation(gori.compile(spec))
    driven = rockers(speed=2.0, driven=True).set("joints.A.v", 1.0)
    with pytest.raises(InputError, match=r"velocities of A are inconsistent.*drive\.motion"):
        Simulation(gori.compile(driven))


def test_impossible_loops_are_refused():
    spec = four_bar().set("joints.foot1.at", [5, 0, 0])  # 5 m apart, with bars of 3 m in all
    with pytest.raises(ClosureError, match=r"at t = 0 s: cut 'top1' stays open, by 2 m \(top1\.x\).*lengths") as error:
        Simulation(gori.compile(spec))
    assert error.value.cut == "top1" and abs(error.value.residual) == pytest.approx(2.0, abs=0.01)
    assert error.value.time == 0.0


def test_misspelt_bodies_in_cuts():
    with pytest.raises(SpecError, match=r"cuts.top1.parent.*'horizontl1' is not a body; did you mean 'horizontal1'"):
        four_bar().set("cuts.top1.parent", "horizontl1")
    with pytest.raises(SpecError, match=r"cuts.top1.child.*'world' is not a body; the fixed body is called 'ground'"):
        four_bar().set("cuts.top1.child", "world")


# ---- settings


@pytest.mark.parametrize("loops", [None, "multipliers", Multipliers(), {"type": "multipliers"}])
def test_multipliers_is_the_default(loops):
    simulation = Simulation(gori.compile(four_bar()), loops=loops)
    assert simulation.loops == Multipliers()
    assert simulation.run(0.01, progress=False).info["loops"] == {"type": "multipliers"}


def test_solvers_by_name():
    model = gori.compile(four_bar())
    assert Simulation(model, loops="frozen_explicit").loops == FrozenExplicit()
    for given in (Partition(("foot0",)), Partition("foot0"), {"type": "partition", "independent": ["foot0"]}):
        assert Simulation(model, loops=given).loops == Partition(("foot0",))


@pytest.mark.parametrize(
    "loops, words",
    [
        ("partitions", "'partitions' is not one of multipliers, partition, frozen_explicit"),
        ({"type": "partition", "dependent": ["A"]}, "loops partition takes independent, not dependent"),
        ({"independent": ["A"]}, "None is not one of multipliers"),
        (Partition(("foot",)), "'foot' is not a movable joint; did you mean 'foot"),
        (Partition(("foot0", "foot1")), "foot0, foot1: these are 2 independent coordinates, but .* has 1 degree"),
        (Partition(()), "no joints: these are 0 independent"),
    ],
)
def test_wrong_settings(loops, words):
    with pytest.raises(InputError, match=words):
        Simulation(gori.compile(four_bar()), loops=loops)


def test_coordinates_that_cannot_be_independent_are_refused():
    """Where the crank points along the rod's way, the slider stands still whatever the crank does."""
    spec = slider_crank(speed=0.0)
    model = gori.compile(spec)
    angle = np.arctan2(-0.1, 0.12)  # the pin as far from the x axis as it can be: the slider's dead centre
    q = gori.assemble(gori.compile(spec.set("joints.axle.q", angle)), hold=["axle"])
    dead = spec
    for info in model.joints:
        dead = dead.set(f"joints.{info.name}.q", [float(x) for x in q[info.q]])
    with pytest.raises(InputError, match=r"rail cannot be independent in this pose.*Use "):
        Simulation(gori.compile(dead), loops=Partition(("rail",)))
    Simulation(gori.compile(dead), loops=Partition(("axle",)))


def test_implicit_methods_take_no_solver():
    with pytest.raises(UnsupportedError, match=r"generalized_alpha solves .* itself: omit loops: partition"):
        Simulation(gori.compile(four_bar()), GeneralizedAlpha(), loops="partition")


def test_a_tree_needs_no_solver():
    model = gori.compile(four_bar(), open_loops=True)
    assert Simulation(model, loops="partition").loops is None
    with pytest.raises(InputError, match="is not one of"):
        Simulation(model, loops="nothing")


# ---- lock-up


def lock_up():
    """When the driven rockers come to their end: bars B and D in line, 1.1 m from the foot of A."""
    # |(0.6 cos a - 1, 0.6 sin a)| = 1.1
    return (np.arccos((1.36 - 1.1**2) / 1.2) - 1.0) / 2.0


ADAPTIVE = [Dopri5(rtol=1e-8, atol=1e-10), Radau5(rtol=1e-8, atol=1e-10)]
EXPLICIT = [RK4(step=1e-3), Adams(step=1e-3), SemiImplicit(step=1e-3), *ADAPTIVE]
CASES = [(method, loops) for method in EXPLICIT for loops in SOLVERS]
CASES += [(GeneralizedAlpha(step=1e-3), None), (ImplicitEuler(step=1e-3), None)]


@pytest.mark.parametrize("method, loops", CASES, ids=lambda x: getattr(x, "kind", x))
def test_lock_up_names_the_cut_and_the_time(method, loops):
    simulation = Simulation(gori.compile(rockers(driven=True)), method, loops=loops)
    with pytest.raises(SimulationError, match=r"could not be kept closed at t = 0\.22.*cut 'C' would open") as error:
        simulation.run(2.0, progress=False)
    assert error.value.time == pytest.approx(lock_up(), abs=2e-3)
    # what is computed is there, and closed
    rec = error.value.recording
    assert rec.time[-1] > 0.2
    terms = simulation.model.loop_system.terms(rec.q[-1], rec.v[-1], rec.time[-1])
    assert np.abs(terms.gap).max() < 1e-11


def test_a_motion_that_conflicts_with_the_start():
    with pytest.raises(ClosureError, match=r"the loops cannot be closed at t = 0 s"):
        Simulation(gori.compile(rockers(driven=True).set("motions.drive.start", 2.0)))


def test_a_state_off_the_loops_is_refused():
    model = gori.compile(four_bar())
    q, v = gori.assemble(model), gori.consistent_velocity(model, gori.assemble(model))
    with pytest.raises(InputError, match=r"does not close the loops: top1.*gori.assemble"):
        gori.Simulation(model, state=gori.State(0.0, q + np.array([0.1, 0.0, 0.0]), v, np.zeros(0)))
    with pytest.raises(InputError, match=r"would open the loops: top1.*gori.consistent_velocity"):
        gori.Simulation(model, state=gori.State(0.0, q, v + np.array([1.0, 0.0, 0.0]), np.zeros(0)))
    assert gori.Simulation(model, state=gori.State(0.0, q, v, np.zeros(0))).time == 0.0
