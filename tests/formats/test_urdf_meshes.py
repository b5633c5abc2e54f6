"""Folders in which the meshes of a URDF are looked for."""

import pytest

pytest.importorskip("lxml")
from lxml import etree

import gori
from gori.errors import FileError, InputError, SpecWarning
from gori.formats.urdf_meshes import ROS, MeshFiles
from gori.formats.urdf_xml import ElementError

MESH = etree.fromstring("<mesh filename='package://robot/meshes/a.stl'/>")


@pytest.fixture
def tree(tmp_path):
    (tmp_path / "work" / "urdf").mkdir(parents=True)
    return tmp_path


def put(folder):
    (folder / "meshes").mkdir(parents=True)
    (folder / "meshes" / "a.stl").write_text("")
    return folder / "meshes" / "a.stl"


def test_a_package_is_a_folder_beside_or_above(tree, monkeypatch):
    monkeypatch.delenv(ROS, raising=False)
    files = MeshFiles(tree / "work" / "urdf" / "r.urdf")
    with pytest.raises(ElementError) as caught:
        files.find(MESH)
    assert "does not exist; searched for" in caught.value.reason
    beside = put(tree / "work" / "robot")
    assert files.find(MESH) == beside
    inside = put(tree / "robot")
    assert MeshFiles(tree / "robot" / "urdf" / "r.urdf").find(MESH) == inside


def test_packages_are_looked_for_where_one_says(tree, monkeypatch):
    file = tree / "work" / "urdf" / "r.urdf"
    near, there, elsewhere = put(tree / "work" / "robot"), put(tree / "there" / "robot"), put(tree / "ros" / "robot")
    assert MeshFiles(file).find(MESH) == near
    monkeypatch.setenv(ROS, f"{tree / 'none'}:{tree / 'ros'}")
    assert MeshFiles(file).find(MESH) == elsewhere
    assert MeshFiles(file, [tree / "there"]).find(MESH) == there
    assert MeshFiles(file, str(tree / "there" / "robot")).find(MESH) == there
    with pytest.raises(InputError, match="is not a folder"):
        MeshFiles(file, [tree / "none"])


def test_strange_addresses(tree):
    files = MeshFiles(tree / "work" / "urdf" / "r.urdf")
    with pytest.raises(ElementError):
        files.find(etree.fromstring("<mesh filename='http://somewhere/a.stl'/>"))


def test_a_mesh_that_is_not_there_is_left_out(tree):
    """Dynamics need none; where shapes collide it is an error."""
    file = tree / "r.urdf"
    mesh = "<collision><geometry><mesh filename='package://no/a.stl'/></geometry></collision>"
    inertial = "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>"
    file.write_text(f"<robot name='r'><link name='l'>{inertial}{mesh}</link></robot>")
    with pytest.warns(SpecWarning, match=r"does not exist.*this collision shape is left out"):
        assert not gori.load(file, meshes=True).bodies["l"].shapes
    with pytest.raises(FileError, match="does not exist"):
        gori.load(file, collide="rubber")
    with pytest.raises(FileError, match="does not exist"):
        gori.load(file, meshes=True, strict=True)
