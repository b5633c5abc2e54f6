"""The numbers of compiled tables, one after the other: which of them are real, and how they are named."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from gori.errors import InputError
from gori.kernels.bundle import Bundle
from gori.kernels.tree import columns as col
from gori.model.machine import IMPULSES, NONE, machine_of
from gori.model.model import Model

Arrays = Mapping[str, np.ndarray]
"""tables by name"""
VECTORS = {"body_f": [(col.R_PJ, 9), (col.P_PJ, 3), (col.COM, 3), (col.INERTIA, 6)]}
"""columns of flat tables that together are one vector: first and number; fields of records are vectors by themselves"""
LOOSE = {"start": 3e-12, "loops.eps_mass": 1e-2, "loops.eps_unit": 1e-2, "loops.extra_inertia": 1e-2}
"""relative differences that do not count in tables of `compiled_tables`: loops are closed to a tolerance, and of what
makes factors regular the order of magnitude counts"""


class StructureError(InputError):
    """Tables of another shape, or with other whole numbers."""


def walk(bundle: Bundle, prefix: str = "") -> dict[str, np.ndarray]:
    """All arrays of a bundle and of the bundles in it, by name: "body_f", "contact.law"."""
    found = {}
    for name, member in bundle.members().items():
        if isinstance(member, Bundle):
            found |= walk(member, f"{prefix}{name}.")
        elif isinstance(member, np.ndarray):
            found[prefix + name] = member
    return found


def compiled_tables(model: Model) -> dict[str, np.ndarray]:
    """Tables of the Machine of a run, and its start.

    loops.eps_mass, loops.eps_unit, loops.extra_inertia, loops.tolerance   of the loop solver
    start                                                                  y = (q, v, z, w)
    start.wheel, start.train                                               states of wheels and drive trains
    """
    contact = NONE if model.contact is None else IMPULSES
    loops = model.loop_system.kept if model.loops else None
    found = walk(machine_of(model, loops=loops, live=True, contact=contact)[0])
    q, v = start_of(model)
    found["start"] = np.concatenate([q, v, np.zeros(model.nz + 1)])
    if model.loops:
        regular = model.loop_system.regularisation(q)
        for name in ("eps_mass", "eps_unit", "extra_inertia"):
            found[f"loops.{name}"] = getattr(regular, name)
        found["loops.redundant"] = np.array([regular.redundant])
        found["loops.tolerance"] = np.array([model.loop_system.tolerance])
    if model.vehicle is not None:
        found |= {f"start.{name}": rows for name, rows in model.vehicle.start.items()}
    return found


def start_of(model: Model) -> tuple[np.ndarray, np.ndarray]:
    """q and v at which the Spec starts, with loops closed."""
    from gori.model.loops.assembly import assembled
    from gori.model.loops.velocity import consistent_velocity

    if not model.loops:
        return model.q0, model.v0
    q = assembled(model).q
    return q, consistent_velocity(model, q)


class Words:
    """Where the real numbers of some tables stand in one flat array.

    names    of the tables
    table    (count,) which table each number belongs to
    word     (count,) and which number of it, counted through all of the table, fields of records included
    vector   (count,) numbers with the same value are components of one vector
    """

    def __init__(self, tables: Arrays):
        self.names, self.like = tuple(tables), dict(tables)
        real = [np.flatnonzero(_is_real(name, array)) for name, array in tables.items()]
        self._real = dict(zip(tables, real))
        self.word = np.concatenate([np.zeros(0, np.int64), *real])
        self.table = np.repeat(np.arange(len(real)), [len(words) for words in real])
        first, vectors = 0, []
        for name, words in self._real.items():
            own = _vectors(name, tables[name])[words]
            vectors.append(first + own)
            first += int(own.max(initial=-1)) + 1
        self.vector = np.unique(np.concatenate([np.zeros(0, np.int64), *vectors]), return_inverse=True)[1]

    @property
    def count(self) -> int:
        """Number of real numbers."""
        return len(self.word)

    def numbers(self, name: str) -> np.ndarray:
        """The real numbers of a table, as they stand in the flat array; none if there is no such table."""
        return np.flatnonzero(self.table == self.names.index(name)) if name in self.names else np.zeros(0, np.int64)

    def flat(self, tables: Arrays) -> np.ndarray:
        """The real numbers (count,) of tables of the same structure; another one raises InputError."""
        if tables.keys() != self.like.keys():
            raise StructureError(f"there are other tables: {', '.join(sorted(tables.keys() ^ self.like.keys()))}")
        pieces = [np.zeros(0)]
        for name, array in tables.items():
            like, real = self.like[name], self._real[name]
            if array.shape != like.shape or array.dtype != like.dtype:
                raise StructureError(f"the size of the table {name!r} changes from {like.shape} to {array.shape}")
            ours, theirs = _words(array), _words(like)
            if len(real) < len(ours):
                rest = np.ones(len(ours), bool)
                rest[real] = False
                if (other := rest & (ours != theirs)).any():
                    where = place(name, like, int(np.flatnonzero(other)[0]))
                    raise StructureError(f"the whole number {where} changes")
            pieces.append(ours[real].view(np.float64))
        return np.concatenate(pieces)

    def name(self, k: int) -> str:
        """Name of number k."""
        name = self.names[self.table[k]]
        return place(name, self.like[name], int(self.word[k]))


def place(name: str, table: np.ndarray, word: int) -> str:
    """Name of one number of a table: "body_f[2, 12]", "wheel[0].hub[1]"."""
    if table.dtype.names is None:
        where = np.unravel_index(word, table.shape)
        return f"{name}[{', '.join(str(int(k)) for k in where)}]"
    row, at = divmod(8 * word, table.dtype.itemsize)
    where = ", ".join(str(int(k)) for k in np.unravel_index(row, table.shape))
    field, kind, start = next(one for one in reversed(_fields(table.dtype)) if one[2] <= at)
    return f"{name}[{where}].{field}" + (f"[{(at - start) // 8}]" if kind.subdtype else "")


def _fields(dtype: np.dtype) -> list[tuple[str, np.dtype, int]]:
    """Name, type and offset of the fields of a record."""
    return [(name, field[0], field[1]) for name, field in (dtype.fields or {}).items()]


def _words(array: np.ndarray) -> np.ndarray:
    """An array as whole numbers of 8 bytes; of smaller ones, one for each."""
    flat = np.ascontiguousarray(array).reshape(-1)
    return flat.view(np.int64) if array.dtype.itemsize % 8 == 0 else flat.astype(np.int64)


def _is_real(name: str, array: np.ndarray) -> np.ndarray:
    """Which words of a table are real numbers."""
    if array.dtype.names is None:
        return np.full(len(_words(array)), array.dtype == np.float64)
    per_row = np.zeros(array.dtype.itemsize // 8, bool)
    for field, kind, start in _fields(array.dtype):
        if kind.base.itemsize != 8:
            raise InputError(f"the table {name!r} has a field {field!r} of type {kind.base}, which is not of 8 bytes")
        per_row[start // 8 : (start + kind.itemsize) // 8] = kind.base == np.float64
    return np.tile(per_row, array.size)


def _vectors(name: str, array: np.ndarray) -> np.ndarray:
    """To which vector of a table each of its words belongs."""
    if array.dtype.names is not None:
        per_row = array.dtype.itemsize // 8
        pieces: Any = [(start // 8, kind.itemsize // 8) for _, kind, start in _fields(array.dtype)]
    elif name in VECTORS:
        per_row, pieces = array.shape[1], VECTORS[name]
    else:
        return np.arange(len(_words(array)))
    own = np.arange(per_row)
    for start, size in pieces:
        own[start : start + size] = start
    rows = len(_words(array)) // per_row
    return (per_row * np.arange(rows)[:, None] + own).ravel()


def among(numbers: np.ndarray, wanted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Which of the wanted numbers are among some sorted ones, and where."""
    at = np.searchsorted(numbers, wanted)
    inside = at < len(numbers)
    found = np.zeros(len(at), bool)
    found[inside] = numbers[at[inside]] == wanted[inside]
    return found, at


def overlaid(tables: Arrays, numbers: Iterator[tuple[str, np.ndarray, np.ndarray]]) -> dict[str, np.ndarray]:
    """Copies of tables with some of their numbers replaced: name, words and values of each table."""
    found = {name: array.copy() for name, array in tables.items()}
    for name, words, values in numbers:
        found[name].reshape(-1).view(np.float64)[words] = values
    return found
