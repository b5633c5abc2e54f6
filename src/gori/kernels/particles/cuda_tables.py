"""What grains on a GPU need, in one bundle of arrays on the device, and the flags by which it tells how they are."""

from typing import Any, NamedTuple

from gori.kernels.particles.grains import N_RUN_F

# flags
CODE, CULPRIT, SLOTS, WALL_SLOTS, WALL_GRAINS, FRESH, NOW, LISTS, REBUILDS = 0, 1, 2, 3, 4, 5, 6, 7, 8
"""result code; ident of the grain behind it; slots that a list needs; slots of walls in use, and grains that have some;
whether the lists hold (-1: grains are sorted, lists are to be made); buffers of the grains, of the lists; lists made so
far"""
DONE, BASE, TOTAL, STOP, DUE, MET = 9, 10, 11, 12, 13, 32
"""sub-steps done; of a graph: those before it, those wanted, and 1 + the sub-step after which to stop, 0 for none, -1
before all; of `march`: three flags in turn, lists are due; of threads that meet, in a line of memory of its own"""
N_FLAGS = 33
IN_SKINS = N_RUN_F
"""numbers of a run on a GPU alone: a unit of spots, in skins"""
LEVELS = 6
"""of gaps in the lists, from 0 to the skin; what a grain has moved since they were made counts twice"""
ROW_BITS = 28
"""of an entry of `other`: the row; then the level of the gap; all bits are turned while it touches"""
COUNT_BITS = 16
"""of a number of `count`: how many; then one for each level of gaps that count now"""


class CudaGrains(NamedTuple):
    """Grains, their lists and walls, on the device. Single precision but for places and walls."""

    run_i: Any  # (N_RUN_I,) int32
    run_f: Any  # (N_RUN_F + 1,) float64
    # flat, so that four numbers are one access; two buffers each
    place: Any  # (2 N 4,) float64
    spot: Any  # (2 N 4,) int32 the same in units, the last bits of it, which are enough for what is near
    motion: Any  # (2 N 8,)
    low: Any  # (2 N 4,) low bits of the velocities; their buffers change with the lists
    before: Any  # (N 4,) float64 places when the lists were made
    mark: Any  # (N 4,) int32 and spots, and the level to which each has moved since
    load: Any  # (N 8,) force and torque of other grains, each with one number behind
    ident: Any  # (2, N) int32
    # lists, two of each: those of before give the history. Slot k of all grains lies side by side
    count: Any  # (2 N,) int32 and level
    other: Any  # (2 K N + 8 N,) int32 the other grain, by levels; ~ while it touches
    history: Any  # (2 K N H,) four numbers: tangential and 0; or eight, with rolling
    wall_at: Any  # (2, 2, N) int32 first slot and count
    wall_bits: Any  # (2 N,) int64 those that a grain touches, as bits: found in this sub-step, and in the one before
    wall_rows: Any  # (N,) int32 grains that have some, as they came
    wall: Any  # (2, slots) int32 primitive, ~primitive while it touches
    wall_history: Any  # (2, slots, H)
    wall_owner: Any  # (slots,) int32 row of the grain
    wall_near: Any  # (4 slots,) float64 gap, direction
    wall_load: Any  # (8 slots,) as `load`, of one wall
    wall_push: Any  # (slots, 6) float64 moment and force on the wall, summed over sub-steps
    push: Any  # (nbody, 6) float64 the same by bodies
    wall_sum: Any  # (copies, primitives, 6) float64 by primitives: with copies fewer threads wait
    # sorting
    cell: Any  # (N,) int32
    rank: Any  # (N,) int32 among those that share a cell, as they came; then the new row of each row of before
    order: Any  # (N,) int32 row of before
    start: Any  # (cells + 1,) int32
    totals: Any  # (blocks,) int32
    sums: Any  # (nbody, blocks, 6) float64
    grid_i: Any  # (3,) int32
    # tables
    pair_f: Any
    wall_i: Any
    wall_f: Any
    rim_i: Any
    rim_f: Any
    bin_i: Any
    bin_f: Any
    bin_start: Any
    bin_wall: Any
    always: Any
    extent: Any
    pose: Any  # (steps + 1, nbody, N_POSE) float64
    pose_before: Any
    back: Any  # (12,) float64 of `march`: how grains are put back, after the sub-step
    flags: Any  # (N_FLAGS,) int32
