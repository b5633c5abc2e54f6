"""Spheres in pictures: what is in front is seen, where it is, in its colour."""

import numpy as np
import pytest

from gori.view.paint import camera_of, hidden, paint
from tests.view.grains import column_and_row

RED, GREEN, BLUE = np.eye(3)
BOX = (np.array([-1.0, -1.0, -1.0]), np.array([1.0, 1.0, 1.0]))


@pytest.mark.parametrize(
    ("view", "front", "back"),
    [((0, 0), (0.5, 0, 0), (-0.5, 0, 0)), ((90, 0), (0, 0.5, 0), (0, -0.5, 0)), ((-90, 90), (0, 0, 0.5), (0, 0, -0.5))],
)
def test_the_nearer_grain_is_seen(view, front, back):
    camera = camera_of(view, *BOX, 200)
    place = np.array([[*front, 0.2], [*back, 0.2]])
    for order in ([0, 1], [1, 0]):
        image, depth = paint(camera, place[order], np.array([RED, BLUE])[order])
        j, i = column_and_row(camera, (0, 0, 0))
        assert image[i, j, 0] > 3.0 * image[i, j, 2] and image[i, j, 3] == 1.0
        assert np.isclose(depth.max(), 0.7, atol=1e-3)
    covered = (image[..., 3]).sum() / camera.scale**2
    assert covered == pytest.approx(np.pi * 0.2**2, rel=0.01)
    points = camera.see(np.array([front, back]) * 1.5)
    assert hidden(camera, depth, points).tolist() == [False, True]


def test_from_above_x_is_to_the_right():
    camera = camera_of((-90, 90), *BOX, 300)
    place = np.array([[0.8, 0, 0, 0.1], [0, 0.8, 0, 0.1]])
    image, _ = paint(camera, place, np.array([RED, GREEN]))
    rows, columns, _ = image.shape
    right, top = image[rows // 2, int(0.89 * columns)], image[int(0.11 * rows), columns // 2]
    assert right[0] > 3 * right[1] and top[1] > 3 * top[0]


def test_grains_smaller_than_a_pixel_and_none():
    camera = camera_of((0, 0), *BOX, 50)
    image, _ = paint(camera, np.array([[0, 0, 0, 1e-5]]), RED[None])
    assert 0.0 < image[..., 3].max() <= 1.0
    image, depth = paint(camera, np.zeros((0, 4)), np.zeros((0, 3)))
    assert not image.any() and (depth == -np.inf).all()


def test_the_camera_holds_its_box():
    for view in ((0.0, 0.0), (-60.0, 30.0), (20.0, 90.0)):
        camera = camera_of(view, np.array([0.0, 0.0, 0.0]), np.array([3.0, 1.0, 2.0]), 400)
        axes = np.array([camera.right, camera.up, camera.towards])
        np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-15)
        assert np.linalg.det(axes) == pytest.approx(1.0)
        corners = camera.see(np.array(np.meshgrid([0, 3], [0, 1], [0, 2])).reshape(3, -1).T.astype(float))
        assert (corners[:, :2] > camera.low).all() and (corners[:, :2] < camera.high).all()
        assert max(camera.width, camera.height) == 400
        assert camera.scale == pytest.approx(camera.height / (camera.high[1] - camera.low[1]))
