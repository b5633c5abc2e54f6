"""Assembly of closed machines from rough poses, and velocities that keep them closed."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gori
from bench.mechanisms import bricard, four_bar, stewart
from gori.errors import ClosureError, InputError
from gori.spec import GROUND, Spec
from gori.spec.base import rotation
from tests.checks import close
from tests.integrate.closed_machines import rockers, slider_crank, slider_position
from tests.reference import loops
from tests.reference.random_loops import closed_machines, random_closed, random_overconstrained, random_planar


def gap(model, q, time=0.0):
    return np.abs(model.loop_system.terms(q, time=time).gap).max()


# ---- positions


def check_nearby(spec, q, seed, size):
    """A closed pose, perturbed, closes again: as near as the perturbation is, or nearly so."""
    model = gori.compile(spec)
    away = size * np.random.default_rng(seed).normal(size=model.nv) / np.sqrt(model.nv)
    rough = model.integrate(q, away)
    closed = gori.assemble(model, rough)
    assert gap(model, closed) < 1e-12 * max(1.0, model.loop_system.size)
    scale = model.loop_system.column_scale
    moved = np.linalg.norm(model.difference(rough, closed) / scale)
    assert moved < 2.0 * np.linalg.norm(away / scale)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(closed_machines(), st.integers(0, 1000), st.floats(0.1, 0.3))
def test_rough_poses_close_nearby(case, seed, size):
    check_nearby(*case[:2], seed, size)


@pytest.mark.parametrize("make", [random_overconstrained, random_planar])
@pytest.mark.parametrize("seed", range(8))
def test_rough_poses_of_redundant_machines(make, seed):
    spec, q, _ = make(np.random.default_rng(seed), 6)
    check_nearby(spec, q, seed, 0.2)


@pytest.mark.parametrize("make", [stewart, bricard])
@pytest.mark.parametrize("seed", range(4))
def test_rough_poses_of_mechanisms(make, seed):
    spec = make()
    check_nearby(spec, gori.compile(spec).q0, seed, 0.3)


def test_a_closed_pose_is_left_alone():
    spec, q, _ = random_closed(np.random.default_rng(3))
    np.testing.assert_allclose(gori.assemble(gori.compile(spec), q), q, rtol=0, atol=1e-13)
    model = gori.compile(four_bar())
    np.testing.assert_array_equal(gori.assemble(model), model.q0)


def test_what_is_given_is_not_changed():
    model, q = gori.compile(four_bar()), np.array([0.3, 0.1, 0.2])
    kept = q.copy()
    gori.assemble(model, q)
    np.testing.assert_array_equal(q, kept)
    v = np.ones(3)
    gori.consistent_velocity(model, model.q0, v, hold=())
    np.testing.assert_array_equal(v, 1.0)


@pytest.mark.parametrize("elbow", [1.0, -1.0])
def test_the_branch_next_to_the_start_is_kept(elbow):
    """Rockers close with the coupler bent up or down."""
    model = gori.compile(rockers())
    bent = gori.assemble(model, [0.9, 1.0 * elbow, 1.5], hold=["A"])
    assert gap(model, bent) < 1e-12
    # the triangle of coupler, rocker and the way between their ends, turned to either side
    to_foot = np.array([1.0, 0.0]) - 0.6 * np.array([np.cos(0.9), np.sin(0.9)])
    far = np.linalg.norm(to_foot)
    inside = np.arccos((0.5**2 + far**2 - 0.6**2) / (2 * 0.5 * far))
    angles = np.arctan2(to_foot[1], to_foot[0]) + inside * np.array([1.0, -1.0]) - 0.9
    assert np.abs(np.remainder(bent[1] - angles + np.pi, 2 * np.pi) - np.pi).min() < 1e-12
    again = gori.assemble(model, bent + np.array([0.1, -0.1, 0.1]), hold=["A"])
    assert np.abs(again - bent).max() < 0.5


def test_held_joints_stay():
    model = gori.compile(slider_crank())
    for angle in np.linspace(-3.0, 3.0, 13):
        q = model.q0
        q[model.joint("axle").q] = angle
        closed = gori.assemble(model, q, hold=["axle"])
        assert closed[model.joint("axle").q][0] == angle
        assert closed[model.joint("rail").q][0] == pytest.approx(slider_position(angle), abs=1e-12)


def test_held_joints_that_leave_no_way():
    model = gori.compile(rockers())
    with pytest.raises(ClosureError, match=r"cut 'C' stays open.*free some of the held joints \(A, D\)"):
        gori.assemble(model, [1.0, -1.0, 0.3], hold=["A", "D"])
    with pytest.raises(InputError, match="'E' is not a movable joint"):
        gori.assemble(model, hold=["E"])


def test_motions_are_taken_at_their_time():
    spec = slider_crank().model_dump(exclude_unset=True)
    model = gori.compile(Spec(**spec, motions={"drive": {"joint": "axle", "value": "0.3 + 2*t**2"}}))
    for t in (0.0, 0.5, 1.1):
        q = gori.assemble(model, time=t)
        assert gap(model, q, t) < 1e-12
        angle = 0.3 + 2 * t**2
        assert q[model.joint("axle").q][0] == pytest.approx(angle, abs=1e-12)
        assert q[model.joint("rail").q][0] == pytest.approx(slider_position(angle), abs=1e-12)
        v = gori.consistent_velocity(model, q, np.zeros(model.nv), hold=(), time=t)
        assert v[model.joint("axle").v][0] == pytest.approx(4 * t, abs=1e-12)
        assert np.abs(model.loop_system.terms(q, v, t).slip).max() < 1e-12


def test_a_motion_that_asks_for_too_much():
    with pytest.raises(ClosureError, match=r"at t = 0\.5 s") as error:
        gori.assemble(gori.compile(rockers(driven=True)), time=0.5)
    assert error.value.time == 0.5 and error.value.cut in ("C", "drive")


@pytest.mark.parametrize("angle", [90, 170, 179.9, -120])
def test_a_fixed_cut_that_is_turned_far(angle):
    """A body that flies is brought home by a cut that fixes it, from almost half a turn."""
    half, axis = np.radians(angle) / 2, np.array([0.6, 0.0, 0.8])
    fly = {"type": "free", "parent": GROUND, "child": "a", "q": [np.cos(half), *(np.sin(half) * axis), 3, -2, 1]}
    spec = Spec(
        bodies={"a": {"mass": 1.0, "inertia": [1, 1, 1]}},
        joints={"fly": fly},
        cuts={"home": {"type": "fixed", "parent": GROUND, "child": "a", "at": [1, 2, 3], "rpy_deg": [10, 0, 0]}},
    )
    model = gori.compile(spec)
    q = gori.assemble(model)
    T = model.forward_kinematics(q)["a"]
    close(T[:3, 3], [1, 2, 3], 1e-12)
    close(T[:3, :3], rotation((10.0, 0.0, 0.0), None), 1e-11)
    assert model.mobility(q).freedom == 0


def test_far_from_the_origin():
    """1e5 m away: to the digits that such numbers have."""
    at = np.array([1e5, -2e5, 0.0])
    spec = rockers()
    for name in ("A", "D"):
        spec = spec.set(f"joints.{name}.at", [float(x) for x in at + spec.joints[name].at])
    model = gori.compile(spec)
    q = gori.assemble(model, [1.1, -0.9, 2.1])
    assert gap(model, q) < 1e-10
    near = gori.compile(rockers())
    assert gap(near, q) < 1e-10
    rec = gori.Simulation(model, gori.RK4(step=1e-3)).run(0.5, sample=0.1, progress=False)
    here = gori.Simulation(near, gori.RK4(step=1e-3)).run(0.5, sample=0.1, progress=False)
    np.testing.assert_allclose(rec.q, here.q, rtol=0, atol=1e-8)


# ---- velocities


@settings(max_examples=40, deadline=None, derandomize=True)
@given(closed_machines(), st.integers(0, 1000))
def test_velocities_are_the_nearest(case, seed):
    """In the measure of the machine's size; where all joints turn, just as the twin has them."""
    spec, q, _ = case
    model = gori.compile(spec)
    v = np.random.default_rng(seed).normal(size=model.nv)
    kept = gori.consistent_velocity(model, q, v, hold=())
    scale = model.loop_system.column_scale
    J = loops.jacobian(spec, q)
    assert np.abs(J @ kept).max() < 1e-11
    N = loops.null_space(J * scale)
    np.testing.assert_allclose(kept / scale, N @ (N.T @ (v / scale)), rtol=0, atol=1e-10)


def test_held_velocities_stay():
    model = gori.compile(slider_crank())
    v = gori.consistent_velocity(model, model.q0, hold=["axle"])
    assert v[0] == 6.0 and v[-1] == pytest.approx(0.24, abs=1e-14)
    with pytest.raises(InputError, match=r"velocities of axle, rail are inconsistent with the loops: cross\."):
        gori.consistent_velocity(model, model.q0, [6.0, 0, 0, 0, 0], hold=["axle", "rail"])


# ---- what is not a state


@pytest.mark.parametrize(
    "ask",
    [
        lambda model, q: gori.assemble(model, q),
        lambda model, q: gori.consistent_velocity(model, q, np.zeros(3)),
        lambda model, q: model.mobility(q),
    ],
)
def test_wrong_arguments(ask):
    model = gori.compile(four_bar())
    with pytest.raises(InputError, match=r"q must have shape \(3,\)"):
        ask(model, [0.0])
    with pytest.raises(InputError, match=r"q must have shape \(3,\), not \(2, 3\): one state at a time"):
        ask(model, np.zeros((2, 3)))
    with pytest.raises(InputError, match=r"q\[1\] is nan"):
        ask(model, [0.0, np.nan, 0.0])


def test_wrong_velocities():
    model = gori.compile(four_bar())
    with pytest.raises(InputError, match=r"v must have shape \(3,\)"):
        gori.consistent_velocity(model, model.q0, [1.0, 0.0])
    with pytest.raises(InputError, match=r"v\[0\] is nan"):
        gori.consistent_velocity(model, model.q0, [np.nan, 0.0, 0.0])


def test_a_cut_between_bodies_that_are_one():
    body = {"mass": 1.0, "inertia": [1, 1, 1]}
    hinge = {"type": "revolute", "parent": GROUND, "child": "a"}
    joints = {"A": hinge, "B": {"type": "fixed", "parent": "a", "child": "b"}}
    cuts = {"C": {"type": "spherical", "parent": "a", "child": "b"}}
    model = gori.compile(Spec(bodies={"a": body, "b": body}, joints=joints, cuts=cuts))
    with pytest.raises(InputError, match="cut 'C' connects two bodies that cannot move relative to each other"):
        gori.assemble(model)
