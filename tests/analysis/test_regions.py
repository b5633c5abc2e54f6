"""Volumes of spheres in boxes and cylinders, against closed forms."""

import numpy as np
import pytest

from gori.analysis.regions import BoxRegion, CylinderRegion
from gori.errors import InputError
from gori.record import ParticleFrame

BALL = 4.0 / 3.0 * np.pi
WIDE = 50.0


def sphere(x=0.0, y=0.0, z=0.0, r=1.0) -> ParticleFrame:
    return ParticleFrame.of([[x, y, z, r]])


def spheres(count: int, seed: int = 0) -> ParticleFrame:
    rng = np.random.default_rng(seed)
    return ParticleFrame.of(np.column_stack([rng.uniform(-1.0, 1.0, (count, 3)), rng.uniform(0.2, 0.8, count)]))


@pytest.mark.parametrize("axis", range(3))
@pytest.mark.parametrize("height", [-0.9, -0.3, 0.0, 0.5, 0.99])
def test_cap(axis, height):
    """One plane cuts: pi h^2 (3 r - h) / 3."""
    high = np.full(3, WIDE)
    high[axis] = height
    h = 1.0 + height
    assert BoxRegion([-WIDE] * 3, high).filled(sphere())[0] == pytest.approx(
        np.pi * h * h * (3.0 - h) / 3.0, abs=1e-6 * BALL
    )


def test_edges_and_corners():
    for planes, share in ((1, 0.5), (2, 0.25), (3, 0.125)):
        low = [0.0] * planes + [-WIDE] * (3 - planes)
        for turn in range(3):
            assert BoxRegion(np.roll(low, turn), [WIDE] * 3).filled(sphere())[0] == pytest.approx(
                share * BALL, rel=1e-6
            )


def test_a_sphere_larger_than_the_box():
    assert BoxRegion([-0.1] * 3, [0.2] * 3).filled(sphere())[0] == pytest.approx(0.3**3, rel=1e-12)
    # it bulges out of all six faces, but not out of the edges: six caps are missing
    h, a = 0.2, 0.8
    whole = BALL - 6.0 * np.pi * h * h * (3.0 - h) / 3.0
    assert BoxRegion([-a] * 3, [a] * 3).filled(sphere())[0] == pytest.approx(whole, abs=1e-6 * BALL)


def test_boxes_share_all_of_the_spheres():
    """Space in 27 boxes: each sphere is whole in their sum."""
    frame, total = spheres(200), 0.0
    edges = [-WIDE, -0.4, 0.3, WIDE]
    for i in range(3):
        for j in range(3):
            for k in range(3):
                total = total + BoxRegion(
                    (edges[i], edges[j], edges[k]), (edges[i + 1], edges[j + 1], edges[k + 1])
                ).filled(frame)
    volume = BALL * frame.radius**3
    assert np.abs(total / volume - 1.0).max() < 1e-6


@pytest.mark.parametrize("a", [0.3, 0.7, 0.95, 2.0])
def test_hole_through_the_middle(a):
    """A cylinder through the centre holds 4/3 pi (r^3 - (r^2 - a^2)^(3/2))."""
    region = CylinderRegion((0.0, 0.0, -5.0), a, 10.0)
    expected = BALL * (1.0 - max(0.0, 1.0 - a * a) ** 1.5)
    assert region.filled(sphere())[0] == pytest.approx(expected, abs=1e-6 * BALL)


def test_cylinder_along_any_axis_against_sampling():
    frame, axis = spheres(5, 3), np.array([1.0, 2.0, -0.5])
    axis /= np.linalg.norm(axis)
    region = CylinderRegion((-0.3, -0.5, 0.1), 0.6, 1.1, axis)
    rng = np.random.default_rng(1)
    for k in range(5):
        x, y, z, r = frame.spheres[k]
        points = rng.uniform(-r, r, (400_000, 3))
        points = points[np.einsum("ni,ni->n", points, points) <= r * r] + [x, y, z]
        along = (points - region.base) @ axis
        off = np.linalg.norm(points - region.base - along[:, None] * axis, axis=1)
        share = ((along >= 0) & (along <= 1.1) & (off <= 0.6)).mean()
        assert region.filled(frame)[k] == pytest.approx(share * BALL * r**3, abs=5e-3 * BALL * r**3)


def test_in_the_frame_of_a_body():
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = [[0, -1, 0], [1, 0, 0], [0, 0, 1]], [3.0, 0.0, 0.0]
    frame = ParticleFrame.of([[3.0, 1.0, 0.0, 0.1]], poses={"tray": T})
    region = BoxRegion((0.5, -0.5, -0.5), (1.5, 0.5, 0.5), "tray")
    assert region.contains(frame)[0] and not BoxRegion((0.5, -0.5, -0.5), (1.5, 0.5, 0.5)).contains(frame)[0]
    assert region.filled(frame)[0] == pytest.approx(BALL * 1e-3)
    assert CylinderRegion((1.0, 0.0, -0.2), 0.3, 0.4, body="tray").contains(frame)[0]
    with pytest.raises(InputError, match="no pose of 'lid'; it has tray"):
        BoxRegion((0, 0, 0), (1, 1, 1), "lid").contains(frame)


def test_bad_regions():
    with pytest.raises(InputError, match="two corners"):
        BoxRegion((0, 0, 0), (1, 0, 1))
    with pytest.raises(InputError, match="positive radius"):
        CylinderRegion((0, 0, 0), -1.0, 1.0)
