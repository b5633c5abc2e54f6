"""What a march of grains on the CPU needs, in one bundle of arrays. Rows are grains sorted by cell.

Grains are cut into chunks of rows. A contact between two grains of a chunk is found and computed once, by that chunk;
one between two chunks is computed by both, each for its own grain. So a chunk writes to nobody else's grains, and the
sums do not depend on how many workers share the chunks.

Pairs that may touch have a slot. The slots of a chunk stand by class, first those within the chunk, then those across,
each by the gap at the time when the lists were made: touching ones first. A class starts at a multiple of eight, and
its last group is filled up with copies of its last slot, which count for nothing.
"""

from typing import Any, NamedTuple

from numba import types

CHUNK = 2048
"""grains of a chunk, about"""

GAPS = 4
SMALL, MIDDLE = 1.0 / 8.0, 1.0 / 2.0
ACROSS = GAPS
CLASSES = 2 * GAPS
"""classes of slots: touching, gap up to SMALL, MIDDLE or 1 of the skin; from ACROSS on the same of pairs of two chunks.
Two grains cannot touch before what they have moved comes up to their gap: the last classes wait for that"""

# run_i
COUNT, MATERIALS, LAW, HISTORY, BODIES, HOME, NOW = 0, 1, 2, 3, 4, 5, 6
"""grains; materials; law; numbers of history of a contact (4, or 8 with rolling); bodies; the body on which grains are
expected to ride, -1 for none; which of the two buffers holds the grains now"""
DONE, REBUILDS, FRESH, NAMES = 7, 8, 9, 10
"""sub-steps done in this march; lists made so far; whether the lists hold (-1: contacts are kept, lists to be made);
which of the two buffers holds the idents"""
ROWS, UNIFORM, MIXED, CAREFUL = 11, 12, 13, 14
"""grains of a chunk; whether all have one radius and mass; whether radii differ or contacts resist rolling; whether a
grain can be too fast and yet within the skin"""
SLOTS, LEVEL, TURNS = 15, 16, 17
"""on a GPU: slots of neighbours of each grain; on the CPU how many classes of gaps count: 0 those up to SMALL, 1 up to
MIDDLE, 2 all; whether grains are expected to turn with HOME too"""
N_RUN_I = 18

# run_f
STEP, GX, GY, GZ, SKIN, REACH = 0, 1, 2, 3, 4, 5
"""sub-step [s]; gravity [m/s2]; extra distance kept in the lists [m]; largest radius [m]"""
LOW, HIGH = 6, 9  # the domain, in the frame of HOME, as box (3), (3) [m]
UNIT, PER_UNIT = 12, 13  # on a GPU: of places that are whole numbers [m], and its inverse
ROAM = 14  # how far grains may be from the origin of HOME, or of the world [m]
N_RUN_F = 16

# fixed (N_FIXED rows of eight for each group of slots; of one group if grains are uniform)
REACHED, REDUCED_RADIUS, REDUCED_MASS, CLOSE = 0, 1, 2, 3
"""sum of the radii; reduced radius and mass; distance of the centres at which the overlap is too deep"""
N_FIXED = 4

# pose (steps + 1, nbody, N_POSE): of each body at each sub-step, world axes
ROT, POS, VEL, SPIN = 0, 9, 12, 15
N_POSE = 18

# grid_i: cells in x, y, z, powers of 2 from 8 on, after which the grid repeats: far grains that share a cell cost a
# comparison, and no place is outside
G_NX, G_NY, G_NZ = 0, 1, 2

# result codes of a march, beside those of `codes.py`; words in `sim/particles/particles.py`
OK, LOST, RUNAWAY, TOO_DEEP, LIST_FULL, TOUCH_FULL, WALL_FULL = 0, 21, 22, 23, 24, 25, 26


class Grains(NamedTuple):
    """Grains, their lists, and what they touch."""

    run_i: Any
    run_f: Any
    place: Any  # (2, N, 4): now and next
    motion: Any  # (2, N, 8)
    ident: Any  # (2, N)
    lightness: Any  # (N, 2) 1 / mass, 1 / inertia; (1, 2) if grains are uniform
    before: Any  # (N, 4) places and a 0, when the lists were made
    pose: Any
    pose_before: Any  # (nbody, N_POSE) when the lists were made
    extent: Any  # (nbody,) of their walls [m], EVERYWHERE with a plane, -1 for none
    pair_f: Any
    pair_row: Any  # (nm * nm, 8) the first columns of pair_f
    # contacts of grains
    class_begin: Any  # (chunks, CLASSES) slots
    class_end: Any
    owner: Any  # (slots,) int32 i
    other: Any  # (slots,) int32 j
    kind: Any  # (slots,) int32 row of pair_f
    fixed: Any  # (groups * N_FIXED, 8)
    touching: Any  # (groups,) uint8: a bit for each slot
    history: Any  # (groups * 3, 8) tangential by x, y, z; with rolling (groups * 6, 8), that too
    # contacts with walls
    wall_begin: Any
    wall_end: Any
    wall_owner: Any  # (slots,) int32 grain
    wall: Any  # (slots,) int32 primitive
    wall_touching: Any
    wall_history: Any
    wall_near: Any  # (slots, 4) gap and direction in this sub-step
    wall_push: Any  # (slots, 6) sum over the sub-steps of moment and force on the wall
    push: Any  # (nbody, 6) the same by bodies
    wall_sum: Any  # (primitives, 6) and by primitives
    wall_i: Any
    wall_f: Any
    rim_i: Any
    rim_f: Any
    bin_i: Any
    bin_f: Any
    bin_start: Any
    bin_wall: Any
    always: Any
    # making lists
    grid_i: Any
    cell: Any  # (N,) int32 cell of each grain
    cell_start: Any  # (cells + 1,) int32
    order: Any  # (N,) int32 row of before
    kept_begin: Any  # contacts of before, seen from both grains
    kept_end: Any
    kept: Any  # (slots,) int32 row of before of the other grain
    kept_history: Any  # (slots, 3 or 6)
    kept_wall_begin: Any
    kept_wall_end: Any
    kept_wall: Any
    kept_wall_history: Any
    load: Any  # (workers, ROWS, 8) force and torque on each grain of a chunk, each with a 0 behind; 0 between chunks
    found: Any  # (workers, slots of a chunk, 3) int32: pairs and their class, before they are sorted by it
    flags: Any  # (2, workers, 8) int64: what each worker has to tell: a code, the level of gaps that count or
    # more if lists are due, the culprit
    counters: Any  # (1,)


_b1, _j3 = types.uint8[::1], types.int32[:, :, ::1]
_i1, _i3 = types.int64[::1], types.int64[:, :, ::1]
_j1, _j2 = types.int32[::1], types.int32[:, ::1]
_l2 = types.int64[:, ::1]
_f1, _f2, _f3 = types.float64[::1], types.float64[:, ::1], types.float64[:, :, ::1]

FIELDS = {
    "run_i": _i1, "run_f": _f1, "place": _f3, "motion": _f3, "ident": _l2, "lightness": _f2, "before": _f2, "pose": _f3,
    "pose_before": _f2, "extent": _f1, "pair_f": _f2, "pair_row": _f2,
    "class_begin": _l2, "class_end": _l2, "owner": _j1, "other": _j1, "kind": _j1, "fixed": _f2, "touching": _b1,
    "history": _f2, "wall_begin": _i1, "wall_end": _i1, "wall_owner": _j1, "wall": _j1, "wall_touching": _b1,
    "wall_history": _f2, "wall_near": _f2, "wall_push": _f2, "push": _f2, "wall_sum": _f2,
    "wall_i": _j2, "wall_f": _f2, "rim_i": _j2, "rim_f": _f2, "bin_i": _j2, "bin_f": _f2,
    "bin_start": _j1, "bin_wall": _j1, "always": _j1, "grid_i": _i1, "cell": _j1, "cell_start": _j1,
    "order": _j1, "kept_begin": _i1, "kept_end": _i1, "kept": _j1, "kept_history": _f2, "kept_wall_begin": _i1,
    "kept_wall_end": _i1, "kept_wall": _j1, "kept_wall_history": _f2, "load": _f3, "found": _j3, "flags": _i3,
    "counters": _i1,
}  # fmt: skip
grains_type = types.NamedTuple(list(FIELDS.values()), Grains)


def rows_of_chunk(n: int) -> int:
    """How many grains make a chunk: a function of their number alone, so that any number of workers does the same sums.

    An even number of chunks, a multiple of eight grains each: large enough that few contacts are computed twice, small
    enough for the cache of a core.
    """
    pairs = max(1, round(n / (2 * CHUNK)))
    return max(8, -(-n // (16 * pairs)) * 8)
