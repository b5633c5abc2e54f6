"""Steps of `semi_implicit` backwards: from derivatives of a number by where a step arrives to those by where it began,
by values of signals and by numbers of the tables.

With x, n of [M J'; J 0] [x; n] = [h c; 0], c the cotangent of v + h a, the accelerations a give the derivatives of

    x' (tau - ID(q, v, a) - J' lambda) - n' (J a + gamma)

A step of loops ends with projections, v' = v+ + d with M d = J' mu, J(q') v' = nu, and q' = q+ (+) w with
M w = J' sigma, Phi(q') = 0; M and J are those at q. They are differentiated as they are:
[M J(q')'; J 0] [x1; n1] = [cotangent of v'; 0] gives M x1, the cotangent of v+, the derivatives of -n1' J(q') v' by q',
and those of -x1' (M d - J' mu) by q; likewise of q'.

The end of each step is computed again: only where each began is kept. What a machine needs stands in its memory, so
that the same code goes back in a loop of the CPU and in the threads of a GPU.
"""

import math
from typing import Annotated, Any

from numba import types

from gori.integrate.batch.in_turn import set_number
from gori.integrate.clock import method_memory
from gori.integrate.rates import finish_step, rhs
from gori.kernels.accelerations import health
from gori.kernels.bundle import Bundle
from gori.kernels.codes import OK
from gori.kernels.forces.adjoint import force_cotangents
from gori.kernels.forces.elements import acts_on_bodies
from gori.kernels.forces.parameters import N_ELEMENT_F
from gori.kernels.forces.signals import HELD, SIGNAL_KIND
from gori.kernels.jit import block, kernel, part, present
from gori.kernels.layout import array, field, layout, record
from gori.kernels.loops.adjoint import (
    cut_cotangents,
    solve_anew,
    solve_between,
    subtract_transposed_of,
    times_of,
)
from gori.kernels.loops.cuts import fill_jacobian
from gori.kernels.loops.system import place_all
from gori.kernels.machine import F1, F2, I1, Data, Machine
from gori.kernels.tree.adjoint import (
    TREE_WORK,
    gather_sums,
    inertial_cotangents,
    momenta,
    motions_of,
    no_inertia,
    place_cotangents,
    without_gravity,
)
from gori.kernels.tree.columns import NQ
from gori.kernels.tree.configuration import difference, integrate
from gori.kernels.tree.derivatives import motion, rigid_terms
from gori.kernels.tree.inverse_mass import axes_at_root
from gori.kernels.tree.kinematics import positions
from gori.kernels.tree.transposed import accelerations_of
from gori.kernels.tree.turning import stepped_back

F3, F4 = types.float64[:, :, ::1], types.float64[:, :, :, ::1]
HEAD = record(
    "BackwardHead",
    field("left", "", "steps that are still to go back through", dtype="i8"),
    field("every", "", "whether there is a cotangent after each step, or after the last one alone", dtype="i8"),
    field("tables", "", "whether derivatives by numbers of the tables are asked for", dtype="i8"),
    field("lost", "", "whether the machine has failed: its derivatives are NaN", dtype="i8"),
)
TRACE = layout(
    "BackwardTrace",
    ("nstep", "ny", "nval", "nv2"),
    array("times", "nstep", "s", "at which each step began"),
    array("states", "nstep ny", "", "y from which each step began"),
    array("values", "nstep nval", "", "of signals that are held"),
    array("given", "nstep nv2", "", "derivatives by where the steps arrive, or in the first row by the last one"),
    array("of_state", "nv2", "", "derivatives by q and v, in tangent coordinates"),
    array("of_values", "nstep nval", "", "by values of signals"),
)
STEP_WORK = layout(
    "BackwardWork",
    ("nrow", "nv", "ny", "ne", "njac", "nel"),
    *TREE_WORK,
    array("of_element", f"nel {N_ELEMENT_F}", "", "by the numbers of element_f"),
    array("y", "ny", "", "state at the start of the step"),
    array("end", "ny", "", "and at its end"),
    array("reached", "ny", "", "and before it was projected"),
    array("rates", "ny", "", "dy/dt"),
    array("a", "nv", "", "accelerations"),
    array("increment", "nv", "", "h v"),
    array("d", "nv", "", "of the projection of v"),
    array("w", "nv", "", "of the projection of q"),
    array("x", "nv", "", "of the accelerations"),
    array("x1", "nv", "", "of the projection of v"),
    array("x2", "nv", "", "of the projection of q"),
    array("of_q", "nv", "", "cotangent of q"),
    array("of_v", "nv", "", "cotangent of v"),
    array("back", "nv", "", "scratch"),
    array("forces", "nv", "", "scratch"),
    array("at_rest", "nv", "", "zero"),
    array("multipliers", "ne", "", "of the accelerations"),
    array("mu", "ne", "", "of the projection of v"),
    array("sigma", "ne", "", "of the projection of q"),
    array("n", "ne", "", "of x, x1 or x2"),
    array("lam", "ne", "", "scratch"),
    array("none", "ne", "", "zero"),
    array("jac_start", "njac", "", "J at q"),
    array("jac_end", "njac", "", "J at q'"),
    array("jac_change", "njac", "", "their difference"),
)
BackwardMemory = method_memory("BackwardMemory", head=HEAD, trace=TRACE, work=STEP_WORK)


@part
def copy_to(source, out):
    for k in range(out.shape[0]):
        out[k] = source[k]


@part
def zero_all(out):
    for k in range(out.shape[0]):
        out[k] = 0.0


@part
def fill_rows(rows, value):
    for i in range(rows.shape[0]):
        for k in range(rows.shape[1]):
            rows[i, k] = value


@block
def refined_multipliers(machine, data, w):
    """lambda and a of the evaluation that was done last, with what eps changes gone."""
    m = data.loops
    copy_to(m.work.jac, w.jac_start)
    solve_anew(machine, m, m.work.force, m.work.gamma, w.multipliers, w.a)


@block
def multipliers_of(machine, m, jac, d, lam, gap, x, none):
    """lam (ne,) with M d = J' lam; gap (ne,) and x (nv,) scratch."""
    times_of(machine, jac, d, gap)
    for e in range(gap.shape[0]):
        gap[e] = -gap[e]
    solve_anew(machine, m, none, gap, lam, x)
    for e in range(lam.shape[0]):
        lam[e] = -lam[e]


@part
def start_sums(machine, data, w, v, a, x, placed):
    """Motions of bodies that v, a and x give."""
    body_i, body_f, work = machine.body_i, machine.body_f, w
    if not placed:
        zero_all(work.body_d[0])
        axes_at_root(body_i, data.body_w, data.dof_w, work.body_d, work.dof_d)
    motion(body_i, body_f, v, a, work.body_d, work.dof_d)
    motions_of(body_i, x, work.body_t, work.dof_d)


@block
def projection_cotangents(machine, data, w, x, moved, lam, tables):
    """of_q -= derivatives of x' (M moved - J' lam) by q, with bodies and cuts as they stand there."""
    start_sums(machine, data, w, w.at_rest, moved, x, True)
    without_gravity(machine.body_i, machine.body_f, w.body_d, w.dof_d)
    rigid_terms(machine.body_i, machine.body_f, data.body_w, w.body_d)
    momenta(machine.body_i, w.body_d, w.body_t)
    for e in range(lam.shape[0]):
        w.lam[e] = -lam[e]
    cut_cotangents(machine, data.loops.work, w.none, w.lam, data.body_w, w.body_d, w.body_t)
    if tables:
        inertial_cotangents(machine.body_i, machine.body_f, data.body_w, w.body_d, w.body_t, x, moved, w.of_body)
    gather_sums(machine.body_i, w.body_d, w.body_t, w.dof_d, w.of_q, w.back)


@block
def projected_back(machine, data, w, nq, nv):
    """Cotangents of q' and v' in of_q and of_v -> those before the projections; x1, x2 and what belongs to them.

    Bodies and cuts stand at q'.
    """
    m = data.loops
    copy_to(m.work.jac, w.jac_end)
    for k in range(w.jac_change.shape[0]):
        w.jac_change[k] = w.jac_end[k] - w.jac_start[k]
    difference(machine.body_i, w.reached[:nq], w.end[:nq], w.w)
    for k in range(nv):
        w.d[k] = w.end[nq + k] - w.reached[nq + k]
    multipliers_of(machine, m, w.jac_start, w.d, w.mu, w.lam, w.back, w.at_rest)
    multipliers_of(machine, m, w.jac_start, w.w, w.sigma, w.lam, w.back, w.at_rest)

    solve_between(machine, m, w.jac_change, w.of_v, w.none, w.x1, w.n, w.lam, w.forces)
    subtract_transposed_of(machine, w.jac_end, w.n, w.of_v)
    # n1' J(q') v' by q'
    start_sums(machine, data, w, w.at_rest, w.at_rest, w.end[nq : nq + nv], False)
    no_inertia(machine.body_i, w.body_d, w.body_t)
    cut_cotangents(machine, m.work, w.none, w.n, data.body_w, w.body_d, w.body_t)
    gather_sums(machine.body_i, w.body_d, w.body_t, w.dof_d, w.of_q, w.back)

    solve_between(machine, m, w.jac_change, w.of_q, w.none, w.x2, w.n, w.lam, w.forces)
    subtract_transposed_of(machine, w.jac_end, w.n, w.of_q)
    stepped_back(machine.body_i, w.w, w.of_q, w.forces, w.back)
    copy_to(w.forces, w.of_q)


@part
def step_back(machine, data, memory, k, h):
    """Back through step k: `trace.of_state` becomes that of where it began. Returns a result code."""
    trace, w, head = memory.trace, memory.work, memory.head[0]
    nq, nv, tables = machine.body_i[0, NQ], data.tau.shape[0], head.tables != 0
    t, y, end = trace.times[k], w.y, w.end
    for s in range(machine.signal_i.shape[0]):
        if machine.signal_i[s, SIGNAL_KIND] == HELD:
            data.values[s] = trace.values[k, s]
    copy_to(trace.states[k], y)
    q, v = y[:nq], y[nq : nq + nv]

    # the step, and its end
    if present(machine.closed):
        data.loops.work.standing[0] = 0.0
    code = rhs(machine, data, t, y, w.rates)
    if code != OK:
        return code
    copy_to(w.rates[nq : nq + nv], w.a)
    if present(machine.closed):
        refined_multipliers(machine, data, w)
    copy_to(y, end)
    for i in range(nv):
        end[nq + i] += h * w.a[i]
        w.increment[i] = h * end[nq + i]
    integrate(machine.body_i, q, w.increment, end[:nq])
    if present(machine.closed):
        copy_to(end, w.reached)
        code = finish_step(machine, data, t + h, end)
        if code != OK:
            return code
    code = health(end[nq : nq + nv], data.dof_w)
    if code != OK:
        return code

    # to before the projections, then to (q, v) and a
    row = 0
    if head.every != 0:
        row = k
    if head.every != 0 or k + 1 == trace.times.shape[0]:
        for i in range(2 * nv):
            trace.of_state[i] += trace.given[row, i]
    copy_to(trace.of_state[:nv], w.of_q)
    copy_to(trace.of_state[nv:], w.of_v)
    zero_all(w.at_rest)
    zero_all(w.none)
    if present(machine.closed):
        projected_back(machine, data, w, nq, nv)
        place_all(machine, data, data.loops, t, q, v)
        fill_jacobian(machine, data.loops.work, v, data.values, data.body_w, data.dof_w)
        data.loops.work.standing[0] = 0.0
    stepped_back(machine.body_i, w.increment, w.of_q, w.forces, w.back)
    copy_to(w.forces, w.of_q)
    for i in range(nv):
        w.of_v[i] += h * w.back[i]
        w.x[i] = h * w.of_v[i]

    # the accelerations
    zero_all(w.body_d[0])
    axes_at_root(machine.body_i, data.body_w, data.dof_w, w.body_d, w.dof_d)
    if present(machine.closed):
        copy_to(w.x, w.forces)
        solve_anew(machine, data.loops, w.forces, w.none, w.n, w.x)
    else:
        accelerations_of(machine.body_i, data.dof_w, w.x, w.body_t, w.dof_d)
    start_sums(machine, data, w, v, w.a, w.x, True)
    rigid_terms(machine.body_i, machine.body_f, data.body_w, w.body_d)
    momenta(machine.body_i, w.body_d, w.body_t)
    if tables:
        inertial_cotangents(machine.body_i, machine.body_f, data.body_w, w.body_d, w.body_t, w.x, w.a, w.of_body)
    if present(machine.closed):
        cut_cotangents(machine, data.loops.work, w.n, w.multipliers, data.body_w, w.body_d, w.body_t)
    if acts_on_bodies(machine.element_i):
        positions(machine.body_i, data.body_w)
    zero_all(trace.of_values[k])
    force_cotangents(machine, data, q, v, w.x, w.body_d, w.body_t, w.of_q, w.of_v, trace.of_values[k], w.of_element)
    gather_sums(machine.body_i, w.body_d, w.body_t, w.dof_d, w.of_q, w.of_v)
    if present(machine.closed):
        projection_cotangents(machine, data, w, w.x1, w.d, w.mu, tables)
        projection_cotangents(machine, data, w, w.x2, w.w, w.sigma, tables)
    elif tables:
        place_cotangents(machine.body_i, machine.body_f, data.body_w, w.body_d, w.body_t, w.of_body)
    for i in range(nv):
        trace.of_state[i], trace.of_state[nv + i] = w.of_q[i], w.of_v[i]
    return OK


@part
def backward_step(machine, data, memory, t, h, y):
    """The step of a method that goes back (`many.py`): t and y say nothing. A machine that fails has NaN."""
    head, trace, w = memory.head[0], memory.trace, memory.work
    head.left -= 1
    k = head.left
    if k + 1 == trace.times.shape[0]:
        zero_all(trace.of_state)
        fill_rows(w.of_body, 0.0)
        fill_rows(w.of_element, 0.0)
    if head.lost == 0 and step_back(machine, data, memory, k, h) != OK:
        head.lost = 1
    if head.lost != 0:
        for i in range(trace.of_state.shape[0]):
            trace.of_state[i] = math.nan
        for i in range(trace.of_values.shape[1]):
            trace.of_values[k, i] = math.nan
        fill_rows(w.of_body, math.nan)
        fill_rows(w.of_element, math.nan)
    return OK


class BackwardJob(Bundle):
    """Machines that go back in turn in the arrays of one run: for each of them rows of cotangents of the same steps."""

    machine: Annotated[Machine, Machine.type]
    data: Annotated[Data, Data.type]
    memory: Annotated[BackwardMemory, BackwardMemory.type]
    # addresses of numbers that differ from machine to machine, and their values (numbers, machines)
    numbers: Annotated[Any, I1]
    values: Annotated[Any, F2]
    # where steps began: times (machines, steps), states (machines, steps, nq + nv), signals (machines, steps, signals)
    times: Annotated[Any, F2]
    states: Annotated[Any, F3]
    signals: Annotated[Any, F3]
    # cotangents (machines, rows, 1 or steps, 2 nv), and what comes of them
    given: Annotated[Any, F4]
    of_state: Annotated[Any, F3]  # (machines, rows, 2 nv)
    of_signals: Annotated[Any, F4]  # (machines, rows, steps, signals)
    of_body: Annotated[Any, F4]  # (machines, rows, rows of body_f, its columns), or without rows
    of_element: Annotated[Any, F4]


@part
def copy_rows(source, out):
    for i in range(source.shape[0]):
        for k in range(source.shape[1]):
            out[i, k] = source[i, k]


@kernel(types.int64(BackwardJob.type, types.float64, F1, types.int64, types.int64))
def back_in_turn(job, h, y, first, last):
    """All cotangents of the machines first .. last - 1; y: scratch."""
    memory, steps = job.memory, job.times.shape[1]
    trace, head = memory.trace, memory.head[0]
    for t in range(first, last):
        for k in range(job.numbers.shape[0]):
            set_number(job.numbers[k], job.values[k, t])
        copy_to(job.times[t], trace.times)
        copy_rows(job.states[t], trace.states)
        copy_rows(job.signals[t], trace.values)
        for r in range(job.given.shape[1]):
            copy_rows(job.given[t, r], trace.given)
            head.left, head.lost = steps, 0
            while head.left > 0:
                backward_step(job.machine, job.data, memory, 0.0, h, y)
            copy_to(trace.of_state, job.of_state[t, r])
            copy_rows(trace.of_values, job.of_signals[t, r])
            if job.of_body.shape[1] > 0:
                copy_rows(memory.work.of_body, job.of_body[t, r])
                copy_rows(memory.work.of_element, job.of_element[t, r])
    return OK
