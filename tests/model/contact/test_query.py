"""Contacts at a pose: known geometry, and Jacobians against differences of positions."""

import numpy as np
import pytest

import gori
from gori.errors import InputError
from gori.model.contact.query import contact_points, tangents_of
from tests.model.contact.machines import machine, solid


def test_a_box_on_a_floor_has_four_points():
    spec = machine({"box": {"b": solid("box", size=[0.4, 0.2, 0.1])}}, {"floor": solid("plane")})
    model = gori.compile(spec)
    q = model.q0
    q[4:] = [1.0, 2.0, 0.0499]
    points = model.contacts(q)
    assert len(points) == 4
    for point in points:
        assert (point.a, point.b) == ("ground.floor", "box.b")
        assert np.allclose(point.normal, [0, 0, 1]) and np.isclose(point.gap, -1e-4)
    found = np.sort([np.round(point.position[:2], 6) for point in points], axis=0)
    assert np.allclose(found, [[0.8, 1.9], [0.8, 1.9], [1.2, 2.1], [1.2, 2.1]])
    q[6] = 0.0519
    assert model.contacts(q) == [] and len(model.contacts(q, reach=0.01)) == 4


def test_jacobians_are_rates_of_the_gap_and_of_sliding():
    """Two balls on arms of two joints each: the gap is known, and its difference quotient is J v."""
    ball = {"tip": solid("sphere", radius=0.3, at=[1.0, 0.0, 0.0])}
    joints = {
        "a1": {"type": "revolute", "axis": [0, 0, 1], "parent": "ground", "child": "a"},
        "b1": {"type": "revolute", "axis": [0, 1, 0], "at": [2.3, 0.1, 0], "parent": "ground", "child": "b0"},
        "b2": {"type": "spherical", "parent": "b0", "child": "b"},
    }
    model = gori.compile(machine({"a": ball, "b0": {}, "b": ball}, joints=joints))
    rng = np.random.default_rng(0)
    q = model.q0
    q[model.joint("b2").q] = [0.0, 0.0, 0.0, 1.0]  # half a turn about z: towards a
    v = rng.normal(size=model.nv)
    (point,) = model.contacts(q, reach=1.0)
    assert (point.a, point.b) == ("a.tip", "b.tip") and point.jacobian.shape == (3, model.nv)
    h = 1e-6
    before, after = (model.contacts(model.integrate(q, s * h * v), reach=1.0)[0] for s in (-1, 1))
    assert np.isclose(point.jacobian[0] @ v, (after.gap - before.gap) / (2 * h), rtol=1e-7)
    # the whole velocity, from the Jacobians of frames at the balls
    ends = [model.jacobian(q, body) for body in ("a", "b")]
    at = model.forward_kinematics(q)
    speeds = [J[3:] @ v + np.cross(J[:3] @ v, point.position - at[body][:3, 3]) for J, body in zip(ends, ("a", "b"))]
    axes = np.stack([point.normal, *tangents_of(point.normal)])
    assert np.allclose(point.jacobian @ v, axes @ (speeds[1] - speeds[0]), rtol=0, atol=1e-12)


def test_tangents_are_a_right_handed_frame():
    for n in np.random.default_rng(1).normal(size=(20, 3)):
        n = n / np.linalg.norm(n)
        u, w = tangents_of(n)
        assert np.allclose(np.stack([u, w, n]) @ np.stack([u, w, n]).T, np.eye(3), atol=1e-14)
        assert np.allclose(np.cross(u, w), n, atol=1e-14)


def test_many_pairs_find_room():
    n = 40
    spec = machine({f"b{k}": {"s": solid("sphere", radius=0.5)} for k in range(n)})
    model = gori.compile(spec)
    q = model.q0
    rng = np.random.default_rng(2)
    for k in range(n):
        q[7 * k + 4 : 7 * k + 7] = rng.uniform(-0.1, 0.1, 3)
    points = contact_points(model, q, 0.0)
    assert len(points) == n * (n - 1) // 2


def test_wrong_arguments():
    model = gori.compile(machine({"a": {"s": solid("sphere", radius=0.1)}}, {"floor": solid("plane")}))
    for reach in (-1.0, float("nan"), "far", True):
        with pytest.raises(InputError, match="reach"):
            model.contacts(model.q0, reach=reach)
    with pytest.raises(InputError, match="one pose"):
        model.contacts(np.tile(model.q0, (2, 1)))


def test_a_machine_that_cannot_touch_has_no_contacts():
    model = gori.compile(machine({"a": {"s": {"type": "sphere", "radius": 0.1}}}))
    assert model.contact is None and model.contacts(model.q0) == []


HOLLOW = {
    "sphere": (solid("sphere", radius=0.5, hollow=True), [0.0, 0.0, -0.39], [0, 0, 1], 0.01),
    "box": (solid("box", size=[1, 1, 1], hollow=True, open=["z+"]), [0.385, 0.0, 0.0], [-1, 0, 0], 0.015),
    "side": (solid("cylinder", radius=0.5, length=1.0, axis=[0, 0, 1], hollow=True), [0, 0.38, 0.5], [0, -1, 0], 0.02),
    "end": (solid("cylinder", radius=0.5, length=1.0, axis=[0, 0, 1], hollow=True), [0, 0, 0.12], [0, 0, 1], 0.02),
}


@pytest.mark.parametrize("name", HOLLOW)
def test_a_ball_in_a_hollow_shape(name):
    shape, position, normal, gap = HOLLOW[name]
    model = gori.compile(machine({"ball": {"s": solid("sphere", radius=0.1)}}, {"bin": shape}))
    q = model.q0
    q[4:] = position
    (point,) = model.contacts(q, reach=0.05)
    assert (point.a, point.b) == ("ground.bin", "ball.s")
    assert np.allclose(point.normal, normal, atol=1e-9) and np.isclose(point.gap, gap)
    assert np.allclose(point.jacobian[0], [0, 0, 0, *normal], atol=1e-9)


def test_hulls_touch_like_what_they_stand_for(tmp_path):
    trimesh = pytest.importorskip("trimesh")
    trimesh.creation.box((0.4, 0.2, 0.1)).export(tmp_path / "part.stl")
    shapes = [solid("mesh", file=str(tmp_path / "part.stl")), solid("box", size=[0.4, 0.2, 0.1])]
    found = []
    for shape in shapes:
        model = gori.compile(machine({"part": {"s": shape}}, {"floor": solid("plane")}))
        q = model.q0
        q[4:] = [0, 0, 0.0499]
        found.append(sorted(np.round([*point.position, point.gap], 6).tolist() for point in model.contacts(q)))
    assert np.allclose(found[0], found[1], atol=1e-6) and len(found[0]) == 4


def test_gears_touch_at_their_flanks():
    """Two gears whose teeth mesh: nothing is deeper than the hulls are inexact; by half a tooth they collide."""
    gear = {"teeth": 20, "module": 0.01, "width": 0.02, "backlash": 0.001}
    joints = {
        "a": {"type": "revolute", "parent": "ground", "child": "one"},
        "b": {"type": "revolute", "parent": "ground", "child": "two", "at": [0.2, 0, 0]},
    }
    bodies = {"one": {"g": solid("gear", **gear)}, "two": {"g": solid("gear", phase_deg=9.0, **gear)}}
    model = gori.compile(machine(bodies, joints=joints))
    assert all(point.gap > -1e-5 for point in model.contacts(np.zeros(2), reach=2e-3))
    assert len(model.contacts(np.zeros(2), reach=2e-3)) > 0
    assert min(point.gap for point in model.contacts(np.array([np.radians(9.0), 0.0]), reach=0.0)) < -2e-3
