"""Phi, J, J v - nu and gamma at one state, for analysis in Python."""

from numba import types

from gori.kernels.codes import OK
from gori.kernels.jit import kernel
from gori.kernels.loops.cuts import cut_accelerations, fill_jacobian
from gori.kernels.loops.system import place_all
from gori.kernels.machine import data_type, machine_type
from gori.kernels.tree.kinematics import rates
from gori.kernels.tree.rnea import accelerate, start_from_gravity

_f1, _f2 = types.float64[::1], types.float64[:, ::1]


@kernel(types.int64(machine_type, data_type, types.float64, _f1, _f1, _f2))
def loop_terms(machine, data, t, q, v, J):
    """J (ne, nv); gap, slip, gamma and wrench stay in the memory (`memory.py`)."""
    m, body_w, dof_w = data.loops, data.body_w, data.dof_w
    place_all(machine, data, m, t, q, v)
    fill_jacobian(machine, m.work, v, data.values, body_w, dof_w)
    rates(machine.body_i, v, body_w, dof_w)
    start_from_gravity(machine.body_f, body_w)
    for k in range(v.shape[0]):
        m.work.product[k] = 0.0
    for i in range(1, machine.body_i.shape[0]):
        accelerate(i, machine.body_i, m.work.product, body_w, dof_w)
    cut_accelerations(machine, m.work, m.work.product, data.values, body_w, m.work.gamma)

    J[:] = 0.0
    cut = machine.cut
    for c in range(cut.shape[0]):
        place, axes, at = cut[c].path, cut[c].axes, cut[c].jac
        for e in range(cut[c].first, cut[c].first + cut[c].equations):
            for k in range(axes):
                J[e, machine.path[place + k]] += m.work.jac[at + k]
            at += axes
    return OK
