import numpy as np
import pytest

from gori.web.meshes import GREY, part_colours, read_triangles, simplified

trimesh = pytest.importorskip("trimesh")


def volume(vertices, triangles):
    return np.einsum("ni,ni->", vertices[triangles[:, 0]], np.cross(*vertices[triangles[:, 1:]].swapaxes(0, 1))) / 6.0


def test_each_part_is_in_its_place_and_its_colour(tmp_path):
    scene, mirror = trimesh.Scene(), np.diag([1.0, -1.0, 1.0, 1.0])
    mirror[:3, 3] = 0.0, 0.0, 10.0
    red, grey = trimesh.creation.box((1.0, 1.0, 1.0)), trimesh.creation.box((1.0, 1.0, 2.0))
    red.visual = trimesh.visual.TextureVisuals(
        material=trimesh.visual.material.PBRMaterial(baseColorFactor=[255, 0, 0, 255])
    )
    scene.add_geometry(red, "red")
    scene.add_geometry(grey, "grey", transform=mirror)
    scene.export(tmp_path / "two.glb")
    found = read_triangles(str(tmp_path / "two.glb"))
    assert volume(found.vertices, found.triangles) == pytest.approx(3.0)  # the mirrored one looks outwards, too
    low, high = found.vertices[:, 2] < 5.0, found.vertices[:, 2] > 5.0
    assert (found.colours[low] == [255, 0, 0]).all() and (found.colours[high] == GREY).all()
    assert high.any() and found.vertices[high, 2].max() == pytest.approx(11.0)


def test_a_texture_colours_its_vertices():
    from PIL import Image

    image = Image.fromarray(np.array([[[255, 0, 0], [0, 0, 255]]], np.uint8))
    sheet = trimesh.Trimesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]], process=False)
    sheet.visual = trimesh.visual.TextureVisuals(
        uv=[[0.1, 0.5], [0.9, 0.5], [0.1, 0.5]], material=trimesh.visual.material.SimpleMaterial(image=image)
    )
    assert part_colours(sheet).tolist() == [[255, 0, 0], [0, 0, 255], [255, 0, 0]]
    assert part_colours(trimesh.creation.box()) is None


def test_a_file_without_triangles_is_refused(tmp_path):
    trimesh.points.PointCloud(np.eye(3)).export(tmp_path / "points.ply")
    with pytest.raises(ValueError, match="no triangles"):
        read_triangles(str(tmp_path / "points.ply"))


def test_a_fine_mesh_is_simplified_and_keeps_its_form(tmp_path):
    ball = trimesh.creation.icosphere(6)  # 81920 triangles
    ball.visual.vertex_colors = np.tile([10, 200, 30, 255], (len(ball.vertices), 1))
    ball.export(tmp_path / "ball.ply")
    fine = read_triangles(str(tmp_path / "ball.ply"))
    coarse = simplified(fine, 5000)
    assert 2500 < len(coarse.triangles) <= 5000 and (coarse.colours == [10, 200, 30]).all()
    assert len(coarse.colours) == len(coarse.vertices) and coarse.triangles.max() < len(coarse.vertices)
    assert volume(*coarse[:2]) == pytest.approx(volume(*fine[:2]), rel=0.02)
    assert np.linalg.norm(coarse.vertices, axis=1) == pytest.approx(1.0, abs=0.02)
    assert simplified(coarse, 5000) is coarse
    assert len(read_triangles(str(tmp_path / "ball.ply"), 300).triangles) <= 300


def test_a_file_that_has_changed_is_read_again(tmp_path):
    path = str(tmp_path / "part.stl")
    trimesh.creation.box((1.0, 1.0, 1.0)).export(path)
    first = read_triangles(path)
    assert read_triangles(path) is first
    trimesh.creation.icosphere(2).export(path)
    assert len(read_triangles(path).triangles) == 320


def test_meshes_of_mujoco_are_drawn(tmp_path):
    head, points = np.array([4, 0, 0, 0], "<i4"), np.array([[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3]], "<f4")
    (tmp_path / "a.msh").write_bytes(head.tobytes() + points.tobytes())
    found = read_triangles(str(tmp_path / "a.msh"))
    assert volume(found.vertices, found.triangles) == pytest.approx(1.0) and found.colours is None
