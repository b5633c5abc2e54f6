"""What a run records of contact: wrenches on bodies, the number of points that bear a force, the smallest gap."""

import math

from gori.kernels.jit import block, part
from gori.kernels.tree.columns import P_WB
from gori.kernels.tree.kinematics import cross


@part
def begin_measure(memory):
    """Before the first point."""
    for k in range(memory.wrench.shape[0]):
        for i in range(6):
            memory.wrench[k, i] = 0.0
    memory.measured[0], memory.measured[1] = 0.0, math.nan


@part
def measure_gap(memory, gap):
    """The smallest of all gaps [m]."""
    if not memory.measured[1] <= gap:  # also if it is not a number yet
        memory.measured[1] = gap


@part
def measure_force(memory, body_w, shape, row, position, tx, ty, tz, fx, fy, fz):
    """Add a force [N] at a point and a torque [N m], world axes, to what is recorded of the body that has a shape."""
    k = memory.body[shape]
    if k < 0:
        return
    mx, my, mz = cross(
        position[0] - body_w[row, P_WB], position[1] - body_w[row, P_WB + 1], position[2] - body_w[row, P_WB + 2],
        fx, fy, fz,
    )  # fmt: skip
    w = memory.wrench[k]
    w[0] += tx + mx
    w[1] += ty + my
    w[2] += tz + mz
    w[3] += fx
    w[4] += fy
    w[5] += fz


@block
def measure_impulses(machine, data):
    """Mean forces of the last step, after `note_forces`."""
    memory, body_w, shape = data.contact_memory, data.body_w, machine.contact.shape
    begin_measure(memory)
    for k in range(memory.head[0].points):
        point = memory.point[k]
        f, m, a, b = point.force, point.torque, point.a, point.b
        measure_gap(memory, point.gap)
        if f[0] != 0.0 or f[1] != 0.0 or f[2] != 0.0:
            memory.measured[0] += 1.0
            p, row_a, row_b = point.position, shape[a].row, shape[b].row
            measure_force(memory, body_w, a, row_a, p, -m[0], -m[1], -m[2], -f[0], -f[1], -f[2])
            measure_force(memory, body_w, b, row_b, p, m[0], m[1], m[2], f[0], f[1], f[2])
