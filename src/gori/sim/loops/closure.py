"""Loops in a run: which solver keeps them closed, its tables and memory, and its choice of coordinates."""

import time as wall
from dataclasses import replace
from typing import Any

import numpy as np

from gori.errors import InputError, UnsupportedError
from gori.integrate import FrozenExplicit, Full, Loops, Method, Multipliers, Partition, loops_of, march
from gori.integrate.closed import matrix_size
from gori.integrate.dopri5 import TOLERANCE
from gori.kernels.loops import tables as t
from gori.kernels.machine import FALL
from gori.model import Model
from gori.model.loops.mobility import split_coordinates
from gori.model.loops.system import CLOSED
from gori.model.state import State

POOR = 1e-3
"""pivot from which on independent coordinates are chosen anew"""
CREPT, LOOSE, MOST_LEAPS = 1e-2, 1e3, 8
"""pivot from which on a step that becomes too small is blamed on a singular pose; how tolerances grow for the step over
it, and how many such steps are tried"""
OPEN = 1e-6
"""residual of positions and velocities, without units, from which on a state is refused"""
WINDOW = 2e-6
"""pivot below which an adaptive method steps over a singular pose"""


def closing(model: Model, method: Method, loops: Any) -> tuple[Method, Loops | None]:
    """The method and the solver that fit each other and the Model."""
    if not model.loops:
        if loops is not None:
            loops_of(loops)
        return method, None
    if method.core_of_loops is None:
        return method, loops_of(Multipliers() if loops is None else loops)
    if loops is not None:
        raise UnsupportedError(
            f"{method.kind} solves the equations of the loops by itself: leave out loops: {loops_of(loops).kind}, or "
            "take an explicit method (rk4, dopri5, adams)"
        )
    return replace(method, jacobian=Full()), None  # pyright: ignore[reportCallIssue]


class Closure:
    """What a run needs for its loops."""

    def __init__(self, model: Model, method: Method, loops: Loops | None):
        self.model, self.system = model, model.loop_system
        self.loops, self.method = loops, method
        self.kept = self.system.kept(model.q0)
        self.machine: Any = None  # Machine, Scratch and memory of the run, once they are there
        self.data: Any = None
        self.memory: Any = None
        self.changes = 0  # how often coordinates were chosen anew
        self.chosen_at = 0.0  # time of the last choice [s]
        self.leaps = 0  # in a row, over one singular pose
        self.looked = wall.perf_counter()  # when all equations were last looked at
        self.free = True  # whether they may be

    def tables(self) -> tuple[Any, int, int]:
        """Last arguments of `machine_of`."""
        solver = Multipliers.solver if self.loops is None else self.loops.solver
        nv, ne = self.model.nv, len(self.kept.names)
        return self.kept, solver.address, matrix_size(nv, ne) if self.loops is None else 0

    def start(self, state: State) -> None:
        """A new state from outside: nothing is kept."""
        self._refuse_nothing(state)
        self.system.fill(self.memory, self.kept, state.q, state.time)
        head = self.memory.head
        head[[t.KNOWN, t.FACTORED, t.STANDS, t.BEST_M, t.BEST_1]] = 0.0
        self.memory.lam[:] = self.memory.accel[:] = 0.0
        head[[t.LATEST, t.FORMER]] = state.time
        if isinstance(self.loops, FrozenExplicit):
            head[t.ACCURACY] = self.loops.tolerance
            head[[t.TOLERANCE, t.SLIP_TOLERANCE]] *= self.loops.closure / CLOSED
        wish = self.loops.independent if isinstance(self.loops, Partition) else None
        self.free = wish is None
        self._split(state, wish)
        self._measure(state)
        self.relax()

    def _refuse_nothing(self, state: State) -> None:
        """Raise if none of the equations says anything: there is no telling what then is rounding and what is not."""
        names = self.system.names
        if isinstance(self.loops, Partition) or not len(names):
            return
        if self.system.rank(self.system.terms(state.q, time=state.time).J) == 0:
            raise UnsupportedError(
                f"{', '.join(names)}: these equations hold nothing at this pose that joints do not hold already, as a "
                "ball on the axis of a hinge. Leave out what they belong to, or take loops: partition"
            )

    def refuse_open(self, state: State) -> None:
        """Raise if a state does not lie on the loops: the first step would throw it there."""
        system = self.system
        terms = system.terms(state.q, state.v, state.time)
        if not np.abs(terms.gap * system.row_scale).max(initial=0.0) <= OPEN:
            name, value = system.worst(terms.gap)
            words = f"state.q does not close the loops: {name} is open by {value:.3g}"
            raise InputError(f"{words}. Take gori.assemble(model, q)")
        slip = np.abs(terms.slip * system.row_scale)
        if self.loops is None:  # implicit methods hold positions to the loops, velocities only as well as the step is
            return
        if not slip.max(initial=0.0) <= OPEN * (1.0 + np.abs(state.v).max(initial=0.0)):
            name = system.names[int(np.argmax(slip))]
            raise InputError(
                f"state.v would open the loops: {name} by {slip.max():.3g} in a second. Take "
                "gori.consistent_velocity(model, q, v)"
            )

    def _measure(self, state: State) -> None:
        """How good the equations are here, for all solvers alike: poses that come are judged by it."""
        machine, y = self.machine._replace(user=0), np.concatenate([state.q, state.v, state.z])
        head = self.memory.head
        head[[t.POOR, t.WINDOW]] = 0.0
        Multipliers.solver(machine, self.data, float(state.time), y, np.zeros(self.model.nv), FALL)
        head[[t.KNOWN, t.FACTORED, t.STANDS, t.EVALUATED, t.MADE, t.CORRECTED]] = 0.0
        self.memory.lam[:] = self.memory.accel[:] = 0.0

    def resume(self) -> None:
        """The memory is that of a run before, but bodies and cuts do not stand where it left them."""
        self.memory.head[t.STANDS] = 0.0

    def relax(self) -> None:
        """All is well: look out for poor choices and singular poses as usual."""
        self.memory.head[t.POOR] = POOR if self.free else 0.0
        self.memory.head[t.WINDOW] = WINDOW if self.method.adaptive else 0.0

    def settle_for_anything(self) -> None:
        """Neither choose anew nor step over poses: for states that are given."""
        self.memory.head[[t.POOR, t.WINDOW]] = 0.0

    def leap(self, memory: np.ndarray, clock: np.ndarray, steps: int) -> bool:
        """An adaptive method crept up to a singular pose, where accelerations are noise to it: let it take one step of
        usual length with larger tolerances, to get to the other side. Whether that is what has happened.
        """
        if not self.method.adaptive or not self.memory.head[t.PIVOT] < CREPT or self.leaps >= MOST_LEAPS:
            return False
        self.leaps += 1
        memory[TOLERANCE, :2] = [LOOSE * self.method.settings()[name] for name in ("rtol", "atol")]
        usual = (clock[march.NOW] - clock[march.START]) / max(steps, 1)
        clock[march.STEP] = max(usual, 1e-6 * max(abs(clock[march.NOW]), 1e-3)) * (1.0 + 0.37 * (self.leaps % 4))
        return True

    def land(self, memory: np.ndarray) -> None:
        """After a leap: tolerances as usual."""
        if self.method.adaptive:
            memory[TOLERANCE, :2] = [self.method.settings()[name] for name in ("rtol", "atol")]

    def due(self, now: float) -> bool:
        """Whether it is time to look at all equations again [s, wall clock]."""
        if now - self.looked < 0.04:
            return False
        self.looked = now
        return True

    def opened(self, state: State) -> str | None:
        """An equation that was left out as redundant, and no longer holds."""
        gap = self.system.terms(state.q, time=state.time).gap * self.system.row_scale
        if not np.abs(gap).max(initial=0.0) > 1e-6:
            return None
        return self.system.worst(gap / self.system.row_scale)[0]

    def narrow(self) -> None:
        """A singular pose that could not be stepped over: go nearer to it."""
        self.memory.head[t.WINDOW] *= 0.01

    def _split(self, state: State, independent: tuple[str, ...] | None) -> None:
        J = self.system.scaled(self.system.terms(state.q, time=state.time).J)
        rank = len(self.kept.names) - int(self.memory.head[t.DEFICIT])
        self.memory.dependent[:] = ~split_coordinates(self.model, J, rank, independent)
        self.chosen_at = state.time

    def choose(self, state: State) -> None:
        """Choose independent coordinates anew; where no choice is good, as in a singular pose, go on with the best."""
        before, when = self.memory.dependent.copy(), self.chosen_at
        self._split(state, None)
        if state.time == when or (before == self.memory.dependent).all():
            self.memory.head[t.POOR] *= 0.01
        else:
            self.changes += 1
