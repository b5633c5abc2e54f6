"""Mesh files that collide."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from gori.errors import MissingPackageError, SpecError
from gori.model.contact.hulls import mesh_pieces
from gori.spec import Mesh

trimesh = pytest.importorskip("trimesh")


def written(tmp_path, mesh, **fields):
    file = tmp_path / "part.stl"
    mesh.export(file)
    return Mesh(type="mesh", file=str(file), material="steel", collide=True, **fields)


def test_the_hull_of_a_mesh(tmp_path):
    box = trimesh.creation.box((1.0, 2.0, 3.0))
    box.apply_translation([5.0, 0.0, 0.0])
    (piece,) = mesh_pieces("a.b", written(tmp_path, box, scale=[2.0, 1.0, 1.0]))
    assert np.allclose(piece.p, [10, 0, 0], atol=1e-6) and np.allclose(piece.half, [1, 1, 1.5], atol=1e-6)


def test_inside_out_and_open_meshes_are_fine_as_hulls(tmp_path):
    box = trimesh.creation.box((1.0, 2.0, 3.0))
    box.invert()
    box.update_faces(np.arange(12) > 1)
    (piece,) = mesh_pieces("a.b", written(tmp_path, box))
    assert len(piece.vertices) == 8


def test_degenerate_files(tmp_path):
    flat = trimesh.Trimesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], [[0, 1, 2], [1, 3, 2]], process=False)
    with pytest.raises(SpecError, match=r"arm\.tip: mesh .*part\.stl' is flat"):
        mesh_pieces("arm.tip", written(tmp_path, flat))
    with pytest.raises(SpecError, match=r"arm\.tip: mesh 'none\.stl' cannot be read"):
        mesh_pieces("arm.tip", Mesh(type="mesh", file="none.stl", material="steel", collide=True))


def test_pieces_need_coacd(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "coacd", None)
    shape = written(tmp_path, trimesh.creation.box((1, 1, 1)), pieces=True)
    with pytest.raises(MissingPackageError, match=r"pip install 'gori\[contact\]'"):
        mesh_pieces("a.b", shape)


def test_pieces_of_a_decomposition(tmp_path, monkeypatch):
    """A stand-in for coacd that cuts at x = 0 shows what it is given, and what becomes of its answer."""
    seen = {}

    def run(mesh, threshold, seed):
        seen.update(mesh=mesh, seed=seed)
        corners = np.array([(x, y, z) for x in (0.0, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
        return [[corners, None], [-corners, None]]

    fake = SimpleNamespace(Mesh=lambda v, f: (v, f), run_coacd=run, set_log_level=lambda level: None)
    monkeypatch.setitem(sys.modules, "coacd", fake)
    box = trimesh.creation.box((1, 1, 1))
    box.invert()
    left, right = mesh_pieces("a.b", written(tmp_path, box, pieces=True))
    assert np.allclose(left.p, [0.25, 0, 0]) and np.allclose(right.p, [-0.25, 0, 0])
    vertices, faces = seen["mesh"]
    assert trimesh.Trimesh(vertices, faces).volume > 0 and seen["seed"] == 0
