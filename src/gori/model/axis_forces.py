"""Forces on single axes and on ball joints of rows of states, with their derivatives: springs, dampers, limits, motors,
torques, forces and expressions of q and v. The laws are those of `kernels/forces/elements.py`.

At corners, of limits, clamps and expressions, the derivative is that of the side on which the state stands.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from gori.errors import UnsupportedError
from gori.kernels.forces import elements as el
from gori.kernels.forces.parameters import BALL_SPRING_F, LIMIT_F, MOTOR_F, SPRING_F
from gori.kernels.forces.signals import CONSTANT, EXPRESSION, HELD, OPCODES, TABLE
from gori.model.model import Model
from gori.model.tangents import spring_turn
from gori.spec.derivative import partial
from gori.spec.expression import Program, values

NOT_COVERED = {
    el.JOINT_FRICTION: "friction, which has states of its own",
    el.LINE: "a spring between bodies",
    el.STRUT: "a strut",
    el.BUSHING: "a bushing",
    el.WRENCH: "a wrench on a body",
}
NAMES = {OPCODES["time"]: "t", OPCODES["q"]: "q", OPCODES["v"]: "v"}
"""of what expressions read; coordinates with their number after it"""
OPERATION = {code: name for name, code in OPCODES.items()}


class ForceTerm(NamedTuple):
    """The derivative (rows,) of the force on one axis by one coordinate, velocity or input."""

    axis: int
    column: int
    value: np.ndarray


class AxisForcesAt(NamedTuple):
    """Forces on the axes at rows of states, and their derivatives.

    tau                  (rows, nv)
    own_q, own_v         by the q and v of the same axis (rows, nv)
    across_q, across_v   by those of any axis, to be added to it
    by_inputs            by inputs
    """

    tau: np.ndarray
    own_q: np.ndarray
    own_v: np.ndarray
    across_q: list[ForceTerm]
    across_v: list[ForceTerm]
    by_inputs: list[ForceTerm]


class _Signal(NamedTuple):
    """A signal of a force as a function of rows.

    input      column of the inputs, or -1
    table      rows (t, x), or one row of a constant
    program    of an expression, and its derivatives by ("q" or "v", number)
    """

    input: int
    table: np.ndarray
    program: Program
    partials: dict[tuple[str, int], Program]

    def values(self, names: dict[str, np.ndarray], inputs: np.ndarray) -> np.ndarray | float:
        if self.input >= 0:
            return inputs[:, self.input]
        return values(self.program, names) if self.program else np.interp(names["t"], *self.table.T)


class AxisForces:
    """All forces of a Model; UnsupportedError names one that does not act on axes alone.

    held   signals that are inputs, in the order of their columns
    """

    def __init__(self, model: Model, held: Sequence[int] = ()):
        forces = model.forces
        for name, kind in zip(forces.names, forces.element_i[:, el.E_KIND]):
            if kind in NOT_COVERED:
                raise UnsupportedError(
                    f"derivatives of steps do not cover {NOT_COVERED[int(kind)]} ({name!r}): remove it from the Spec, "
                    "or take differences of steps"
                )
        self._elements = [(element, forces.element_f[e]) for e, element in enumerate(forces.element_i.tolist())]
        self._signals = [self._signal(model, s, list(held)) for s in range(len(forces.signal_i))]
        self._nv = model.nv

    def at(self, t: np.ndarray, q: np.ndarray, v: np.ndarray, inputs: np.ndarray) -> AxisForcesAt:
        """Forces for times (rows,), states (rows, nq) and (rows, nv), and inputs (rows, inputs)."""
        names = {"t": t} | {f"q{k}": x for k, x in enumerate(q.T)} | {f"v{k}": x for k, x in enumerate(v.T)}
        tau, own_q, own_v = np.zeros((3, len(q), self._nv))
        now = AxisForcesAt(tau, own_q, own_v, [], [], [])
        for (kind, axis, at, _, _, s, _), p in self._elements:
            if kind == el.BALL_SPRING:
                self._ball_spring(p, axis, q[:, at : at + 4], v, now)
                continue
            force, by_q, by_v = _law(kind, p, q[:, at], v[:, axis])
            if kind in (el.JOINT_FORCE, el.MOTOR):
                given = [(1.0, s)] if kind == el.JOINT_FORCE else [(p[MOTOR_F.kp], s), (p[MOTOR_F.kd], s + 1)]
                force = force + sum(gain * self._signals[k].values(names, inputs) for gain, k in given)
                free: np.ndarray | float = 1.0
                if kind == el.MOTOR:
                    free, force = np.abs(force) < p[MOTOR_F.limit], np.clip(force, -p[MOTOR_F.limit], p[MOTOR_F.limit])
                    by_q, by_v = by_q * free, by_v * free
                for gain, k in given:
                    self._follow(k, axis, gain * free, names, now)
            now.tau[:, axis] += force
            now.own_q[:, axis] += by_q
            now.own_v[:, axis] += by_v
        return now

    def _follow(self, s: int, axis: int, gain: np.ndarray | float, names: dict, now: AxisForcesAt) -> None:
        """Terms of a signal that acts on an axis with a gain."""
        signal, ones = self._signals[s], np.ones(len(now.tau))
        if signal.input >= 0:
            now.by_inputs.append(ForceTerm(axis, signal.input, gain * ones))
        for (kind, column), program in signal.partials.items():
            terms = now.across_q if kind == "q" else now.across_v
            terms.append(ForceTerm(axis, column, gain * values(program, names) * ones))

    @staticmethod
    def _ball_spring(p: np.ndarray, axis: int, q: np.ndarray, v: np.ndarray, now: AxisForcesAt) -> None:
        stiffness, damping = p[BALL_SPRING_F.stiffness], p[BALL_SPRING_F.damping]
        r, by_turn = spring_turn(p[BALL_SPRING_F.rest : BALL_SPRING_F.rest + 4], q)
        now.tau[:, axis : axis + 3] -= stiffness * r + damping * v[:, axis : axis + 3]
        now.own_v[:, axis : axis + 3] -= damping
        for k in range(3):
            now.across_q.extend(ForceTerm(axis + k, axis + c, -stiffness * by_turn[:, k, c]) for c in range(3))

    @staticmethod
    def _signal(model: Model, s: int, held: list[int]) -> _Signal:
        kind, start, count = model.forces.signal_i[s].tolist()
        rows = model.forces.signal_f[start : start + count]
        if kind == HELD:
            return _Signal(held.index(s), rows, [], {})
        if kind in (CONSTANT, TABLE):
            return _Signal(-1, rows if kind == TABLE else np.array([[0.0, rows[0, 0]]]), [], {})
        assert kind == EXPRESSION
        where = model.forces.signal_names[s]
        program, axis_of = list(_program(rows, where)), {f"q{joint.q.start}": joint.v.start for joint in model.joints}
        read = sorted({str(name) for operation, name in program if operation == "name"} - {"t"})
        try:
            partials = {(x[0], axis_of.get(x, int(x[1:]))): partial(program, x) for x in read}
        except ValueError as error:
            raise UnsupportedError(f"derivatives of steps do not cover {where}: {error}") from None
        return _Signal(-1, rows, program, partials)


def _program(rows: np.ndarray, where: str) -> Iterator[tuple[str, float | str]]:
    """An expression of the tables as one of names: t, q0, q1, ... v0, v1, ..."""
    for code, argument in rows:
        operation = OPERATION[int(code)]
        if operation == "reading":
            raise UnsupportedError(
                f"derivatives of steps do not cover {where}, which reads where a body is: write it with .q and .v"
            )
        if int(code) in NAMES:
            yield "name", NAMES[int(code)] + ("" if operation == "time" else str(int(argument)))
        else:
            yield operation, float(argument)


def _law(kind: int, p: np.ndarray, q: np.ndarray, v: np.ndarray) -> tuple:
    """Force on one axis without its signals, and its derivatives by q and v; of a motor before it is clamped."""
    if kind == el.JOINT_SPRING:
        k, d = p[SPRING_F.stiffness], p[SPRING_F.damping]
        return p[SPRING_F.preload] - k * (q - p[SPRING_F.rest]) - d * v, -k, -d
    if kind == el.MOTOR:
        return -p[MOTOR_F.kp] * q - p[MOTOR_F.kd] * v, -p[MOTOR_F.kp], -p[MOTOR_F.kd]
    if kind == el.JOINT_LIMIT:
        k, d = p[LIMIT_F.stiffness], p[LIMIT_F.damping]
        back = np.maximum(0.0, p[LIMIT_F.lower] - q) + np.minimum(0.0, p[LIMIT_F.upper] - q)
        force = k * back - d * v
        pushes = (back != 0.0) & (force * back > 0.0)
        return np.where(pushes, force, 0.0), -k * pushes, -d * pushes
    return 0.0, 0.0, 0.0
