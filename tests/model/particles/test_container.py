"""The inside of hollow shapes: distances, volumes, which way is up, and what is in the way."""

import numpy as np
import pytest

from gori.errors import InputError
from gori.model.particles.clearance import Obstacle
from gori.model.particles.container import container_of
from gori.spec import Region
from gori.spec.shape import Plane, Sphere
from tests.model.particles.test_packing import BALL, BOX, DRUM, HOPPER, PILL, inside, shape


@pytest.mark.parametrize("data", [BOX, DRUM, HOPPER, BALL, PILL], ids=lambda data: data["type"])
def test_volume_and_directions(data):
    container = inside(data)
    rng = np.random.default_rng(0)
    points = rng.uniform(container.low, container.high, (200_000, 3))
    share = (container.clearance(points) > 0.0).mean()
    assert share * np.prod(container.high - container.low) == pytest.approx(container.volume, rel=0.01)
    some = points[container.clearance(points) > 0.01][:50]
    for face, (distance, inwards) in container.walls(some).items():
        np.testing.assert_allclose(np.linalg.norm(inwards, axis=1), 1.0, atol=1e-12)
        moved = container.walls(some + 1e-6 * inwards)[face][0]
        np.testing.assert_allclose((moved - distance) / 1e-6, 1.0, atol=1e-6)


def test_it_stands_as_its_shape_does():
    tilted = shape(DRUM, at=[1, 2, 3], rpy_deg=[0, 90, 0])
    container = container_of(tilted, "the drum")
    middle = container.to_body(np.array([[0.0, 0.0, 0.2]]))
    np.testing.assert_allclose(middle, [[1.2, 2, 3]], atol=1e-15)  # the axis z now points along x
    assert container.up[0] == 0 and container.up[1] == -1  # and its own -x is up
    box = container_of(Region(size=(1, 2, 3), at=(0, 0, 5)), "a box", down=(0, 9.81, 0))
    assert box.up == (1, -1) and box.volume == 6.0
    assert container_of(Region(size=(1, 2, 3)), "a box", down=(0, 0, 0)).up == (2, 1)


def test_the_largest_sphere_inside():
    assert inside(BOX).widest() == pytest.approx(0.1) and inside(BALL).widest() == pytest.approx(0.2)
    assert inside(DRUM).widest() == pytest.approx(0.2) and inside(PILL).widest() == pytest.approx(0.15)
    # a frustum of slope 1/2: its sphere touches the side and the top
    slope = np.hypot(1.0, 0.5)
    assert inside(HOPPER).widest() == pytest.approx(0.3 / (slope + 0.5), rel=0.01)


def test_an_open_face_counts_no_more_without_the_lid():
    container, above = inside(BOX, open=["z+"]), np.array([[0.0, 0.0, 0.5]])
    assert container.lid == "z+" and inside(BOX).lid == ""
    assert container.clearance(above)[0] == pytest.approx(-0.4)
    assert container.clearance(above, lid=False)[0] == pytest.approx(0.15)
    assert container.free(above, 0.1, lid=False)[0] and not container.free(above, 0.2, lid=False)[0]
    sideways = inside(BOX, open=["x+"])
    assert sideways.lid == "" and sideways.up == (2, 1)  # an open face at the side is no lid


def test_shapes_in_the_way_are_kept_clear_of():
    """In the frame of the body, while points are in that of the container."""
    tilted = container_of(shape(BOX, at=[1, 0, 0], rpy_deg=[0, 0, 90]), "the bin")
    ball = Obstacle(Sphere(type="sphere", radius=0.05), np.eye(3), np.array([1.0, 0.1, 0.0]))
    filled = tilted._replace(others=(ball,))
    there, elsewhere = np.array([[0.1, 0.0, 0.0]]), np.array([[-0.1, 0.0, 0.0]])
    np.testing.assert_allclose(filled.to_body(there), [[1.0, 0.1, 0.0]], atol=1e-15)
    assert tilted.free(there, 0.01)[0] and not filled.free(there, 0.01)[0] and filled.free(elsewhere, 0.01)[0]


def test_a_plane_has_no_inside():
    with pytest.raises(InputError, match="floor cannot be filled"):
        container_of(Plane(type="plane", normal=(0, 0, 1)), "floor")
