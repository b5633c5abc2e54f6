"""Recordings, frames, States and batches, damaged as `soak.files` does it, and with other contents under the names
that they have: kinds, shapes, values, attributes, links.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from fuzz.hostile import NAMES, VALUES, Rng, one_of, word
from soak.files import DAMAGE, READERS, make_files

BLIND = 0.35
"""share of mutants by bytes"""
ARRAYS = (
    np.zeros(0), np.zeros((0, 3)), np.float64(np.nan), np.full(5, np.nan), np.arange(7), np.zeros((2, 3, 4)),
    np.array([b"text"]), np.array([1e308, -1e308]), np.array([-1]), np.array([1 << 62]), np.zeros(5, "<f2"),
    np.zeros(5, "<c16"),
    np.zeros(5, bool), np.zeros(3, [("a", "<f8"), ("b", "<i4")]), np.array(0), np.ones((400, 2), "<i1"),
)  # fmt: skip
MOST = 1 << 20
"""numbers of a dataset that is written to"""
KINDS = ("<f8", "<f4", ">f8", "<i8", "<i1", "<u8", "|b1", "S8", "<c16")


def fill(folder: Path) -> None:
    make_files(folder)


def mutant(folder: Path, work: Path, rng: Rng) -> tuple[Path, Callable[[Path], Any], str]:
    """A file with a change, what reads it, and words on the change."""
    name, reader = READERS[int(rng.integers(len(READERS)))]
    path, content = work / name, (folder / name).read_bytes()
    if name.endswith(".h5") and rng.random() > BLIND:
        path.write_bytes(content)
        with h5py.File(path, "r+", locking=False) as file:
            told = ", ".join(_changed(file, rng) for _ in range(int(rng.choice([1, 1, 2, 3]))))
        return path, reader, told
    if name.endswith(".npz") and rng.random() > BLIND:
        with np.load(folder / name) as file:
            arrays = dict(file)
        told = _changed_array(arrays, rng)
        with open(path, "wb") as out:
            np.savez(out, **arrays)  # type: ignore[arg-type]
        return path, reader, told
    damage, data = one_of(rng, DAMAGE), bytearray(content)
    damage(data, rng)
    path.write_bytes(data)
    return path, reader, damage.__name__


def _changed_array(arrays: dict[str, Any], rng: Rng) -> str:
    """One array of a State or of a batch: gone, another, or with random words in a part of it."""
    name, how = one_of(rng, list(arrays)), rng.random()
    if how < 0.1:
        del arrays[name]
        return f"{name} removed"
    data = arrays[name].copy()
    content = data.reshape(-1).view(np.uint8) if data.size and data.dtype.kind != "O" else np.zeros(0, np.uint8)
    if how < 0.3 or len(content) < 8:
        arrays[name] = one_of(rng, ARRAYS)
        return f"{name} = {arrays[name].dtype} {arrays[name].shape}"
    at, size = 8 * int(rng.integers(len(content) // 8)), 8 * int(rng.choice([1, 1, 4, 100]))
    content[at : at + size] = rng.integers(256, size=len(content[at : at + size]))
    arrays[name] = data
    return f"{name}: random bytes at {at}"


def _changed(file: Any, rng: Rng) -> str:
    try:
        return one_of(rng, _CHANGES)(file, rng)
    except (ValueError, TypeError, OSError, RuntimeError, KeyError, OverflowError, MemoryError) as error:
        return f"nothing: {error!s:.40}"  # the library does not write such a thing


def _things(file: Any, kind: Any = object) -> list[str]:
    found: list[str] = []
    file.visit(lambda name: found.append(name) if isinstance(file.get(name), kind) else None)
    return found


def _removed(file: Any, rng: Rng) -> str:
    if not (found := _things(file)):
        return "nothing"
    name = one_of(rng, found)
    del file[name]
    return f"{name} removed"


def _other(file: Any, rng: Rng) -> str:
    """Another dataset under a name."""
    if not (found := _things(file, h5py.Dataset)):
        return "nothing"
    name, data = one_of(rng, found), one_of(rng, ARRAYS)
    del file[name]
    file[name] = data
    return f"{name} = {data.dtype} {data.shape}"


def _cast(file: Any, rng: Rng) -> str:
    """The same dataset in another kind of numbers, or with other sizes."""
    if not (found := _things(file, h5py.Dataset)):
        return "nothing"
    name = one_of(rng, found)
    data = file[name][()]
    if not isinstance(data, np.ndarray) or data.dtype.kind not in "fiub":
        return _other(file, rng)
    with np.errstate(all="ignore"):
        how = int(rng.integers(4))
        if how == 0:
            data = data.astype(one_of(rng, KINDS))
        elif how == 1:
            data = data[: len(data) // 2] if data.ndim else data
        elif how == 2:
            data = data[..., None] if rng.random() < 0.5 else data.ravel()
        else:
            data = np.concatenate([data, data[::-1]]) if data.ndim else data
    del file[name]
    chunked: dict[str, Any] = {"chunks": True, "maxshape": (None, *data.shape[1:])} if data.ndim and data.size else {}
    file.create_dataset(name, data=data, **chunked)
    return f"{name} as {data.dtype} {data.shape}"


def _values(file: Any, rng: Rng) -> str:
    if not (found := _things(file, h5py.Dataset)):
        return "nothing"
    name = one_of(rng, found)
    data = file[name]
    if data.dtype.kind not in "fiu" or not 0 < data.size < MOST:
        return _other(file, rng)
    value = one_of(rng, (np.nan, np.inf, -1.0, 0.0, 1e300, 1e18) if data.dtype.kind == "f" else (0, 1, 127, 100))
    if data.ndim and rng.random() < 0.6:
        data[int(rng.integers(len(data)))] = value
    else:
        data[...] = value
    return f"{name}: {value}"


def _attribute(file: Any, rng: Rng) -> str:
    found = [(name, key) for name in ["/", *_things(file)] for key in file[name].attrs]
    if not found:
        return "nothing"
    name, key = one_of(rng, found)
    attributes, how = file[name].attrs, rng.random()
    if how < 0.2:
        del attributes[key]
        return f"{name}.{key} removed"
    old = attributes[key]
    if isinstance(old, str) and how < 0.7:
        words = old.split('"')
        k = int(rng.integers(len(words)))
        words[k] = word(rng, words[k], words)
        new: Any = (
            '"'.join(words)
            if rng.random() < 0.7
            else one_of(rng, ("", "{}", "[]", "null", old[: len(old) // 2], "[" * 9000))
        )
    else:
        new = one_of(rng, [*ARRAYS[:8], *(value for value in VALUES if isinstance(value, (int, float, str)))])
    attributes[key] = new
    return f"{name}.{key} = {new!r:.40}"


def _moved(file: Any, rng: Rng) -> str:
    if len(found := _things(file)) < 2:
        return "nothing"
    one, other = one_of(rng, found), one_of(rng, found)
    if other.startswith(one) or one.startswith(other):
        return "nothing"
    del file[other]
    file[other] = file[one]  # a second name of the same thing
    return f"{other} is {one}"


def _link(file: Any, rng: Rng) -> str:
    """A link to itself, to nothing, to another file."""
    if not (found := _things(file)):
        return "nothing"
    name = one_of(rng, found)
    del file[name]
    how = int(rng.integers(4))
    file[name] = (
        h5py.SoftLink(f"/{name}"),
        h5py.SoftLink("/none"),
        h5py.ExternalLink("/dev/zero", "/"),
        h5py.SoftLink("/"),
    )[how]
    return f"{name} is a link {how}"


def _added(file: Any, rng: Rng) -> str:
    name = one_of(
        rng, [one for one in NAMES if one and "/" not in one and "\0" not in one and one != "." and one != ".."]
    )
    group = one_of(rng, ["/", *_things(file, h5py.Group)])
    if name in file[group]:
        return "nothing"
    file[group][name] = one_of(rng, ARRAYS)
    return f"{group}/{name} added"


def _huge(file: Any, rng: Rng) -> str:
    """A dataset that claims more than any memory holds, of which nothing is stored."""
    if not (found := _things(file, h5py.Dataset)):
        return "nothing"
    name = one_of(rng, found)
    old = file[name]
    shape = (1 << 40, *old.shape[1:])
    kind = old.dtype
    del file[name]
    file.create_dataset(name, shape, kind, chunks=(1000, *shape[1:]))
    return f"{name} of {shape}"


_CHANGES = (_removed, _removed, _other, _other, _cast, _cast, _values, _values, _attribute, _attribute, _attribute,
            _moved, _link, _added, _huge)  # fmt: skip
