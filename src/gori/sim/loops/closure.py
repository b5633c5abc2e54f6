"""Loops in a run: which solver keeps them closed, its tables and memory, and its choice of coordinates."""

import time as wall
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from gori.errors import UnsupportedError
from gori.integrate import FrozenExplicit, Full, Loops, Method, Multipliers, Partition, Radau5, loops_of
from gori.integrate.clock import MethodMemory
from gori.kernels.codes import NEAR_SINGULAR, OK, POOR_CHOICE
from gori.kernels.layout import row
from gori.kernels.machine import ACCELERATIONS, RATES, Data, Machine
from gori.model import Model
from gori.model.loops.beside import Branch, Side, branch_at
from gori.model.loops.mobility import split_coordinates
from gori.model.loops.system import CLOSED
from gori.model.loops.velocity import consistent_velocity
from gori.model.machine import data_of
from gori.model.state import State
from gori.sim.callers.pickled import Bound
from gori.sim.loops.departure import departure, elsewhere, first_step, refuse_rest

POOR = 1e-3
"""pivot from which on independent coordinates are chosen anew"""
CREPT, LOOSE, MOST_LEAPS = 1e-2, 1e3, 8
"""pivot from which on a step that becomes too small is blamed on a singular pose; how tolerances grow for the step over
it, and how many such steps are tried"""
COARSE = 1e-6
"""tolerance of accelerations above which the stages of an implicit method do not converge"""
AWAY = 1e-7
"""share of a run after which a singular pose counts as left"""
WINDOW = 2e-6
"""pivot below which an adaptive method steps over a singular pose"""


def closing(model: Model, method: Method, loops: Any) -> tuple[Method, Loops | None]:
    """The method and the solver that fit each other and the Model."""
    if not model.loops:
        if loops is not None:
            loops_of(loops)
        return method, None
    if method.core_of_loops is None:
        solver = loops_of(Multipliers() if loops is None else loops)
        if method.contact == "impulses" and not isinstance(solver, Multipliers):
            raise UnsupportedError(
                f"{method.kind} solves the loop equations together with contact, by multipliers: omit loops: "
                f"{solver.kind}, or use another explicit method (rk4, dopri5, adams)"
            )
        if isinstance(method, Radau5) and isinstance(solver, FrozenExplicit) and solver.tolerance > COARSE:
            raise UnsupportedError(
                f"{method.kind} needs better accelerations than loops: {solver.kind} gives (tolerance "
                f"{solver.tolerance:g}): its steps would shrink without end. Use frozen_explicit, or a fixed step"
            )
        return method, solver
    if loops is not None:
        raise UnsupportedError(
            f"{method.kind} solves the loop equations itself: omit loops: {loops_of(loops).kind}, or "
            "use an explicit method (rk4, dopri5, adams)"
        )
    return replace(method, jacobian=Full()), None  # pyright: ignore[reportCallIssue]


def solver_of(loops: Loops | None) -> Any:
    """The kernel that keeps the loops closed; that of Multipliers gives implicit methods their first accelerations."""
    return Multipliers.solver if loops is None else loops.solver


class ClockRow(Protocol):
    """The row of the clock of a run (`integrate/clock.py`), as far as it is read and changed here."""

    time: float
    elapsed: float
    duration: float
    step: float
    steps_done: int


class Closure(Bound):
    """The loops of a run: start, choice of coordinates, singular poses.

    machine, data   of the run: made with the tables `model.loop_system.kept` and the address of `solver_of(loops)`
    """

    def __init__(self, model: Model, method: Method, loops: Loops | None, machine: Machine, data: Data):
        self.model, self.system, self.method, self.loops = model, model.loop_system, method, loops
        self.machine, self.data = machine, data
        self.head, self.kept = row(data.loops.head), data.loops.state
        self.free = not (isinstance(loops, Partition) and loops.independent is not None)
        """whether independent coordinates may be chosen"""
        self._looked = wall.perf_counter()  # when all equations were last checked
        self._leapt = -np.inf  # when a singular pose was last stepped over [s]
        self._fresh = False  # no step was taken from the state that it was started with
        self._branch: Branch | None = None  # of that state, if it is a singular pose
        settings = row(data.loops.settings)
        settings.position_tolerance = settings.velocity_tolerance = self.system.tolerance
        if isinstance(loops, FrozenExplicit):
            settings.position_tolerance *= loops.closure / CLOSED
            settings.velocity_tolerance *= loops.closure / CLOSED
            settings.acceleration_tolerance = loops.tolerance

    @property
    def changes(self) -> int:
        """How often other independent coordinates were chosen."""
        return int(self.head.choices)

    def start(self, state: State) -> None:
        """A new state from outside: nothing is kept."""
        self._leapt, self._fresh = -np.inf, True
        self._branch = branch_at(self.model, state.q, state.v, state.time)
        self.data.loops.work.departing[:] = 0.0
        self._refuse_nothing(state)
        regular, (head, kept) = self.system.regularisation(state.q, state.time), (self.head, self.kept)
        self.data.loops.head[:] = 0
        kept.flat[:] = 0.0
        kept.eps_mass[:], kept.eps_unit[:] = regular.eps_mass, regular.eps_unit
        kept.extra_inertia[:] = regular.extra_inertia
        head.redundant, head.epsilon = regular.redundant, regular.epsilon
        head.time_last = head.time_before = state.time
        self._split(state, self.loops.independent if isinstance(self.loops, Partition) else None)
        self._measure(state)
        self.reset_thresholds()

    def _refuse_nothing(self, state: State) -> None:
        """Raise if none of the equations says anything at this pose: there is no telling what then is rounding and what
        is not. Explicit methods leave out those that never say anything.
        """
        names, explicit = self.system.names, self.loops is not None
        if isinstance(self.loops, Partition) or (explicit and not self.system.matters.any()):
            return
        if self.system.rank(self.system.terms(state.q, time=state.time).J) == 0:
            raise UnsupportedError(
                f"{', '.join(names)}: these equations hold nothing at this pose that joints do not hold already, as a "
                "ball on the axis of a hinge. Leave out what they belong to, or use an explicit method with loops: "
                "partition"
            )

    def refuse_open(self, state: State) -> None:
        """Raise if a state does not lie on the loops: the first step would throw it there."""
        # implicit methods hold positions to the loops, velocities only as well as the step is
        implicit = self.loops is None
        self.system.refuse_open(state.q, None if implicit else state.v, state.time, "state.")
        if not state.v.any() and not self.model.motion_names:
            self._refuse_nothing(state)
            refuse_rest(self.model, state, self._loads(state))
        if state.v.any() and not implicit:
            consistent_velocity(self.model, state.q, state.v, hold=(), time=state.time)  # on a branch

    def _loads(self, state: State) -> Callable[[float], np.ndarray]:
        """Generalised forces (nv,) of the Spec at rest in this pose, by time [s]; nothing of the run is changed."""
        z = state.z if len(state.z) else np.zeros(self.model.nz)
        machine, y = self.machine.replace(user=0), np.concatenate([state.q, state.v, z, [0.0]])

        def load(time: float) -> np.ndarray:
            data = data_of(self.model, machine, len(self.data.stack), live=True)
            data.loops.state.eps_mass[:] = 1.0  # the factors do not matter
            Multipliers.solver(machine, data, time, y, np.zeros(self.model.nv), ACCELERATIONS)
            return data.loops.work.force.copy()

        return load

    def _measure(self, state: State) -> None:
        """How good the equations are here, for all solvers alike: poses that come are judged by it."""
        machine, y = self.machine.replace(user=0), np.concatenate([state.q, state.v, state.z])
        head, kept = self.head, self.kept
        self.accept_any_pose()
        Multipliers.solver(machine, self.data, float(state.time), y, np.zeros(self.model.nv), ACCELERATIONS)
        head.known = head.mass_factors = head.evaluations = head.factorisations = head.corrections = 0
        kept.multipliers[:] = kept.accelerations[:] = 0.0
        self.resume()

    def depart(self, time: float, y: np.ndarray) -> float | None:
        """Before the first step: accelerations of the branch, if the run starts in a singular pose. Then it returns
        the first step for an adaptive method [s].
        """
        nq, nv = self.model.nq, self.model.nv
        q, v, rest = y[:nq], y[nq : nq + nv], y[nq + nv :]
        branch = self._branch if self._fresh else branch_at(self.model, q, v, time)
        self._fresh = False
        if branch is None:
            return None
        data, head = self.data, self.head

        def rates(side: Side) -> np.ndarray | None:
            out, there = np.zeros(nv), np.concatenate([side.q, side.v, rest])
            code = Multipliers.solver(self.machine, data, side.time, there, out, ACCELERATIONS)
            return np.append(out, data.power[0]) if code == OK and np.isfinite(out).all() else None

        before = data.loops.head.copy(), self.kept.flat.copy()
        self.accept_any_pose()
        found = departure(branch, rates)
        if found is None:
            data.loops.head[:], self.kept.flat[:] = before
            self.resume()
            return None
        self._look_elsewhere(branch, rates, rest)
        work = data.loops.work
        work.departing[:] = 1.0, time, found[-1]
        work.departure_q[:], work.departure_v[:], work.departure_a[:] = q, v, found[:-1]
        self.kept.accelerations[:], self.kept.multipliers[:] = found[:-1], 0.0
        head.known = head.mass_factors = head.evaluations = head.factorisations = head.corrections = 0
        head.pivot = 0.0
        self.resume()
        self.reset_thresholds()
        return first_step(branch)

    def _look_elsewhere(self, branch: Branch, rates: Callable[[Side], Any], rest: np.ndarray) -> None:
        """Choose coordinates, and measure how good the equations are, on the branch away from the singular pose."""
        for side in elsewhere(branch):
            if self.free:
                self._split(State(side.time, side.q, side.v), None)
            rates(side)
            if isinstance(self.loops, Partition):
                there = np.concatenate([side.q, side.v, rest])
                Partition.solver(self.machine, self.data, side.time, there, np.zeros(len(there)), RATES)
        if self.free and (side := branch.side(1.0)) is not None:
            self._split(State(side.time, side.q, side.v), None)
            self.head.chosen_at = branch.time

    def resume(self) -> None:
        """What is kept is that of another run: bodies and cuts do not stand where it left them."""
        self.data.loops.work.standing[:] = 0.0

    def reset_thresholds(self) -> None:
        """All is well: look out for poor choices and singular poses as usual."""
        head = self.head
        head.poor_pivot = POOR if self.free else 0.0
        head.singular_pivot = WINDOW if self.method.adaptive else 0.0

    def accept_any_pose(self) -> None:
        """Neither choose anew nor step over poses: for states that are given."""
        self.head.poor_pivot = self.head.singular_pivot = 0.0

    def step_over_singularity(self, memory: MethodMemory, clock: ClockRow) -> bool:
        """An adaptive method crept up to a singular pose, where accelerations are noise to it: let it take one step of
        usual length with larger tolerances, to get to the other side. Whether that is what has happened.
        """
        head = self.head
        if clock.time - self._leapt > AWAY * clock.duration:
            head.leaps = 0
        if not self.method.adaptive or not head.pivot < CREPT or head.leaps >= MOST_LEAPS:
            return False
        head.leaps += 1
        self._leapt = clock.time
        memory.head["loosened"] = LOOSE
        usual = clock.elapsed / max(clock.steps_done, 1)
        clock.step = max(usual, 1e-6 * max(clock.elapsed, 1e-3)) * (1.0 + 0.37 * (head.leaps % 4))
        return True

    def singularity_passed(self, memory: MethodMemory) -> None:
        """After such steps: tolerances as usual."""
        if self.method.adaptive:
            memory.head["loosened"] = 0.0

    def due(self, now: float) -> bool:
        """Whether it is time to look at all equations again [s, wall clock]."""
        if now - self._looked < 0.04:
            return False
        self._looked = now
        return True

    def opened(self, time: float, q: np.ndarray) -> str | None:
        """An equation that was left out as redundant, and no longer holds."""
        gap = self.system.terms(q, time=time).gap * self.system.row_scale
        if not np.abs(gap).max(initial=0.0) > 1e-6:
            return None
        return self.system.worst(gap / self.system.row_scale)[0]

    @property
    def at_singular_pose(self) -> bool:
        """Whether the last evaluation was next to a singular pose."""
        return bool(self.head.pivot < CREPT)

    def narrow_window(self) -> None:
        """A singular pose that could not be stepped over: go nearer to it."""
        self.head.singular_pivot *= 0.01

    def exhausted(self, code: int) -> bool:
        """Whether a pose is refused though any is accepted: the factors have a pivot of the wrong sign."""
        poor, singular = self.head.poor_pivot, self.head.singular_pivot
        return (code == POOR_CHOICE and poor == 0.0) or (code == NEAR_SINGULAR and singular == 0.0)

    def _split(self, state: State, independent: tuple[str, ...] | None) -> None:
        J, head = self.system.scaled(self.system.terms(state.q, time=state.time).J), self.head
        rank = len(self.system.kept.names) - int(head.redundant)
        self.kept.dependent[:] = ~split_coordinates(self.model, J, rank, independent)
        head.chosen_at = state.time

    def choose(self, state: State) -> None:
        """Choose independent coordinates anew; where no choice is good, as in a singular pose, go on with the best."""
        head, dependent = self.head, self.kept.dependent
        before, when = dependent.copy(), float(head.chosen_at)
        self._split(state, None)
        if state.time == when or (before == dependent).all():
            head.poor_pivot *= 0.01
        else:
            head.choices += 1


def without_counts(head: np.ndarray) -> np.ndarray:
    """What a loop solver keeps, without its statistics: factors are made once more when a run is taken up."""
    head = head.copy()
    for name in ("evaluations", "factorisations", "corrections"):
        head[name] = 0
    return head
