"""Along a known motion: accelerations, what forces leave unbalanced, and what the joints transmit.

A gear, rack or belt transmits its force F = -lambda, forward on the first body, by pulls along two lines of action:

    pull_1 = max(T + F/2, F, 0),   pull_2 = max(T - F/2, -F, 0)

with the preload T of a belt: both spans share the force until one of them is slack. Teeth have T = 0, and their lines
are the normals of both flanks. `linear` is the part of that in which a superposition holds: +-F/2 on both; a small
change of F goes to the lines that bear it.
"""

from numba import types

from gori.kernels.accelerations import accelerations
from gori.kernels.codes import OK
from gori.kernels.forces.apply import apply_forces
from gori.kernels.forces.elements import add_wrench
from gori.kernels.jit import call_at, kernel, part, present
from gori.kernels.loops.system import balance, place_all
from gori.kernels.machine import ACCELERATIONS, data_type, machine_type
from gori.kernels.tree.columns import FORCE, NQ, P_WB
from gori.kernels.tree.kinematics import place, positions, rates, turn
from gori.kernels.tree.rnea import inertia_forces, propagate_forces

_f2, _f3 = types.float64[:, ::1], types.float64[:, :, ::1]


@part
def replay(data, recorded):
    """Apply the recorded wrenches of subsystems at a sample."""
    for k in range(recorded.shape[0]):
        data.recorded[k] = recorded[k]


@kernel(types.int64(machine_type, data_type, _f2, _f2, _f2))
def accelerations_along(machine, data, samples, recorded, qdd):
    """qdd (N, nv) for samples (N, 1 + n) of rows (time, q, v, z). Returns the number of successful ones.

    recorded (N, nr)   wrenches and outputs of subsystems in these samples
    """
    nq, nv = machine.body_i[0, NQ], data.tau.shape[0]
    for row in range(samples.shape[0]):
        t, y, out = samples[row, 0], samples[row, 1:], qdd[row]
        replay(data, recorded[row])
        if present(machine.closed):
            code = call_at(machine.closed, machine, data, t, y, out, ACCELERATIONS)
        else:
            z = y[nq + nv :]
            code = accelerations(machine, t, y[:nq], y[nq : nq + nv], z, out, data.zdot, data)
        if code != OK:
            return row
    return samples.shape[0]


@kernel(types.int64(machine_type, data_type, _f2, _f2, _f2, _f2))
def unbalanced(machine, data, samples, recorded, a, out):
    """out (N, nv) = tau - ID(q, v, a): what is left to cuts, mimic joints, motions.

    Returns as `accelerations_along`.
    """
    nq, nv = machine.body_i[0, NQ], data.tau.shape[0]
    for row in range(samples.shape[0]):
        t, q = samples[row, 0], samples[row, 1 : 1 + nq]
        v, z = samples[row, 1 + nq : 1 + nq + nv], samples[row, 1 + nq + nv :]
        replay(data, recorded[row])
        place(machine.body_i, machine.body_f, q, data.body_w, data.dof_w)
        code = balance(machine, data, t, q, v, z, data.zdot, a[row], out[row])
        if code != OK:
            return row
    return samples.shape[0]


@part
def add_cuts(machine, work, lam, cuts, body_w):
    """What cuts do to their bodies, after `place_cuts`; cuts (ncut, 6): on body B, moment about p_B."""
    cut = machine.cut
    for c in range(cut.shape[0]):
        w = cuts[c]
        for e in range(cut[c].first, cut[c].first + cut[c].equations):
            for k in range(6):
                w[k] -= lam[e] * work.wrench[e, k]
        at_a, at_b = work.from_a[c], work.from_b[c]
        add_wrench(cut[c].row_b, at_b[0], at_b[1], at_b[2], w[0], w[1], w[2], w[3], w[4], w[5], body_w)
        add_wrench(cut[c].row_a, at_a[0], at_a[1], at_a[2], -w[0], -w[1], -w[2], -w[3], -w[4], -w[5], body_w)


@part
def pull_along(mesh, point, along, pull, body_w):
    """A pull on the first body of a gear or belt along a line fixed to the carrier, its opposite on the other."""
    c, a, b = mesh.row, mesh.row_a, mesh.row_b
    x, y, z = turn(body_w, c, point[0], point[1], point[2])
    x, y, z = x + body_w[c, P_WB], y + body_w[c, P_WB + 1], z + body_w[c, P_WB + 2]
    fx, fy, fz = turn(body_w, c, pull * along[0], pull * along[1], pull * along[2])
    ax, ay, az = x - body_w[a, P_WB], y - body_w[a, P_WB + 1], z - body_w[a, P_WB + 2]
    bx, by, bz = x - body_w[b, P_WB], y - body_w[b, P_WB + 1], z - body_w[b, P_WB + 2]
    add_wrench(a, ax, ay, az, 0.0, 0.0, 0.0, fx, fy, fz, body_w)
    add_wrench(b, bx, by, bz, 0.0, 0.0, 0.0, -fx, -fy, -fz, body_w)


@part
def add_meshes(machine, lam, linear, body_w):
    """What gears, racks and belts do to their bodies, after `positions`."""
    for g in range(machine.mesh.shape[0]):
        mesh = machine.mesh[g]
        force, preload = -lam[mesh.equation], mesh.preload
        one, two = 0.5 * force, -0.5 * force
        if linear == 0:
            one, two = max(preload + one, force, 0.0), max(preload + two, -force, 0.0)
        pull_along(mesh, mesh.point_1, mesh.along_1, one, body_w)
        pull_along(mesh, mesh.point_2, mesh.along_2, two, body_w)


@kernel(types.void(machine_type, data_type, _f2, _f2, _f2, _f2, types.int64, _f3, _f3))
def transmitted(machine, data, samples, recorded, a, lam, linear, joints, cuts):
    """What joints and cuts do to the bodies that they carry, world axes: moment, force.

    samples (N, 1 + n), a (N, nv), lam (N, ne)    the motion: states, accelerations, multipliers
    linear                                        1: of gears and belts the linear part
    joints (N, nrow, 6)                           through the joint of each row, moment about its origin
    cuts (N, ncut, 6)                             on body B of each cut, moment about p_B
    """
    body_i, body_w, dof_w, tau = machine.body_i, data.body_w, data.dof_w, data.tau
    nq, nv = body_i[0, NQ], data.tau.shape[0]
    m = data.loops
    for row in range(samples.shape[0]):
        t, q = samples[row, 0], samples[row, 1 : 1 + nq]
        v, z = samples[row, 1 + nq : 1 + nq + nv], samples[row, 1 + nq + nv :]
        replay(data, recorded[row])
        place_all(machine, data, m, t, q, v)
        rates(body_i, v, body_w, dof_w)
        inertia_forces(body_i, machine.body_f, a[row], body_w, dof_w)
        apply_forces(machine, data, t, q, v, z, data.zdot)
        positions(body_i, body_w)
        add_cuts(machine, m.work, lam[row], cuts[row], body_w)
        add_meshes(machine, lam[row], linear, body_w)
        propagate_forces(body_i, tau, body_w, dof_w)
        for i in range(body_i.shape[0]):
            for k in range(6):
                joints[row, i, k] = body_w[i, FORCE + k]


@part
def change_meshes(machine, lam, about, body_w):
    """The same for a change of the multipliers, small beside those that it is about."""
    for g in range(machine.mesh.shape[0]):
        mesh = machine.mesh[g]
        force, change, preload = -about[mesh.equation], -lam[mesh.equation], mesh.preload
        one = 1.0 if force > 2.0 * preload else 0.0 if force < -2.0 * preload else 0.5
        pull_along(mesh, mesh.point_1, mesh.along_1, one * change, body_w)
        pull_along(mesh, mesh.point_2, mesh.along_2, (one - 1.0) * change, body_w)


@kernel(types.void(machine_type, data_type, _f2, _f2, _f2, _f3, _f3))
def stressed(machine, data, samples, lam, about, joints, cuts):
    """As `transmitted`, for multipliers alone: without inertia, gravity and other forces.

    about (N, ne)   multipliers of which these are small changes; without rows: the linear part of gears and belts
    """
    body_i, body_w = machine.body_i, data.body_w
    nq, nv = body_i[0, NQ], data.tau.shape[0]
    m = data.loops
    for row in range(samples.shape[0]):
        t, q, v = samples[row, 0], samples[row, 1 : 1 + nq], samples[row, 1 + nq : 1 + nq + nv]
        place_all(machine, data, m, t, q, v)
        positions(body_i, body_w)
        for i in range(body_i.shape[0]):
            for k in range(6):
                body_w[i, FORCE + k] = 0.0
        add_cuts(machine, m.work, lam[row], cuts[row], body_w)
        if about.shape[0] > 0:
            change_meshes(machine, lam[row], about[row], body_w)
        else:
            add_meshes(machine, lam[row], 1, body_w)
        propagate_forces(body_i, data.tau, body_w, data.dof_w)
        for i in range(body_i.shape[0]):
            for k in range(6):
                joints[row, i, k] = body_w[i, FORCE + k]
