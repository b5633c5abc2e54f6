"""What a step needs, in two bundles: the Machine, which never changes in a run, and the Data, which a run advances.

Each member is declared once, with its type in compiled code, and both go by one address (`bundle.py`).
"""

from typing import Annotated, Any

from numba import types

from gori.kernels.bundle import Bundle
from gori.kernels.contact.memory import ContactMemory
from gori.kernels.contact.penalty_memory import PenaltyMemory
from gori.kernels.contact.tables import ContactTables
from gori.kernels.forces.probes import PROBE
from gori.kernels.impacts.memory import RestMemory
from gori.kernels.loops.memory import LoopMemory
from gori.kernels.loops.tables import COORDINATE, CUT, EQUATION, MESH, TRACK, Pattern
from gori.kernels.vehicle import state as vs
from gori.kernels.vehicle import tables as vt

F1, F2 = types.float64[::1], types.float64[:, ::1]
I1, I2 = types.int64[::1], types.int64[:, ::1]
ADDRESS = types.int64
"""of a kernel that is called by `jit.call_at`; 0 if there is none"""


class Machine(Bundle):
    """A Model with its forces, as the integrators see it."""

    # the tree (`tree/columns.py`), force elements (`forces/elements.py`), signals (`forces/signals.py`) and the bodies
    # that signals read (`forces/probes.py`)
    body_i: Annotated[Any, I2]
    body_f: Annotated[Any, F2]
    element_i: Annotated[Any, I2]
    element_f: Annotated[Any, F2]
    signal_i: Annotated[Any, I2]
    signal_f: Annotated[Any, F2]
    probe: Annotated[Any, PROBE.type[::1]]
    # kernels by address: functions of the user, the equations of an implicit step, the loop solver, vehicles, the
    # penalty law of contact
    user: Annotated[int, ADDRESS]
    core: Annotated[int, ADDRESS]
    closed: Annotated[int, ADDRESS]
    vehicle: Annotated[int, ADDRESS]
    penalty: Annotated[int, ADDRESS]
    # the cuts (`loops/tables.py`)
    cut: Annotated[Any, CUT.type[::1]]
    equation: Annotated[Any, EQUATION.type[::1]]
    path: Annotated[Any, I1]  # axes that move B against A, cut after cut: those that carry A, then those that carry B
    along: Annotated[Any, I1]  # of COUPLED: index in q of each axis of the path
    factor: Annotated[Any, F1]  # and what its coordinate is multiplied with
    mesh: Annotated[Any, MESH.type[::1]]
    pattern: Annotated[Pattern, Pattern.type]
    coordinate: Annotated[Any, COORDINATE.type[::1]]  # of cuts
    # vehicles and their ground (`vehicle/tables.py`); maps and height fields stand one after the other in `curve`
    wheel: Annotated[Any, vt.WHEEL.type[::1]]
    tyre: Annotated[Any, vt.TYRE.type[::1]]
    train: Annotated[Any, vt.TRAIN.type[::1]]
    axle: Annotated[Any, vt.AXLE.type[::1]]
    steer: Annotated[Any, vt.STEER.type[::1]]
    drag: Annotated[Any, vt.DRAG.type[::1]]
    terrain: Annotated[Any, vt.TERRAIN.type[::1]]
    feature: Annotated[Any, vt.FEATURE.type[::1]]
    area: Annotated[Any, vt.AREA.type[::1]]
    soil: Annotated[Any, vt.SOIL.type[::1]]
    curve: Annotated[Any, F1]
    # shapes that collide (`contact/tables.py`)
    contact: Annotated[ContactTables, ContactTables.type]
    # rows of the bodies on which subsystems hold a wrench
    coupled: Annotated[Any, I1]


class Data(Bundle):
    """Arrays of a run: what is kept, what is put out, and work. What is recorded consists of views of `recorded`."""

    # work of the tree, the forces on its axes, readings of the probes, values of the signals, the stack of expressions,
    # rates of z, and the power of all that has no potential (1,), of the last evaluation
    body_w: Annotated[Any, F2]
    dof_w: Annotated[Any, F2]
    tau: Annotated[Any, F1]
    readings: Annotated[Any, F1]
    values: Annotated[Any, F1]
    stack: Annotated[Any, F1]
    zdot: Annotated[Any, F1]
    power: Annotated[Any, F1]
    # the loop solver (`loops/memory.py`)
    loops: Annotated[LoopMemory, LoopMemory.type]
    # contact between bodies (`contact/memory.py`), and of its penalty law (`contact/penalty_memory.py`)
    contact_memory: Annotated[ContactMemory, ContactMemory.type]
    penalty_memory: Annotated[PenaltyMemory, PenaltyMemory.type]
    # impacts by events: gaps that are watched, contacts that rest (`impacts/memory.py`)
    rest: Annotated[RestMemory, RestMemory.type]
    # coordinates of cuts (`loops/coordinates.py`), kept: full turns of angles and signs of quaternions, which are
    # recorded, and by what they are counted
    turns: Annotated[Any, F1]
    track: Annotated[Any, TRACK.type[::1]]
    # vehicles (`vehicle/state.py`): settings of the run; kept, of which driver, wheel and train are recorded too
    vehicle_setting: Annotated[Any, vs.SETTING.type[::1]]
    vehicle_clock: Annotated[Any, vs.CLOCK.type[::1]]
    driver: Annotated[Any, vs.DRIVER.type[::1]]
    wheel: Annotated[Any, vs.WHEEL_STATE.type[::1]]
    train: Annotated[Any, vs.TRAIN_STATE.type[::1]]
    wheel_output: Annotated[Any, vs.WHEEL_OUTPUT.type[::1]]  # recorded
    train_output: Annotated[Any, vs.TRAIN_OUTPUT.type[::1]]  # recorded
    contact: Annotated[Any, vs.CONTACT.type[::1]]  # kept: of the wheels at the end of the last step
    # kept: soft soil; of a window of the grid also which cells these are, and how many were forgotten (1,)
    cells: Annotated[Any, vs.CELL.type[::1]]
    window: Annotated[Any, vs.PLACE.type[::1]]
    forgotten: Annotated[Any, I1]
    # work of vehicles: q and v for which the outputs hold; at the end of a step, and at its stages
    standing: Annotated[Any, F1]
    wheel_work: Annotated[Any, vs.WHEEL_WORK.type[::1]]
    stage_contact: Annotated[Any, vs.CONTACT.type[::1]]
    stage_output: Annotated[Any, vs.WHEEL_OUTPUT.type[::1]]
    footprint: Annotated[Any, vs.FOOTPRINT.type[::1]]
    patch: Annotated[Any, vs.PATCH.type[::1]]
    blow: Annotated[Any, vs.BLOW.type[::1]]  # of the wheels, by ground and by walls, then of the steering
    struck: Annotated[Any, F1]  # work of blows (1,) [J] that the work of the run does not hold yet
    impact: Annotated[Any, F2]  # equations of blows, nv + ne rows, and their directions (`vehicle/blows.py`)
    # subsystems: (coupled, 6) wrenches held on bodies, moment about the origin and force, world axes; recorded
    wrench: Annotated[Any, F2]
    # what samples hold besides the state: wrenches, vehicles, outputs of subsystems in Python
    recorded: Annotated[Any, F1]


machine_type, data_type = Machine.type, Data.type

SOLVER = types.int64(machine_type, data_type, types.float64, F1, F1, types.int64)
"""signature of what keeps loops closed: machine, data, t, y, k, what.

RATES                  k = dy/dt at (t, y); that of the work is left in `data.power`
PROJECT                y is projected onto the constraint manifold: positions and velocities
ACCELERATIONS          k (nv,) = accelerations at (t, y), where y is on the loops; only `multipliers` does this
PROJECT_AND_EVALUATE   PROJECT, then RATES
GAPS                   k = values of watched events, of which the last become those of the gaps at y; only `resting`,
                       which stands before a loop solver in runs with impacts, does this
"""
RATES, PROJECT, ACCELERATIONS, PROJECT_AND_EVALUATE, GAPS = 0, 1, 2, 3, 4

VEHICLE = types.int64(machine_type, data_type, types.float64, F1, F1, types.int64)
"""signature of the kernel of vehicles: machine, data, t, q, v, what; after `positions` and `velocities`.

They are advanced once in a step of the bodies, when these have arrived at the end of the step (bodies first, then what
is fast, in steps of its own, with their motion interpolated), and act on the bodies at every evaluation.

ADD_WRENCHES   add to tau and to the bodies' forces at a state
ADVANCE        from the time of the vehicles to t, where the bodies are now
START          initialise vehicles at t: nothing is kept of the step before
"""
ADD_WRENCHES, ADVANCE, START = 0, 1, 2

PENALTY = VEHICLE
"""signature of the penalty law of contact, likewise.

ADD_WRENCHES   at a state; what is kept does not change
ADVANCE        at the end of a step: points are kept, those that slide take their anchors along; forces are recorded
START          as ADVANCE, where nothing was kept
MEASURE        forces at a state are recorded, and nothing else changes
LOOK_AHEAD     `contact_memory.ahead` is made so short a step that no bodies pass through each other in it
STAND          the bodies were put where they are: nothing has passed through anything
PASSES         CONTACT_PASSED if bodies have gone through each other since the last ADVANCE, START or STAND
LINEARISE      `penalty_memory.apparent`, at the state of the last ADD_WRENCHES
JUMPS          `penalty_memory.rough`, likewise, for a step of length `penalty_memory.weight[0]`
"""
MEASURE, LOOK_AHEAD, STAND, PASSES, LINEARISE, JUMPS = 3, 4, 5, 6, 7, 8
