"""The first evaluation of a run that starts in a singular pose.

There J does not determine the accelerations: they are those of the branch that the machine is on, which are found once,
from poses on both sides of it (`sim/loops/departure.py`), and hold for that time and state alone.
"""

from gori.kernels.codes import OK
from gori.kernels.jit import block, part
from gori.kernels.loops.system import balance
from gori.kernels.machine import ACCELERATIONS, RATES
from gori.kernels.tree.columns import D_INV
from gori.kernels.tree.kinematics import place


@part
def departs(m, t, q, v, what):
    """Whether rates are asked for at the start in a singular pose."""
    if m.work.departing[0] == 0.0 or t != m.work.departing[1] or (what != RATES and what != ACCELERATIONS):
        return False
    for j in range(q.shape[0]):
        if m.work.departure_q[j] != q[j]:
            return False
    for j in range(v.shape[0]):
        if m.work.departure_v[j] != v[j]:
            return False
    return True


@block
def depart(machine, data, t, q, v, z, zdot, qdd):
    """qdd (nv,) and the power at the start in a singular pose; rates of z as anywhere. Returns a result code."""
    m, nv = data.loops, v.shape[0]
    for j in range(nv):
        m.work.product[j] = 0.0
    m.work.standing[0] = 0.0
    place(machine.body_i, machine.body_f, q, data.body_w, data.dof_w)
    code = balance(machine, data, t, q, v, z, zdot, m.work.product, m.work.force)
    if code != OK:
        return code
    for j in range(nv):
        qdd[j] = m.work.departure_a[j]
        data.dof_w[j, D_INV] = 1.0
    data.power[0] = m.work.departing[2]
    return OK
