"""Values of the Spec as the tables of the kernels."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gori.errors import InputError
from gori.kernels.forces.probes import N_READINGS, PROBE, READINGS
from gori.kernels.forces.signals import ARITY, CONSTANT, CUBIC, EXPRESSION, N_SIGNAL_I, OPCODES, TABLE
from gori.kernels.tree.columns import P_BF
from gori.model.coordinates import Coordinates
from gori.model.kinematics import Kinematics
from gori.spec import GROUND
from gori.spec.derivative import derivative
from gori.spec.expression import NAMES, Program, parse
from gori.spec.loops.motion import table_curve

MotionValue = float | str | tuple[tuple[float, float], ...] | tuple[float, float]
Piece = tuple[float, float, float, float, float]
"""t, c3, c2, c1, c0: from t on, c3 s3 + c2 s2 + c1 s + c0 with s = time - t"""


class SignalTable:
    """Gathers signals one by one; each is known by its index.

    probes   bodies and frames that they read, in the order of their readings
    """

    def __init__(self):
        self._index: list[tuple[int, int, int]] = []
        self._rows: list[tuple[float, float]] = []
        self._depth = 1
        self.probes: list[str] = []

    def __len__(self) -> int:
        return len(self._index)

    def add(self, value: float | str | tuple[tuple[float, float], ...], where: str, coordinates: Coordinates) -> int:
        """Index of one more signal.

        value         number, expression, or table of rows (t, x)
        where         its place in the Spec, for messages
        coordinates   the Model, which knows the places of JOINT.q and JOINT.v, and bodies
        """
        if isinstance(value, str):
            (program,) = _programs(value, where, rates=0)
            return self._add_program(program, where, coordinates)
        if isinstance(value, (tuple, list)):
            return self._append(TABLE, [(float(t), float(x)) for t, x in value])
        return self._append(CONSTANT, [(float(value), 0.0)])

    def add_motion(
        self, value: MotionValue, where: str, coordinates: Coordinates | None = None, interpolation: str = "spline"
    ) -> int:
        """Index of the first of three more signals: a motion, its velocity and its acceleration.

        value   number, expression of t, table of rows (t, x), or (start, speed) for start + speed t

        A table is followed by a curve that begins and ends at rest, because the motion is held outside the table:
        position and velocity are continuous for all times. The acceleration of a spline jumps at the two ends alone,
        that of pchip at each row.
        """
        first = len(self)
        if isinstance(value, str):
            for program in _programs(value, where, rates=2):
                self._add_program(program, where, coordinates)
        elif isinstance(value, (tuple, list)):
            pieces = _curve(value, interpolation) if isinstance(value[0], (tuple, list)) else [_line(value)]
            for _ in range(3):
                self._append(CUBIC, [row for piece in pieces for row in _rows(piece)])
                pieces = [_rate(piece) for piece in pieces]
        else:
            for number in (float(value), 0.0, 0.0):
                self._append(CONSTANT, [(number, 0.0)])
        return first

    def _add_program(self, program: Program, where: str, coordinates: Coordinates | None) -> int:
        self._depth = max(self._depth, _depth(program))
        return self._append(EXPRESSION, self._resolve(program, where, coordinates))

    def _append(self, kind: int, rows: list[tuple[float, float]]) -> int:
        self._index.append((kind, len(self._rows), len(rows)))
        self._rows += rows
        return len(self._index) - 1

    def _resolve(self, program: Program, where: str, coordinates: Coordinates | None) -> list[tuple[float, float]]:
        """Rows (opcode, argument): names become the time, a place in q or v, or a reading of a probe."""
        rows = []
        for operation, argument in program:
            if operation == "name":
                operation, argument = self._named(str(argument), where, coordinates)
            rows.append((float(OPCODES[operation]), float(argument)))
        return rows

    def _named(self, name: str, where: str, coordinates: Coordinates | None) -> tuple[str, int]:
        if name == "t":
            return "time", 0
        if coordinates is None:
            raise InputError(f"{where}: unknown name {name!r}; known names are t and pi")
        frame, _, reading = name.rpartition(".")
        if reading not in READINGS:
            return _coordinate(name, where, coordinates)
        if frame == GROUND:
            raise InputError(f"{where}: {name!r}: the ground does not move")
        try:
            coordinates.frame(frame)
        except InputError as error:
            raise InputError(f"{where}: {name!r}: {error}") from None
        if frame not in self.probes:
            self.probes.append(frame)
        return "reading", self.probes.index(frame) * N_READINGS + READINGS.index(reading)

    def tables(self) -> tuple[np.ndarray, np.ndarray, int]:
        """signal_i (ns, 3), signal_f (rows, 2), and the depth of the stack that the kernels need."""
        signal_i = np.array(self._index, np.int64).reshape(-1, N_SIGNAL_I)
        signal_f = np.array(self._rows, np.float64).reshape(-1, 2)
        return signal_i, signal_f, self._depth


def probe_table(model: Kinematics, frames: Sequence[str]) -> np.ndarray:
    """Bodies and frames as kernels read them."""
    table = PROBE.zeros(len(frames))
    for row, name in zip(table, frames):
        k = model.frame(name)
        row["row"], row["point"] = model.tables.frame_i[k], model.tables.frame_f[k, P_BF : P_BF + 3]
    return table


def readings(model: Kinematics, frames: Sequence[str], q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """What probes read at one state, (frames * N_READINGS,)."""
    found = np.zeros((len(frames), N_READINGS))
    poses = model.forward_kinematics(q) if frames else {}
    for row, name in zip(found, frames):
        angular, linear = np.split(model.jacobian(q, name) @ v, 2)
        row[:] = *poses[name][:3, 3], *linear, *angular
    return found.reshape(-1)


def _programs(text: str, where: str, rates: int) -> list[Program]:
    """The program of an expression, then those of its rates in time."""
    try:
        programs = [parse(text)]
        for _ in range(rates):
            programs.append(derivative(programs[-1]))
    except ValueError as error:
        raise InputError(f"{where}: {error}") from None
    return programs


def _curve(table: Any, interpolation: str) -> list[Piece]:
    """Pieces of the cubics through the rows (t, x) of a table, at rest at both ends and held outside."""
    t, x = np.array(table, float).T
    inside = table_curve(table, interpolation).c.T
    held = (0.0, 0.0, 0.0)
    # the first piece stands for all times before the table: the second one begins at the same time and takes over
    # and the last time still belongs to the table, so that its acceleration is that of the spline
    after = np.nextafter(t[-1], np.inf)
    return [(t[0], *held, x[0]), *((start, *c) for start, c in zip(t, inside)), (after, *held, x[-1])]


def _line(value: Any) -> Piece:
    start, speed = value
    return 0.0, 0.0, 0.0, speed, start


def _rate(piece: Piece) -> Piece:
    t, c3, c2, c1, _ = piece
    return t, 0.0, 3.0 * c3, 2.0 * c2, c1


def _rows(piece: Piece) -> list[tuple[float, float]]:
    t, c3, c2, c1, c0 = (float(number) for number in piece)
    return [(t, c3), (c2, c1), (c0, 0.0)]


def _coordinate(name: str, where: str, coordinates: Coordinates) -> tuple[str, int]:
    joint, _, kind = name.rpartition(".")
    if kind not in ("q", "v"):
        raise InputError(f"{where}: unknown name {name!r}; known names are {NAMES}")
    try:
        info = coordinates.joint(joint)
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    if info.nv != 1:
        raise InputError(
            f"{where}: {name!r}: expressions can use only joints with one degree of freedom, not {info.type}"
        )
    return kind, (info.q if kind == "q" else info.v).start


def _depth(program: Program) -> int:
    """The most numbers that are on the stack at once."""
    height = deepest = 0
    for operation, _ in program:
        height += 1 - (0 if operation == "name" else ARITY[operation])
        deepest = max(deepest, height)
    return deepest
