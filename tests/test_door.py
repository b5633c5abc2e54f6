"""Files that lie: each is refused with a sentence, in a moment, and without the memory that it claims."""

import os
import time

import numpy as np
import pytest

import gori
from gori import door
from gori.errors import FileError, GoriError, readable
from gori.model.state import State
from gori.text.tir import read_tir

HEAD = "gori: 1\n"
BODY = "bodies: {a: {mass: 1}}\njoints: {j: {type: revolute, parent: ground, child: a}}\n"
GRAINS = (
    HEAD + "materials: {m: {E: 1e7, density: 2000}}\ncontacts: {m/m: {friction: 0.5, restitution: 0.3}}\n"
    "particles: {g: {material: m, radius: 0.01, %s}}\n"
)
MESH = (
    HEAD
    + "bodies: {{a: {{shapes: {{s: {{type: mesh, file: {}, density: 1000}}}}}}}}\n"
    + ("joints: {{j: {{type: free, parent: ground, child: a}}}}\n")
)
LIES = {"descr": "<f8", "fortran_order": False, "shape": (10**12, 3)}


def npy(header):
    text = repr(header).encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text


def refused(act, *arguments):
    start = time.perf_counter()
    with pytest.raises(GoriError) as caught:
        act(*arguments)
    assert time.perf_counter() - start < 10.0
    assert len(str(caught.value)) < 2000
    return str(caught.value)


def compiled(path):
    return gori.compile(gori.load(path))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in the file system")
def test_pipes_devices_and_folders(tmp_path):
    pipe, folder, zeros = tmp_path / "pipe.yaml", tmp_path / "folder.yaml", tmp_path / "zeros.yaml"
    os.mkfifo(pipe)
    folder.mkdir()
    zeros.symlink_to("/dev/zero")
    for read in (gori.load, State.load, door.rows_of_numbers):
        assert "a pipe or a device" in refused(read, pipe)
        assert "a pipe or a device" in refused(read, zeros)
        assert "a folder" in refused(read, folder)
        assert "no such file" in refused(read, tmp_path / "none.yaml")
    tyre, mesh = tmp_path / "pipe.tir", tmp_path / "pipe.stl"
    os.mkfifo(tyre)
    os.mkfifo(mesh)
    assert "a pipe or a device" in refused(read_tir, tyre)
    assert "a pipe or a device" in refused(door.triangles, mesh, "mesh")


def test_sizes(tmp_path, monkeypatch):
    file = tmp_path / "large.yaml"
    with open(file, "wb") as stream:
        stream.truncate(door.TEXT + 1)  # a file with a hole: no disk is taken
    assert "may have 67 MB" in refused(gori.load, file)
    assert door.contents(file, door.TEXT + 1)[:3] == b"\0\0\0"


def test_what_is_set_aside_is_what_is_there(tmp_path, monkeypatch):
    """A State took 4 GB for a moment, the most that it may have."""
    file = tmp_path / "a.yaml"
    file.write_text(HEAD)
    assert door.contents(file, 1 << 62) == HEAD.encode()
    stat = os.stat(tmp_path)
    monkeypatch.setattr(os, "fstat", lambda _: os.stat_result((*stat[:6], 3, *stat[7:])))
    assert "grows while it is read" in refused(door.contents, file)


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="no links in the file system")
def test_names_that_no_file_can_have(tmp_path):
    """Path.is_file and Path.resolve raise for these."""
    ring = tmp_path / "ring"
    ring.symlink_to(ring)
    for name in (ring, tmp_path / ("a" * 300), "a\0b", tmp_path):
        assert not door.is_file(name)
    assert door.resolved(ring).name == "ring" and door.resolved(tmp_path / ".." / tmp_path.name) == tmp_path.resolve()
    (tmp_path / "a").write_text("")
    assert door.is_file(tmp_path / "a")


def test_what_a_description_brings_in_is_counted(tmp_path):
    """Eight files, each of which uses the next one ten times, would be 1e7 reads."""
    for k in range(8):
        parts = ", ".join(f"p{j}: {{use: u{k + 1}.yaml}}" for j in range(10))
        (tmp_path / f"u{k}.yaml").write_text(f"{HEAD}parts: {{{parts}}}\n")
    (tmp_path / "u8.yaml").write_text(HEAD + BODY)
    assert "one file too many" in refused(gori.load, tmp_path / "u0.yaml")
    with door.one_description():
        for _ in range(door.READS):
            door.checked(tmp_path / "u8.yaml")
        with door.one_description(), pytest.raises(FileError):  # within another one: counted with it
            door.checked(tmp_path / "u8.yaml")
    assert len(gori.load(tmp_path / "u8.yaml").bodies) == 1


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (npy(LIES), "claims 24000000000000 bytes"),
        (npy(LIES | {"descr": "|O", "shape": (1, 3)}), "Python objects"),
        (b"\x93NUMPY\x01\x00v\x00" + b"(" * 118, "no rows of numbers"),
        (b"\x93NUMPY\x09\x00v\x00" + b" " * 118, "no rows of numbers"),
        (b"", "no rows of numbers"),
    ],
)
def test_arrays_that_claim_more_than_they_hold(tmp_path, content, words):
    (tmp_path / "p.npy").write_bytes(content)
    (tmp_path / "a.yaml").write_text(GRAINS % "positions: p.npy")
    assert words in refused(compiled, tmp_path / "a.yaml")


def test_rows_of_numbers(tmp_path):
    rows = np.arange(6.0).reshape(2, 3)
    np.save(tmp_path / "p.npy", rows)
    np.savetxt(tmp_path / "p.csv", rows, delimiter=",")
    np.savetxt(tmp_path / "p.txt", rows)
    for name in ("p.npy", "p.csv", "p.txt"):
        np.testing.assert_array_equal(door.rows_of_numbers(tmp_path / name), rows)
    (tmp_path / "q.csv").write_text("1,2,3\n1,2," + "x" * 100_000)
    assert "no rows of numbers" in refused(door.rows_of_numbers, tmp_path / "q.csv")


def test_counts_that_nothing_can_hold(tmp_path):
    file = tmp_path / "a.yaml"
    file.write_text(GRAINS % "fill: {box: {size: [100, 100, 100]}, count: 1000000000000}")
    assert "GB of memory" in refused(compiled, file)
    teeth = "bodies: {a: {shapes: {s: {type: gear, teeth: 1000000000, module: 0.01, width: 0.01, density: 1}}}}\n"
    file.write_text(HEAD + teeth + "joints: {j: {type: revolute, parent: ground, child: a}}\n")
    assert "points around" in refused(compiled, file)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("m.stl", b"x" * 80 + (4_000_000_000).to_bytes(4, "little") + b"1234"),
        ("m.stl", b""),
        ("m.obj", b"v 1 2 3\nf 1 2 999999999\n"),
        ("m.ply", b"ply\nformat binary_little_endian 1.0\nelement vertex 4000000000\nproperty float x\nend_header\n"),
        ("m.gltf", b'{"asset": {"version": "2.0"}, "buffers": [{"uri": "/dev/zero", "byteLength": 1000000000000}]}'),
        ("m.glb", bytes(range(100))),
    ],
)
def test_meshes_that_claim_more_than_they_hold(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    (tmp_path / "a.yaml").write_text(MESH.format(name))
    assert "mesh" in refused(compiled, tmp_path / "a.yaml")


def test_messages_quote_little_and_print_safely(tmp_path):
    file = tmp_path / "a.urdf"
    file.write_text(
        f"<robot name='r'><link name='l'><inertial><mass value='{'1' * 100_000}'/></inertial></link></robot>"
    )
    assert len(refused(gori.load, file)) < 600
    assert readable("a\x1b[31mb\nc") == "a\\x1b[31mb\nc"
    (tmp_path / "a.tir").write_bytes(b"[\x1b]0;x\x07\n")
    assert "\x1b" not in refused(read_tir, tmp_path / "a.tir")


def msh(points, faces, counts=None):
    """The bytes of a mesh as MuJoCo writes them, without normals and texture coordinates."""
    head = [len(points), 0, 0, len(faces)] if counts is None else counts
    return np.array(head, "<i4").tobytes() + np.array(points, "<f4").tobytes() + np.array(faces, "<i4").tobytes()


CORNER = [[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3]]
SIDES = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]


def test_meshes_of_mujoco(tmp_path):
    """With triangles, or as a hull; with normals and texture coordinates between."""
    pytest.importorskip("trimesh")
    (tmp_path / "a.msh").write_bytes(msh(CORNER, SIDES))
    (tmp_path / "hull.msh").write_bytes(msh([*CORNER, [0.1, 0.1, 0.1]], []))
    full = np.array([4, 4, 4, 4], "<i4").tobytes() + np.array(CORNER, "<f4").tobytes() + bytes(4 * (12 + 8))
    (tmp_path / "full.msh").write_bytes(full + np.array(SIDES, "<i4").tobytes())
    for name in ("a", "hull", "full"):
        mesh = door.triangles(tmp_path / f"{name}.msh", "mesh")
        assert mesh.is_watertight and mesh.volume == pytest.approx(1.0) and len(mesh.faces) == 4


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"", "its size is not what its header says"),
        (msh(CORNER, SIDES)[:-1], "its size is not what its header says"),
        (msh(CORNER, SIDES, [2**31 - 1, 0, 0, 4]), "its size is not what its header says"),
        (msh(CORNER, SIDES, [-4, 0, 0, 12]), "its size is not what its header says"),
        (msh(CORNER, [[0, 1, 4]]), "its triangles have vertices that are not there"),
        (msh(CORNER, [[0, 1, -1]]), "its triangles have vertices that are not there"),
    ],
    ids=["empty", "cut off", "too many", "negative", "beyond", "below"],
)
def test_meshes_of_mujoco_that_lie(tmp_path, raw, words):
    pytest.importorskip("trimesh")
    (tmp_path / "a.msh").write_bytes(raw)
    with pytest.raises(FileError, match=words):
        door.triangles(tmp_path / "a.msh", "mesh")
