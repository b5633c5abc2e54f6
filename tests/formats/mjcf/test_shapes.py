"""Geoms as shapes: they are where MuJoCo has them."""

import mujoco
import numpy as np
import pytest

import gori
from bench.mujoco_agrees import compiled
from gori.door import triangles
from gori.errors import FormatWarning
from gori.formats.mjcf.compiled import compile_model
from gori.formats.mjcf.shapes import geom_colour, is_visual, mesh_frames, shapes
from gori.formats.mjcf.source import MjcfSource

trimesh = pytest.importorskip("trimesh")

SOLIDS = """<worldbody><body name='a' pos='1 0 0' euler='0 0 30'><joint/>
  <geom name='s' type='sphere' size='.1' pos='.1 .2 .3'/>
  <geom name='b' type='box' size='.1 .2 .3' pos='.1 0 0' euler='10 20 30'/>
  <geom name='e' type='ellipsoid' size='.1 .2 .3' euler='10 20 30'/>
  <geom name='c' type='capsule' fromto='.1 .2 .3 .4 .1 0' size='.05'/>
  <geom name='y' type='cylinder' size='.1 .2' pos='.1 .2 .3' euler='40 50 60'/></body></worldbody>"""


def test_volumes_are_where_mujoco_has_them(mjcf):
    """As solids of density 1000 the shapes have the inertia of the body, which MuJoCo takes from its geoms."""
    path = mjcf(SOLIDS)
    spec = gori.load(path)
    made = {name: shape.model_dump(exclude_unset=True) for name, shape in spec.bodies["a"].shapes.items()}
    assert list(made) == ["s", "b", "e", "c", "y"]
    heavy = gori.spec.Body(shapes={name: shape | {"density": 1000.0} for name, shape in made.items()})
    for ours, theirs in zip(heavy.inertial(), spec.bodies["a"].inertial(), strict=True):
        assert np.allclose(ours, theirs, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(
    ("scale", "frame"),
    [
        ("1 1 1", ""),
        ("2 .5 -3", "refpos='.1 .2 .3'"),
        ("2 2 2", "refpos='.1 .2 .3' refquat='1 .2 .3 .1'"),
    ],
)
@pytest.mark.parametrize("suffix", ["stl", "msh"])
def test_meshes_are_where_mujoco_has_them(mjcf, tmp_path, scale, frame, suffix):
    solid = trimesh.creation.box((0.1, 0.2, 0.3)).subdivide()
    solid.vertices += 0.02 * np.random.default_rng(0).normal(size=solid.vertices.shape) + (1.0, 2.0, 3.0)
    (tmp_path / "meshes").mkdir()
    if suffix == "stl":
        solid.export(tmp_path / "meshes" / "part.stl")
    else:
        counts = np.array([len(solid.vertices), 0, 0, len(solid.faces)], "<i4").tobytes()
        numbers = np.array(solid.vertices, "<f4").tobytes() + np.array(solid.faces, "<i4").tobytes()
        (tmp_path / "meshes" / "part.msh").write_bytes(counts + numbers)
    mesh = f"<mesh name='m' file='part.{suffix}' scale='{scale}' {frame}/>"
    path = mjcf(f"""<compiler meshdir='meshes'/><asset>{mesh}</asset>
      <worldbody><body name='a' pos='.1 0 0'><joint/><geom name='g' type='mesh' mesh='m' pos='.1 .2 .3' euler='9 8 7'/>
      </body></worldbody>""")
    shape = gori.load(path).bodies["a"].shapes["g"]
    R, p = shape.pose()
    ours = (triangles(shape.file, "mesh").vertices * shape.scale) @ R.T + p
    m = compiled(path)
    theirs = np.zeros((m.nmeshvert, 3))
    for k in range(m.nmeshvert):
        mujoco.mju_rotVecQuat(theirs[k], m.mesh_vert[k].astype(float), m.geom_quat[0])
    theirs += m.geom_pos[0]
    gaps = np.linalg.norm(ours[:, None] - theirs[None], axis=2)
    assert gaps.min(axis=1).max() < 1e-5 and gaps.min(axis=0).max() < 1e-5  # MuJoCo keeps vertices in single precision


def test_a_mesh_that_becomes_oblique_is_listed(mjcf, tmp_path):
    trimesh.creation.box((0.1, 0.2, 0.3)).export(tmp_path / "part.stl")
    path = mjcf("""<asset><mesh name='m' file='part.stl' scale='1 2 3' refquat='1 .2 .3 .1'/></asset>
      <worldbody><geom name='g' type='mesh' mesh='m'/></worldbody>""")
    with pytest.warns(FormatWarning, match="scaled unevenly: g"):
        gori.load(path)
    assert list(mesh_frames(compile_model(path)[1])) == [0]


def test_planes_face_their_z(mjcf):
    path = mjcf("<worldbody><geom name='p' type='plane' size='1 1 1' pos='0 0 1' euler='90 0 0'/></worldbody>")
    plane = gori.load(path).bodies["ground"].shapes["p"]
    R, p = plane.pose()
    assert np.allclose(R @ plane.normal, (0.0, -1.0, 0.0)) and np.allclose(p, (0.0, 0.0, 1.0))


def test_what_no_shape_is_like_is_listed(mjcf):
    path = mjcf("""<asset><hfield name='h' nrow='2' ncol='2' size='1 1 1 1'/>
        <mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset>
      <worldbody><geom name='hills' type='hfield' hfield='h' euler='0 0 9'/>
      <geom name='corner' type='mesh' mesh='m'/></worldbody>""")
    with pytest.warns(FormatWarning) as caught:
        gori.load(path)
    text = str(caught[0].message)
    assert "height field: hills" in text and "mesh without a file, or in one that Gori does not read: corner" in text


VISUALS = """<asset><material name='m' rgba='1 0 0 .5'/></asset><worldbody>
  <body name='a'><joint/><geom name='hull' size='.1' group='3'/>
    <geom name='skin' size='.1' contype='0' conaffinity='0' material='m'/></body>
  <body name='b'><joint/><geom name='head' size='.1' rgba='0 .2 1 1'/>
    <geom name='eye' size='.1' contype='0' conaffinity='0'/></body></worldbody>"""


def test_visual_shapes_and_colours(mjcf):
    """MuJoCo draws the head, and not the hull."""
    path = mjcf(VISUALS)
    spec = gori.load(path)
    shapes = {name: shape for body in spec.bodies.values() for name, shape in body.shapes.items()}
    assert [name for name, shape in shapes.items() if shape.visual] == ["skin"]
    assert {name: shape.colour for name, shape in shapes.items()} == {
        "hull": None, "skin": "#ff000080", "head": "#0033ff", "eye": None}  # fmt: skip
    assert [geom_colour(compiled(path), k) for k in (0, 1)] == [None, "#ff000080"]
    assert list(gori.load(path, collide="rubber").bodies["b"].drawn) == ["head", "eye"]


def test_visual_geoms(mjcf):
    path = mjcf("<worldbody><geom size='1'/><geom size='1' contype='0' conaffinity='0'/></worldbody>")
    m = compiled(path)
    assert [is_visual(m, k) for k in range(2)] == [False, True]
    assert list(shapes(MjcfSource(m, path))) == ["ground"]
