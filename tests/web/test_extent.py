import numpy as np
import pytest

from gori.web.extent import camera_for, extent_of, shape_points

STILL = np.array([1.0, 0.0, 0.0, 0.0])


@pytest.mark.parametrize(
    ("shape", "low", "high"),
    [
        ({"type": "sphere", "radius": 2.0}, [-2, -2, -2], [2, 2, 2]),
        ({"type": "box", "size": [2.0, 4.0, 6.0]}, [-1, -2, -3], [1, 2, 3]),
        ({"type": "ellipsoid", "radii": [1.0, 2.0, 3.0]}, [-1, -2, -3], [1, 2, 3]),
        ({"type": "cone", "radius": 0.5, "top_radius": 1.0, "length": 3.0}, [-1, -1, 0], [1, 1, 3]),
        ({"type": "plane"}, [0, 0, 0], [0, 0, 0]),
        ({"type": "mesh", "vertices": "v"}, [0, 0, 0], [1, 2, 3]),
    ],
)
def test_boxes_of_shapes(shape, low, high):
    arrays = {"v": np.array([[0.0, 0, 0], [1, 2, 3], [0.5, 0.5, 0.5]])}
    points = shape_points({"at": [10.0, 0, 0], "quaternion": STILL, **shape}, arrays) - [10.0, 0, 0]
    np.testing.assert_allclose(points.min(axis=0), low)
    np.testing.assert_allclose(points.max(axis=0), high)


def test_bars_lie_along_their_quaternion():
    half = np.sqrt(0.5)
    bar = {"type": "cylinder", "radius": 0.1, "length": 2.0, "at": [0, 0, 0], "quaternion": [half, 0, half, 0]}
    points = shape_points(bar, {})  # z turned to x
    np.testing.assert_allclose(points.max(axis=0), [2.0, 0.1, 0.1], atol=1e-12)


def test_a_motion_in_a_plane_is_seen_across_it():
    poses = np.tile([0.0, 0, 0, 1, 0, 0, 0], (3, 2, 1))
    poses[:, 1, 0] = [0.0, 1.0, 2.0]
    poses[:, 1, 2] = [0.0, 0.5, 0.0]
    extent = extent_of([np.zeros((0, 3)), np.array([[-0.5, 0, 0], [0.5, 0, 0]])], poses)
    assert extent.plane == "xz" and extent.size == pytest.approx(3.0)
    np.testing.assert_allclose([extent.low, extent.high], [[-0.5, 0, 0], [2.5, 0, 0.5]])
    camera = camera_for(extent, None, np.zeros(3))
    np.testing.assert_allclose(camera["target"], [1.0, 0.0, 0.25])
    assert camera["distance"] > 3.0 and camera["view"] == "xz" and camera["follow"] is None


def test_what_travels_has_the_size_it_has_by_itself():
    poses = np.tile([0.0, 0, 0, 1, 0, 0, 0], (5, 1, 1))
    poses[:, 0, 0] = [0.0, 10, 20, 30, 40]
    extent = extent_of([np.array([[-1.0, 0, 0], [1, 1, 1]])], poses, 0)
    assert extent.size == pytest.approx(2.0) and extent.high[0] == pytest.approx(41.0)
    assert camera_for(extent, 0, np.array([5.0, 0, 0]))["target"][0] == 5.0
    assert extent_of([np.zeros((0, 3))], poses).size == 1.0
