"""Mesh files that collide."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.spatial import ConvexHull

import gori
from gori.errors import MissingPackageError, SpecError
from gori.model.contact.hulls import mesh_pieces
from gori.spec import Mesh

trimesh = pytest.importorskip("trimesh")


def written(tmp_path, mesh, name="part.stl", **fields):
    file = tmp_path / name
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


def prism(outline, depth):
    """A closed mesh: a polygon in x and z, all of which is seen from its first corner, extended along y."""
    n, flat = len(outline), np.array(outline, float)
    fan = [(0, k, k + 1) for k in range(1, n - 1)]
    ends = [np.column_stack([flat[:, 0], np.full(n, y), flat[:, 1]]) for y in (-0.5 * depth, 0.5 * depth)]
    faces = [*fan, *((n + c, n + b, n + a) for a, b, c in fan)]
    for k in range(n):
        j = (k + 1) % n
        faces += [(k, n + j, j), (k, n + k, n + j)]
    return trimesh.Trimesh(np.vstack(ends), faces, process=False)


L_SHAPE = prism([(0, 0), (0.3, 0), (0.3, 0.1), (0.1, 0.1), (0.1, 0.4), (0, 0.4)], 0.1)


def volume(pieces):
    return sum(ConvexHull(piece.vertices).volume for piece in pieces)


@pytest.mark.parametrize("file", ["part.stl", "part.obj"])
@pytest.mark.parametrize("inside_out", [False, True])
def test_an_angle_is_two_boxes(tmp_path, file, inside_out):
    """By CoACD itself, from files with common vertices and without, inside out or not."""
    pytest.importorskip("coacd", reason="pip install 'gori[contact]'")
    mesh = L_SHAPE.copy()
    if inside_out:
        mesh.invert()
    pieces = mesh_pieces("a.b", written(tmp_path, mesh, file, pieces=True))
    again = mesh_pieces("a.b", written(tmp_path, mesh, file, pieces=True))
    assert len(pieces) == 2 and volume(pieces) == pytest.approx(0.006, rel=1e-3)
    assert all(np.array_equal(a.vertices, b.vertices) for a, b in zip(pieces, again))


def test_pieces_need_a_closed_mesh(tmp_path):
    pytest.importorskip("coacd", reason="pip install 'gori[contact]'")
    box = trimesh.creation.box((1, 1, 1))
    box.update_faces(np.arange(12) > 0)
    with pytest.raises(SpecError, match=r"arm\.tip: mesh .*part\.stl' is not closed: of its 18 edges 3 belong to one"):
        mesh_pieces("arm.tip", written(tmp_path, box, pieces=True))
    fin = trimesh.creation.box((1, 1, 1))  # three triangles at one edge
    corner = len(fin.vertices)
    fin = trimesh.Trimesh(
        np.vstack([fin.vertices, [[2, 2, 2]]]), np.vstack([fin.faces, [[*fin.faces[0][:2], corner]]]), process=False
    )
    with pytest.raises(SpecError, match=r"arm\.tip: mesh .*is not closed: .* 1 to three or more"):
        mesh_pieces("arm.tip", written(tmp_path, fin, pieces=True))
    mixed = trimesh.creation.box((1, 1, 1))
    mixed.faces[0] = mixed.faces[0][::-1]
    with pytest.raises(SpecError, match=r"arm\.tip: mesh .*inside out beside others"):
        mesh_pieces("arm.tip", written(tmp_path, mixed, pieces=True))


def on_the_ground(mesh, name, shape, q):
    """A mesh in pieces that does not move, and a free body."""
    colliding = {"material": "steel", "collide": True}
    return gori.Spec(
        materials={"steel": {"rigid": True}},
        contacts={"steel/steel": {"friction": 0.3, "restitution": 0.0}},
        bodies={
            "ground": {"shapes": {"part": {"type": "mesh", "file": str(mesh), "pieces": True} | colliding}},
            name: {"shapes": {"solid": shape | {"density": 1000.0} | colliding}},
        },
        joints={"free": {"type": "free", "parent": "ground", "child": name, "q": q}},
    )


def test_a_ball_falls_through_a_ring(tmp_path):
    """One that fits; one that does not stays on it, and on the hull any would."""
    pytest.importorskip("coacd", reason="pip install 'gori[contact]'")
    file = tmp_path / "ring.stl"
    ring = trimesh.creation.torus(major_radius=0.3, minor_radius=0.1, major_sections=24, minor_sections=12)
    ring.export(file)
    for radius, falls in ((0.1, True), (0.25, False)):
        spec = on_the_ground(file, "ball", {"type": "sphere", "radius": radius}, [1, 0, 0, 0, 0, 0, 0.5])
        simulation = gori.Simulation(gori.compile(spec), gori.TimeStepping(step=5e-3))
        simulation.run(0.6, sample=0.1, progress=False)
        assert (simulation.q[6] < -0.5) if falls else (0.05 < simulation.q[6] < 0.4)


def test_a_rod_hangs_in_a_hook(tmp_path):
    """A U-shaped hook of three solids that reach into each other holds a rod across it, at the height of its floor."""
    pytest.importorskip("coacd", reason="pip install 'gori[contact]'")
    file = tmp_path / "hook.stl"
    left, floor, right = (trimesh.creation.box(size) for size in ((0.1, 0.1, 0.3), (0.24, 0.08, 0.1), (0.1, 0.1, 0.3)))
    left.apply_translation([-0.15, 0, 0.05]), floor.apply_translation([0, 0, -0.05])
    right.apply_translation([0.15, 0, 0.05])
    trimesh.util.concatenate([left, floor, right]).export(file)
    rod = {"type": "capsule", "radius": 0.03, "length": 0.6, "axis": [0, 1, 0], "at": [0, -0.3, 0]}
    spec = on_the_ground(file, "rod", rod, [1, 0, 0, 0, 0.02, 0, 0.15])
    simulation = gori.Simulation(gori.compile(spec), gori.TimeStepping(step=5e-3))
    simulation.run(1.0, sample=0.1, progress=False)
    assert simulation.q[6] == pytest.approx(0.03, abs=5e-3) and abs(simulation.q[4]) < 0.07
    assert np.abs(simulation.v).max() < 1e-3
