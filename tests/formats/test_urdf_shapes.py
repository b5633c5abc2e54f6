from pathlib import Path

import pytest

pytest.importorskip("lxml")
from lxml import etree

from gori.formats.urdf_meshes import MeshFiles
from gori.formats.urdf_shapes import keep_shapes
from gori.formats.urdf_xml import ElementError

FILES = MeshFiles(Path("robot.urdf"))
LINK = "<robot name='r'><link name='a'><collision><geometry>{}</geometry></collision></link></robot>"


def kept(shape):
    notes = []
    found = keep_shapes(etree.fromstring(LINK.format(shape)), False, lambda line, words: notes.append(words), FILES)
    return [shape.kind for shape in found.get("a", [])], notes


def both(visual, materials="", meshes=True):
    """Shapes of a link with a ball that collides and a visual shape, and notes."""
    link = LINK.format("<sphere radius='1'/>").replace("</link>", f"<visual>{visual}</visual></link>{materials}")
    notes = []
    found = keep_shapes(etree.fromstring(link), meshes, lambda line, words: notes.append(words), FILES)
    return {shape.name: shape.colour for shape in found["a"]}, notes


def test_kinds_of_shapes():
    assert kept("<box size='1 2 3'/>") == (["box"], [])
    assert kept("<capsule radius='1' length='2'/>") == (["capsule"], [])
    kinds, notes = kept("<sphere radius='0'/>")
    assert kinds == [] and "has no volume" in notes[0]


@pytest.mark.parametrize(
    ("shape", "words"),
    [("<box/>", "does not give size"), ("<sphere radius='-1'/>", "negative"), ("<torus/>", "is not one of box")],
)
def test_shapes_that_are_refused(shape, words):
    with pytest.raises(ElementError, match=words):
        kept(shape)


BOX = "<geometry><box size='1 1 1'/></geometry>"


def test_visual_shapes_are_kept_beside_those_that_collide():
    assert both(BOX) == ({"collision_0": None, "visual_0": None}, [])


@pytest.mark.parametrize(
    ("inside", "outside", "colour"),
    [
        ("<material name='m'><color rgba='1 0.5 0 1'/></material>", "", "#ff8000"),
        ("<material name='m'/>", "<material name='m'><color rgba='0 0 1 0.5'/></material>", "#0000ff80"),
        ("<material name='m'/>", "<link name='b'><visual><material name='m'><color rgba='1 1 1'/></material>"
         "</visual></link>", "#ffffff"),
        ("<material name='other'/>", "", None),
        ("<material><color rgba='red'/></material>", "", None),
    ],
)  # fmt: skip
def test_colours_of_materials(inside, outside, colour):
    with_material = etree.fromstring(f"<robot>{outside}</robot>")
    for link in with_material.findall("link"):
        link.find("visual").append(etree.fromstring(BOX))
    outside = "".join(etree.tostring(child).decode() for child in with_material)
    assert both(BOX + inside, outside) == ({"collision_0": None, "visual_0": colour}, [])


def test_a_wrong_visual_shape_is_left_out_where_others_collide():
    for broken, words in (
        ("<geometry><box size='none'/></geometry>", "not a number"),
        ("<geometry><mesh filename='missing.stl'/></geometry>", "does not exist"),
    ):
        found, notes = both(broken)
        assert found == {"collision_0": None}
        assert len(notes) == 1 and words in notes[0] and notes[0].endswith("this visual shape is left out")
    assert both("<geometry><mesh filename='missing.stl'/></geometry>", meshes=False) == ({"collision_0": None}, [])
    alone = LINK.replace("collision", "visual").format("<box size='none'/>")
    with pytest.raises(ElementError, match="not a number"):
        keep_shapes(etree.fromstring(alone), True, lambda line, words: None, FILES)
