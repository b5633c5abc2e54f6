"""Malformed MJCF: what MuJoCo or Gori refuses is told in words, and nothing ends the process."""

import struct

import pytest

import gori
from tests.formats.hostile import compiled, refused, strange_places

BALL = "<geom size='.1'/>"
LONG = "a" * 300


def world(inside: str) -> str:
    return f"<worldbody>{inside}</worldbody>"


def body(inside: str) -> str:
    return world(f"<body>{inside}</body>")


DOCUMENTS = {
    "empty": (b"", "has no element: none of <mujoco> (MJCF), <robot> (URDF) and <sdf>"),
    "a comment": (b"<!-- -->", "has no element"),
    "another root": (b"<machine/>", "the root element is <machine>: none of <mujoco> (MJCF), <robot>"),
    "NUL": (b"<mujoco>\0</mujoco>", "line 1: is not valid XML: Invalid character"),
    "UTF-16": ("<mujoco/>".encode("utf-16"), "MuJoCo refuses it"),
    "half a tag": (b"<mujoco>\n<worldb", "line 2: is not valid XML"),
    "a DOCTYPE": (b"<!DOCTYPE m [<!ENTITY a 'b'>]><mujoco/>", "has a DOCTYPE, which may include other files"),
    "all bytes": (b"<mujoco>" + bytes(range(1, 256)) + b"</mujoco>", "is not valid XML"),
}
ELEMENTS = {
    "an unknown element": ("<a/>", "unrecognized element, Element 'a', line 2"),
    "an unknown attribute": (world("<body a='1'/>"), "unrecognized attribute: 'a'"),
    "10,000 bodies deep": (world("<body>" * 10_000 + "</body>" * 10_000), "Excessive depth in document"),
    "a body without mass": (body("<joint/>"), "mass and inertia of moving bodies must be larger than"),
    "a negative size": (world("<geom size='-1'/>"), "size 0 must be positive in geom"),
    "a size that is NaN": (body("<joint/><geom size='nan'/>"), "nan size in geom"),
    "an infinite size": (body("<joint/><geom size='inf'/>"), "mass: must be finite, not inf"),
    "a large size": (body("<joint/><geom size='1e100'/>"), "inertia.0: must be finite"),
    "a long box": (body("<joint/><geom type='box' size='.1 1e154 .1'/>"), "inertia.0: must be finite"),
    "a word as size": (world("<geom size='a'/>"), "bad format in attribute 'size'"),
    "a negative mass": (body("<joint/><geom size='1' mass='-1'/>"), "mass, inertia or density are negative"),
    "an inertia that cannot be": (body("<joint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 9'/>"), "A + B >= C"),
    "no quaternion": (world(f"<body quat='0 0 0 0'>{BALL}</body>"), "zero quaternion is not allowed"),
    "no axis": (body(f"<joint axis='0 0 0'/>{BALL}"), "axis too small in joint"),
    "an unknown joint": (body(f"<joint type='screw'/>{BALL}"), "invalid keyword: 'screw'"),
    "a free joint inside": (body(f"{BALL}<body><freejoint/>{BALL}</body>"), "free joint can only be used on top level"),
    "a name twice": (world(f"<body name='a'>{BALL}</body><body name='a'>{BALL}</body>"), "repeated name 'a' in body"),
    "a range backwards": (body(f"<joint range='1 -1' limited='true'/>{BALL}"), "should be smaller than range[1]"),
    "an unknown class": (body(f"<joint class='x'/>{BALL}"), "unknown default class name 'x'"),
    "a motor of nothing": ("<actuator><motor joint='x'/></actuator>", "unknown transmission target 'x'"),
    "a gear that is NaN": (body(f"<joint name='j'/>{BALL}") + "<actuator><motor joint='j' gear='nan'/></actuator>",
                           "must be finite, not nan"),
    "a tendon of nothing": ("<tendon><fixed><joint joint='x' coef='1'/></fixed></tendon>", "joint 'x' not found"),
    "an unknown body": ("<contact><exclude body1='a' body2='b'/></contact>", "body 'a' not found"),
    "a cut of nothing": ("<equality><connect body1='a' anchor='0 0 0'/></equality>", "unknown element 'a'"),
    "a long keyframe": ("<keyframe><key qpos='1 2'/></keyframe>", "invalid qpos size, expected 0, got 2"),
    "gravity that is NaN": ("<option gravity='nan 0 0'/>", "gravity.0: must be finite, not nan"),
    "an unknown plugin": ("<extension><plugin plugin='x'/></extension>", "plugin x not found"),
    "100 TB": ("<size memory='100T'/>", "Could not allocate memory"),
    "-5 bytes": ("<size memory='-5'/>", "unsigned integer"),
    "1e10 cells": ("<asset><hfield name='h' nrow='100000' ncol='100000' size='1 1 1 1'/></asset>", "20,000,000 height"),
    "-5 rows": ("<asset><hfield name='h' nrow='-5' ncol='-5' size='1 1 1 1'/></asset>", "hfield not specified"),
    "one cell": ("<asset><hfield name='h' nrow='1' ncol='1' size='1 1 1 1'/></asset>", "must be at least 2"),
    "too few heights": ("<asset><hfield name='h' nrow='2' ncol='2' elevation='1 2' size='1 1 1 1'/></asset>",
                        "elevation data length must match"),
    "a file of -5 rows": ("<asset><hfield name='h' file='rows.bin' size='1 1 1 1'/></asset>", "4294967291 x 7"),
    "no picture": ("<asset><texture name='t' type='2d' file='bad.png'/></asset>", "error decoding PNG file"),
    "no mesh": ("<asset><mesh file='none.stl'/></asset>", "Error opening file 'none.stl'"),
    "a long name of a mesh": (f"<asset><mesh file='{LONG}.stl'/></asset>", "Error opening file"),
    "a ring of links as mesh": ("<asset><mesh file='ring.stl'/></asset>", "Error opening file 'ring.stl'"),
    "ten bytes of a mesh": ("<asset><mesh file='bad.stl'/></asset>", "invalid header in STL file"),
    "4e9 triangles": ("<asset><mesh file='lie.stl'/></asset>", "number of faces should be between 1 and 200000"),
    "half a vertex": ("<asset><mesh name='m' vertex='0 0 0 1 0'/></asset>", "must be a multiple of 3"),
    "an unknown vertex": ("<asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 1 99'/></asset>",
                          "vertex index 99 does not exist"),
    "a ring of links": ("<include file='ring.xml'/>", "there is no file 'ring.xml'"),
    "a pipe": ("<include file='pipe.xml'/>", "'pipe.xml' is not a file"),
    "a device": ("<include file='zero.xml'/>", "is outside of the folder"),
    "a long name": (f"<include file='{LONG}.xml'/>", "<include>: there is no file"),
    "itself": ("<include file='model.xml'/>", "is included already"),
}  # fmt: skip


@pytest.mark.parametrize(("content", "words"), DOCUMENTS.values(), ids=DOCUMENTS)
def test_documents(tmp_path, content, words):
    path = tmp_path / "m.xml"
    path.write_bytes(content)
    assert words in refused(gori.load, path)


@pytest.mark.parametrize(("inside", "words"), ELEMENTS.values(), ids=ELEMENTS)
def test_elements(mjcf, tmp_path, inside, words):
    strange_places(tmp_path, ".xml")
    (tmp_path / "ring.stl").symlink_to("ring.stl")
    (tmp_path / "bad.stl").write_bytes(bytes(10))
    (tmp_path / "lie.stl").write_bytes(b" " * 80 + struct.pack("<I", 4_000_000_000) + b"123")
    (tmp_path / "bad.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(5))
    (tmp_path / "rows.bin").write_bytes(struct.pack("<ii", -5, 7))
    assert words in refused(compiled, mjcf(inside))
