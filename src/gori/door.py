"""The door that every file comes in by.

What a file claims is not believed: it must be a regular file, no larger than its kind can need, and what it says of
the size of its contents is compared with the size that it has. Reads are counted, so that a description whose files
use each other many times over ends with an error and not after hours.
"""

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from stat import S_ISREG
from typing import Any

import numpy as np

from gori.errors import FileError, MissingPackageError

TEXT = 64 << 20
"""largest file of text [bytes]: descriptions, tyres"""
NUMBERS = 4 << 30
"""largest file of numbers: tables, meshes, States"""
READS = 1000
"""files that one description can bring in, counted as often as they are read"""

DEEPEST = 50
"""files that use or attach each other in a row"""

_reads: ContextVar[list[int] | None] = ContextVar("reads", default=None)


@contextmanager
def one_description() -> Iterator[None]:
    """All files that are read within belong to one description, and so does what they bring in."""
    token = _reads.set([0]) if _reads.get() is None else None
    try:
        yield
    finally:
        if token is not None:
            _reads.reset(token)


def checked(path: str | os.PathLike, most: int = NUMBERS) -> Path:
    """The path of a regular file of at most so many bytes; links are followed."""
    if (count := _reads.get()) is not None:
        count[0] += 1
        if count[0] > READS:
            raise FileError(f"is one file too many: a description can bring in {READS}, each use counted", path)
    try:
        found = os.stat(path)
    except FileNotFoundError:
        raise FileError("there is no such file", path) from None
    except (OSError, ValueError) as error:
        raise FileError(f"cannot be read: {getattr(error, 'strerror', None) or error}", path) from None
    if not S_ISREG(found.st_mode):
        kind = "a folder" if os.path.isdir(path) else "a pipe or a device"
        raise FileError(f"cannot be read: it is {kind}", path)
    if found.st_size > most:
        raise FileError(f"has {found.st_size / 1e6:.0f} MB: files of its kind may have {most / 1e6:.0f} MB", path)
    return Path(path)


def is_file(path: str | os.PathLike) -> bool:
    """Whether there is a regular file of that name; there is none of a name that no file can have."""
    return os.path.isfile(path)  # Path.is_file raises where a name is too long


def resolved(path: str | os.PathLike) -> Path:
    """The path without links; those that run in a ring stay."""
    return Path(os.path.realpath(path))  # Path.resolve raises there


def contents(path: str | os.PathLike, most: int = TEXT) -> bytes:
    """All that is in a file."""
    file = checked(path, most)
    try:
        with open(file, "rb") as stream:
            size = os.fstat(stream.fileno()).st_size
            raw = stream.read(min(size, most) + 1)  # not of `most`: Python sets aside what is asked for
    except OSError as error:
        raise FileError(f"cannot be read: {error.strerror or error}", path) from None
    if len(raw) > min(size, most):
        raise FileError("grows while it is read: wait until it is written", path)
    return raw


def rows_of_numbers(path: str | os.PathLike) -> np.ndarray:
    """The array in a .npy file, or the rows of numbers in text; .csv has commas between them."""
    file = checked(path)
    try:
        if file.suffix.lower() == ".npy":
            _check_npy(file)
            array = np.load(file, allow_pickle=False)
            if array.dtype.kind not in "fiu":
                raise FileError(f"contains no rows of numbers: it holds {array.dtype}", path)
            return array
        delimiter = "," if file.suffix.lower() == ".csv" else None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a file without rows, which is refused
            array = np.loadtxt(file, delimiter=delimiter, ndmin=2)
    except FileError:
        raise
    except Exception as error:  # whatever parsers of numbers may say
        raise FileError(f"contains no rows of numbers: {error or type(error).__name__}", path) from None
    if not array.size:
        raise FileError("contains no rows of numbers: it is empty", path)
    return array


def _check_npy(file: Path) -> None:
    """The header of a .npy file must not claim more numbers than the file can hold."""
    with open(file, "rb") as stream:
        try:
            old = np.lib.format.read_magic(stream) == (1, 0)
            after = stream.tell()
            if int.from_bytes(stream.read(2 if old else 4), "little") > os.fstat(stream.fileno()).st_size:
                raise ValueError("a header beyond the end")
            stream.seek(after)
            read = np.lib.format.read_array_header_1_0 if old else np.lib.format.read_array_header_2_0
            shape, _, kind = read(stream)
        except Exception:  # it is text of Python's, of which anything may be wrong
            raise FileError("contains no rows of numbers: its header is not that of a .npy file", file) from None
        if min(shape, default=0) < 0:
            raise FileError("contains no rows of numbers: its header claims a negative count", file)
        if kind.hasobject:
            raise FileError("contains no rows of numbers: it holds Python objects", file)
        claimed, there = kind.itemsize, os.fstat(stream.fileno()).st_size - stream.tell()
        for count in shape:
            claimed *= int(count)
        if claimed > there:
            raise FileError(f"is cut off: its header claims {claimed} bytes of numbers, {there} are there", file)


def triangles(path: str | os.PathLike, what: str, process: bool = False) -> Any:
    """The mesh in a file, by trimesh."""
    try:
        import trimesh
    except ImportError as error:
        raise MissingPackageError(f"{what}: meshes need trimesh: pip install 'gori[formats]'") from error
    try:
        file = checked(path)
        if file.suffix.lower() == ".msh":
            mesh = trimesh.Trimesh(*_mujoco_mesh(contents(file, NUMBERS)), process=process)
            mesh = mesh if len(mesh.faces) else mesh.convex_hull
        else:
            mesh = trimesh.load_mesh(file, process=process)
        vertices, faces = np.asarray(mesh.vertices, float), np.asarray(mesh.faces)
    except Exception as error:  # whatever a parser of meshes may say
        raise FileError(f"{what} cannot be read: {error or type(error).__name__}") from error
    if vertices.shape[1:] != (3,):
        raise FileError(f"{what} cannot be read: its vertices do not have three coordinates each")
    if len(faces) and not (faces.shape[1:] == (3,) and faces.min() >= 0 and faces.max() < len(vertices)):
        raise FileError(f"{what} cannot be read: it has triangles of vertices that are not there")
    return mesh


def _mujoco_mesh(raw: bytes) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (n, 3) and triangles (m, 3) in a .msh file of MuJoCo: counts of vertices, normals, texture coordinates
    and triangles, then each of these; without triangles it means the convex hull.
    """
    counts = np.frombuffer(raw[:16], "<i4").astype(int)
    if len(counts) < 4 or counts.min() < 0 or len(raw) != 16 + 4 * int(counts @ (3, 3, 2, 3)):
        raise ValueError("its size is not what its header says")
    points, _, _, faces = counts
    vertices = np.frombuffer(raw, "<f4", 3 * points, 16).reshape(-1, 3)
    triangles = np.frombuffer(raw[len(raw) - 12 * faces :], "<i4").reshape(-1, 3)
    if triangles.size and not 0 <= triangles.min() <= triangles.max() < points:
        raise ValueError("its triangles have vertices that are not there")
    return vertices.astype(float), triangles.astype(int)
