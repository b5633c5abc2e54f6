"""The bundles that compiled code takes (`kernels/machine.py`), for a Model with its forces and loops."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from gori.kernels.forces.probes import N_READINGS
from gori.kernels.loops.memory import loop_memory
from gori.kernels.loops.tables import CUT, EQUATION, MESH, TRACK, Pattern
from gori.kernels.machine import Data, Machine
from gori.kernels.tree.columns import N_BODY_W, N_DOF_W
from gori.model.loops.equations import LoopTables
from gori.model.model import Model
from gori.model.signals import probe_table
from gori.model.vehicle.tables import data_records, machine_records

NO_LOOPS: dict[str, Any] = {
    "cut": CUT.zeros(0),
    "equation": EQUATION.zeros(0),
    "path": np.zeros(0, np.int64),
    "along": np.zeros(0, np.int64),
    "factor": np.zeros(0),
    "mesh": MESH.zeros(0),
    "pattern": Pattern(**{name: np.zeros(0, np.int64) for name in Pattern.type.members}),
}
"""tables of a machine without loops"""


def machine_of(
    model: Model,
    user: int = 0,
    depth: int = 1,
    core: int = 0,
    loops: LoopTables | None = None,
    closed: int = 0,
    live: bool = False,
    wheels: bool = True,
    coupled: Iterable[int] | None = None,
    outputs: int = 0,
) -> tuple[Machine, Data]:
    """Machine and Data.

    user, core, closed   addresses of compiled functions
    depth                of the stack that expressions outside the elements need
    loops                None: without any
    live                 wheels and drive trains move on; otherwise their forces are those that were recorded
    wheels               False: without any
    coupled              rows of bodies on which subsystems hold a wrench; default: those that carry particles
    outputs              numbers that subsystems in Python put out; they stand last in what is recorded
    """
    e, t, vehicle = model.forces, model.kernel_tables, model.vehicle if wheels else None
    cuts = NO_LOOPS if loops is None else {name: getattr(loops, name) for name in NO_LOOPS}
    rows = np.array(list(model.coupled.values() if coupled is None else coupled), np.int64)
    machine = Machine(
        body_i=t.body_i, body_f=t.body_f,
        element_i=e.element_i, element_f=e.element_f, signal_i=e.signal_i, signal_f=e.signal_f,
        probe=probe_table(model, e.probes),
        user=user, core=core, closed=closed,
        **cuts,
        coordinate=model.cut_coordinates.table,
        **machine_records(vehicle, live),
        coupled=rows,
    )  # fmt: skip
    return machine, data_of(model, machine, depth, live, wheels, outputs)


def data_of(
    model: Model, machine: Machine, depth: int = 1, live: bool = False, wheels: bool = True, outputs: int = 0
) -> Data:
    """Data for one run of a Machine; the arguments are those of `machine_of`."""
    vehicle, nv = model.vehicle if wheels else None, model.nv
    # recorded: vehicles, turns of cuts, wrenches, outputs
    vehicles = 0 if vehicle is None else vehicle.size
    first = vehicles + model.cut_coordinates.turns
    end = first + 6 * len(machine.coupled)
    recorded = np.zeros(end + outputs)
    tables = len(machine.pattern.start) > 0  # of loops, if only of none of them
    return Data(
        body_w=np.zeros((len(machine.body_i), N_BODY_W)),
        dof_w=np.zeros((nv, N_DOF_W)),
        tau=np.zeros(nv),
        readings=np.zeros(N_READINGS * len(machine.probe)),
        values=np.zeros(len(machine.signal_i)),
        stack=np.zeros(max(depth, model.forces.depth)),
        zdot=np.zeros(model.nz),
        power=np.zeros(1),
        loops=loop_memory(machine if tables else None, nv),
        turns=recorded[vehicles:first],
        track=TRACK.zeros(first - vehicles),
        **data_records(vehicle, recorded[:vehicles], live),
        standing=np.zeros(0 if vehicle is None else model.nq + nv),
        wrench=recorded[first:end].reshape(-1, 6),
        recorded=recorded,
    )
