"""Equations of cuts, mimic joints and motions at a state: gap, J, slip and gamma against the twin and closed forms."""

import numpy as np
import pytest
from hypothesis import given, settings

import gori
from gori.model.loops.equations import EQUATIONS_OF_CUT, loop_tables
from gori.spec import GROUND, Spec
from tests.checks import close
from tests.reference import dynamics as dyn
from tests.reference import loops
from tests.reference.loop_equations import EQUATIONS, frames, motions
from tests.reference.random_loops import (
    CUT_TYPES,
    changed,
    closed_machines,
    random_closed,
    random_overconstrained,
    random_planar,
    rebuilt,
)
from tests.reference.spatial import so3_log

TURNED = ("fixed", "prismatic")
"""cuts whose rotations are twice the vector part of a quaternion: the twin has others, which agree on the loops"""


def exact(spec):
    """Which equations the twin has word for word, on the loops and off them (ne,)."""
    kinds = {name: cut.type for name, cut in spec.cuts.items()}
    pairs = [name.rpartition(".")[::2] for name in loops.names(spec)]
    return np.array([word != "screw" and (kinds.get(owner) not in TURNED or word in "xyz") for owner, word in pairs])


def check(spec, q, v, same, tolerance=1e-12):
    """All terms of the equations that are the same as those of the twin."""
    model = gori.compile(spec)
    assert list(model.loop_system.names) == loops.names(spec)
    terms, J = model.loop_system.terms(q, v), loops.jacobian(spec, q)
    close(terms.gap[same], loops.residual(spec, q)[same], tolerance)
    close(terms.J[same], J[same], tolerance)
    close(terms.slip[same], (J @ v)[same], tolerance)
    close(terms.gamma[same], loops.gamma(spec, q, v)[same], tolerance)


def test_cuts_have_the_equations_of_the_twin():
    assert {kind: tuple(name for name, *_ in rows) for kind, rows in EQUATIONS_OF_CUT.items()} == EQUATIONS


def test_tables_of_some_of_the_equations():
    """Names, rows and first places go together, and cuts without an equation are gone."""
    spec, _, _ = random_closed(np.random.default_rng(0), n_cuts=2, cut_types=("revolute",))
    model = gori.compile(spec)
    whole = loop_tables(model)
    kept = np.isin(np.arange(len(whole.names)), [0, 2, 4])
    some = loop_tables(model, kept=kept)
    assert some.names == tuple(np.array(whole.names)[kept]) and np.array_equal(some.equation, whole.equation[kept])
    assert len(whole.cut) == 2 and len(some.cut) == 1 and some.cuts == whole.cuts[:1]
    assert len(some.path) < len(whole.path)


@pytest.mark.parametrize("kind", CUT_TYPES)
@pytest.mark.parametrize("seed", range(4))
def test_one_cut_on_the_loop_and_off_it(kind, seed):
    rng = np.random.default_rng(seed)
    spec, q, v = random_closed(rng, n_cuts=1, cut_types=(kind,), n_mimic=1)
    check(spec, q, v, np.ones(len(loops.names(spec)), bool))
    apart = dyn.integrate(loops.open_tree(spec), q, rng.normal(size=len(v)))
    check(spec, apart, rng.normal(size=len(v)), exact(spec))


@settings(max_examples=40, deadline=None, derandomize=True)
@given(closed_machines(max_bodies=9, n_mimic=1))
def test_several_cuts(case):
    spec, q, v = case
    check(spec, q, v, np.ones(len(loops.names(spec)), bool))
    check(spec, q, 3.0 * np.cos(np.arange(len(v))), exact(spec))


@pytest.mark.parametrize("make", [random_overconstrained, random_planar])
@pytest.mark.parametrize("seed", range(4))
def test_redundant_equations(make, seed):
    spec, q, v = make(np.random.default_rng(seed), 6)
    check(spec, q, v, np.ones(len(loops.names(spec)), bool))


@pytest.mark.parametrize("kind", TURNED)
@pytest.mark.parametrize("angle", [0.1, 1.5, 2.9, 3.1, np.pi - 1e-9])
def test_rotation_of_a_cut_that_is_far_open(kind, angle):
    """2 sin(angle/2) along the axis of the turn from A to B, up to half a turn; J is the spin of B seen from A."""
    rng = np.random.default_rng(5)
    for _ in range(20):
        spec, q, v = random_closed(rng, n_cuts=1, cut_types=(kind,))
        (cut,) = spec.cuts.values()
        axis = rng.normal(size=3)
        axis /= np.linalg.norm(axis)
        quat = np.array([np.cos(angle / 2), *(np.sin(angle / 2) * axis)])
        spec = rebuilt(spec, cuts={"c0": changed(cut, child_quat=product(cut.child_quat, quat))})
        tree = loops.open_tree(spec)
        A, B = frames(tree, spec.cuts["c0"], motions(tree, q, v, 0.0 * v))
        terms = gori.compile(spec).loop_system.terms(q, v)
        turn = so3_log(A.R.T @ B.R)
        assert np.linalg.norm(turn) == pytest.approx(angle, abs=1e-6)
        close(terms.gap[-3:], 2.0 * np.sin(angle / 2) * turn / np.linalg.norm(turn), 1e-7 if angle > 3.14 else 1e-13)
        close(terms.slip[-3:], A.R.T @ (B.w - A.w), 1e-13)


def product(a, b):
    w, x, y, z = a
    return np.array([[w, -x, -y, -z], [x, w, -z, y], [y, z, w, -x], [z, -y, x, w]]) @ b


# ---- far from the origin


def moved(spec, by):
    """The same machine with all that stands on the ground elsewhere."""
    joints = {
        name: changed(joint, at=by + joint.at) if joint.parent == GROUND else joint
        for name, joint in spec.joints.items()
    }
    cuts = {}
    for name, cut in spec.cuts.items():
        sides = {"at": cut.at, "child_at": cut.child_at}
        for side, body in (("at", cut.parent), ("child_at", cut.child)):
            if body == GROUND:
                sides[side] = by + sides[side]
        cuts[name] = changed(cut, **sides)
    return rebuilt(spec, joints=joints, cuts=cuts)


def carried(spec, far):
    """The machine on a body that flies, and where that is: first in q."""
    joints = {name: changed(joint, parent="carrier") if joint.parent == GROUND else joint
              for name, joint in spec.joints.items()}  # fmt: skip
    cuts = {
        name: changed(cut, **{side: "carrier" for side in ("parent", "child") if getattr(cut, side) == GROUND})
        for name, cut in spec.cuts.items()
    }
    fly = {"fly": {"type": "free", "parent": GROUND, "child": "carrier"}}
    bodies = {"carrier": {"mass": 2.0, "inertia": [1.0, 1.0, 1.0]}, **spec.bodies}
    return rebuilt(spec, bodies=bodies, joints=fly | joints, cuts=cuts), [1.0, 0.0, 0.0, 0.0, *far]


@pytest.mark.parametrize("seed", range(8))
def test_far_from_the_origin(seed):
    """1e5 m away: in digits of the ground's numbers, 1.5e-11 m; or exactly as well, if nothing large is in the loop."""
    rng = np.random.default_rng(seed)
    spec, q, v = random_closed(rng, 5)
    far = 1e5 * np.array([0.6, -0.7, 0.4])
    near = gori.compile(spec).loop_system.terms(q, v)
    away = gori.compile(moved(spec, far)).loop_system.terms(q, v)
    assert np.abs(away.gap).max() < 1e-10
    close(away.J, near.J, 1e-10)
    close(away.gamma, near.gamma, 1e-9)

    flying, place = carried(spec, far)
    there = gori.compile(flying).loop_system.terms([*place, *q], [*np.zeros(6), *v])
    close(there.gap, near.gap, 1e-14)
    close(there.J, np.hstack([np.zeros((len(near.J), 6)), near.J]), 1e-14)
    close(there.gamma, near.gamma, 1e-12)


def test_what_carries_a_whole_loop_does_not_change_it():
    """However the carrier moves and turns, and whatever gravity is."""
    spec, q, v = random_closed(np.random.default_rng(1), 6)
    near = gori.compile(spec).loop_system.terms(q, v)
    flying, _ = carried(spec, np.zeros(3))
    quat = np.array([0.1, 0.7, -0.5, 0.3])
    place = [*(quat / np.linalg.norm(quat)), 4.0, 5.0, -6.0]
    there = gori.compile(flying).loop_system.terms([*place, *q], [3.0, -2.0, 5.0, 1.0, 2.0, 3.0, *v])
    close(there.gap, near.gap, 1e-14)
    close(there.slip, near.slip, 1e-13)
    close(there.gamma, near.gamma, 1e-11)
    close(there.J[:, :6], 0.0, 1e-14)


# ---- motions


def driven(**motions) -> Spec:
    body = {"mass": 1.0, "inertia": [1, 1, 1]}
    return Spec(
        bodies={"a": body, "b": body},
        joints={
            "A": {"type": "cylindrical", "parent": GROUND, "child": "a", "q": [0.1, 0.2]},
            "B": {"type": "prismatic", "parent": "a", "child": "b", "axis": [1, 0, 0], "q": 0.7},
        },
        motions=motions,
    )


def test_motions_are_equations():
    rows = [(-1.0, 0.0), (0.5, 0.3), (2.0, -0.2)]
    spec = driven(
        turn={"joint": "A", "value": "0.3*sin(2*t) + t**2"},
        travel={"joint": "A", "axis": 1, "speed": 0.4, "start": -1.0},
        push={"joint": "B", "value": rows},
    )
    system = gori.compile(spec).loop_system
    assert system.names == ("turn.motion", "travel.motion", "push.motion")
    q, v = np.array([0.5, 0.6, 0.7]), np.array([1.0, 2.0, 3.0])
    from scipy.interpolate import CubicSpline

    spline = CubicSpline(*np.array(rows).T, bc_type="clamped")
    for t in (0.0, 0.3, 1.7):
        terms = system.terms(q, v, t)
        position = [0.3 * np.sin(2 * t) + t**2, -1.0 + 0.4 * t, spline(t)]
        velocity = [0.6 * np.cos(2 * t) + 2 * t, 0.4, spline(t, 1)]
        acceleration = [-1.2 * np.sin(2 * t) + 2.0, 0.0, spline(t, 2)]
        close(terms.gap, q - position, 1e-14)
        close(terms.slip, v - velocity, 1e-14)
        close(terms.gamma, np.negative(acceleration), 1e-13)
        np.testing.assert_array_equal(terms.J, np.eye(3))


def test_motion_with_a_speed_goes_from_the_start_of_its_joint():
    terms = gori.compile(driven(push={"joint": "B", "speed": 2.0})).loop_system.terms([0, 0, 1.0], time=0.25)
    assert terms.gap[0] == pytest.approx(1.0 - (0.7 + 0.5), abs=1e-15)


def test_moving_base_is_six_motions():
    """The twin knows no base: it sees the same machine with its base as joints, and the motions come from there."""
    spec, q, v = random_closed(np.random.default_rng(2), 5)
    base = {"position": ["0.3*sin(2*t)", 0.2, "t**2"], "rpy": [0.0, "0.4*t", 0.0]}
    model = gori.compile(Spec(**spec.model_dump(exclude_unset=True), base=base))
    names = [f"base.{word}.motion" for word in ("x", "z", "pitch")]
    assert list(model.loop_system.names) == [*loops.names(spec), *names]
    t = 0.7
    here = [0.3 * np.sin(2 * t), t**2, 0.4 * t]
    speed = [0.6 * np.cos(2 * t), 2 * t, 0.4]
    terms, near = model.loop_system.terms([*here, *q], [*speed, *v], t), gori.compile(spec).loop_system.terms(q, v)
    count = len(near.gap)
    close(terms.gap, [*near.gap, 0, 0, 0], 1e-14)
    close(terms.slip, [*near.slip, 0, 0, 0], 1e-13)
    close(terms.gamma[:count], near.gamma, 1e-11)
    close(terms.gamma[count:], [1.2 * np.sin(2 * t), -2.0, 0.0], 1e-14)
