"""Meshes of round walls against walls that are round themselves; seams, edges and corners."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from tests.kernels.particles.round_meshes import sheet
from tests.sim.particles.poses import still
from tests.sim.particles.round_walls import ROUND, Ball, as_stl, at_rest, bounced, carried, overlap, rolled

FINE = {
    "tube": ((45, 0.1), (45, 1.0), (180, 10.0), (720, 30.0)),
    "cone": ((45, 0.1), (45, 1.0), (180, 10.0), (720, 30.0)),
    "sphere": ((2, 0.1), (2, 1.0), (5, 10.0), (7, 30.0)),
}
"""how fine a mesh is, and the radius of the ball in widths of its triangles"""
CASES = [(name, fine, widths) for name, cases in FINE.items() for fine, widths in cases]
PLACES = (0.0, 0.31, 0.5)
"""in the angle of a triangle: above a corner, beside it, above the middle"""
SHARE = 0.02


def made(tmp_path, name, fine, widths, **fields):
    """The wall, its mesh, a ball, and the angle that a triangle takes [rad]."""
    wall = ROUND[name]
    width = wall.width(fine)
    angle = width / math.hypot(*wall.at(0.0)[0][:2])
    return wall, as_stl(tmp_path, *wall.mesh(fine)), Ball(widths * width, **fields), angle


@pytest.mark.parametrize("name, fine, widths", CASES)
def test_at_rest(tmp_path, name, fine, widths):
    """One contact, whose overlap is that of a ball that carries its weight on a true wall."""
    wall, mesh, ball, angle = made(tmp_path, name, fine, widths)
    for place in PLACES:
        true = at_rest(wall, wall.true, ball, place * angle)
        found = at_rest(wall, mesh, ball, place * angle)
        assert found[0] == true[0] == 1
        assert found[1] == pytest.approx(true[1], rel=SHARE)


@pytest.mark.parametrize("name, fine, widths", CASES)
def test_bouncing(tmp_path, name, fine, widths):
    wall, mesh, ball, angle = made(tmp_path, name, fine, widths)
    for place in PLACES:
        true = bounced(wall, wall.true, ball, place * angle)
        found = bounced(wall, mesh, ball, place * angle)
        assert true[0] == pytest.approx(0.5, abs=5e-3)
        np.testing.assert_allclose(found, true, atol=SHARE * true[0])


@pytest.mark.parametrize("name, fine, widths", CASES)
def test_rolling_once_around(tmp_path, name, fine, widths):
    wall, mesh, ball, angle = made(tmp_path, name, fine, widths, rolling=0.02)
    true, end = rolled(wall, wall.true, ball, 0.37 * angle)
    found, its_end = rolled(wall, mesh, ball, 0.37 * angle)
    assert 0.0 < true < 0.5
    assert found == pytest.approx(true, rel=SHARE)
    np.testing.assert_allclose(its_end, end, atol=SHARE)


@pytest.mark.parametrize("name, fine, widths", CASES)
def test_a_wall_that_turns_under_a_ball(tmp_path, name, fine, widths):
    wall, mesh, ball, angle = made(tmp_path, name, fine, widths, rolling=0.02)
    true, found = carried(wall, wall.true, ball, 0.37 * angle), carried(wall, mesh, ball, 0.37 * angle)
    assert true[0] > 0.0
    np.testing.assert_allclose(found, true, rtol=SHARE)


def test_as_drawn_a_ball_rests_on_two_facets(tmp_path):
    """With crease_deg: 0 a tube has its flat sides: between two of them a ball has two contacts, each with half the
    weight."""
    wall, ball = ROUND["tube"], Ball(1.0)
    ball = Ball(wall.width(180) * 10.0)
    drawn = as_stl(tmp_path, *wall.mesh(45), crease_deg=0.0)
    count, _, _ = at_rest(wall, drawn, ball, 0.0)
    assert count == 2


def box(size=(1.0, 4.0, 1.0)):
    return SimpleNamespace(type="box", size=np.array(size), open=())


def over(ball, shapes, speed=2.0, start=-0.3, way=0.6):
    """Velocities (n, 3) of a ball that rolls so far along x, on top of shapes at z = 0."""
    g = 9.81
    setup = ball.setup(shapes, (0.0, 0.0, -g))
    c = np.array([start, 0.013, ball.r - ball.sunk(ball.mass * g)])
    bed = ball.on(setup, c, (speed, 0.0, 0.0), (0.0, speed / ball.r, 0.0))
    found = []
    for _ in range(100):
        assert bed.march(still(max(1, int(0.01 * way / speed / ball.step))), ball.step) is None
        assert bed.counts()["wall_contacts"] <= 1
        found.append(bed.snapshot()[2][0, :3].copy())
    assert bed.snapshot()[1][0, 0] > 0.2
    return np.array(found)


@pytest.mark.parametrize("r", [0.004, 0.05, 0.3])
@pytest.mark.parametrize("seam", ["boxes", "meshes", "box and mesh", "box in a floor", "plate on a floor"])
def test_a_seam_in_a_plane_is_not_felt(tmp_path, r, seam):
    """Less than 0.1 % of the speed of a ball that rolls across, in any direction."""
    plates = [as_stl(tmp_path, *sheet(np.array([(a, 0.0), (a + 1.0, 0.0)]), 4.0), f"p{a}") for a in (-1, 0)]
    floor = SimpleNamespace(type="plane", normal=np.array([0.0, 0.0, 1.0]))
    shapes = {
        "boxes": [(box(), (-0.5, 0, -0.5)), (box(), (0.5, 0, -0.5))],
        "meshes": [(plates[0], (0, -2, 0)), (plates[1], (0, -2, 0))],
        "box and mesh": [(box(), (-0.5, 0, -0.5)), (plates[1], (0, -2, 0))],
        "box in a floor": [floor, (box((0.2, 0.2, 0.2)), (0, 0, -0.1))],
        "plate on a floor": [floor, (plates[1], (0, -2, 0))],
    }[seam]
    ball = Ball(r, restitution=0.3, friction=0.5)
    found, true = over(ball, shapes), over(ball, [floor])
    np.testing.assert_allclose(found, true, atol=1e-3 * 2.0)


def test_corners_and_edges_are_still_there(tmp_path):
    """In the corner between two walls of a box two contacts, in that of three three, on an edge and a corner of the
    outside one."""
    trimesh = pytest.importorskip("trimesh")
    cube = trimesh.creation.box(extents=(1.0, 1.0, 1.0))
    mesh = as_stl(tmp_path, np.array(cube.vertices), np.array(cube.faces))
    ball = Ball(0.1)
    for shape in (box((1.0, 1.0, 1.0)), mesh):
        setup = ball.setup([shape])
        for c, count in (
            ((0.401, 0.401, 0.02), 2),
            ((0.401, 0.401, -0.401), 3),
            ((0.401, 0.03, 0.02), 1),
            ((0.569, 0.569, 0.02), 1),
            ((0.556, 0.556, 0.556), 1),
        ):
            bed = ball.on(setup, c, 0.0)
            assert bed.march(still(1), 1e-6) is None
            assert bed.counts()["wall_contacts"] == count
            assert 0.0 < overlap(bed) < 0.1 * ball.r
