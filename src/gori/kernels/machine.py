"""What a step needs, in two bundles: the Machine that never changes, and the Scratch that is recomputable."""

from typing import Any, NamedTuple

from numba import types


class Machine(NamedTuple):
    """A Model with its forces, as the integrators see it."""

    body_i: Any
    body_f: Any
    element_i: Any
    element_f: Any
    signal_i: Any
    signal_f: Any
    user: int  # address of a user's function, 0 if there is none
    core: int  # address of the kernel that solves the equations of an implicit step, 0 if the method is explicit
    cut_i: Any  # the cuts (`loops/tables.py`)
    cut_f: Any
    eq_i: Any
    path_i: Any
    sparse_i: Any
    closed: int  # address of the kernel that keeps the loops closed, 0 if there are none


class Scratch(NamedTuple):
    """Arrays that `accelerations` fills."""

    body_w: Any
    dof_w: Any
    tau: Any
    values: Any  # of the signals
    stack: Any  # of the expressions
    loop: Any  # memory of what keeps the loops closed


_f1, _f2, _i1, _i2 = types.float64[::1], types.float64[:, ::1], types.int64[::1], types.int64[:, ::1]
machine_type = types.NamedTuple(
    [_i2, _f2, _i2, _f2, _i2, _f2, types.int64, types.int64, _i2, _f2, _i2, _i1, _i1, types.int64], Machine
)
scratch_type = types.NamedTuple([_f2, _f2, _f1, _f1, _f1, _f1], Scratch)

SOLVER = types.int64(machine_type, scratch_type, types.float64, _f1, _f1, types.int64)
"""signature of what keeps loops closed: machine, scratch, t, y, k, what.

RATES    k = dy/dt at (t, y)
SETTLE   y is moved onto the loops: positions and velocities
FALL     k (nv,) = accelerations at (t, y), where y is on the loops; only `multipliers` does this
LAND     SETTLE, then RATES
"""
RATES, SETTLE, FALL, LAND = 0, 1, 2, 3
