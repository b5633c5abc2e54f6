"""Semi-implicit (symplectic) Euler: v' = v + h a(q, v), q' = q (+) h v'. Order 1, one evaluation a step."""

from dataclasses import dataclass
from typing import Any, ClassVar

from gori.integrate.contract import Fixed
from gori.integrate.march import RUN, arrive, marching, rhs
from gori.kernels.accelerations import health
from gori.kernels.codes import OK
from gori.kernels.jit import kernel, part
from gori.kernels.tree.columns import NQ
from gori.kernels.tree.configuration import integrate


@part
def semi_implicit_step(machine, data, memory, t, h, y):
    """memory (2, n): rates, and the increment h v."""
    nq, nv = machine.body_i[0, NQ], data.tau.shape[0]
    q, v, z = y[:nq], y[nq : nq + nv], y[nq + nv :]
    qdd, zdot, move = memory[0, nq : nq + nv], memory[0, nq + nv :], memory[1, :nv]
    code = rhs(machine, data, t, y, memory[0])
    if code != OK:
        return code
    for k in range(nv):
        v[k] += h * qdd[k]
        move[k] = h * v[k]
    for k in range(z.shape[0]):
        z[k] += h * zdot[k]
    integrate(machine.body_i, q, move, q)
    code = arrive(machine, data, t + h, y)
    if code != OK:
        return code
    return health(v, data.dof_w)


_march = marching(semi_implicit_step)


@kernel(RUN)
def semi_implicit_run(machine, data, memory, clock, count, y, samples, watch):
    return _march(machine, data, memory, clock, count, y, samples, watch)


@dataclass(frozen=True)
class SemiImplicit(Fixed):
    """Semi-implicit Euler: cheapest, energy stays bounded in conservative systems; order 1."""

    kind: ClassVar[str] = "semi_implicit"
    run: ClassVar[Any] = semi_implicit_run
    rows: ClassVar[int] = 2
