"""What force elements do along a recorded motion: their effort and the power that they put into the machine."""

from numba import types

from gori.kernels.forces.elements import E_DOF, E_KIND, LINE, STRUT, joint_force, line_force
from gori.kernels.forces.signals import evaluate_signals
from gori.kernels.jit import kernel
from gori.kernels.machine import data_type, machine_type
from gori.kernels.tree.columns import NQ
from gori.kernels.tree.kinematics import place, positions, velocities

_f2 = types.float64[:, ::1]


@kernel(types.void(machine_type, data_type, _f2, types.float64[::1], types.float64[:, :, ::1]))
def efforts(machine, data, samples, zdot, out):
    """out (N, elements, 2): effort and power for samples (N, 1 + n) of rows (time, q, v, z).

    Effort: the torque or force on the joint, the tension of a line or strut; bushings and wrenches have none here.
    zdot (nz,) is scratch.
    """
    nq, nv = machine.body_i[0, NQ], data.tau.shape[0]
    tau = data.tau
    for row in range(samples.shape[0]):
        t, q = samples[row, 0], samples[row, 1 : 1 + nq]
        v, z = samples[row, 1 + nq : 1 + nq + nv], samples[row, 1 + nq + nv :]
        place(machine.body_i, machine.body_f, q, data.body_w, data.dof_w)
        positions(machine.body_i, data.body_w)
        velocities(machine.body_i, v, data.body_w, data.dof_w)
        evaluate_signals(machine.signal_i, machine.signal_f, t, q, v, data.values, data.stack)
        for e in range(machine.element_i.shape[0]):
            element, p = machine.element_i[e], machine.element_f[e]
            kind = element[E_KIND]
            if kind < LINE:
                for k in range(nv):
                    tau[k] = 0.0
                joint_force(element, p, q, v, z, data.values, zdot, tau)
                out[row, e, 0] = tau[element[E_DOF]]
                for k in range(nv):
                    out[row, e, 1] += tau[k] * v[k]
            elif kind in (LINE, STRUT):
                tension, rate = line_force(element, p, data.body_w)
                out[row, e, 0] = tension
                out[row, e, 1] = -tension * rate
