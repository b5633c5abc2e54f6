"""Coordinates of cuts: q, v and a against the joints' own functions the other way round; turns counted step by step."""

import math

import numpy as np
import pytest

import gori
from gori.kernels.loops.coordinates import ball, coordinates_along, extended, first_turns, follow_turns, place_turns
from gori.kernels.loops.tables import BALL, COORDINATE
from gori.kernels.tree.columns import N_BODY_W, R_WB
from gori.model.machine import machine_of
from gori.spec import GROUND, Spec
from tests.checks import close
from tests.plain import plain, records, rows
from tests.reference.cut_coordinates import coordinates
from tests.reference.random_loops import CUT_TYPES, random_closed
from tests.reference.spatial import quaternion_to_rotation, so3_exp


def found(model, q, v, a):
    """q, v and a of all coordinates at one state."""
    machine, data = (records(bundle) for bundle in machine_of(model))
    nq, nv = model.cut_coordinates.sizes
    out = np.zeros((1, nq)), np.zeros((1, nv)), np.zeros((1, nv))
    samples, none = np.concatenate([[0.0], q, v])[None], np.zeros((0, model.cut_coordinates.turns))
    plain(coordinates_along)(machine, data, samples, a[None], none, *out)
    return [rows[0] for rows in out]


@pytest.mark.parametrize("kind", [kind for kind in CUT_TYPES if kind not in ("fixed", "distance")])
@pytest.mark.parametrize("seed", range(5))
def test_against_the_joint_functions(kind, seed):
    """At a closed pose, with velocities that keep it closed and accelerations that do."""
    rng = np.random.default_rng(seed)
    spec, q, v = random_closed(rng, n_cuts=1, cut_types=(kind,))
    model = gori.compile(spec)
    terms = model.loop_system.terms(q, v)
    a = rng.normal(size=len(v))
    a -= np.linalg.pinv(terms.J) @ (terms.J @ a + terms.gamma)
    for here, expected in zip(found(model, q, v, a), coordinates(spec, "c0", q, v, a)):
        close(here, expected, 1e-9)


@pytest.mark.parametrize("quat", [[1, 0, 0, 0], [0.1, 0.9, -0.3, 0.2], [-0.1, 0.1, 0.9, 0.2], [0, 0.2, 0.1, -0.9]])
def test_the_quaternion_of_a_ball(quat):
    c, body_w = rows(COORDINATE.zeros(1))[0], np.zeros((2, N_BODY_W))
    c.kind, c.row_b = BALL, 1
    c.R_A[:] = c.R_B[:] = np.eye(3).ravel()
    unit = np.array(quat) / np.linalg.norm(quat)
    A = so3_exp(np.array([1.0, 0.4, -0.3]))
    body_w[0, R_WB : R_WB + 9], body_w[1, R_WB : R_WB + 9] = A.ravel(), (A @ quaternion_to_rotation(unit)).ravel()
    here = np.array(plain(ball)(c, body_w))
    assert abs(here @ unit) == pytest.approx(1.0, abs=1e-14)
    assert plain(first_turns)(c, body_w) * here[0] >= 0.0


def spinning():
    """A rotor in two bearings, one of them a cut, and a body on a ball that is cut from it."""
    part = {"mass": 1.0, "inertia": [1.0, 1.0, 1.0]}
    return Spec(
        gravity=[0, 0, 0],
        bodies={"rotor": part, "rider": part},
        joints={
            "near": {"type": "revolute", "parent": GROUND, "child": "rotor"},
            "pivot": {"type": "spherical", "parent": GROUND, "child": "rider"},
        },
        cuts={
            "far": {"type": "revolute", "parent": GROUND, "child": "rotor", "at": [0, 0, 1], "child_at": [0, 0, 1]},
            "ball": {"type": "spherical", "parent": "rotor", "child": "rider"},
        },
    )


def test_turns_are_counted_by_the_rate():
    """Ten turns in one step at a steady rate; two more and a bit at one that changes; back again."""
    model = gori.compile(spinning())
    machine, data = (records(bundle) for bundle in machine_of(model))
    machine.closed = 0

    def state(angle, rate):
        half = 0.5 * angle
        return np.array([angle, math.cos(half), 0, 0, math.sin(half), rate, 0, 0, rate])

    plain(place_turns)(machine, data, 0.0, state(0.5, 20.0 * math.pi), 0)
    assert data.turns.tolist() == [0.0, 1.0] and data.track.angle[0] == pytest.approx(0.5)
    for t, angle, rate in ((1.0, 0.5 + 20.0 * math.pi, 20.0 * math.pi), (1.2, 0.4 + 23.0 * math.pi, 10.0 * math.pi),
                           (1.5, 0.1, -170.0 * math.pi)):  # fmt: skip
        y = state(angle, rate)
        plain(follow_turns)(machine, data, t, y[:5], y[5:])
        assert data.track.angle[0] == pytest.approx(angle, abs=1e-12)
        assert data.turns[0] == round((angle - math.remainder(angle, 2.0 * math.pi)) / (2.0 * math.pi))


def test_the_sign_of_a_quaternion_goes_on():
    model = gori.compile(spinning())
    machine, data = (records(bundle) for bundle in machine_of(model))
    machine.closed = 0
    y = np.array([0.0, 1.0, 0, 0, 0, 0, 0, 0, 0])
    plain(place_turns)(machine, data, 0.0, y, 0)
    q, v = np.zeros(5 + 1 + 4), np.zeros(4 + 1 + 3)
    for angle in np.linspace(0.0, 3.0 * math.pi, 31):  # the rider turns, the rotor does not
        y[1], y[4] = math.cos(angle / 2), math.sin(angle / 2)
        plain(extended)(machine, data, 0.0, y, q, v)
        close(q[6:], [math.cos(angle / 2), 0, 0, math.sin(angle / 2)], 1e-14)
        plain(follow_turns)(machine, data, 0.0, y[:5], y[5:])
    assert data.turns[1] == -1.0 and q[6] == pytest.approx(0.0, abs=1e-14)
