"""What force elements do along a recorded motion: effort, power put into the machine, wrench on its bodies."""

from numba import types

from gori.kernels.forces.elements import (
    BUSHING,
    E_DOF,
    E_KIND,
    LINE,
    STRUT,
    bushing_force,
    joint_force,
    line_force,
    outside_wrench,
)
from gori.kernels.forces.probes import read_probes
from gori.kernels.forces.signals import evaluate_signals
from gori.kernels.jit import kernel, part
from gori.kernels.machine import data_type, machine_type
from gori.kernels.tree.columns import ART, NQ
from gori.kernels.tree.kinematics import place, positions, velocities

_f3 = types.float64[:, :, ::1]

EFFORT, POWER, WORKING = 0, 1, 2
N_EFFORT = 3
"""columns: the torque or force on the joint, or the tension of a line or strut, not known of bushings and wrenches; the
whole power; and the power of what has no potential"""


@part
def fill_wrench(out, wrench):
    """Moment and force (6,) out of a tuple that begins with them."""
    for k in range(6):
        out[k] = wrench[k]


@kernel(types.void(machine_type, data_type, types.float64[:, ::1], types.float64[::1], _f3, _f3))
def efforts(machine, data, samples, zdot, out, wrenches):
    """Of all elements, for samples (N, 1 + n) of rows (time, q, v, z).

    zdot       (nz,) scratch
    out        (N, elements, N_EFFORT)
    wrenches   (N, k, 6) of the elements on bodies, in their order: moment and force on the child at its end, world axes
    """
    nq, nv = machine.body_i[0, NQ], data.tau.shape[0]
    tau, body_w = data.tau, data.body_w
    axes = body_w[0, ART : ART + 18]
    for row in range(samples.shape[0]):
        t, q = samples[row, 0], samples[row, 1 : 1 + nq]
        v, z = samples[row, 1 + nq : 1 + nq + nv], samples[row, 1 + nq + nv :]
        place(machine.body_i, machine.body_f, q, body_w, data.dof_w)
        positions(machine.body_i, body_w)
        velocities(machine.body_i, v, body_w, data.dof_w)
        read_probes(machine.probe, body_w, data.readings)
        evaluate_signals(machine.signal_i, machine.signal_f, t, q, v, data.readings, data.values, data.stack)
        count = 0
        for e in range(machine.element_i.shape[0]):
            element, p, own = machine.element_i[e], machine.element_f[e], out[row, e]
            kind = element[E_KIND]
            if kind < LINE:
                for k in range(nv):
                    tau[k] = 0.0
                own[WORKING] = joint_force(element, p, q, v, z, data.values, zdot, tau)
                own[EFFORT] = tau[element[E_DOF]]
                for k in range(nv):
                    own[POWER] += tau[k] * v[k]
                continue
            if kind in (LINE, STRUT):
                tension, rate, own[WORKING], fx, fy, fz = line_force(element, p, body_w)
                own[EFFORT], own[POWER] = tension, -tension * rate
                fill_wrench(wrenches[row, count], (0.0, 0.0, 0.0, fx, fy, fz))
            elif kind == BUSHING:
                found = bushing_force(element, p, body_w, axes)
                own[WORKING], own[POWER] = found[6], found[7]
                fill_wrench(wrenches[row, count], found)
            else:
                acting = outside_wrench(element, p, data.values, body_w, axes)
                own[WORKING] = own[POWER] = acting[6]
                fill_wrench(wrenches[row, count], acting)
            count += 1
