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
    outside_i: Any  # tables of what acts from outside (`vehicle/tables.py`)
    outside_f: Any
    outside: int  # address of the kernel that advances it, 0 if there is none
    coupled: Any  # rows of the bodies on which subsystems hold a wrench


class Data(NamedTuple):
    """Arrays that `accelerations` fills."""

    body_w: Any
    dof_w: Any
    tau: Any
    values: Any  # of the signals
    stack: Any  # of the expressions
    loop: Any  # memory of what keeps the loops closed
    outside: Any  # memory of what acts from outside
    ground: Any  # and of soil that remembers, by cells
    wrench: Any  # (coupled, 6) held on bodies by subsystems: moment about the body's origin, force, world axes
    recorded: Any  # what samples hold besides the state: the wrenches, and outputs of subsystems


_f1, _f2, _i1, _i2 = types.float64[::1], types.float64[:, ::1], types.int64[::1], types.int64[:, ::1]
machine_type = types.NamedTuple(
    [
        _i2,
        _f2,
        _i2,
        _f2,
        _i2,
        _f2,
        types.int64,
        types.int64,
        _i2,
        _f2,
        _i2,
        _i1,
        _i1,
        types.int64,
        _i1,
        _f1,
        types.int64,
        _i1,
    ],
    Machine,
)
data_type = types.NamedTuple([_f2, _f2, _f1, _f1, _f1, _f1, _f1, _f2, _f2, _f1], Data)

SOLVER = types.int64(machine_type, data_type, types.float64, _f1, _f1, types.int64)
"""signature of what keeps loops closed: machine, data, t, y, k, what.

RATES    k = dy/dt at (t, y)
SETTLE   y is moved onto the loops: positions and velocities
FALL     k (nv,) = accelerations at (t, y), where y is on the loops; only `multipliers` does this
LAND     SETTLE, then RATES
"""
RATES, SETTLE, FALL, LAND = 0, 1, 2, 3

OUTSIDE = types.int64(machine_type, data_type, types.float64, _f1, _f1, _f1, _f1, types.int64)
"""signature of what acts from outside and has states of its own among z: machine, data, t, q, v, z, zdot, what.

It is advanced once in a step of the bodies, when these have arrived at the end of the step (bodies first, then what is
fast, in steps of its own, with their motion interpolated), and pushes the bodies at every evaluation.

PUSH      add to tau and to the bodies' forces at a state, after `positions` and `velocities`; zdot = a forecast
ADVANCE   z from the time it stands at to t, where the bodies are now
BEGIN     z stands at t: nothing is kept from before
"""
PUSH, ADVANCE, BEGIN = 0, 1, 2
