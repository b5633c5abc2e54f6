"""What a march of grains on the CPU needs, in one bundle of arrays. Rows are grains sorted by cell.

Grains are cut into chunks of CHUNK rows. A contact between two grains of a chunk is found and computed once, by that
chunk; one between two chunks is computed by both, each for its own grain. So a chunk writes to nobody else's grains, and
the sums do not depend on how many workers share the chunks.
"""

from typing import Any, NamedTuple

from numba import types

CHUNK = 1024

# run_i
COUNT, MATERIALS, LAW, HISTORY, BODIES, HOME, NOW = 0, 1, 2, 3, 4, 5, 6
"""grains; materials; law; numbers of history of a contact (4, or 8 with rolling); bodies; the body whose translation
grains are expected to share, -1 for none; which of the two buffers holds the grains now"""
DONE, REBUILDS, FRESH, NAMES = 7, 8, 9, 10
"""sub-steps done in this march; lists made so far; whether the lists hold (-1: contacts are kept, lists are to be made);
which of the two buffers holds the idents"""
SLOTS = 11
"""on a GPU: slots of neighbours of each grain"""
N_RUN_I = 16

# run_f
STEP, GX, GY, GZ, SKIN, REACH = 0, 1, 2, 3, 4, 5
"""sub-step [s]; gravity [m/s2]; extra distance kept in the lists [m]; largest radius [m]"""
LOW, HIGH = 6, 9  # the domain, in the frame of HOME, as box (3), (3) [m]
N_RUN_F = 16

# pose (steps + 1, nbody, N_POSE): of each body at each sub-step, world axes
ROT, POS, VEL, SPIN = 0, 9, 12, 15
N_POSE = 18

# grid_i: cells in x, y, z, powers of 2 from 8 on, after which the grid repeats: far grains that share a cell cost a
# comparison, and no place is outside
G_NX, G_NY, G_NZ = 0, 1, 2

# result codes of a march, beside those of `codes.py`; words in `sim/grains.py`
OK, LOST, RUNAWAY, TOO_DEEP, LIST_FULL, TOUCH_FULL, WALL_FULL = 0, 21, 22, 23, 24, 25, 26


class Grains(NamedTuple):
    """Grains, their lists, and what they touch."""

    run_i: Any
    run_f: Any
    place: Any  # (2, N, 4): now and next
    motion: Any  # (2, N, 8)
    ident: Any  # (2, N)
    before: Any  # (N, 3) places when the lists were made
    pose: Any
    pose_before: Any  # (nbody, N_POSE) when the lists were made
    extent: Any  # (nbody,) of their walls [m], -1 for none
    pair_f: Any
    # contacts of grains: slots of grain i from begin[i] to end[i]
    begin: Any
    end: Any
    owner: Any  # (slots,) int32 i
    other: Any  # (slots,) int32 j
    touching: Any  # (slots,) uint8
    history: Any  # (slots, HISTORY)
    # contacts with walls
    wall_begin: Any
    wall_end: Any
    wall: Any  # (slots,) int32 primitive
    wall_touching: Any
    wall_history: Any
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
    kept_history: Any
    kept_wall_begin: Any
    kept_wall_end: Any
    kept_wall: Any
    kept_wall_history: Any
    load: Any  # (N, 8) force and torque on each grain, each with a 0 behind
    hits: Any  # (workers, slots of a chunk + 1) int32
    flags: Any  # (2, workers, 8) int64: what each worker has to tell: a code, whether lists are due, the culprits
    counters: Any  # (1,)


_b1 = types.uint8[::1]
_i1, _i3 = types.int64[::1], types.int64[:, :, ::1]
_j1, _j2 = types.int32[::1], types.int32[:, ::1]
_l2 = types.int64[:, ::1]
_f1, _f2, _f3 = types.float64[::1], types.float64[:, ::1], types.float64[:, :, ::1]

FIELDS = {
    "run_i": _i1, "run_f": _f1, "place": _f3, "motion": _f3, "ident": _l2, "before": _f2, "pose": _f3,
    "pose_before": _f2, "extent": _f1, "pair_f": _f2, "begin": _i1, "end": _i1, "owner": _j1, "other": _j1, "touching": _b1,
    "history": _f2, "wall_begin": _i1, "wall_end": _i1, "wall": _j1, "wall_touching": _b1, "wall_history": _f2,
    "wall_push": _f2, "push": _f2, "wall_sum": _f2,
    "wall_i": _j2, "wall_f": _f2, "rim_i": _j2, "rim_f": _f2, "bin_i": _j2, "bin_f": _f2,
    "bin_start": _j1, "bin_wall": _j1, "always": _j1, "grid_i": _i1, "cell": _j1, "cell_start": _j1,
    "order": _j1, "kept_begin": _i1, "kept_end": _i1, "kept": _j1, "kept_history": _f2, "kept_wall_begin": _i1,
    "kept_wall_end": _i1, "kept_wall": _j1, "kept_wall_history": _f2, "load": _f2, "hits": _j2, "flags": _i3,
    "counters": _i1,
}  # fmt: skip
grains_type = types.NamedTuple(list(FIELDS.values()), Grains)
