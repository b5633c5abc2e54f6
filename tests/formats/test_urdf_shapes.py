from pathlib import Path

import pytest

pytest.importorskip("lxml")
from lxml import etree

from gori.formats.urdf_shapes import keep_shapes, mesh_file
from gori.formats.urdf_xml import ElementError

LINK = "<robot name='r'><link name='a'><collision><geometry>{}</geometry></collision></link></robot>"


def kept(shape):
    notes = []
    found = keep_shapes(etree.fromstring(LINK.format(shape)), False, lambda line, words: notes.append(words))
    return [shape.kind for shape in found.get("a", [])], notes


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


def test_a_package_is_a_folder_above(tmp_path):
    (tmp_path / "robot" / "meshes").mkdir(parents=True)
    (tmp_path / "robot" / "urdf").mkdir()
    mesh = tmp_path / "robot" / "meshes" / "a.stl"
    mesh.write_text("")
    element = etree.fromstring("<mesh filename='package://robot/meshes/a.stl'/>")
    assert Path(mesh_file(element, tmp_path / "robot" / "urdf" / "r.urdf")) == mesh
