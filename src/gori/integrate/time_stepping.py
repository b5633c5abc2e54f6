"""Time stepping with impulses: contact and friction at velocity level, for many contacts and large steps.

One step of length h (Moreau 1988; Jean 1999), all at the state (q, v) at its start:

    M~ (v~ - v) = h (f - h K v)           without contact; springs and motors on axes implicit, M~ = M + h D + h^2 K
    v' = v~ + M~^-1 J' p                  impulses p of unilateral contact with Coulomb friction (`impulses/cone.py`),
                                          and of friction in joints (`impulses/joints.py`), in diagonal velocities of
                                          trees, by blocks (`impulses/diagonal.py`, `blocks.py`)
    q' = q (+) h u

u is v', but for bodies that are inside each other: they part by u, which is solved first, and v' is solved anew without
their depth. So what is pushed out does not fly off, however short the step is. Contacts are looked for as far as v~
carries bodies, and again where impulses throw them farther; while nothing is accelerated much, as at rest, only as far
as v does.

Loops hold v~ and every column of M~^-1 J', and q' and v' are projected onto them (`impulses/held.py`).

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
from gori.kernels.contact.find import fall_of, find_contacts, is_calm, keep_contacts, leaves_boxes, slack_of, stray_of
from gori.kernels.contact.impulses.cone import calm_impulses, solve_impulses
from gori.kernels.contact.impulses.diagonal import from_diagonal, take_roots, to_diagonal
from gori.kernels.contact.impulses.free import leave_out_turning, move
from gori.kernels.contact.impulses.held import (
    close_step,
    drive_work,
    hold_velocities,
    holds,
    lend_inertia,
    projection_work,
)
from gori.kernels.contact.impulses.joints import lay_axes, leave_out_friction, note_axes
from gori.kernels.contact.impulses.outcome import contact_work, note_forces
from gori.kernels.contact.impulses.rebound import rebounds, temper_rebounds
from gori.kernels.contact.impulses.rows import lay_rows
from gori.kernels.contact.impulses.starts import limit_parting, restart_rows
from gori.kernels.contact.measure import measure_impulses
from gori.kernels.contact.pushed import keep_pushed
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
    array("after", "nv", "m/s, rad/s", "velocities after the step"),
    array("moving", "nv", "m/s, rad/s", "velocities of the way of the step: also out of each other"),
    array("free", "nv", "m/s, rad/s", "velocities without contact"),
    array("increment", "nv", "m, rad", "h v"),
    array("added", "nv", "kg, kg m2", "inertia of implicit forces"),
    array("lent", "nv", "kg, kg m2", "inertia of axes that have none in the tree, until loops hold them"),
    array("zdot", "nz", "", "rates of z"),
    array("counts", "3", "", "of this Simulation: solves, sweeps, and solves of which some try did not converge"),
)
TimeSteppingMemory = method_memory("TimeSteppingMemory", settings=SETTINGS, work=WORK)


@part
def solve_step(machine, data, memory, z, h):
    """Impulses of a step: x_after, and x_moving of its way, from x_free; after `lay_rows` and `lay_axes`."""
    contact, settings, work = data.contact_memory, memory.settings[0], memory.work
    free, after, moving = contact.x_free, contact.x_after, contact.x_moving
    head, counts, nx = contact.head[0], work.counts, contact.x_free.shape[0]
    sweeps, stalled = head.iterations, head.stalled
    solve_impulses(contact, free, after, settings.tolerance, settings.sweeps)
    for k in range(nx):
        moving[k] = after[k]
    parting = contact.head[0].points > 0 and head.parting > 0.0
    if parting:
        restart_rows(contact, h)
        if contact.axes.shape[0] > 0:
            lay_axes(machine, data, z, h)
        solve_impulses(contact, free, after, settings.tolerance, settings.sweeps)
    if head.stalled > stalled:
        calm_impulses(contact, free, after, settings.sweeps)
    if rebounds(contact):
        temper_rebounds(contact, contact.x_before, free, after, settings.tolerance, settings.sweeps)
    if parting:
        limit_parting(contact, after, moving)
    else:
        for k in range(nx):
            moving[k] = after[k]
    counts[0], counts[1] = counts[0] + 1.0, counts[1] + head.iterations - sweeps
    counts[2] += 1.0 if head.stalled > stalled else 0.0


@part
def time_stepping_step(machine, data, memory, t, h, y):
    body_i, body_w, dof_w = machine.body_i, data.body_w, data.dof_w
    nq, nv = machine.body_i[0, NQ], data.tau.shape[0]
    q, v, z = y[:nq], y[nq : nq + nv], y[nq + nv : y.shape[0] - 1]
    work, contact = memory.work, data.contact_memory
    body_f, after = work.body_f, work.after

    # forces at the start
    place(body_i, machine.body_f, q, body_w, dof_w)
    rates(body_i, v, body_w, dof_w)
    clear(body_i, body_w)
    code = apply_forces(machine, data, t, q, v, z, work.zdot)
    if code != OK:
        return code
    touching, rubbing = machine.contact.shape.shape[0] > 0, contact.axes.shape[0] > 0
    if rubbing:
        leave_out_friction(machine, data, v, z, work.zdot)
    if touching and not acts_on_bodies(machine):
        positions(body_i, body_w)

    # velocities without contact
    implicit = take_implicitly(machine, q, v, z, data.values, h, data.tau, work.added, body_f)
    closed, done = holds(machine), 0.0
    if closed:
        lend_inertia(machine, data.loops.state.extra_inertia, 1.0, work.lent, body_f)
    leave_out_turning(body_i, body_f, v, body_w)
    articulate(body_i, body_f, data.tau, body_w, dof_w)
    start_from_gravity(body_f, body_w)
    propagate_accelerations(body_i, work.accelerations, body_w, dof_w)
    for k in range(nv):
        after[k] = v[k] + h * work.accelerations[k]
    if closed:
        lend_inertia(machine, data.loops.state.extra_inertia, -1.0, work.lent, body_f)
        hold_velocities(machine, data, body_f, implicit, work.lent, t, h, q, v, after)

    # impulses of contact and friction; once more where they throw bodies farther than contacts were looked for
    calm, acted = touching and contact.head[0].calm == 1, rubbing
    slack = slack_of(machine, contact, h) if calm else 0.0
    for k in range(nv):
        work.free[k], work.moving[k] = after[k], v[k] if calm else after[k]
    if touching or rubbing:
        take_roots(contact, dof_w)
        to_diagonal(machine, data, v, contact.x_before)
        to_diagonal(machine, data, after, contact.x_free)
    for look in range(LOOKS if touching else 1):
        if touching:
            velocities(body_i, work.moving, body_w, dof_w)
            code = find_contacts(machine, data, h, slack if calm else fall_of(machine, h))
            if code == OK and look > 0:
                code = keep_pushed(contact)
            if code != OK:
                return code
            keep_contacts(contact, t)
            lay_rows(machine, data, contact.x_before, h)
            acted = rubbing or contact.head[0].points > 0
        if rubbing:
            lay_axes(machine, data, z, h)
        if acted:
            solve_step(machine, data, memory, z, h)
            from_diagonal(machine, data, contact.x_moving, contact.x_free, work.free, work.moving)
        else:
            for k in range(nv):
                work.moving[k] = after[k]
        if not touching or not leaves_boxes(machine, data, work.moving, h, stray_of(contact, calm, slack)):
            break
        calm = False
    if touching:
        contact.head[0].calm = 1 if calm or is_calm(machine, data, v, h) else 0
    if acted:
        from_diagonal(machine, data, contact.x_after, contact.x_free, work.free, after)
    if touching:
        done = contact_work(contact, contact.x_before, contact.x_after)
        note_forces(contact, contact.x_moving, h)
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
    one_step: ClassVar[Any] = time_stepping_step
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
