"""Time stepping with impulses: contact and friction at velocity level, for many contacts and large steps.

One step of length h (Moreau 1988; Jean 1999), all at the state (q, v) at its start:

    M~ (v~ - v) = h (f - h K v)           without contact; springs and motors on axes implicit, M~ = M + h D + h^2 K
    v' = v~ + M~^-1 J' p                  impulses p of unilateral contact with Coulomb friction (`contact/cone.py`),
                                          and of friction in joints (`contact/joints.py`)
    q' = q (+) h u

u is v', but for bodies that are inside each other: they part by u, which is solved first, and v' is solved anew without
their depth. So what is pushed out does not fly off, however short the step is. Contacts are looked for as far as v~
carries bodies, and again where impulses throw them farther.

Loops hold v~ and every column of M~^-1 J', and q' and v' are projected onto them (`contact/held.py`).

Order 1. No contact stiffness, no event, no smallest step: bodies are stopped before they enter each other, and what
rests does not creep.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from gori.errors import InputError
from gori.integrate.clock import MethodMemory, Sizes, method_memory, run_type
from gori.integrate.contract import Fixed
from gori.integrate.fixed_step import fixed_steps
from gori.integrate.rates import finish_step, project
from gori.kernels.accelerations import health
from gori.kernels.codes import OK
from gori.kernels.contact.cone import calm_impulses, solve_impulses, start_impulses
from gori.kernels.contact.find import find_contacts, keep_contacts, leaves_boxes
from gori.kernels.contact.free import leave_out_turning, move
from gori.kernels.contact.held import (
    close_step,
    drive_work,
    hold_velocities,
    holds,
    lend_inertia,
    projection_work,
)
from gori.kernels.contact.joints import lay_axes, leave_out_friction, note_axes
from gori.kernels.contact.measure import measure_impulses
from gori.kernels.contact.outcome import contact_work, note_forces
from gori.kernels.contact.rows import lay_rows
from gori.kernels.contact.starts import limit_parting, restart_rows
from gori.kernels.forces.apply import acts_on_bodies, apply_forces
from gori.kernels.forces.implicit import take_implicitly
from gori.kernels.jit import kernel, part
from gori.kernels.layout import array, field, layout, record
from gori.kernels.loops.system import is_driven
from gori.kernels.tree.aba import articulate, clear, propagate_accelerations
from gori.kernels.tree.columns import N_BODY_F, NQ
from gori.kernels.tree.kinematics import place, positions, rates, velocities
from gori.kernels.tree.rnea import start_from_gravity

LOOKS = 3
"""searches for contacts in a step, at most"""

SETTINGS = record(
    "TimeSteppingSettings",
    field("tolerance", "m/s", "change of speeds in a sweep below which the solver ends"),
    field("sweeps", "", "at most", dtype="i8"),
)
WORK = layout(
    "TimeSteppingWork",
    ("nrow", "nv", "nz"),
    array("body_f", f"nrow {N_BODY_F}", "", "as that of the Model, with the inertia of implicit forces"),
    array("accelerations", "nv", "m/s2, rad/s2", "without contact"),
    array("free", "nv", "m/s, rad/s", "velocities without contact"),
    array("after", "nv", "m/s, rad/s", "velocities after the step"),
    array("moving", "nv", "m/s, rad/s", "velocities of the way of the step: also out of each other"),
    array("increment", "nv", "m, rad", "h v"),
    array("added", "nv", "kg, kg m2", "inertia of implicit forces"),
    array("lent", "nv", "kg, kg m2", "inertia of axes that have none in the tree, until loops hold them"),
    array("zdot", "nz", "", "rates of z"),
    array("counts", "3", "", "of this Simulation: solves, sweeps, and solves of which some try did not converge"),
)
TimeSteppingMemory = method_memory("TimeSteppingMemory", settings=SETTINGS, work=WORK)


@part
def time_stepping_step(machine, data, memory, t, h, y):
    body_i, body_w, dof_w = machine.body_i, data.body_w, data.dof_w
    nq, nv = machine.body_i[0, NQ], data.tau.shape[0]
    q, v, z = y[:nq], y[nq : nq + nv], y[nq + nv : y.shape[0] - 1]
    work, settings = memory.work, memory.settings[0]
    body_f, after = work.body_f, work.after

    # forces at the start
    place(body_i, machine.body_f, q, body_w, dof_w)
    rates(body_i, v, body_w, dof_w)
    clear(body_i, body_w)
    code = apply_forces(machine, data, t, q, v, z, work.zdot)
    if code != OK:
        return code
    touching, rubbing = machine.contact.shape.shape[0] > 0, data.contact_memory.axes.shape[0] > 0
    if rubbing:
        leave_out_friction(machine, data, v, z, work.zdot)
    if touching and not acts_on_bodies(machine):
        positions(body_i, body_w)

    # velocities without contact
    implicit = take_implicitly(machine, q, v, z, data.values, h, data.tau, work.added, body_f)
    closed, done = holds(machine), 0.0
    if closed:
        lend_inertia(machine, data.loops.state.extra_inertia, 1.0, work.lent, body_f)
    leave_out_turning(body_i, body_w)
    articulate(body_i, body_f, data.tau, body_w, dof_w)
    start_from_gravity(body_f, body_w)
    propagate_accelerations(body_i, work.accelerations, body_w, dof_w)
    for k in range(nv):
        after[k] = v[k] + h * work.accelerations[k]
    if closed:
        lend_inertia(machine, data.loops.state.extra_inertia, -1.0, work.lent, body_f)
        hold_velocities(machine, data, body_f, implicit, work.lent, t, h, q, v, after)

    # impulses of contact and friction; once more where they throw bodies farther than contacts were looked for
    for k in range(nv):
        work.free[k] = work.moving[k] = after[k]
    for _ in range(LOOKS if touching else 1):
        for k in range(nv):
            after[k] = work.free[k]
        if touching:
            velocities(body_i, work.moving, body_w, dof_w)
            code = find_contacts(machine, data, h)
            if code != OK:
                return code
            keep_contacts(data.contact_memory, t)
            lay_rows(machine, data, v, h)
        if rubbing:
            lay_axes(machine, data, z, h)
        if touching or rubbing:
            head, counts = data.contact_memory.head[0], work.counts
            sweeps, stalled = head.iterations, head.stalled
            start_impulses(data.contact_memory, after)
            solve_impulses(data.contact_memory, after, settings.tolerance, settings.sweeps)
            for k in range(nv):
                work.moving[k] = after[k]
            if touching and head.parting > 0.0:
                for k in range(nv):
                    after[k] = work.free[k]
                restart_rows(data.contact_memory, h)
                if rubbing:
                    lay_axes(machine, data, z, h)
                start_impulses(data.contact_memory, after)
                solve_impulses(data.contact_memory, after, settings.tolerance, settings.sweeps)
            if head.stalled > stalled:
                calm_impulses(data.contact_memory, work.free, after, settings.sweeps)
            if touching and head.parting > 0.0:
                limit_parting(data.contact_memory, after, work.moving)
            else:
                for k in range(nv):
                    work.moving[k] = after[k]
            counts[0], counts[1] = counts[0] + 1.0, counts[1] + head.iterations - sweeps
            counts[2] += 1.0 if head.stalled > stalled else 0.0
        if not touching or not leaves_boxes(machine, data, work.moving, h):
            break
    if touching:
        done = contact_work(data.contact_memory, v, after)
        note_forces(data.contact_memory, work.moving, h)
        measure_impulses(machine, data)
    for k in range(z.shape[0]):
        z[k] += h * work.zdot[k]
    if rubbing:
        done += note_axes(machine, data, v, after, z, h)
    if closed:
        done += drive_work(machine, data, v, after, h)
    y[y.shape[0] - 1] += h * data.power[0] + done

    # coordinates
    for k in range(nv):
        v[k] = after[k]
    move(machine, q, work.moving, v, h, work.increment)
    if closed:
        for k in range(nv):
            work.increment[k] = v[k]
        code = close_step(machine, data, t + h, h, q, v)
        if code != OK:
            return code
        if is_driven(machine):
            code = project(machine, data, t + h, y)
            if code != OK:
                return code
            y[y.shape[0] - 1] += projection_work(machine, data, body_f, work.increment, v)
    code = finish_step(machine, data, t + h, y)
    if code != OK:
        return code
    return health(v, dof_w)


_steps = fixed_steps(time_stepping_step)


@kernel(run_type(TimeSteppingMemory))
def time_stepping_run(machine, data, memory, clock, y, samples, watch):
    return _steps(machine, data, memory, clock, y, samples, watch)


@dataclass(frozen=True)
class TimeStepping(Fixed):
    """Impulses of contact and friction at velocity level: for many contacts, with large steps; order 1.

    tolerance   change of contact speeds in a sweep of the solver below which it ends [m/s]
    sweeps      of the solver, at most
    """

    tolerance: float = 1e-6
    sweeps: int = 200
    kind: ClassVar[str] = "time_stepping"
    energy_error: ClassVar[float] = 2e-2
    run: ClassVar[Any] = time_stepping_run
    contact: ClassVar[str] = "impulses"

    def __post_init__(self):
        self.positive("step", "tolerance", "sweeps")
        if self.sweeps != int(self.sweeps):
            raise InputError(f"{self.kind}: sweeps must be a whole number, not {self.sweeps!r}")

    def memory(self, sizes: Sizes) -> MethodMemory:
        named = sizes.named()
        return TimeSteppingMemory.make(named, tolerance=self.tolerance, sweeps=int(self.sweeps))

    def counts(self, memory: MethodMemory) -> np.ndarray:
        return memory.work.counts.copy()

    def report(self, count: np.ndarray) -> dict[str, Any]:
        return {"impulses": dict(zip(("solves", "sweeps", "unconverged"), (int(n) for n in count)))}
