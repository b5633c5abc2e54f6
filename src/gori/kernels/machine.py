"""What a step needs, in two bundles: the Machine that never changes, and the Scratch that is always recomputable."""

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


class Scratch(NamedTuple):
    """Arrays that `accelerations` fills."""

    body_w: Any
    dof_w: Any
    tau: Any
    values: Any  # of the signals
    stack: Any  # of the expressions


_f1, _f2, _i2 = types.float64[::1], types.float64[:, ::1], types.int64[:, ::1]
machine_type = types.NamedTuple([_i2, _f2, _i2, _f2, _i2, _f2, types.int64, types.int64], Machine)
scratch_type = types.NamedTuple([_f2, _f2, _f1, _f1, _f1], Scratch)
