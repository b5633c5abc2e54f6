"""Shapes of links, and their colours."""

import numpy as np
import pytest

import gori
from gori.errors import FileError, FormatWarning
from gori.formats.sdf.shapes import shapes


def read_shapes(sdf, inside, version="1.12", **options):
    return (
        gori.load(sdf(f"<model name='m'><link name='a'>{inside}</link></model>", version), **options).bodies["a"].shapes
    )


def collision(geometry, name="c", pose=""):
    return f"<collision name='{name}'>{pose}<geometry>{geometry}</geometry></collision>"


@pytest.mark.parametrize(
    ("geometry", "kind", "fields"),
    [
        ("<sphere><radius>0.5</radius></sphere>", "sphere", {"radius": 0.5}),
        ("<box><size>1 2 3</size></box>", "box", {"size": (1.0, 2.0, 3.0)}),
        ("<ellipsoid><radii>1 2 3</radii></ellipsoid>", "ellipsoid", {"radii": (1.0, 2.0, 3.0)}),
        ("<cylinder><radius>1</radius><length>4</length></cylinder>", "cylinder", {"radius": 1.0, "length": 4.0}),
        ("<capsule><radius>1</radius><length>4</length></capsule>", "capsule", {"radius": 1.0, "length": 4.0}),
        ("<cone><radius>1</radius><length>4</length></cone>", "cone", {"radius": 1.0, "top_radius": 0.0}),
    ],
)
def test_kinds_of_shapes(sdf, geometry, kind, fields):
    shape = read_shapes(sdf, collision(geometry, pose="<pose>1 2 3 0.3 0.4 0.5</pose>"))["c"]
    assert shape.type == kind and {key: getattr(shape, key) for key in fields} == fields
    heavy = type(shape)(**shape.model_dump(exclude_unset=True), density=1.0)
    centre = heavy.inertial()[1]
    off = -1.0 if kind == "cone" else 0.0  # SDFormat centres half of its height at the pose, and its tip is up
    assert np.allclose(centre, np.array([1.0, 2.0, 3.0]) + off * shape.pose()[0][:, 2])


def test_planes(sdf):
    shape = read_shapes(
        sdf, collision("<plane><normal>0 1 0</normal><size>9 9</size></plane>", pose="<pose>0 0 2 0 0 0</pose>")
    )["c"]
    R, p = shape.pose()
    assert np.allclose(R @ shape.normal, [0, 1, 0]) and p.tolist() == [0.0, 0.0, 2.0]
    with pytest.raises(FileError, match="the normal of the plane is zero"):
        read_shapes(sdf, collision("<plane><normal>0 0 0</normal></plane>"))


def test_visual_shapes_are_only_drawn(sdf):
    box = "<geometry><box><size>1 1 1</size></box></geometry>"
    material = "<material><ambient>1 1 1 1</ambient><diffuse>1 0.5 0 1</diffuse></material>"
    found = read_shapes(
        sdf,
        f"<visual name='c'>{box}{material}</visual>{collision(box[10:-11])}<visual name='b d'>{box}"
        "<transparency>0.5</transparency><material><ambient>0 0 1</ambient></material></visual>"
        f"<visual name='e'>{box}<material><diffuse>none</diffuse></material></visual>",
    )
    assert [(name, shape.visual, shape.colour) for name, shape in found.items()] == [
        ("c", False, None), ("c.visual", True, "#ff8000"), ("b_d", True, "#0000ff80"), ("e", True, None)
    ]  # fmt: skip


def test_a_pose_may_be_relative_to_any_frame(sdf):
    inside = collision("<sphere><radius>1</radius></sphere>", pose="<pose relative_to='f'>0 0 1 0 0 0</pose>")
    path = sdf(f"""<model name='m'><link name='a'><pose>1 0 0 0 0 0</pose>{inside}</link>
      <frame name='f'><pose>0 2 0 0 0 0</pose></frame></model>""")
    assert gori.load(path).bodies["a"].shapes["c"].at == (-1.0, 2.0, 1.0)


@pytest.mark.parametrize(
    ("geometry", "words"),
    [
        ("", "needs a <geometry> with one shape"),
        ("<box><size>1 1</size></box>", "size needs 3 numbers"),
        ("<box/>", "<box> does not give <size>"),
        ("<sphere><radius>nan</radius></sphere>", "radius must be finite"),
    ],
)
def test_shapes_that_make_no_sense_are_refused(sdf, geometry, words):
    with pytest.raises(FileError, match=words):
        read_shapes(sdf, collision(geometry))


def test_what_is_no_shape_of_a_spec_is_listed(sdf):
    inside = (
        collision("<heightmap/>") + collision("<empty/>", "e") + collision("<sphere><radius>0</radius></sphere>", "s")
    )
    with pytest.warns(FormatWarning) as caught:
        assert not read_shapes(sdf, inside)
    assert "<heightmap> shape: a.c" in str(caught[0].message) and "this sphere has no volume" in str(caught[0].message)
    assert "a.e" not in str(caught[0].message)


def test_meshes_are_read_where_asked(sdf, tmp_path):
    (tmp_path / "box.stl").write_text("")
    mesh = "<mesh><uri>{}</uri><scale>1 2 3</scale></mesh>"
    assert not read_shapes(sdf, collision(mesh.format("box.stl")))
    found = read_shapes(sdf, collision(mesh.format("box.stl")), meshes=True)["c"]
    assert found.file == str(tmp_path / "box.stl") and found.scale == (1.0, 2.0, 3.0)
    with pytest.warns(FormatWarning, match=r"none\.stl' does not exist; .*; a\.c is left out"):
        assert not read_shapes(sdf, collision(mesh.format("none.stl")), meshes=True)
    with pytest.raises(FileError, match="does not exist"):
        read_shapes(sdf, collision(mesh.format("none.stl")), collide="rubber")
    with pytest.warns(FormatWarning, match=r"part of a mesh \(<submesh>\): a\.c"):
        read_shapes(sdf, collision(mesh.format("box.stl").replace("</mesh>", "<submesh/></mesh>")), meshes=True)


def test_shapes_as_plain_data(source_of):
    text = collision("<box><size>1 2 3</size></box>") + "<visual><geometry><empty/></geometry></visual>"
    source = source_of(f"<model name='m'><link name='a'>{text}</link></model>")
    assert shapes(source, next(iter(source.bodies))) == {"c": {"type": "box", "size": [1.0, 2.0, 3.0]}}
