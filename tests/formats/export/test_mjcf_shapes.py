"""Shapes in MJCF: there and back, and who touches whom."""

from xml.etree import ElementTree

import numpy as np
import pytest

import gori
from bench.mujoco_agrees import compiled
from gori.formats.export import write_mjcf
from gori.formats.export.mjcf_shapes import ShapeWriter
from gori.formats.left_out import LeftOut

POSE = {"at": [0.1, 0.2, 0.3], "rpy_deg": [10, 20, 30]}
SHAPES = {
    "ball": {"type": "sphere", "radius": 0.1, "colour": "#ff000080", **POSE},
    "box": {"type": "box", "size": [0.1, 0.2, 0.3], **POSE},
    "egg": {"type": "ellipsoid", "radii": [0.1, 0.2, 0.3], **POSE},
    "rod": {"type": "capsule", "radius": 0.1, "length": 0.4, "axis": [1, 2, 3], **POSE},
    "drum": {"type": "cylinder", "radius": 0.1, "length": 0.4, "axis": [1, 0, 3], **POSE},
}


def spec_of(shapes, **rest):
    bodies = {"a": {"mass": 1, "inertia": [1, 1, 1], "shapes": shapes}}
    joints = {"j": {"type": "free", "parent": "ground", "child": "a"}}
    return gori.Spec(bodies=bodies, joints=joints, **rest)


def heavy(shapes):
    given = {name: {**shape.model_dump(exclude_unset=True), "density": 1000.0} for name, shape in shapes.items()}
    return gori.spec.Body(shapes=given).inertial()


def test_shapes_there_and_back(tmp_path):
    spec = spec_of(SHAPES)
    write_mjcf(spec, tmp_path / "a.xml")
    back = gori.load(tmp_path / "a.xml")
    for name, shape in spec.bodies["a"].shapes.items():
        other = back.bodies["a"].shapes[name]
        for x, y in zip(heavy({name: shape}), heavy({name: other}), strict=True):
            assert np.allclose(x, y, rtol=1e-12, atol=1e-13), name
        assert other.colour == shape.colour


def test_meshes_there_and_back(tmp_path):
    trimesh = pytest.importorskip("trimesh")
    trimesh.creation.box((0.1, 0.2, 0.3)).apply_translation((1, 2, 3)).export(tmp_path / "part.stl")
    (tmp_path / "out").mkdir()
    mesh = {"type": "mesh", "file": str(tmp_path / "part.stl"), "scale": [1, 2, 3], **POSE}
    spec = spec_of({"m": mesh, "again": mesh})
    write_mjcf(spec, tmp_path / "out" / "a.xml")
    assert 'file="../part.stl"' in (tmp_path / "out" / "a.xml").read_text()
    back = gori.load(tmp_path / "out" / "a.xml", within=tmp_path)
    for x, y in zip(heavy(spec.bodies["a"].shapes), heavy(back.bodies["a"].shapes), strict=True):
        assert np.allclose(x, y, rtol=1e-5)  # MuJoCo keeps vertices in single precision


def test_visual_shapes_and_hidden_ones(tmp_path):
    shapes = {"hull": SHAPES["box"], "skin": {**SHAPES["ball"], "visual": True}}
    write_mjcf(spec_of(shapes), tmp_path / "a.xml")
    m = compiled(tmp_path / "a.xml")
    assert m.geom("hull").group == 3 and m.geom("skin").group == 2
    assert not m.geom_contype.any() and not m.geom_conaffinity.any()


def touching(friction, **more):
    rubber = {"type": "sphere", "radius": 0.5, "material": "rubber", "collide": True}
    steel = {**rubber, "material": "steel"}
    body = {"mass": 1, "inertia": [1, 1, 1]}
    bodies = {"a": {**body, "shapes": {"x": rubber}}, "b": {**body, "shapes": {"x": steel}},
              "c": {**body, "shapes": {"x": steel}}}  # fmt: skip
    joints = {name: {"type": "free", "parent": "ground", "child": name, "q": [1, 0, 0, 0, k / 10, 0, 0]}
              for k, name in enumerate("abc")}  # fmt: skip
    contacts = {"rubber/steel": {"friction": friction, "restitution": 0.0}, "rubber/rubber": {"friction": 0.8}}
    contacts["rubber/rubber"]["restitution"] = 0.0
    return gori.Spec(bodies=bodies, joints=joints, materials={"rubber": {}, "steel": {}}, contacts=contacts, **more)


def test_masks_say_who_touches_whom(tmp_path):
    path = tmp_path / "a.xml"
    for excluded in ((), (("a", "c"),)):
        spec = touching(0.8, no_contact=excluded)
        write_mjcf(spec, path)
        back = gori.load(path, collide="m")
        found = []
        for one in (spec, back):
            model = gori.compile(one)
            found.append({frozenset(part.split(".")[0] for part in (c.a, c.b)) for c in model.contacts(model.q0)})
        assert found[0] == found[1] == {frozenset("ab"), frozenset("ac")} - {frozenset(pair) for pair in excluded}
        assert {contact.friction for contact in back.contacts.values()} == {0.8}


def test_what_mjcf_cannot_say():
    left = LeftOut()
    cone = {"type": "cone", "radius": 0.1, "length": 0.2}
    writer = ShapeWriter(spec_of({"cone": cone}), left, ElementTree.Element("asset"), None)
    writer.write("a", ElementTree.Element("body"))
    ShapeWriter(touching(0.3), left, ElementTree.Element("asset"), None)
    assert left.parts == {"cone shape": ["a.cone"],
                          "friction of two materials that is not the larger one of both": ["rubber/steel"]}  # fmt: skip
