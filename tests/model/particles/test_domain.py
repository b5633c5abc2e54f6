"""The domain of grains where a Spec gives none: around what is there at the start."""

import numpy as np
import pytest

from gori.model.particles.domain import ENDLESS
from validation.particles_scenes import FLOOR, UP, filled, scene, simulation, tube

R = 0.01
ONE = [[0.0, 0.0, 0.5, R]]
LOAD = {"material": "grain", "positions": ONE}
BOX = {"type": "box", "size": [0.4, 0.6, 1.0], "hollow": True, "material": "wall"}


def corners(positions=ONE, shapes=None, **parts):
    domain = simulation(scene(positions, shapes, **parts), 1e-3).particles.domain
    return domain.low, domain.high


def grown(low, high):
    """The corners of a box that is wider by twice its diagonal, or by a hundred radii."""
    low, high = np.array(low, float), np.array(high, float)
    wider = max(2.0 * np.linalg.norm(high - low), 100.0 * R)
    return low - wider, high + wider


SHAPES = {
    "nothing": ({}, [-R, -R, 0.5 - R], [R, R, 0.5 + R]),
    "box": (BOX | {"at": [0, 0, 0.5]}, [-0.2, -0.3, 0.0], [0.2, 0.3, 1.0]),
    "turned box": (BOX | {"at": [0, 0, 0.5], "rpy_deg": [90, 0, 0]}, [-0.2, -0.5, 0.2], [0.2, 0.5, 0.8]),
    "tube": (tube(0.3, 2.0), [-0.3, -0.3, 0.0], [0.3, 0.3, 2.0]),
    "cone": (tube(0.3, 2.0) | {"type": "cone", "top_radius": 0.5}, [-0.5, -0.5, 0.0], [0.5, 0.5, 2.0]),
    "lying": (tube(0.3, 2.0, 0.5) | {"axis": [1, 0, 0]}, [0.0 - R, -0.3, 0.2], [2.0, 0.3, 0.8]),
    "sphere": ({"type": "sphere", "radius": 0.7, "material": "wall"}, [-0.7] * 3, [0.7] * 3),
    "capsule": ({"type": "capsule", "radius": 0.3, "length": 1.0, "material": "wall"} | UP,
                [-0.3, -0.3, -0.3], [0.3, 0.3, 1.3]),
}  # fmt: skip


@pytest.mark.parametrize("name", SHAPES)
def test_around_walls(name):
    shape, low, high = SHAPES[name]
    found = corners(shapes={"wall": shape} if shape else None)
    np.testing.assert_allclose(found, grown(low, high), atol=1e-12)


def test_a_floor_has_no_end():
    """Grains that roll away on it are not lost; it is reached from any height."""
    low, high = corners([[0.0, 0.0, 50.0, R]], FLOOR)
    np.testing.assert_array_equal([low[:2], high[:2]], [[-ENDLESS] * 2, [ENDLESS] * 2])
    _, (_, _, top) = grown([-R, -R, 0.0], [R, R, 50.0 + R])
    assert high[2] == pytest.approx(top) and low[2] < -99.0
    slope = {"floor": {"type": "plane", "normal": [0.1, 0.0, 1.0], "material": "wall"}}
    low, high = corners(shapes=slope)
    assert low.tolist()[::2] == [-ENDLESS, -ENDLESS] and high.tolist() == [ENDLESS] * 3


def test_a_wall_that_is_a_plane_ends_nothing():
    """Grains can fall along it for ever, and so they can without gravity."""
    side = {"side": {"type": "plane", "at": [-1, 0, 0], "normal": [1, 0, 0], "material": "wall"}}
    np.testing.assert_allclose(corners(shapes=side), grown([-1.0, -R, 0.5 - R], [R, R, 0.5 + R]))
    found = corners(shapes=FLOOR, gravity=(0.0, 0.0, 0.0))
    np.testing.assert_allclose(found, grown([-R, -R, 0.0], [R, R, 0.5 + R]))


def test_around_inlets_and_outlets():
    inlet = {"material": "grain", "radius": R, "box": {"at": [0, 0, 3], "size": [0.2, 0.4, 0.6]}, "rate": 1.0}
    outlet = {"box": {"at": [5, 0, 0], "size": [1, 1, 1]}}
    found = corners(None, inlets={"load": inlet}, outlets={"hole": outlet})
    np.testing.assert_allclose(found, grown([-0.1, -0.5, -0.5], [5.5, 0.5, 3.3]))
    low, high = corners(outlets={"drain": {"below": -20.0}})
    assert low.tolist()[:2] == [-ENDLESS, -ENDLESS] and low[2] < -60.0 and high[0] == ENDLESS


def on_a_slide(axis, **ground):
    """Grains in a tray that is 10 m away at the start."""
    tray = {"mass": 1.0, "inertia": [1, 1, 1], "shapes": {"bin": BOX}}
    slide = {"type": "prismatic", "parent": "ground", "child": "tray", "axis": axis, "q": 10.0}
    bodies = {"tray": tray, "ground": {"shapes": ground}}
    spec = scene(None, bodies=bodies, joints={"slide": slide}, particles=filled("tray.bin", 20, R))
    return simulation(spec, 1e-3).particles


def test_it_goes_with_the_body_that_holds_the_grains():
    """The frame of a slide along x has z along it, and x down."""
    for bin_on_ground, far in (({}, -0.2), ({"bin": BOX}, -10.2)):
        domain = on_a_slide([1, 0, 0], **bin_on_ground).domain
        low, high = grown([far, -0.3, -0.5], [0.2, 0.3, 0.5])
        turned = [-high[2], low[1], low[0]], [-low[2], high[1], high[0]]
        np.testing.assert_allclose((domain.low, domain.high), turned)


def test_the_side_is_told_as_the_body_sees_it():
    particles = on_a_slide([1, 0, 0])
    at = 0.5 + 2.0 * np.linalg.norm(BOX["size"])
    sides = {
        (10.0, 0.0, -9.0): f"z-, at z = {-at:.4g} m",
        (10.0, 0.1, 9.0): f"z+, at z = {at:.4g} m",
        (7.0, 0.0, 0.0): f"x-, at x = {0.3 - at:.4g} m",
        (10.0, 9.0, 0.0): f"y+, at y = {at - 0.2:.4g} m",
    }
    for point, words in sides.items():
        told = particles.domain.left_by(np.array(point), particles.poses())
        assert told == f" through its side {words} of 'tray',"
    particles = on_a_slide([1, 0, 2])  # askew
    down = particles.pose_of("tray")[1] - [0.0, 0.0, 9.0]
    assert particles.domain.left_by(down, particles.poses()) == " through its side z- of 'tray',"


def test_what_the_spec_tells_counts():
    inlet = {"material": "grain", "radius": R, "box": {"size": [1, 1, 1]}, "rate": 1.0}
    box = {"at": [0, 0, 1], "size": [2, 2, 2]}
    for parts in ({"particles": {"load": LOAD | {"domain": box}}}, {"inlets": {"load": inlet | {"domain": box}}}):
        np.testing.assert_allclose(corners(None, **parts), [[-1, -1, 0], [1, 1, 2]])
    low, high = corners(None, inlets={"load": inlet | {"domain": "none"}})
    assert low.tolist() == [-ENDLESS] * 3 and high.tolist() == [ENDLESS] * 3
