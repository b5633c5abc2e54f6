"""Shapes of contact: where they stand, and that they fill what the Spec describes."""

import numpy as np
import pytest

from gori.errors import SpecError, UnsupportedError
from gori.kernels.contact import tables as t
from gori.model.contact.shapes import pieces_of
from gori.spec import Box, Capsule, Cone, Cylinder, Ellipsoid, Plane, Sphere

WALL = {"material": "steel", "collide": True}


def inside(piece, points):
    """Whether points (n, 3) of the shape's frame are in a piece, which is no hull."""
    local = (points - piece.p) @ piece.R
    x, y, z = local.T
    base, top, h = piece.size
    match piece.kind:
        case t.SPHERE:
            return np.linalg.norm(local, axis=1) <= piece.radius
        case t.BOX:
            return (np.abs(local) <= piece.size).all(axis=1)
        case t.CAPSULE:
            return np.hypot(np.hypot(x, y), z - np.clip(z, -h, h)) <= piece.radius
        case t.CYLINDER | t.CONE:
            return (np.abs(z) <= h) & (np.hypot(x, y) <= base + (top - base) * (z + h) / (2 * h))
        case t.ELLIPSOID:
            return np.linalg.norm(local / piece.size, axis=1) <= 1.0
        case t.PLANE:
            return z <= 0.0
    raise AssertionError(piece.kind)


SOLIDS = [
    Sphere(type="sphere", radius=0.3, **WALL),
    Box(type="box", size=[0.4, 0.5, 0.9], **WALL),
    Cylinder(type="cylinder", radius=0.3, length=0.8, axis=[0, 1, 1], **WALL),
    Cone(type="cone", radius=0.4, top_radius=0.1, length=0.6, axis=[1, 0, 0], **WALL),
    Capsule(type="capsule", radius=0.2, length=0.5, axis=[0, -1, 0], **WALL),
    Ellipsoid(type="ellipsoid", radii=[0.2, 0.5, 0.8], **WALL),
]


@pytest.mark.parametrize("shape", SOLIDS, ids=lambda shape: shape.type)
def test_solids_have_their_volume_and_centre(shape):
    (piece,) = pieces_of("body.shape", shape)
    volume, center, _ = shape.unit()
    points = np.random.default_rng(0).uniform(-1.2, 1.2, (400_000, 3))
    found = inside(piece, points)
    assert np.isclose(found.mean() * 2.4**3, volume, rtol=0.05)
    assert np.allclose(points[found].mean(axis=0), center, atol=0.01)
    # the box about it, in its own frame, holds it and is not larger
    local = np.abs((points[found] - piece.p) @ piece.R)
    assert (local <= np.array(piece.half) + 1e-12).all()
    assert (local.max(axis=0) > 0.9 * np.array(piece.half)).all()


def test_a_plane_has_its_normal_as_z():
    (piece,) = pieces_of("body.shape", Plane(type="plane", normal=[0, 3, 4], **WALL))
    assert np.allclose(piece.R[:, 2], [0, 0.6, 0.8]) and np.isinf(piece.half).all() and piece.curvature == np.inf


def test_a_hollow_box_is_closed_but_for_its_open_face():
    shape = Box(type="box", size=[1.0, 2.0, 3.0], hollow=True, open=["z+"], thickness=0.2, **WALL)
    walls = pieces_of("body.shape", shape)
    assert len(walls) == 5
    points = np.random.default_rng(1).uniform(-2, 2, (200_000, 3))
    solid = np.any([inside(wall, points) for wall in walls], axis=0)
    inner, outer = np.array([0.5, 1.0, 1.5]), np.array([0.7, 1.2, 1.7])
    expected = (np.abs(points) <= outer).all(axis=1) & ~(np.abs(points) <= inner).all(axis=1) & (points[:, 2] <= 1.5)
    assert np.array_equal(solid, expected)


def test_hollow_boxes_are_a_tenth_thick_unless_told():
    walls = pieces_of("body.shape", Box(type="box", size=[1.0, 2.0, 3.0], hollow=True, **WALL))
    assert len(walls) == 6 and np.isclose(min(wall.size.min() for wall in walls), 0.05)
    with pytest.raises(SpecError, match=r"bin\.wall: all faces"):
        pieces_of("bin.wall", Box(type="box", size=[1, 1, 1], hollow=True, open=list(Box.faces), **WALL))


def test_a_hollow_cylinder_is_a_tube_with_discs_outside_of_its_ends():
    shape = Cylinder(type="cylinder", radius=0.5, length=2.0, axis=[0, 0, 1], hollow=True, open=["top"], **WALL)
    tube, base = pieces_of("body.shape", shape)
    assert tube.kind == t.TUBE and np.allclose(tube.size, [0.5, 0.5, 1.0]) and np.allclose(tube.p, [0, 0, 1])
    assert base.kind == t.CYLINDER and np.allclose(base.p, [0, 0, -0.05]) and np.allclose(base.size, [0.6, 0.6, 0.05])
    cone = Cone(type="cone", radius=0.5, length=2.0, axis=[0, 0, 1], hollow=True, **WALL)
    assert [piece.kind for piece in pieces_of("body.shape", cone)] == [t.TUBE, t.CYLINDER]  # a tip has no disc


def test_a_hollow_sphere_is_a_bowl():
    (bowl,) = pieces_of("body.shape", Sphere(type="sphere", radius=0.4, hollow=True, **WALL))
    assert bowl.kind == t.BOWL and bowl.size[0] == 0.4 and bowl.half == (0.4, 0.4, 0.4)


def test_what_cannot_be_hollow():
    with pytest.raises(UnsupportedError, match=r"a\.b: a hollow capsule"):
        pieces_of("a.b", Capsule(type="capsule", radius=0.2, length=0.5, hollow=True, **WALL))
