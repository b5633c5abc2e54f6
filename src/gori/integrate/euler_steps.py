"""A step by implicit Euler, in shorter ones where bodies touch and its equations are not solved.

Of bodies that meet at speed a step may end in many ways: Newton's method may find none, or one with a body behind a
thin wall. Then it is halved, and what is left of it likewise, down to 1/PARTS of it. Steps of a run keep their length,
and points of contact are kept after each part.
"""

from gori.integrate.newton import begin_step, end_step
from gori.integrate.step_equations import end_state
from gori.kernels.codes import CONTACT_PASSED, NO_CONVERGENCE, NOT_FINITE, OK, SINGULAR
from gori.kernels.jit import block, call_at, present
from gori.kernels.machine import PASSES
from gori.kernels.tree.columns import NQ
from gori.kernels.tree.kinematics import place, positions, velocities

PARTS = 64


@block
def goes_through(machine, data, memory, y):
    """Whether bodies that were apart have gone through each other at the end of the step that was solved."""
    work = memory.work
    end_state(machine, memory, work, y, work.x)
    place(machine.body_i, machine.body_f, work.q_end, data.body_w, data.dof_w)
    positions(machine.body_i, data.body_w)
    velocities(machine.body_i, work.v_end, data.body_w, data.dof_w)
    time = memory.step[0].end_time
    return call_at(machine.penalty, machine, data, time, work.q_end, work.v_end, PASSES) == CONTACT_PASSED


@block
def euler_steps(machine, data, memory, t, h, y):
    """From t to t + h; the memory has the accelerations at the end. Returns a result code."""
    work, last, nq, touching = memory.work, memory.state.last, machine.body_i[0, NQ], present(machine.penalty)
    done, size = 0, PARTS
    while done < PARTS:
        length = h * (size / PARTS)
        begin_step(machine, data, memory, work, last, t + h * (done / PARTS), length, length, length * length)
        for k in range(data.tau.shape[0]):
            work.base_velocity[k] = y[nq + k]
            work.base_increment[k] = length * y[nq + k]
        code = call_at(machine.core, machine, data, memory, y)
        failed = code in (NO_CONVERGENCE, NOT_FINITE, SINGULAR)
        if touching and size > 1 and (failed or (code == OK and goes_through(machine, data, memory, y))):
            memory.head[0].halved += 1 if size == PARTS else 0
            size //= 2
            continue
        if code == OK:
            code = end_step(machine, data, memory, work, last, y, 0.0)
        if code != OK:
            return code
        done += size
        if done % (2 * size) == 0 and 2 * size <= PARTS:
            size *= 2
        while done + size > PARTS:
            size //= 2
    return OK
