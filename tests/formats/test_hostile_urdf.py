"""Malformed URDF and SRDF: each file gives an error that says what is wrong, with its line."""

import pytest

pytest.importorskip("lxml")

import gori
from gori.formats.srdf import read_srdf
from tests.formats.hostile import compiled, refused, strange_places, written

LINK = "<link name='a'/>"
SOLID = "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"
LONG = "a" * 300


def robot(inside: str) -> str:
    return f"<robot name='r'>\n{inside}\n</robot>"


def link(inside: str) -> str:
    return robot(f"<link name='a'>{inside}</link>")


def shape(inside: str) -> str:
    return link(f"<collision><geometry>{inside}</geometry></collision>")


def joint(inside: str, attributes: str = "name='j' type='revolute'", ends: str = "") -> str:
    ends = ends or "<parent link='a'/><child link='b'/>"
    return robot(f"{LINK}<link name='b'>{SOLID}</link>\n<joint {attributes}>{ends}{inside}</joint>")


DOUBLED = "".join(f"<!ENTITY a{k} '{f'&a{k - 1};' * 2}'>" for k in range(1, 40))
XML = {
    "empty": (b"", "is not valid XML: Document is empty"),
    "a comment": (b"<!-- a -->", "Start tag expected"),
    "YAML": (b"gori: 1\n", "Start tag expected"),
    "NUL": (b"<robot>\0</robot>", "has no links"),
    "Latin-1": (robot("<link name='é'/>").encode("latin-1"), "line 2: is not valid XML: Invalid bytes"),
    "an unknown encoding": (b'<?xml version="1.0" encoding="nonsense"?><robot/>', "Unsupported encoding: nonsense"),
    "half a tag": (robot(LINK)[:20], "line 2: is not valid XML: Couldn't find end of Start Tag"),
    "no end": (robot(LINK)[:-5], "is not valid XML"),
    "crossed tags": ("<robot><link></robot></link>", "Opening and ending tag mismatch"),
    "an attribute twice": ("<robot><link name='a' name='b'/></robot>", "Attribute name redefined"),
    "a bracket in a name": ("<robot><link name='a<b'/></robot>", "Unescaped '<' not allowed"),
    "an unknown entity": (robot("<link name='&lol;'/>"), "Entity 'lol' not defined"),
    "a control character": (robot("<link name='&#1;'/>"), "invalid xmlChar value 1"),
    "a DOCTYPE": ("<!DOCTYPE robot [<!ENTITY a 'x'>]>\n" + robot(LINK), "has a DOCTYPE, which may include other files"),
    "many laughs": (f"<!DOCTYPE r [<!ENTITY a0 'ha'>{DOUBLED}]>\n" + robot("<link name='&a39;'/>"), "is not valid XML"),
    "a file as entity": ("<!DOCTYPE r [<!ENTITY x SYSTEM 'file:///etc/passwd'>]>\n" + robot("<link name='&x;'/>"),
                         "references external entity 'x'"),
    "a DTD elsewhere": ("<!DOCTYPE r SYSTEM 'http://localhost:9/x.dtd'>\n" + robot(LINK), "has a DOCTYPE"),
    "10,000 elements deep": (robot("<a>" * 10_000 + "</a>" * 10_000), "Excessive depth in document: 256, line 2"),
    "two million elements": (robot("<a/>" * 2_000_000), "has 2,000,002 tags, and 1,000,000 are possible"),
    "a name of 20 MB": (robot(f"<link name='{'a' * 20_000_000}'/>"), "Resource limit exceeded"),
    "another root": ("<machine/>", "the root element is <machine>, not <robot>: this is not a URDF"),
    "no links": (robot(""), "has no links"),
    "macros": ("<robot xmlns:xacro='http://ros.org/wiki/xacro'><xacro:macro/><link name='a'/></robot>",
                "run xacro on it first"),
}  # fmt: skip
LINKS = {
    "no name": (robot("<link/>"), "line 2: a <link> has no name"),
    "an empty name": (robot("<link name=''/>"), "a <link> has no name"),
    "a name twice": (robot(LINK + "\n" + LINK), "line 3: link 'a' is given twice, first in line 2"),
    "a negative mass": (link("<inertial><mass value='-1'/></inertial>"), "mass: value must not be negative, is -1"),
    "NaN": (link("<inertial><mass value='nan'/></inertial>"), "mass: value must be finite, not 'nan'"),
    "a large number": (link("<inertial><mass value='1e400'/></inertial>"), "must be finite, not '1e400'"),
    "a unit": (link("<inertial><mass value='1 kg'/></inertial>"), "value is '1 kg', which is not a number"),
    "an underscore": (link("<inertial><mass value='1_0'/></inertial>"), "value is '1_0', which is not a number"),
    "a property": (link("<inertial><mass value='${m}'/></inertial>"), "not a number: run xacro on the file first"),
    "no mass": (link("<inertial/>"), "<inertial> does not give a mass"),
    "half an inertia": (link("<inertial><mass value='1'/><inertia ixx='1'/></inertial>"), "does not give iyy"),
    "two coordinates": (link("<inertial><origin xyz='0 0'/><mass value='1'/></inertial>"), "xyz needs 3 numbers"),
    "an infinite angle": (link("<inertial><origin rpy='0 0 inf'/><mass value='1'/></inertial>"), "rpy must be finite"),
    "commas": (link("<inertial><origin xyz='0,0,0'/><mass value='1'/></inertial>"), "xyz is '0,0,0', which is not"),
    "half a box": (shape("<box size='1 1'/>"), "link 'a', collision_0: size needs 3 numbers, and '1 1' has 2"),
    "no shape": (link("<collision/>"), "needs a <geometry> with one shape in it"),
    "two shapes": (shape("<box size='1 1 1'/><sphere radius='1'/>"), "needs a <geometry> with one shape in it"),
    "a negative radius": (shape("<sphere radius='-1'/>"), "the size of a sphere must not be negative"),
    "a mesh of nothing": (shape("<mesh/>"), "the mesh has no filename"),
    "a mesh that is not there": (shape("<mesh filename='none.stl'/>"), "the mesh 'none.stl' does not exist"),
    "a device": (shape("<mesh filename='/dev/zero'/>"), "the mesh '/dev/zero' does not exist"),
    "a pipe": (shape("<mesh filename='pipe.stl'/>"), "the mesh 'pipe.stl' does not exist"),
    "a ring of links": (shape("<mesh filename='ring.stl'/>"), "the mesh 'ring.stl' does not exist"),
    "an address": (shape("<mesh filename='http://localhost/x.stl'/>"), "is not a file: give a path, or package://"),
    "an unknown package": (shape("<mesh filename='package://p/x.stl'/>"), "does not exist; searched for"),
    "a long name of a mesh": (shape(f"<mesh filename='{LONG}.stl'/>"), "the mesh 'aaaa"),
    "NUL in a package": (shape("<mesh filename='package://p/%00.stl'/>"), "does not exist; searched for"),
    "a URDF as a mesh": (shape("<mesh filename='r.urdf'/>"), "cannot be read: file_type 'urdf' not supported"),
    "half a scale": (shape("<mesh filename='r.urdf' scale='1 1'/>"), "scale needs 3 numbers, and '1 1' has 2"),
    "a flat mesh": (shape("<mesh filename='r.urdf' scale='0 0 0'/>"), "scale: must not contain a zero"),
}
JOINTS = {
    "an unknown type": (joint("", "name='j' type='hinge'"), "line 3: joint 'j': type 'hinge' is not one of fixed"),
    "no type": (joint("", "name='j'"), "joint 'j' has no type"),
    "no name of a joint": (joint("", "type='revolute'"), "a <joint> has no name"),
    "no name, and a mimic": (joint("<mimic joint='x'/>", "type='revolute'"), "a <joint> has no name"),
    "no parent": (joint("", ends="<child link='b'/>"), "joint 'j' has no parent link"),
    "an unknown child": (joint("", ends="<parent link='a'/><child link='c'/>"), "child 'c' is not a link"),
    "itself": (joint("", ends="<parent link='b'/><child link='b'/>"), "the links b <- b form a cycle without a root"),
    "no axis": (joint("<axis xyz='0 0 0'/>"), "axis is the zero vector"),
    "half an axis": (joint("<axis xyz='0 0'/>"), "xyz needs 3 numbers"),
    "a limit in words": (joint("<limit lower='x'/>"), "lower is 'x', which is not a number"),
    "a limit that is NaN": (joint("<limit lower='nan'/>"), "lower must be finite, not 'nan'"),
    "a mimic of itself": (joint("<mimic joint='j'/>"), "joint 'j' mimics 'j': both must be"),
    "a loop": (robot("<link name='a'/><link name='b'/>" + "".join(
        f"<joint name='{name}' type='fixed'><parent link='a'/><child link='b'/></joint>" for name in "jk")),
        "joints 'j' and 'k' both carry link 'b': that closes a loop"),
    "a ring": (robot("<link name='a'/><link name='b'/>" + "".join(
        f"<joint name='j{p}' type='fixed'><parent link='{p}'/><child link='{c}'/></joint>" for p, c in ("ab", "ba"))),
        "the links a <- b <- a form a cycle without a root"),
}  # fmt: skip
FILES = {**XML, **LINKS, **JOINTS}


@pytest.mark.parametrize(("content", "words"), FILES.values(), ids=FILES)
def test_urdf(tmp_path, content, words):
    strange_places(tmp_path, ".stl")
    path = written(tmp_path / "r.urdf", content)
    assert words in refused(compiled, path, meshes=True, collide="m")


def test_other_encodings_are_read(tmp_path):
    text = robot(f"<link name='é'>{SOLID}</link>")
    for head, encoding in (("", "utf-8"), ("", "utf-16"), ('<?xml version="1.0" encoding="iso-8859-1"?>', "latin-1")):
        assert gori.load(written(tmp_path / "r.urdf", (head + text).encode(encoding))).bodies.keys() == {"é"}


POSES = {
    "empty": ("", "Document is empty"),
    "another root": ("<machine/>", "the root element is <machine>, not <robot>: this is not an SRDF"),
    "a DOCTYPE": ("<!DOCTYPE r []><robot/>", "has a DOCTYPE"),
    "half a tag": ("<robot><group", "is not valid XML"),
    "a group without a name": (robot("<group/>"), "line 2: a <group> has no name"),
    "half a chain": (robot("<group name='g'><chain base_link='a'/></group>"), "a <chain> has no tip_link"),
    "a word": (robot("<group_state name='s'><joint name='j' value='x'/></group_state>"), "value is 'x', which is not"),
    "NaN": (robot("<group_state name='s'><joint name='j' value='nan'/></group_state>"), "must be finite, not 'nan'"),
    "no value": (robot("<group_state name='s'><joint name='j'/></group_state>"), "joint 'j' has no value"),
    "half a pair": (robot("<disable_collisions link1='a'/>"), "a <disable_collisions> has no link2"),
    "a default of nothing": (robot("<disable_default_collisions/>"), "a <disable_default_collisions> has no link"),
    "nine million pairs": (robot("".join(f"<disable_default_collisions link='l{k}'/>" for k in range(3000))),
                           "disables 9,000,000 pairs of links; 100,000 are possible"),
}  # fmt: skip


@pytest.mark.parametrize(("content", "words"), POSES.values(), ids=POSES)
def test_srdf(tmp_path, content, words):
    srdf = written(tmp_path / "r.srdf", content)
    assert words in refused(read_srdf, srdf)
    with_robot = refused(gori.load, written(tmp_path / "r.urdf", robot(LINK)), srdf=srdf)
    assert words in with_robot and with_robot.startswith(str(srdf))  # the mistake is in the SRDF
