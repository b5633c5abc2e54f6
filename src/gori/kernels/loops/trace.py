"""Along a known motion: accelerations, what forces leave unbalanced, and what the joints transmit."""

from numba import types

from gori.kernels.accelerations import accelerations
from gori.kernels.codes import OK
from gori.kernels.forces.apply import apply_forces
from gori.kernels.forces.elements import add_wrench
from gori.kernels.jit import call_at, kernel, part, present
from gori.kernels.loops.system import balance, place_all
from gori.kernels.machine import ACCELERATIONS, data_type, machine_type
from gori.kernels.tree.columns import FORCE, NQ
from gori.kernels.tree.kinematics import place, rates
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


@kernel(types.void(machine_type, data_type, _f2, _f2, _f2, _f2, _f3, _f3))
def transmitted(machine, data, samples, recorded, a, lam, joints, cuts):
    """What joints and cuts do to the bodies that they carry, world axes: moment, force.

    samples (N, 1 + n), a (N, nv), lam (N, ne)    the motion: states, accelerations, multipliers
    joints (N, nrow, 6)                           through the joint of each row, moment about its origin
    cuts (N, ncut, 6)                             on body B of each cut, moment about p_B
    """
    body_i, body_w, dof_w, tau = machine.body_i, data.body_w, data.dof_w, data.tau
    nq, nv, cut = body_i[0, NQ], data.tau.shape[0], machine.cut
    m = data.loops
    for row in range(samples.shape[0]):
        t, q = samples[row, 0], samples[row, 1 : 1 + nq]
        v, z = samples[row, 1 + nq : 1 + nq + nv], samples[row, 1 + nq + nv :]
        replay(data, recorded[row])
        place_all(machine, data, m, t, q, v)
        rates(body_i, v, body_w, dof_w)
        inertia_forces(body_i, machine.body_f, a[row], body_w, dof_w)
        apply_forces(machine, data, t, q, v, z, data.zdot)
        for c in range(cut.shape[0]):
            w = cuts[row, c]
            for e in range(cut[c].first, cut[c].first + cut[c].equations):
                for k in range(6):
                    w[k] -= lam[row, e] * m.work.wrench[e, k]
            at_a, at_b = m.work.from_a[c], m.work.from_b[c]
            add_wrench(cut[c].row_b, at_b[0], at_b[1], at_b[2], w[0], w[1], w[2], w[3], w[4], w[5], body_w)
            add_wrench(cut[c].row_a, at_a[0], at_a[1], at_a[2], -w[0], -w[1], -w[2], -w[3], -w[4], -w[5], body_w)
        propagate_forces(body_i, tau, body_w, dof_w)
        for i in range(body_i.shape[0]):
            for k in range(6):
                joints[row, i, k] = body_w[i, FORCE + k]
