"""Assembly of closed machines from rough poses."""

import re
import warnings
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gori
from bench.mechanisms import bricard, four_bar, stewart
from gori.errors import AssemblyWarning, ClosureError, InputError
from gori.model.loops.assembly import assembled
from gori.spec import GROUND, Spec
from gori.spec.base import rotation
from tests.checks import close
from tests.integrate.closed_machines import rockers, slider_crank, slider_position
from tests.reference.random_loops import (
    closed_machines,
    random_closed,
    random_overconstrained,
    random_planar,
    rebuilt,
)


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


# ---- what the Spec gives


def crank_and_slider(**start):
    """A crank of 2 m, a rod of 3.5 m, a slider on the x axis; start: fields of A, B and D."""
    joints = {
        "A": {"type": "revolute", "parent": GROUND, "child": "crank"},
        "B": {"type": "revolute", "parent": "crank", "child": "rod", "at": [2, 0, 0]},
        "D": {"type": "prismatic", "parent": GROUND, "child": "slider", "axis": [1, 0, 0]},
    }
    return Spec(
        bodies={name: {"mass": 1.0, "inertia": [1, 1, 1]} for name in ("crank", "rod", "slider")},
        joints={name: joint | start.get(name, {}) for name, joint in joints.items()},
        cuts={"C": {"type": "revolute", "parent": "rod", "child": "slider", "at": [3.5, 0, 0]}},
    )


def test_given_values_are_held_though_the_rest_is_far_off():
    spec = crank_and_slider(A={"q_deg": 180}, D={"q": 1.5})
    model = gori.compile(spec)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        q = gori.assemble(model)
        assert np.array_equal(gori.Simulation(model, gori.RK4(step=1e-3)).state.q, q)
        np.testing.assert_allclose(gori.assemble(model, hold=["A", "D"]), q, rtol=0, atol=1e-12)
    assert q[0] == np.pi and q[2] == 1.5 and abs(abs(q[1]) - np.pi) < 1e-12


def test_a_given_value_that_has_to_move_is_named():
    """A stays as it comes first; D can be at 1.5 m only if A points back."""
    model = gori.compile(crank_and_slider(A={"q_deg": 60}, D={"q": 1.5}))
    with pytest.warns(AssemblyWarning, match=r"moved D from 1\.5 to (-?[\d.]+)\. Give q to independent") as caught:
        q = gori.assemble(model)
    assert q[0] == np.radians(60) and len(caught) == 1
    assert abs(np.hypot(q[2] - 2 * np.cos(q[0]), 2 * np.sin(q[0])) - 3.5) < 1e-12


def test_a_guess_may_move_in_silence_and_chooses_the_branch():
    for guess, sign in ((4.0, 1), (-3.0, -1)):
        model = gori.compile(crank_and_slider(A={"q_deg": 60}, D={"guess": guess}))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            q = gori.assemble(model)
        assert q[0] == np.radians(60)
        assert q[2] == pytest.approx(1.0 + sign * np.sqrt(3.5**2 - 3.0), abs=1e-12)


def test_a_second_closed_pose_is_named():
    model = gori.compile(crank_and_slider(A={"q_deg": 90}))
    with pytest.warns(
        AssemblyWarning, match=r"more than one way: taken is B = .* deg, D = .*; as near is B = .*, D = "
    ):
        first = gori.assemble(model)
    with pytest.warns(AssemblyWarning):
        assert np.array_equal(gori.assemble(model), first)


@pytest.mark.parametrize("position", [1.513, 1.51311, 1.4])
def test_a_given_value_that_is_only_rounded_moves_to_the_nearest_closed_pose(position):
    """At A = 170 deg D is at 1.51311119 m, or 7 m from there."""
    model = gori.compile(crank_and_slider(A={"q_deg": 170}, D={"q": position}))
    with pytest.warns(AssemblyWarning, match=r"moved D from (1\.[\d.]+) to 1\.51311") as caught:
        q = gori.assemble(model)
    assert q[0] == np.radians(170) and q[2] == pytest.approx(1.51311119, abs=1e-8) and len(caught) == 1
    before, after = re.findall(r"from ([\d.]+) to ([\d.]+)\. Give", str(caught[0].message))[0]
    assert before != after


def test_a_given_value_at_a_dead_centre_moves_the_short_way():
    model = gori.compile(crank_and_slider(A={"q_deg": 180}, D={"q": 1.4}))
    with pytest.warns(AssemblyWarning, match=r"moved D from 1\.4 to 1\.5\. Give"):
        q = gori.assemble(model)
    assert q[0] == np.pi and q[2] == pytest.approx(1.5, abs=1e-12)


def test_rounded_values_of_random_four_bars_move_by_no_more_than_was_rounded():
    rng, told = np.random.default_rng(7), 0
    for _ in range(15):
        lengths, angle, side = rng.uniform(0.3, 1.5, 4), rng.uniform(-np.pi, np.pi), rng.choice([1.0, -1.0])
        crank, coupler, rocker, ground = lengths
        gap = np.array([ground, 0.0]) - crank * np.array([np.cos(angle), np.sin(angle)])
        far = np.linalg.norm(gap)
        if not 1.05 * abs(coupler - rocker) < far < 0.95 * (coupler + rocker):
            continue
        turned = np.arctan2(-gap[1], -gap[0]) + side * np.arccos((far**2 + rocker**2 - coupler**2) / (2 * far * rocker))
        model = gori.compile(bars(lengths, angle, round(float(turned), 3)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", AssemblyWarning)
            q = gori.assemble(model)
        assert q[0] == angle
        assert abs(np.remainder(q[2] - turned + np.pi, 2 * np.pi) - np.pi) < 1e-3
        told += 1
    assert told >= 5


def bars(lengths, A, D):
    """A four-bar with hinges A and D on the ground."""
    crank, coupler, rocker, ground = (float(x) for x in lengths)
    body = {"mass": 1.0, "inertia": [1, 1, 1]}
    return Spec(
        bodies={"crank": body, "coupler": body, "rocker": body},
        joints={
            "A": {"type": "revolute", "parent": GROUND, "child": "crank", "q": A},
            "B": {"type": "revolute", "parent": "crank", "child": "coupler", "at": [crank, 0, 0]},
            "D": {"type": "revolute", "parent": GROUND, "child": "rocker", "at": [ground, 0, 0], "q": D},
        },
        cuts={
            "C": {
                "type": "revolute",
                "parent": "coupler",
                "child": "rocker",
                "at": [coupler, 0, 0],
                "child_at": [rocker, 0, 0],
            }
        },
    )


def test_a_second_closed_pose_is_named_where_given_values_had_to_move():
    """D is given in the middle between both closed poses."""
    model = gori.compile(crank_and_slider(A={"q_deg": 60}, D={"q": 1.0}))
    with pytest.warns(AssemblyWarning, match=r"moved D from 1 to .*\. Besides, the loops close in more than one way"):
        gori.assemble(model)


@pytest.mark.parametrize("angle", [10, 30, 50, 70, 110, 150])
def test_the_nearest_closed_pose_is_found_though_many_starts_fail(angle):
    model = gori.compile(crank_and_slider(A={"q_deg": angle}))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AssemblyWarning)
        q = gori.assemble(model)
    turned, far = np.radians(angle), []
    for sign in (1.0, -1.0):
        slider = 2 * np.cos(turned) + sign * np.sqrt(3.5**2 - 4 * np.sin(turned) ** 2)
        rod = np.arctan2(-2 * np.sin(turned), slider - 2 * np.cos(turned)) - turned
        rod = np.remainder(rod + np.pi, 2 * np.pi) - np.pi
        far.append((np.hypot(rod, slider / model.loop_system.size), slider))
    assert q[2] == pytest.approx(min(far)[1], abs=1e-9)
    assert abs(q[1]) <= np.pi + 1e-12


def test_files_are_told_too(tmp_path):
    spec = crank_and_slider(A={"q_deg": 60}, D={"q": 1.5})
    gori.save(spec, tmp_path / "machine.yaml")
    with pytest.warns(AssemblyWarning, match=r"moved D from 1\.5"):
        gori.Simulation(gori.compile(gori.load(tmp_path / "machine.yaml")), gori.RK4(step=1e-3))


def with_some_given(seed):
    """A random machine with loops, its pose, and its Spec that gives q for some of its joints only."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 8))
    makes = (random_planar, partial(random_closed, n_cuts=1), random_closed, random_overconstrained)
    spec, q, _ = makes[seed % 4](rng, n if seed % 4 else n - 1)
    share, joints = rng.uniform(), {}
    for name, joint in spec.joints.items():
        fields = joint.model_dump(exclude_unset=True)
        for field in ("v", *(() if rng.random() < share else ("q",))):
            fields.pop(field, None)
        joints[name] = type(joint)(**fields)
    return rebuilt(spec, joints=joints), q


def test_of_a_thousand_random_loops_given_values_stay_and_nearly_all_close():
    moved = 0
    for seed in range(1000):
        spec, pose = with_some_given(seed)
        model = gori.compile(spec)
        found = assembled(model)
        assert gap(model, found.q) < 1e-9 * max(1.0, model.loop_system.size)
        told = any("moved" in words for words in found.warnings)
        moved += told
        for info in model.joints:
            if spec.joints[info.name].given and not told:
                np.testing.assert_allclose(found.q[info.q], pose[info.q], rtol=0, atol=1e-12)
    assert moved <= 10


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


def test_a_cut_between_bodies_that_are_one():
    body = {"mass": 1.0, "inertia": [1, 1, 1]}
    hinge = {"type": "revolute", "parent": GROUND, "child": "a"}
    joints = {"A": hinge, "B": {"type": "fixed", "parent": "a", "child": "b"}}
    cuts = {"C": {"type": "spherical", "parent": "a", "child": "b"}}
    model = gori.compile(Spec(bodies={"a": body, "b": body}, joints=joints, cuts=cuts))
    with pytest.raises(InputError, match="cut 'C' connects two bodies that cannot move relative to each other"):
        gori.assemble(model)
