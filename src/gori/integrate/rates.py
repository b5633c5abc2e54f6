"""Rates of a state, and the end of a step: what every method calls.

The state is one vector y = (q, v, z, w). w is the work [J] of all that has no potential: drives, dampers, friction,
ground, subsystems, the user. It is integrated like the rest, by the stages of the method and so with its order, but
nothing depends on it, and no error is controlled by it. `energy.balance` of a recording is made from it.
"""

from gori.kernels.accelerations import accelerations, q_rate, unit_quaternions
from gori.kernels.codes import CONTACT_PASSED, OK
from gori.kernels.forces.apply import advance_subsystems, advances
from gori.kernels.jit import block, call_at, part, present
from gori.kernels.machine import LOOK_AHEAD, MEASURE, PASSES, PROJECT, PROJECT_AND_EVALUATE, RATES
from gori.kernels.tree.columns import NQ
from gori.kernels.tree.kinematics import place, positions, velocities


@part
def rhs(machine, data, t, y, k):
    """k = dy/dt at (t, y). Returns a result code."""
    if present(machine.closed):
        code = call_at(machine.closed, machine, data, t, y, k, RATES)
    else:
        nq, nv = machine.body_i[0, NQ], data.tau.shape[0]
        q_rate(machine.body_i, y[:nq], y[nq : nq + nv], k[:nq])
        code = accelerations(machine, t, y[:nq], y[nq : nq + nv], y[nq + nv :], k[nq : nq + nv], k[nq + nv :], data)
    k[k.shape[0] - 1] = data.power[0]
    return code


@block
def rhs_apart(machine, data, t, y, k):
    """The same, not inlined, for rare callers."""
    return rhs(machine, data, t, y, k)


@part
def project(machine, data, t, y):
    """Project a state onto unit quaternions and onto the constraint manifold of the loops. Returns a result code."""
    unit_quaternions(machine.body_i, y)
    if present(machine.closed):
        return call_at(machine.closed, machine, data, t, y, y, PROJECT)
    return OK


@part
def finish_step(machine, data, t, y):
    """`project` at the end of a step, then advance compiled subsystems. Returns a result code."""
    code = project(machine, data, t, y)
    if code != OK or not advances(machine):
        return code
    code = follow_bodies(machine, data, t, y)
    count_blows(data, y)
    return code


@part
def count_blows(data, y):
    """Blows change velocities at once (`vehicle/blows.py`): add their work to that of the run."""
    y[y.shape[0] - 1] += data.struck[0]
    data.struck[0] = 0.0


@block
def follow_bodies(machine, data, t, y):
    """Advance compiled subsystems to t, where the bodies are. Returns a result code."""
    nq, nv = machine.body_i[0, NQ], data.tau.shape[0]
    place(machine.body_i, machine.body_f, y[:nq], data.body_w, data.dof_w)
    return advance_subsystems(machine, data, t, y[:nq], y[nq : nq + nv])


@block
def arrive_at_contact(machine, data, t, y, k):
    """At the end of a step of an adaptive method: keep the points of contact, then k = dy/dt. Returns a result code."""
    code = follow_bodies(machine, data, t, y)
    return rhs_apart(machine, data, t, y, k) if code == OK else code


@block
def step_to_contact(machine, data, t, y, h):
    """The step h, or a shorter one in which no bodies pass through each other; and a result code."""
    data.contact_memory.ahead[0] = h
    code = call_with_bodies(machine, data, t, y, LOOK_AHEAD)
    return code, data.contact_memory.ahead[0]


@block
def passes_through(machine, data, t, y):
    """Whether bodies that were apart at the end of the last step have gone through each other on the way to y."""
    return call_with_bodies(machine, data, t, y, PASSES) == CONTACT_PASSED


@block
def measure_contact(machine, data, t, y):
    """Record the forces of contact at a state within a step. Returns a result code."""
    return call_with_bodies(machine, data, t, y, MEASURE)


@part
def call_with_bodies(machine, data, t, y, what):
    """Call the penalty law with the bodies at y. Returns a result code."""
    nq, nv = machine.body_i[0, NQ], data.tau.shape[0]
    q, v = y[:nq], y[nq : nq + nv]
    place(machine.body_i, machine.body_f, q, data.body_w, data.dof_w)
    positions(machine.body_i, data.body_w)
    velocities(machine.body_i, v, data.body_w, data.dof_w)
    return call_at(machine.penalty, machine, data, t, q, v, what)


@part
def finish_and_evaluate(machine, data, t, y, k):
    """`finish_step`, then `rhs` there. Returns a result code."""
    unit_quaternions(machine.body_i, y)
    if present(machine.closed):
        code = call_at(machine.closed, machine, data, t, y, k, PROJECT_AND_EVALUATE)
        k[k.shape[0] - 1] = data.power[0]
        if advances(machine):
            count_blows(data, y)
        return code
    if advances(machine):
        code = follow_bodies(machine, data, t, y)
        count_blows(data, y)
        if code != OK:
            return code
    return rhs(machine, data, t, y, k)
