"""Generalized-alpha on the Lie group (Arnold and Bruels 2007): order 2, damping of high frequencies by rho_inf.

    q' = q (+) h (v + h ((1/2 - beta) a + beta a')),     v' = v + h ((1 - gamma) a + gamma a')
    (1 - alpha_m) a' + alpha_m a = (1 - alpha_f) vdot' + alpha_f vdot,     r(q', v', vdot') = 0

by Newton's method for vdot', cv = h gamma c and cq = h^2 beta c with c = (1 - alpha_f)/(1 - alpha_m)
(`implicit_memory.py`). rho_inf = 1 keeps all frequencies, 0 annihilates the highest in one step.

An impact that a step does not resolve is not a smooth force: half of it would come again in the next step, out of a,
and bodies would bounce for ever. A step in which forces of contact change like that (`kernels/contact/jumps.py`), or
which has no solution, is done again by implicit Euler, as all of them are in time stepping for unilateral contact
(Chen, Acary and Bruels 2013 do so with the forces of contact alone). While contact presses evenly, the order stays 2.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

from gori.errors import InputError
from gori.integrate.clock import run_type
from gori.integrate.euler_steps import euler_steps, goes_through
from gori.integrate.fixed_step import fixed_steps
from gori.integrate.implicit import Implicit
from gori.integrate.implicit_memory import ImplicitMemory
from gori.integrate.newton import begin_step, end_step
from gori.kernels.accelerations import accelerations
from gori.kernels.codes import NO_CONVERGENCE, NOT_FINITE, OK, SINGULAR
from gori.kernels.jit import block, call_at, kernel, part, present
from gori.kernels.machine import ACCELERATIONS, JUMPS
from gori.kernels.tree.columns import NQ


@part
def has_impact(machine, data, memory, y):
    """Whether forces of contact have changed in the step as by an impact that it does not resolve, or bodies have gone
    through each other.
    """
    data.penalty_memory.weight[0] = memory.step[0].length
    call_at(machine.penalty, machine, data, memory.step[0].end_time, memory.work.q_end, memory.work.v_end, JUMPS)
    return data.penalty_memory.rough[0] != 0.0 or goes_through(machine, data, memory, y)


@block
def step_with_impact(machine, data, memory, t, h, y):
    """The step by implicit Euler; a goes on from the accelerations at its end. Returns a result code."""
    memory.head[0].impacts += 1
    code = euler_steps(machine, data, memory, t, h, y)
    for k in range(memory.work.x.shape[0]):
        memory.state.alpha[k] = memory.state.last[k]
    return code


@part
def alpha_step(machine, data, memory, t, h, y):
    """a' = (1 - alpha_f)/(1 - alpha_m) x + known; `last` is vdot, `alpha` is a."""
    rho = memory.settings[0].rho_inf
    am, af = (2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0)
    gamma = 0.5 + af - am
    beta = 0.25 * (gamma + 0.5) ** 2
    ratio = (1.0 - af) / (1.0 - am)
    work, state = memory.work, memory.state
    begin_step(machine, data, memory, work, state.last, t, h, ratio * h * gamma, ratio * h * h * beta)
    nq, nv = machine.body_i[0, NQ], data.tau.shape[0]
    vdot, a, v = state.last, state.alpha, y[nq : nq + nv]
    if memory.head[0].known == 0:
        if present(machine.closed):
            code = call_at(machine.closed, machine, data, t, y, vdot, ACCELERATIONS)
        else:
            code = accelerations(machine, t, y[:nq], v, y[nq + nv :], vdot, data.zdot, data)
        if code != OK:
            return code
        memory.head[0].power = data.power[0]
        for k in range(nv):
            a[k] = vdot[k]
    for k in range(nv):
        known = (af * vdot[k] - am * a[k]) / (1.0 - am)
        work.base_velocity[k] = v[k] + h * ((1.0 - gamma) * a[k] + gamma * known)
        work.base_increment[k] = h * (v[k] + h * ((0.5 - beta) * a[k] + beta * known))
    code = call_at(machine.core, machine, data, memory, y)
    if present(machine.penalty):
        failed = code in (NO_CONVERGENCE, NOT_FINITE, SINGULAR)
        if failed or (code == OK and has_impact(machine, data, memory, y)):
            return step_with_impact(machine, data, memory, t, h, y)
    if code != OK:
        return code
    for k in range(nv):
        a[k] = ratio * work.x[k] + (af * vdot[k] - am * a[k]) / (1.0 - am)
    return end_step(machine, data, memory, work, vdot, y, 0.5)


_steps = fixed_steps(alpha_step)


@kernel(run_type(ImplicitMemory))
def generalized_alpha_run(machine, data, memory, clock, y, samples, watch):
    return _steps(machine, data, memory, clock, y, samples, watch)


@dataclass(frozen=True)
class GeneralizedAlpha(Implicit):
    """Generalized-alpha: order 2, implicit; rho_inf between 0 and 1 is what remains of the highest frequencies."""

    rho_inf: float = 0.8
    kind: ClassVar[str] = "generalized_alpha"
    run: ClassVar[Any] = generalized_alpha_run

    def __post_init__(self):
        super().__post_init__()
        if not (isinstance(self.rho_inf, (int, float)) and 0.0 <= self.rho_inf <= 1.0):
            raise InputError(f"generalized_alpha: rho_inf must lie between 0 and 1, not {self.rho_inf!r}")

    def parameters(self) -> dict[str, Any]:
        return super().parameters() | {"rho_inf": self.rho_inf}
