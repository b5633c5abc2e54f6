"""Values of the Spec as the tables of the kernels."""

import numpy as np

from gori.errors import InputError
from gori.kernels.signals import ARITY, CONSTANT, EXPRESSION, N_SIGNAL_I, OPCODES, TABLE
from gori.model.coordinates import Coordinates
from gori.spec.expression import Program, parse


class SignalTable:
    """Gathers signals one by one; each is known by its index."""

    def __init__(self):
        self._index: list[tuple[int, int, int]] = []
        self._rows: list[tuple[float, float]] = []
        self._depth = 1

    def __len__(self) -> int:
        return len(self._index)

    def add(self, value: float | str | tuple[tuple[float, float], ...], where: str, coordinates: Coordinates) -> int:
        """Index of one more signal.

        value         number, expression, or table of rows (t, x)
        where         its place in the Spec, for messages
        coordinates   the Model, which knows the places of JOINT.q and JOINT.v
        """
        if isinstance(value, str):
            try:
                program = parse(value)
            except ValueError as error:
                raise InputError(f"{where}: {error}") from None
            kind, rows = EXPRESSION, _resolve(program, where, coordinates)
            self._depth = max(self._depth, _depth(program))
        elif isinstance(value, (tuple, list)):
            kind, rows = TABLE, [(float(t), float(x)) for t, x in value]
        else:
            kind, rows = CONSTANT, [(float(value), 0.0)]
        self._index.append((kind, len(self._rows), len(rows)))
        self._rows += rows
        return len(self._index) - 1

    def tables(self) -> tuple[np.ndarray, np.ndarray, int]:
        """signal_i (ns, 3), signal_f (rows, 2), and the depth of the stack that the kernels need."""
        signal_i = np.array(self._index, np.int64).reshape(-1, N_SIGNAL_I)
        signal_f = np.array(self._rows, np.float64).reshape(-1, 2)
        return signal_i, signal_f, self._depth


def _resolve(program: Program, where: str, coordinates: Coordinates) -> list[tuple[float, float]]:
    """Rows (opcode, argument): names become the time or a place in q or v."""
    rows = []
    for operation, argument in program:
        if operation == "name":
            operation, argument = _coordinate(str(argument), where, coordinates)
        rows.append((float(OPCODES[operation]), float(argument)))
    return rows


def _coordinate(name: str, where: str, coordinates: Coordinates) -> tuple[str, int]:
    if name == "t":
        return "time", 0
    joint, _, kind = name.rpartition(".")
    if kind not in ("q", "v"):
        raise InputError(f"{where}: unknown name {name!r}; known are t, pi, and JOINT.q or JOINT.v")
    try:
        info = coordinates.joint(joint)
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    if info.nv != 1:
        raise InputError(f"{where}: {name!r}: expressions take joints with one degree of freedom, not {info.type}")
    return kind, (info.q if kind == "q" else info.v).start


def _depth(program: Program) -> int:
    """The most numbers that are on the stack at once."""
    height = deepest = 0
    for operation, _ in program:
        height += 1 - (0 if operation == "name" else ARITY[operation])
        deepest = max(deepest, height)
    return deepest
