"""Pictures of grains: what is in front is seen, where it is, in its colour."""

import time

import matplotlib

matplotlib.use("Agg")
import numpy as np
import pytest
from matplotlib.animation import FFMpegWriter
from PIL import Image

from gori.errors import FileError, InputError, MissingPackageError
from gori.record import FrameFile, Frames, ParticleFrame
from gori.spec import Body, Joint, Spec
from gori.view.paint import camera_of, hidden, paint
from gori.view.particle_stage import ParticleStage
from gori.view.particles import animate, picture
from gori.view.walls import mesh_lines, placed, wall_lines

RED, GREEN, BLUE = np.eye(3)
BOX = (np.array([-1.0, -1.0, -1.0]), np.array([1.0, 1.0, 1.0]))


def tray() -> Spec:
    shapes = {"bin": {"type": "box", "size": (2.0, 1.0, 0.5), "at": (0.0, 0.0, 0.25)}}
    body = Body(mass=1.0, inertia=(1, 1, 1), shapes=shapes)
    return Spec(bodies={"tray": body}, joints={"shaker": Joint(type="prismatic", parent="ground", child="tray")})


@pytest.fixture(scope="module")
def film(tmp_path_factory):
    """Four frames of grains that move along x with their tray."""
    path, rng = tmp_path_factory.mktemp("film") / "f.h5", np.random.default_rng(1)
    with FrameFile(path, ("tray",), ("grain", "steel"), tray()) as file:
        for k in range(4):
            place = np.column_stack(
                [rng.uniform(-0.9, 0.9, (200, 1)) + k, rng.uniform(-0.4, 0.4, (200, 2)), np.full(200, 0.05)]
            )
            motion = np.zeros((200, 8))
            motion[:, 0], motion[:, 3], motion[:, 7] = k, 1.0, np.arange(200) % 2
            T = np.eye(4)
            T[0, 3] = k
            file.append(0.1 * k, np.arange(200), place, motion, [T])
    return Frames(path)


def test_shapes_of_the_ground_are_walls():
    spec = Spec(
        bodies={"ground": Body(shapes={"drum": {"type": "cylinder", "radius": 1.0, "length": 3.0, "hollow": True}})}
    )
    corners = np.concatenate(placed(wall_lines(spec, ("tray",)), {}))
    assert np.allclose(corners.min(axis=0), (0.0, -1.0, -1.0)) and np.allclose(corners.max(axis=0), (3.0, 1.0, 1.0))


def column_and_row(camera, point):
    x, y, _ = camera.see(np.array([point]))[0]
    return int((x - camera.low[0]) * camera.scale), int((camera.high[1] - y) * camera.scale)


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


def test_walls_move_with_their_body(film):
    lines = wall_lines(film.spec)
    assert len(lines) == 12
    corners = np.concatenate(placed(lines, film[3].poses))
    assert np.allclose(corners.min(axis=0), (2.0, -0.5, 0.0)) and np.allclose(corners.max(axis=0), (4.0, 0.5, 0.5))


def test_lines_of_a_mesh(tmp_path):
    """A cube of triangles: its twelve edges, not the diagonals; without a face: still, as border and crease."""
    trimesh = pytest.importorskip("trimesh")
    cube = trimesh.creation.box((1, 1, 1))
    assert len(mesh_lines(cube.vertices, cube.faces)) == 12
    flat = np.abs(cube.face_normals[:, 2] - 1.0) > 0.5
    assert len(mesh_lines(cube.vertices, cube.faces[flat])) == 12
    cube.export(tmp_path / "cube.stl")
    shape = {"type": "mesh", "file": str(tmp_path / "cube.stl"), "scale": (1, 2, 3), "at": (5, 0, 0)}
    body = Body(mass=1.0, inertia=(1, 1, 1), shapes={"hull": shape})
    spec = Spec(bodies={"a": body}, joints={"j": Joint(type="prismatic", parent="ground", child="a")})
    corners = np.concatenate([line for _, line in wall_lines(spec)])
    assert np.allclose(corners.min(axis=0), (4.5, -1.0, -1.5)) and np.allclose(corners.max(axis=0), (5.5, 1.0, 1.5))


def test_cut_and_colours(film, tmp_path):
    """Of grains left of the cut nothing is painted; the scale of colours has the speed's limits."""
    stage = ParticleStage(film[3], None, "speed", (-90, 90), ((3, 0, 0), (-1, 0, 0)), (0.0, 5.0), None, 4.0)
    stage.show(film[3])
    opacity = np.asarray(stage._image.get_array())[..., 3]
    j, _ = column_and_row(stage.camera, (3.0 - 0.06, 0, 0))
    assert opacity[:, :j].max() == 0 and opacity[:, j:].any()
    assert stage.limits == (0.0, 5.0) and "0.300 s" in stage._time.get_text()
    for colour in ("id", "radius", "material"):
        figure = picture(film, tmp_path / f"{colour}.png", colour=colour)
        assert Image.open(tmp_path / f"{colour}.png").size[0] > 600
        assert len(figure.axes[0].lines[1].get_xdata()) > 0  # the walls of the file


def test_film(film, tmp_path):
    path = animate(film, tmp_path / "a.gif", size=2.0, every=2, progress=False)
    with Image.open(path) as gif:
        assert gif.n_frames == 2
    text = animate(film[:2], tmp_path / "a.html", size=2.0).read_text()
    assert "frames" in text
    if FFMpegWriter.isAvailable():
        assert animate(film, tmp_path / "a.mp4", size=2.0).stat().st_size > 1000
    else:
        with pytest.raises(MissingPackageError, match="ffmpeg"):
            animate(film, tmp_path / "a.mp4")


def test_limits_hold_the_whole_film(film):
    stage = ParticleStage(film, None, "speed", (-90, 90), None, None, None, 4.0)
    assert stage.camera.low[0] < -1.0 and stage.camera.high[0] > 4.0 and stage.limits == (0.0, 3.0)


def test_bad_input(film, tmp_path):
    for words, options in (
        ("colour must be", {"colour": "taste"}),
        ("cut must be a point and a normal", {"cut": 3}),
        ("box must be two corners", {"box": ((0, 0, 0), (1, 0, 1))}),
    ):
        with pytest.raises(InputError, match=words):
            picture(film, **options)
    with pytest.raises(FileError, match="cannot be written"):
        picture(film, tmp_path / "a.picture")
    with pytest.raises(InputError, match=r"\.gif, \.mp4 or \.html"):
        animate(film, tmp_path / "a.avi")
    with pytest.raises(InputError, match="contains no frames"):
        animate(film[:0], tmp_path / "a.gif")
    with pytest.raises(InputError, match="nothing to draw"):
        picture(ParticleFrame.of(np.zeros((0, 4))))


def test_many_grains_are_quick(tmp_path):
    """53,000 grains in a few seconds of one processor."""
    rng = np.random.default_rng(0)
    place = np.column_stack([rng.uniform(0, 1, (53_000, 3)), np.full(53_000, 0.012)])
    picture(ParticleFrame.of(place[:10]), tmp_path / "a.png")  # compiled, imported
    began = time.process_time()
    picture(ParticleFrame.of(place), tmp_path / "a.png")
    assert time.process_time() - began < 3.0
