"""The bundles that compiled code takes (`kernels/machine.py`), for a Model with its forces and loops."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from gori.kernels.contact.memory import contact_memory
from gori.kernels.contact.penalty import penalty
from gori.kernels.contact.penalty_memory import penalty_memory
from gori.kernels.contact.tables import LAW, SHAPE, ContactTables
from gori.kernels.forces.probes import N_READINGS
from gori.kernels.forces.signals import HELD, SIGNAL_KIND, SIGNAL_START
from gori.kernels.impacts.memory import RestMemory, rest_memory
from gori.kernels.loops.memory import loop_memory
from gori.kernels.loops.tables import CUT, EQUATION, MESH, TRACK, Pattern
from gori.kernels.machine import Data, Machine
from gori.kernels.tree.columns import N_BODY_W, N_DOF_W
from gori.kernels.vehicle.tables import FEATURE, SOIL, TERRAIN
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

NO_CONTACT = ContactTables(
    shape=SHAPE.zeros(0), vertex=np.zeros((3, 0)), plane=np.zeros((0, 4)), law=LAW.zeros(0, 0),
    excluded=np.zeros(0, np.int64),
    terrain=TERRAIN.zeros(0), feature=FEATURE.zeros(0), curve=np.zeros(0), soil=SOIL.zeros(0),
)  # fmt: skip
"""tables of a machine in which nothing touches"""
NONE, PENALTY, IMPULSES, IMPACTS, RECORDED = "", "penalty", "impulses", "impacts", "recorded"
"""how bodies push each other"""


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
    contact: str = NONE,
    rest: RestMemory | None = None,
) -> tuple[Machine, Data]:
    """Machine and Data.

    user, core, closed   addresses of compiled functions
    depth                of the stack that expressions outside the elements need
    loops                None: without any
    live                 wheels and drive trains move on, in a run with tables of its own; otherwise their forces are
                         those that were recorded
    wheels               False: without any
    coupled              rows of bodies on which subsystems hold a wrench; default: those that carry particles
    outputs              numbers that subsystems in Python put out; they stand last in what is recorded
    contact              how bodies push each other: by PENALTY, IMPULSES, IMPACTS at events, or with wrenches as
                         they were RECORDED, which then stand behind those of subsystems
    rest                 of impacts by events; default: there are none
    """
    e, t, vehicle = model.forces, model.kernel_tables, model.vehicle if wheels else None
    cuts = NO_LOOPS if loops is None else {name: getattr(loops, name) for name in NO_LOOPS}
    own = _copied if live else _as_it_is
    acting = list(model.coupled.values() if coupled is None else coupled)
    touching = model.contact is not None and contact in (PENALTY, IMPULSES, IMPACTS)
    if contact == RECORDED and model.contact is not None:
        acting += model.contact.rows
    machine = Machine(
        body_i=t.body_i, body_f=own(t.body_f),
        element_i=e.element_i, element_f=own(e.element_f), signal_i=e.signal_i, signal_f=own(e.signal_f),
        probe=probe_table(model, e.probes),
        user=user, core=core, closed=closed, penalty=penalty.address if touching and contact == PENALTY else 0,
        **{name: own(table) for name, table in cuts.items()},
        coordinate=model.cut_coordinates.table,
        **machine_records(vehicle, live),
        contact=model.contact.tables if model.contact is not None and touching else NO_CONTACT,
        coupled=np.array(acting, np.int64),
    )  # fmt: skip
    impulses = contact == IMPULSES
    return machine, data_of(model, machine, depth, live, wheels, outputs, contact == RECORDED, rest, impulses)


def _copied(table: Any) -> Any:
    return table.copy() if isinstance(table, np.ndarray) else table


def _as_it_is(table: Any) -> Any:
    return table


def data_of(
    model: Model,
    machine: Machine,
    depth: int = 1,
    live: bool = False,
    wheels: bool = True,
    outputs: int = 0,
    replayed: bool = False,
    rest: RestMemory | None = None,
    impulses: bool = False,
) -> Data:
    """Data for one run of a Machine; the arguments are those of `machine_of`; replayed: with recorded contact;
    impulses: contact and friction of joints are solved by them.
    """
    vehicle, nv = model.vehicle if wheels else None, model.nv
    # recorded: vehicles, turns of cuts, wrenches of subsystems, contact, outputs
    vehicles = 0 if vehicle is None else vehicle.size
    first = vehicles + model.cut_coordinates.turns
    end = first + 6 * len(machine.coupled)
    contact, count = model.contact, len(machine.contact.shape)
    columns = 0 if contact is None else contact.columns
    touched = end - (6 * len(contact.touched) if contact is not None and replayed else 0)
    recorded = np.zeros(touched + columns + outputs)
    slots = {} if contact is None else {body: k for k, body in enumerate(contact.touched)}
    tables = len(machine.pattern.start) > 0  # of loops, if only of none of them
    vehicle_data = data_records(vehicle, recorded[:vehicles], live, nv + len(machine.equation))
    return Data(
        body_w=np.zeros((len(machine.body_i), N_BODY_W)),
        dof_w=np.zeros((nv, N_DOF_W)),
        tau=np.zeros(nv),
        readings=np.zeros(N_READINGS * len(machine.probe)),
        values=_values(machine),
        stack=np.zeros(max(depth, model.forces.depth)),
        zdot=np.zeros(model.nz),
        power=np.zeros(1),
        loops=loop_memory(machine if tables else None, nv),
        contact_memory=contact_memory(
            machine,
            nv,
            points=contact.room if contact is not None and count else 0,
            pairs=contact.pairs if contact is not None and count else 0,
            solver=not machine.penalty,
            rubbing=impulses,
            bodies=[slots.get(body, -1) for body in contact.bodies] if contact is not None and count else None,
            recorded=recorded[touched : touched + columns] if columns else None,
            cells=vehicle_data["cells"] if len(machine.contact.soil) else None,
        ),
        penalty_memory=penalty_memory(machine.body_i, machine.body_f, count) if machine.penalty else penalty_memory(),
        rest=rest_memory() if rest is None else rest,
        turns=recorded[vehicles:first],
        track=TRACK.zeros(first - vehicles),
        **vehicle_data,
        standing=np.zeros(0 if vehicle is None else model.nq + nv),
        wrench=recorded[first:end].reshape(-1, 6),
        recorded=recorded,
    )


def _values(machine: Machine) -> np.ndarray:
    """Values of signals, before any was evaluated: those that are held stand at what they were compiled with."""
    values, table = np.zeros(len(machine.signal_i)), machine.signal_i
    held = table[:, SIGNAL_KIND] == HELD
    values[held] = machine.signal_f[table[held, SIGNAL_START], 0]
    return values
