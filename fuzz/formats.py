"""The formats: seeds, how they are changed, how they are read, and the parser that stands before Gori."""

import os
import struct
import zlib
from collections.abc import Callable
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import yaml

import gori
from fuzz import elements, hostile, lines, plain
from gori.formats import read_drivetrain
from gori.formats.srdf import read_srdf
from gori.text import tir
from tests.reference.tyres import MAGIC

SEEDS = Path(__file__).parent / "seeds"
EXAMPLES = Path(__file__).parents[1] / "examples"
LIBRARY = Path(gori.__file__).parent / "vehicle"
Mutate = Callable[[bytes, hostile.Rng, list[bytes]], tuple[bytes, str]]


class Seed(NamedTuple):
    """A good file, and how it is read: `target` is the file that is changed, `main` the one that is opened."""

    target: str
    content: bytes
    main: str
    read: Callable[[Path], Any]


class Format(NamedTuple):
    """share: of a thousand mutants. parse: raises where the parser before Gori does."""

    share: int
    seeds: Callable[[], list[Seed]]
    mutate: Mutate
    parse: Callable[[bytes, Path], Any]
    blind: float = 0.15
    """share of changes that do not know what the text means"""


def read(path: Path, **options: Any) -> gori.Model:
    """What a person does with a file."""
    return gori.compile(gori.load(path, **options))


def _seeds(*names: str, main: str = "", read: Callable[[Path], Any] = read) -> list[Seed]:
    return [Seed(name, (SEEDS / name).read_bytes(), main or name, read) for name in names]


# ---- seeds


def _yaml() -> list[Seed]:
    own = _seeds("joints.yaml", "loops.yaml", "grains.yaml", "wheels.yaml", "uses.yaml")
    used = _seeds("middle.yaml", "light.yaml", "course.yaml", main="uses.yaml")
    used += _seeds("tyre.yaml", "soil.yaml", main="wheels.yaml")
    examples = [Seed(file.name, file.read_bytes(), file.name, read) for file in sorted(EXAMPLES.glob("*.yaml"))]
    examples = [seed for seed in examples if b"\ndh:" not in seed.content and len(seed.content) < 5000]
    train = (LIBRARY / "drivetrain" / "hmmwv.yaml").read_bytes()
    return own * 3 + used + examples + [Seed("train.yaml", train, "train.yaml", read_drivetrain)]


def _dh() -> list[Seed]:
    return _seeds("dh_arm.yaml", "dh_loop.yaml", "dh_standard.yaml")


def _urdf() -> list[Seed]:
    touching = _seeds("robot.urdf", read=lambda path: read(path, base="free", meshes=True, collide="m"))
    return _seeds("robot.urdf", "chain.urdf") + touching


def _srdf() -> list[Seed]:
    with_robot = _seeds("robot.srdf", main="robot.urdf")[0]
    srdf = lambda path: read(path, srdf=path.with_name("robot.srdf"), collide="m")  # noqa: E731
    return [with_robot._replace(read=srdf), *_seeds("robot.srdf", read=read_srdf)]


def _mjcf() -> list[Seed]:
    own = _seeds("every.xml", "arm.xml", "soft.xml")
    touching = _seeds("every.xml", read=lambda path: read(path, collide="m"))
    return own + touching + _seeds("part.xml", main="every.xml") + _seeds("shared.xml", main="arm.xml")


def _sdf() -> list[Seed]:
    touching = _seeds("every.sdf", read=lambda path: read(path, meshes=True, collide="m"))
    return _seeds("every.sdf", "part.sdf") + touching + _seeds("part.sdf", main="every.sdf")


def _tir() -> list[Seed]:
    fiala = _seeds("tyre.tir", main="wheels.yaml")
    head = fiala[0].content.decode().partition("[PARAMETER]")[0].replace("FIALA", "PAC2002")
    rows = "\n".join(f"{key} = {value}  $ {key}" for key, value in MAGIC.items())
    rest = f"[VERTICAL]\nVERTICAL_STIFFNESS = 3e5\n[SCALING_COEFFICIENTS]\nLMUX = 0.9\n[LATERAL_COEFFICIENTS]\n{rows}\n"
    return [*fiala, fiala[0]._replace(content=(head + rest).encode())]


def _csv() -> list[Seed]:
    places = b"0,0,1\n0.1,0,1\n0,0.1,1\n"
    return [*_seeds("hill.csv", main="wheels.yaml"), Seed("places.csv", places, "places.yaml", read)]


def _npy() -> list[Seed]:
    found = []
    for name, main, shape in (("hill.npy", "field.yaml", (4, 5)), ("places.npy", "places.yaml", (4, 3))):
        stream = BytesIO()
        np.save(stream, np.arange(float(np.prod(shape))).reshape(shape) % 7)
        found.append(Seed(name, stream.getvalue(), main, read))
    return found


CORNERS = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
FACES = ((0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2))


def solid() -> bytes:
    """A tetrahedron as STL."""
    rows = b"".join(struct.pack("<12fH", 0, 0, 0, *CORNERS[list(face)].ravel(), 0) for face in FACES)
    return b"a tetrahedron".ljust(80) + struct.pack("<I", len(FACES)) + rows


def _solid_in_words() -> bytes:
    facet = "facet normal 0 0 0\nouter loop\n{}endloop\nendfacet\n"
    rows = [facet.format("".join(f"vertex {x} {y} {z}\n" for x, y, z in CORNERS[list(face)])) for face in FACES]
    return f"solid a\n{''.join(rows)}endsolid a\n".encode()


def _meshes(kind: str, *contents: bytes) -> list[Seed]:
    """A mesh in each place where one can be."""
    touching = lambda path: read(path, meshes=True, collide="m")  # noqa: E731
    places = [("meshes", ".yaml", read), ("mesh", ".urdf", touching), ("mesh", ".xml", read)]
    return [
        Seed(f"mesh.{kind}", content, f"{name}_{kind}{suffix}", how)
        for content in contents
        for name, suffix, how in places
        if suffix != ".xml" or not content.startswith((b"ply", b"solid"))  # which MuJoCo does not read
    ]


# ---- parsers


def _parse_yaml(content: bytes, path: Path) -> None:
    for _ in yaml.parse(content.decode("utf-8-sig"), Loader=yaml.CSafeLoader):
        pass


def _parse_xml(content: bytes, path: Path) -> None:
    elements.etree.fromstring(content, elements.PARSER)


def _parse_mesh(content: bytes, path: Path) -> None:
    import trimesh

    trimesh.load_mesh(path, process=False)


FORMATS: dict[str, Format] = {
    "yaml": Format(175, _yaml, plain.mutated, _parse_yaml),
    "dh": Format(75, _dh, plain.mutated, _parse_yaml),
    "urdf": Format(100, _urdf, elements.mutated, _parse_xml),
    "srdf": Format(50, _srdf, elements.mutated, _parse_xml),
    "sdf": Format(75, _sdf, elements.mutated, _parse_xml),
    "mjcf": Format(150, _mjcf, elements.mutated, _parse_xml, 0.08),
    "tir": Format(50, _tir, lines.mutated, lambda content, path: tir._read(path)),
    "csv": Format(50, _csv, lines.mutated, lambda content, path: np.loadtxt(path, delimiter=",", ndmin=2)),
    "npy": Format(50, _npy, lines.npy, lambda content, path: np.load(path), 0.05),
    "stl": Format(50, lambda: _meshes("stl", solid(), _solid_in_words()), lines.stl, _parse_mesh),
    "obj": Format(50, lambda: _meshes("obj", (SEEDS / "wedge.obj").read_bytes()), lines.mutated, _parse_mesh),
    "ply": Format(50, lambda: _meshes("ply", (SEEDS / "solid.ply").read_bytes()), lines.mutated, _parse_mesh),
}
"""what is read into a Model; recordings, frames, States and batches are beside (`recordings.py`)"""


@cache
def seeds(name: str) -> list[Seed]:
    return FORMATS[name].seeds()


# ---- the folder that files are read in


def fill(folder: Path) -> None:
    """All seeds with what they name; and what is no file: a pipe, a ring of links, a folder."""
    for file in (*SEEDS.iterdir(), *EXAMPLES.glob("*.yaml")):
        (folder / file.name).write_bytes(file.read_bytes())
    for name in FORMATS:
        for seed in seeds(name):
            (folder / seed.target).write_bytes(seed.content)
    for name, suffix in (("meshes", ".yaml"), ("mesh", ".urdf"), ("mesh", ".xml")):
        for kind in ("stl", "obj", "ply"):
            text = (SEEDS / f"{name}{suffix}").read_text().replace("MESH", f"mesh.{kind}")
            (folder / f"{name}_{kind}{suffix}").write_text(text)
    (folder / "solid.stl").write_bytes(solid())
    (folder / "empty.stl").write_bytes(b"")
    (folder / "image.png").write_bytes(_image())
    (folder / "folder").mkdir()
    (folder / "ring").symlink_to("ring")
    os.mkfifo(folder / "pipe")


def _image() -> bytes:
    """A grey picture of 8 x 8 as PNG."""
    rows = b"".join(b"\0" + bytes(range(k, k + 8)) for k in range(8))
    chunks = [(b"IHDR", struct.pack(">II5B", 8, 8, 8, 0, 0, 0, 0)), (b"IDAT", zlib.compress(rows)), (b"IEND", b"")]
    parts = [
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)
