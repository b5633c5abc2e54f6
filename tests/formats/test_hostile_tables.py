"""Malformed tables, meshes and tyres: whatever their headers claim, they are refused with words."""

import struct

import numpy as np
import pytest

pytest.importorskip("trimesh")

from gori.text.tir import read_tir
from tests.formats.hostile import compiled, refused, written

HILL = (
    "gori: 1\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\njoints: {j: {type: free, parent: ground, child: b}}\n"
    "terrain: {field: {heights: %s, cell: 1}}\n"
)
GRAINS = (
    "gori: 1\nmaterials: {m: {E: 1e7, density: 2000}}\ncontacts: {m/m: {friction: 0.5, restitution: 0.3}}\n"
    "particles: {g: {material: m, radius: 0.01, positions: %s}}\n"
)
CSV = {
    "empty": (b"", "contains no rows of numbers"),
    "a comment": (b"# x, y\n", "contains no rows of numbers"),
    "words": (b"x,y\n1,2\n", "could not convert string 'x'"),
    "a unit": (b"1,2\n3,4 m\n", "contains no rows of numbers"),
    "rows of two lengths": (b"1,2\n3\n", "contains no rows of numbers"),
    "semicolons": (b"1;2\n3;4\n", "contains no rows of numbers"),
    "NaN": (b"1,2\nnan,4\n", "must be finite"),
    "too large": (b"1,2\n1e400,4\n", "must be finite"),
    "NUL": (b"1,2\n\0,4\n", "contains no rows of numbers"),
    "UTF-16": ("1,2\n3,4\n".encode("utf-16"), "contains no rows of numbers"),
    "all bytes": (bytes(range(256)), "contains no rows of numbers"),
    "one row": (b"1,2\n", "must have at least two rows"),
    "complex": (b"1,2\n1+2j,3\n", "contains no rows of numbers"),
}


def npy(shape, kind="<f8", body=bytes(48), version=(1, 0), **more):
    header = repr({"descr": kind, "fortran_order": False, "shape": shape} | more).encode()
    size = struct.pack("<H" if version[0] == 1 else "<I", len(header))
    return b"\x93NUMPY" + bytes(version) + size + header + body


NPY = {
    "empty": (b"", "its header is not that of a .npy file"),
    "a mark": (b"\x93NUMPY", "its header is not"),
    "text": (b"1,2\n", "its header is not"),
    "a version to come": (npy((2, 3), version=(9, 9)), "only support format version"),
    "a header without end": (b"\x93NUMPY\x01\x00\xff\xff{", "its header is not"),
    "a header of 4 GB": (b"\x93NUMPY\x02\x00" + b"\xff" * 4 + b"{" + b" " * 99, "its header is not"),
    "a call": (b"\x93NUMPY\x01\x00\x10\x00__import__('os')", "its header is not"),
    "brackets": (b"\x93NUMPY\x02\x00" + struct.pack("<I", 9000) + b"(" * 9000, "its header is not"),
    "a key more": (npy((2, 3), more=1), "its header is not"),
    "a shape in words": (npy("x"), "its header is not"),
    "-1 rows": (npy((-1, 3)), "claims a negative count"),
    "1e12 rows": (npy((10**12, 3)), "claims 24000000000000 bytes of numbers, 48 are there"),
    "2^124 rows": (npy((1 << 62, 1 << 62)), "bytes of numbers, 48 are there"),
    "no numbers": (npy((2, 3), body=b""), "is cut off"),
    "objects": (npy((2, 3), "|O"), "it holds Python objects"),
    "text in it": (npy((2, 3), "<U2"), "it holds <U2"),
    "complex": (npy((1, 3), "<c16"), "it holds complex128"),
    "records": (npy((2, 3), [("a", "<f8")]), "it holds [('a', '<f8')]"),
    "dates": (npy((2, 3), "<M8[s]"), "it holds datetime64[s]"),
    "three dimensions": (npy((1, 2, 3)), "terrain.field.heights"),
    "a number": (npy((), body=bytes(8)), "terrain.field.heights"),
    "NaN": (npy((2, 3), body=np.full(6, np.nan).tobytes()), "must be finite"),
}


@pytest.mark.parametrize(("suffix", "content", "words"), [
    *(("csv", *case) for case in CSV.values()), *(("npy", *case) for case in NPY.values())],
    ids=[*(f"csv {x}" for x in CSV), *(f"npy {x}" for x in NPY)])  # fmt: skip
def test_heights_and_places(tmp_path, suffix, content, words):
    name = f"table.{suffix}"
    written(tmp_path / name, content)
    assert words in refused(compiled, written(tmp_path / "hill.yaml", HILL % name))
    message = refused(compiled, written(tmp_path / "grains.yaml", GRAINS % name))
    assert name in message or "positions" in message


MESH = (
    "gori: 1\nmaterials: {m: {E: 1e7, density: 2000}}\ncontacts: {m/m: {friction: 0.5, restitution: 0.3}}\n"
    "particles: {g: {material: m, radius: 0.01, positions: [[3, 3, 3]]}}\n"
    "bodies: {b: {mass: 1, inertia: [1, 1, 1], shapes: {s: {type: mesh, file: %s, %s}}}}\n"
    "joints: {j: {type: free, parent: ground, child: b}}\n"
)
CORNERS = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
PLY = "ply\nformat ascii 1.0\nelement vertex %s\n%sproperty float z\nelement face %s\n" + (
    "property list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n%s\n"
)
XY = "property float x\nproperty float y\n"


def stl(count, *triangles):
    rows = b"".join(struct.pack("<12fH", *triangle, 0) for triangle in triangles)
    return bytes(80) + struct.pack("<I", count) + rows


MESHES = {
    "STL, empty": ("stl", b""),
    "STL, half a header": ("stl", bytes(40)),
    "STL, 4e9 triangles": ("stl", stl(4_000_000_000)),
    "STL, no triangles": ("stl", stl(0)),
    "STL, one triangle of two": ("stl", stl(2, np.arange(12.0))),
    "STL, NaN": ("stl", stl(1, np.full(12, np.nan))),
    "STL, one that is flat": ("stl", stl(1, np.zeros(12))),
    "STL, words alone": ("stl", b"solid a\nendsolid a\n"),
    "STL, half a facet": ("stl", b"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0\n"),
    "OBJ, empty": ("obj", b""),
    "OBJ, corners alone": ("obj", CORNERS.encode()),
    "OBJ, no such corner": ("obj", f"{CORNERS}f 1 2 999999999\n".encode()),
    "OBJ, corner 0": ("obj", f"{CORNERS}f 0 1 2\n".encode()),
    "OBJ, two coordinates": ("obj", b"v 0 0\nv 1 0\nv 0 1\nf 1 2 3\n"),
    "OBJ, words": ("obj", b"v a b c\nf 1 1 1\n"),
    "OBJ, NUL": ("obj", b"v 0 0 0\0\nf 1 1 1\n"),
    "PLY, empty": ("ply", b""),
    "PLY, a header alone": ("ply", b"ply\nformat ascii 1.0\nend_header\n"),
    "PLY, 4e9 corners": ("ply", (PLY % (4_000_000_000, XY, 1, "3 0 1 2")).encode()),
    "PLY, no such corner": ("ply", (PLY % (4, XY, 1, "3 0 1 9")).encode()),
    "PLY, corner -5": ("ply", (PLY % (4, XY, 1, "3 0 1 -5")).encode()),
    "PLY, no x and y": ("ply", (PLY % (4, "", 1, "3 0 1 2")).encode()),
    "GLB, all bytes": ("glb", bytes(range(256))),
    "a text": ("txt", b"hello"),
}


@pytest.mark.parametrize("use", ["density: 1000", "material: m", "material: m, collide: true"])
@pytest.mark.parametrize(("suffix", "content"), MESHES.values(), ids=MESHES)
def test_meshes(tmp_path, suffix, content, use):
    """Read for their volume, as walls, and as hulls."""
    name = f"m.{suffix}"
    written(tmp_path / name, content)
    text = MESH % (name, use)
    text = text.replace("mass: 1, inertia: [1, 1, 1], ", "") if "density" in use else text
    assert "mesh" in refused(compiled, written(tmp_path / "m.yaml", text))


TYRE = """[UNITS]
LENGTH = 'meter'
FORCE = 'newton'
ANGLE = 'radian'
TIME = 'second'
[MODEL]
PROPERTY_FILE_FORMAT = 'FIALA'
[DIMENSION]
UNLOADED_RADIUS = 0.5
WIDTH = 0.3
[PARAMETER]
VERTICAL_STIFFNESS = 3e5
CSLIP = 193929
CALPHA = 50000
UMIN = 0.5568
UMAX = 0.9835
"""
TYRES = {
    "empty": ("", "has no sections such as [MODEL]"),
    "comments": ("$ a\n! b\n", "has no sections"),
    "all bytes": (bytes(range(256)), "is not text in UTF-8: it holds zeros"),
    "UTF-16": (TYRE.encode("utf-16"), "line 1: is not text in UTF-8"),
    "a picture": (b"\x89PNG\r\n\x1a\n", "has no sections"),
    "no section at first": ("A = 1\n" + TYRE, "line 1: A appears before the first section"),
    "no units": (TYRE.partition("[MODEL]")[1] + TYRE.partition("[MODEL]")[2], "section [UNITS] is missing"),
    "no length": (TYRE.replace("LENGTH = 'meter'\n", ""), "LENGTH is missing in [UNITS]"),
    "degrees": (TYRE.replace("'radian'", "'degree'"), "line 4: ANGLE = 'degree' cannot be used"),
    "an open section": (TYRE.replace("[MODEL]", "[MODEL"), "is not a section"),
    "a section twice": (TYRE + "[UNITS]\n", "section [UNITS] is given twice"),
    "a key twice": (TYRE + "UMAX = 1\n", "UMAX is given twice, first in line 16"),
    "an open quote": (TYRE.replace("'FIALA'", "'FIALA"), "the quotes of 'FIALA are not closed"),
    "another law": (TYRE.replace("FIALA", "FTIRE"), "PROPERTY_FILE_FORMAT 'FTIRE' is not one of"),
    "a number as law": (TYRE.replace("'FIALA'", "5"), "must be text in quotes, not 5"),
    "no radius": (TYRE.replace("UNLOADED_RADIUS", "RADIUS"), "UNLOADED_RADIUS is missing"),
    "no width": (TYRE.replace("= 0.3", "= 0"), "width"),
    "a negative radius": (TYRE.replace("= 0.5\n", "= -0.5\n"), "radius"),
    "NaN": (TYRE.replace("= 0.3", "= nan"), "WIDTH must be finite, not nan"),
    "too large": (TYRE.replace("= 0.3", "= 1e400"), "WIDTH must be finite, not 1e400"),
    "a unit": (TYRE.replace("= 0.3", "= 0.3 m"), "WIDTH must be a number, not '0.3 m'"),
    "kilometres beyond all numbers": (TYRE.replace("'meter'", "'km'").replace("= 0.3", "= 1e308"), "must be finite"),
    "friction": (TYRE.replace("= 0.5568", "= 2"), "friction"),
    "half a row": (TYRE + "[DEFLECTION_LOAD_CURVE]\n0.1\n", "'0.1' is not a row of depth and load"),
    "rows backwards": (TYRE + "[DEFLECTION_LOAD_CURVE]\n0.2 1\n0.1 2\n", "load_table"),
    "NaN in a row": (TYRE + "[DEFLECTION_LOAD_CURVE]\n0.1 nan\n", "must be finite"),
    "a name of 100,000 letters": (TYRE.replace("[MODEL]\n", f"[MODEL]\n{'A' * 100_000}\n"), "is not KEY = value"),
}


@pytest.mark.parametrize(("content", "words"), TYRES.values(), ids=TYRES)
def test_tyres(tmp_path, content, words):
    path = written(tmp_path / "t.tir", content)
    message = refused(read_tir, path)
    assert words in message and message.startswith(str(path))
