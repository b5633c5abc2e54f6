"""Arrays of the particles in a run: each declared once, for the CPU and for a GPU.

Bundles, Numba types and allocation follow from `ARRAYS`; columns are in `columns.py`.

On the CPU rows are particles sorted by cell, cut into chunks of rows. A contact between two particles of a chunk is
found and computed once, by that chunk; one between two chunks is computed by both, each for its own particle. So a
chunk writes only to its own particles, and the sums do not depend on how many workers share the chunks.

Pairs that may touch have a slot. The slots of a chunk stand by class, first those within the chunk, then those across,
each by the gap at the time when the lists were made: touching ones first. A class starts at a multiple of eight, and
its last group is filled up with copies of its last slot, which are ignored.

On a GPU a particle has all of its neighbours as slots of its own; slot k of all particles lies side by side. Arrays are
flat where four numbers are read in one access.
"""

from collections import namedtuple
from typing import Any, NamedTuple

import numpy as np
from numba import from_dtype, types

from gori.kernels.lanes import aligned
from gori.kernels.layout import field, record
from gori.kernels.particles import columns as c

CHUNK = 2048
"""particles of a chunk, about"""

GAPS = 4
SMALL, MIDDLE = 1.0 / 8.0, 1.0 / 2.0
ACROSS = GAPS
CLASSES = 2 * GAPS
"""classes of slots: touching, gap up to SMALL, MIDDLE or 1 of the skin; from ACROSS on the same of pairs of two chunks.
Two particles cannot touch before they have moved by their gap: the last classes wait for that"""

SETTINGS = record(
    "ParticleSettings",
    field("count", "", "particles", dtype="i8"),
    field("materials", "", "materials", dtype="i8"),
    field("law", "", "HERTZ or VOIGT", dtype="i8"),
    field("history", "", "numbers of history of a contact: 4, or 8 with rolling", dtype="i8"),
    field("bodies", "", "bodies that carry walls", dtype="i8"),
    field("home", "", "body on which particles are expected to ride, -1 for none", dtype="i8"),
    field("turns", "", "whether particles are expected to turn with `home` too", dtype="i8"),
    field("uniform", "", "whether all particles have one radius and mass", dtype="i8"),
    field("mixed", "", "CPU: whether radii differ or contacts resist rolling", dtype="i8"),
    field("careful", "", "CPU: whether a particle can be too fast and yet within the skin", dtype="i8"),
    field("rows", "", "CPU: particles of a chunk", dtype="i8"),
    field("neighbours", "", "GPU: slots of each particle", dtype="i8"),
    field("step", "s", "sub-step"),
    field("gravity", "m/s2", "world axes", shape=3),
    field("skin", "m", "neighbour-list skin"),
    field("radius", "m", "largest that will ever come"),
    field("low", "m", "lower corner of the domain, in the frame of `home`", shape=3),
    field("high", "m", "upper corner of the domain", shape=3),
    field("roam", "m", "how far particles may be from the origin of `home`, or of the world"),
    field("unit", "m", "GPU: unit of positions in fixed point"),
    field("per_unit", "1/m", "GPU: its inverse"),
    field("unit_per_skin", "", "GPU: that unit in skins"),
)
"""numbers of a run that no kernel changes"""

PROGRESS = record(
    "ParticleProgress",
    field("now", "", "which of the two buffers holds spheres and motion", dtype="i8"),
    field("ids", "", "which of the two buffers holds the ids", dtype="i8"),
    field("done", "", "sub-steps done in this march", dtype="i8"),
    field("rebuilds", "", "lists made so far", dtype="i8"),
    field("fresh", "", "1 if the lists hold; 0 if due; -1 if contacts are kept, lists to be made", dtype="i8"),
    field("level", "", "classes of gaps that count: 0 up to SMALL, 1 up to MIDDLE, 2 all", dtype="i8"),
)
"""progress of a march, on the CPU; on a GPU: `cuda_flags.py`"""

REPORT = record(
    "WorkerReport",
    field("code", "", "result code", dtype="i8"),
    field("level", "", "level of the gaps that count, more if lists are due", dtype="i8"),
    field("culprit", "", "id of the particle behind the code", dtype="i8"),
    field("apart", "", "up to the end of a cache line", shape=5, dtype="i8"),
)
"""of one worker after a sub-step"""

RECORDS = {"settings": SETTINGS, "progress": PROGRESS, "report": REPORT}


class ParticleArray(NamedTuple):
    """One array: dtype and shape on the CPU and on a GPU ("" where it is not used), who writes it, and its meaning.

    Shapes are sums of products of whole numbers and names of sizes. After the dtype, ! asks for an array that starts on
    a cache line, ? for one that need not be zero at the start.
    """

    name: str
    cpu: str
    gpu: str
    written: str
    meaning: str


_TABLES = "a table of the Model"
ARRAYS = tuple(ParticleArray(*row) for row in (
    ("settings", "settings 1", "settings 1", "the host", "numbers of a run"),
    ("progress", "progress 1", "", "march, lists", "where the march stands"),
    # particles: two buffers, now and next
    ("sphere", "f8! 2 n 4", "f8 2*n*4", "march, lists", "centre and radius [m]"),
    ("fixed_point", "", "i4? 2*n*4", "march, lists", "the same in units: the last 32 bits, enough for what is near"),
    ("motion", "f8! 2 n 8", "f4 2*n*8", "march, lists", "velocity, mass, angular velocity, material"),
    ("velocity_low", "", "f4 2*n*4", "march, lists", "low bits of the velocities; buffers change with the lists"),
    ("id", "i8 2 n", "i4 2 n", "lists", "ids"),
    ("inverse_mass", "f8 inertias 2", "", "lists", "1 / mass, 1 / inertia; one row if particles are uniform"),
    ("load", "f8! workers rows 8", "f4? n*8", "contacts",
     "force and torque, each with a number behind; CPU: of a chunk"),
    # at the last list rebuild
    ("listed_position", "f8! n 4", "f8? n*4", "lists", "centres then"),
    ("listed_point", "", "i4? n*4", "march, lists", "in fixed point, and the level to which each has moved since"),
    ("listed_pose", "f8 bodies 18", "f8 bodies 18", "lists", "poses of the bodies then"),
    # bodies and laws
    ("pose", "f8 moments bodies 18", "f8 moments bodies 18", "the host", "poses at each sub-step, and at the end"),
    ("extent", "f8 bodies", "f8 bodies", _TABLES, "of their walls [m], EVERYWHERE with a plane, -1 for none"),
    ("pair_f", "f8 pairs 12", "f4 pairs 12", _TABLES, "laws of materials"),
    ("pair_row", "f8! pairs 8", "", _TABLES, "the first columns of pair_f"),
    ("back", "", "f8 12", "march", "how particles are put back to their home (`way_back`)"),
    # contacts between particles
    ("class_begin", "i8 chunks 8", "", "lists", "first slot of each class of a chunk"),
    ("class_end", "i8 chunks 8", "", "lists", "the one after its last"),
    ("owner", "i4 pair_slots", "", "lists", "row of particle i"),
    ("other", "i4 pair_slots", "i4 2*neighbours*n+8*n", "lists",
     "row of particle j; GPU: by levels, ~ while it touches"),
    ("kind", "i4 pair_slots", "", "lists", "row of pair_f"),
    ("count", "", "i4 2*n", "lists, march", "how many neighbours, and bits of the levels of gaps that count"),
    ("pair_constants", "f8! constants 8", "", "lists", "N_CONSTANTS rows of eight for each group of slots"),
    ("touching", "u1 groups", "", "contacts, lists", "a bit for each slot of a group"),
    ("history", "f8! groups*tracked 8", "f4? 2*neighbours*n*history", "contacts, lists",
     "CPU: tangential x y z, with rolling that too, of eight slots; GPU: tangential and 0, rolling and 0"),
    # contacts with walls
    ("wall_begin", "i8 n", "", "lists", "first slot of each particle"),
    ("wall_end", "i8 n", "", "lists", "the one after its last"),
    ("wall_at", "", "i4 2 2 n", "lists", "first slot and count"),
    ("wall_bits", "", "i8 2*n", "contacts, lists", "walls that a particle touches: found in this sub-step, and before"),
    ("wall_rows", "", "i4? n", "lists", "particles that have some, as they came"),
    ("wall_owner", "i4 wall_slots", "i4 wall_slots", "lists", "row of the particle"),
    ("wall", "i4 wall_slots", "i4 2 wall_slots", "lists, contacts", "primitive; GPU: ~primitive while it touches"),
    ("wall_touching", "u1 wall_slots", "", "contacts, lists", "whether it touches"),
    ("wall_history", "f8 wall_slots history", "f4 2 wall_slots history", "contacts, lists",
     "tangential, 0, rolling, 0"),
    ("wall_near", "f8 wall_slots 4", "f8? 4*wall_slots", "contacts", "gap and direction in this sub-step"),
    ("wall_load", "", "f4? 8*wall_slots", "contacts", "as `load`, of one wall"),
    ("wall_wrench", "f8 wall_slots 6", "f8 wall_slots 6", "contacts",
     "moment and force on the wall, summed over sub-steps"),
    ("wrench", "f8 bodies 6", "f8 bodies 6", "lists, march", "the same by bodies"),
    ("primitive_wrench", "f8 primitives 6", "f8 copies primitives 6",
     "lists, march",  "and by primitives; on a GPU with copies, so that fewer threads wait"),
    ("wall_i", "i4 primitives 9", "i4 primitives 9", _TABLES, "primitives of walls"),
    ("wall_f", "f8 primitives 41", "f8 primitives 41", _TABLES, "primitives of walls"),
    ("rim_i", "i4 vertices 2", "i4 vertices 2", _TABLES, "corners of facets"),
    ("rim_f", "f8 rims 3", "f8 rims 3", _TABLES, "edges that leave them"),
    ("bin_i", "i4 bodies 6", "i4 bodies 6", _TABLES, "grids of facets"),
    ("bin_f", "f8 bodies 4", "f8 bodies 4", _TABLES, "grids of facets"),
    ("bin_start", "i4 bins", "i4 bins", _TABLES, "first entry of each cell"),
    ("bin_wall", "i4 binned", "i4 binned", _TABLES, "primitives by cell"),
    ("always", "i4 always", "i4 always", _TABLES, "primitives that are tested for every particle"),
    # list rebuilds
    ("grid_i", "i8 3", "i4 3", "the host", "cells in x, y, z"),
    ("cell", "i4 n", "i4? n", "lists", "cell of each particle"),
    ("cell_start", "i4 cells+1", "i4? cells+1", "lists", "first row of each cell"),
    ("order", "i4 n", "i4 n", "lists", "row of before"),
    ("rank", "", "i4? n", "lists",
     "among those that share a cell, as they came; then the new row of each row of before"),
    ("kept_begin", "i8 n", "", "lists", "contacts of before, seen from both particles: the first"),
    ("kept_end", "i8 n", "", "lists", "the one after the last"),
    ("kept", "i4 kept_slots", "", "lists", "row of before of the other particle"),
    ("kept_history", "f8 kept_slots tracked", "", "lists", "its history"),
    ("kept_wall_begin", "i8 n", "", "lists", "the same of walls"),
    ("kept_wall_end", "i8 n", "", "lists", ""),
    ("kept_wall", "i4 wall_slots", "", "lists", ""),
    ("kept_wall_history", "f8 wall_slots history", "", "lists", ""),
    ("found", "i4 workers chunk_slots 3", "", "lists", "pairs and their class, before they are sorted by it"),
    ("totals", "", "i4? blocks", "lists", "particles in the cells of a block"),
    ("sums", "", "f8? bodies blocks 6", "lists, march", "wrenches of bodies by blocks"),
    # threads
    ("reports", "report 2 workers", "", "march, lists", "of each worker, of even and odd sub-steps"),
    ("counters", "i8 1", "", "march, lists", "of the barrier"),
    ("flags", "", "i4 33", "march, lists", "where the march stands (`cuda_flags.py`)"),
))  # fmt: skip


class Declaration(NamedTuple):
    """dtype and shape of an array on one device, and how it is allocated."""

    dtype: np.dtype
    shape: tuple[str, ...]
    aligned: bool
    zero: bool
    type: Any


def _declaration(text: str) -> Declaration:
    kind, *shape = text.split()
    name = kind.rstrip("!?")
    if name in RECORDS:
        dtype, scalar = RECORDS[name].dtype, RECORDS[name].type
    else:
        dtype = np.dtype(name)
        scalar = from_dtype(dtype)
    return Declaration(dtype, tuple(shape), "!" in kind, "?" not in kind, types.Array(scalar, len(shape), "C"))


CPU = {array.name: _declaration(array.cpu) for array in ARRAYS if array.cpu}
GPU = {array.name: _declaration(array.gpu) for array in ARRAYS if array.gpu}

ParticleArrays = namedtuple("ParticleArrays", list(CPU))
ParticleArrays.__doc__ = "All arrays of `ARRAYS` that the CPU has."
CudaArrays = namedtuple("CudaArrays", list(GPU))
CudaArrays.__doc__ = "All arrays of `ARRAYS` that a GPU has, on the device."
particles_type = types.NamedTuple([array.type for array in CPU.values()], ParticleArrays)


def shape_of(declared: Declaration, sizes: dict[str, int]) -> tuple[int, ...]:
    """The shape in numbers."""

    def number(product: str) -> int:
        out = 1
        for factor in product.split("*"):
            out *= int(factor) if factor.isdigit() else sizes[factor]
        return out

    return tuple(sum(map(number, extent.split("+"))) for extent in declared.shape)


def depending_on(table: dict[str, Declaration], *sizes: str) -> list[str]:
    """Names of the arrays whose shapes use one of these sizes."""
    used = {name: set("*".join(array.shape).replace("+", "*").split("*")) for name, array in table.items()}
    return [name for name, names in used.items() if names & set(sizes)]


def host_array(declared: Declaration, sizes: dict[str, int], value: Any = None) -> np.ndarray:
    """An array on the host: zero, or a copy of these values in its dtype; tables without rows get one of zeros."""
    if value is None:
        shape = shape_of(declared, sizes)
        return aligned(shape) if declared.aligned else np.zeros(shape, declared.dtype)
    value = np.asarray(value)
    if not len(value) and len(declared.shape) and declared.shape[0] not in ("n", "2*n"):
        value = np.zeros((1, *value.shape[1:]), value.dtype)
    if not declared.aligned:
        return np.array(value, declared.dtype, order="C")
    out = aligned(value.shape)
    out[:] = value
    return out


def rows_of_chunk(n: int) -> int:
    """How many particles make a chunk: a function of their number alone, so that any number of workers does the same
    sums.

    An even number of chunks, a multiple of eight particles each: large enough that few contacts are computed twice,
    small enough for the cache of a core.
    """
    pairs = max(1, round(n / (2 * CHUNK)))
    return max(8, -(-n // (16 * pairs)) * 8)


assert CPU["pose"].shape[-1] == str(c.N_POSE) and CPU["class_begin"].shape[-1] == str(CLASSES)
