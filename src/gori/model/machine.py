"""The bundles that compiled code takes (`kernels/machine.py`), for a Model with its forces and loops."""

from collections.abc import Iterable

import numpy as np

from gori.kernels.loops.tables import N_CUT_F, N_CUT_I, N_EQ_I, Memory, memory_of
from gori.kernels.machine import Data, Machine
from gori.kernels.tree.columns import N_BODY_W, N_DOF_W
from gori.kernels.vehicle.patch import N_CELL
from gori.model.loops.equations import LoopTables
from gori.model.model import Model

NONE = (
    np.zeros((0, N_CUT_I), np.int64),
    np.zeros((0, N_CUT_F)),
    np.zeros((0, N_EQ_I), np.int64),
    np.zeros(0, np.int64),
    np.zeros(3, np.int64),
)
"""tables of a machine without loops"""


def machine_of(
    model: Model,
    user: int = 0,
    depth: int = 1,
    core: int = 0,
    loops: LoopTables | None = None,
    closed: int = 0,
    extra: int = 0,
    live: bool = False,
    wheels: bool = True,
    coupled: Iterable[int] | None = None,
) -> tuple[Machine, Data, Memory | None]:
    """Machine, Scratch, and the memory of the loops in pieces, if there are any.

    user, core, closed   addresses of compiled functions
    depth                of the stack that expressions outside the elements need
    loops                None: without any
    extra                numbers to add to the memory of the loops
    live                 wheels and drive trains move on; otherwise their forces are those that z tells
    wheels               False: without any
    coupled              rows of bodies on which subsystems hold a wrench; default: those that carry particles
    """
    e, t, vehicle = model.forces, model.kernel_tables, model.vehicle if wheels else None
    body_w, dof_w = np.zeros((len(t.body_i), N_BODY_W)), np.zeros((model.nv, N_DOF_W))
    values, stack = np.zeros(len(e.signal_i)), np.zeros(max(depth, e.depth))
    flat, memory = np.zeros(extra), None
    if loops is not None:
        flat, memory = memory_of(model.nq, model.nv, len(loops.cut_i), len(loops.eq_i), loops.sparse_i, extra)
    cuts = NONE if loops is None else loops[:5]
    outside = (np.zeros(0, np.int64), np.zeros(0), 0) if vehicle is None else vehicle.tables(live)
    room = (np.zeros(0), np.zeros((0, N_CELL))) if vehicle is None else vehicle.memory(live)
    rows = np.array(list(model.coupled.values() if coupled is None else coupled), np.int64)
    recorded = np.zeros(6 * len(rows))
    machine = Machine(
        t.body_i, t.body_f, e.element_i, e.element_f, e.signal_i, e.signal_f, user, core, *cuts, closed, *outside, rows
    )
    wrench = recorded[: 6 * len(rows)].reshape(-1, 6)
    return machine, Data(body_w, dof_w, np.zeros(model.nv), values, stack, flat, *room, wrench, recorded), memory
