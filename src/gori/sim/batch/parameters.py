"""Derivatives by parameters of machines, from those by the numbers of their tables."""

from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from gori.errors import InputError, UnsupportedError
from gori.kernels.forces import elements as el
from gori.kernels.forces import parameters as fp
from gori.kernels.forces.signals import CONSTANT, HELD, SIGNAL_KIND
from gori.kernels.tree import columns as col
from gori.model import Model
from gori.model.varied.slopes import Slope
from gori.sim.batch.backward import Gradients
from gori.sim.batch.batch import Batch

COVERED = {
    el.JOINT_SPRING: fp.SPRING_F._fields,
    el.BALL_SPRING: ("stiffness", "damping"),
    el.JOINT_LIMIT: fp.LIMIT_F._fields,
    el.MOTOR: fp.MOTOR_F._fields,
    el.LINE: fp.LINE_F._fields,
}
"""parameters of elements by which there are derivatives"""
COLUMNS = {
    el.JOINT_SPRING: fp.SPRING_F, el.BALL_SPRING: fp.BALL_SPRING_F, el.JOINT_LIMIT: fp.LIMIT_F, el.MOTOR: fp.MOTOR_F,
    el.LINE: fp.LINE_F,
}  # fmt: skip
GEOMETRY = range(col.R_PJ, col.MASS)
IGNORED = "start", "start.wheel", "start.train", "loops.tolerance", "loops.eps_mass", "loops.eps_unit",  # fmt: skip
"""tables that change nothing in a step from where a machine stands"""


_known: "WeakKeyDictionary[Batch, dict[str, dict[str, Slope]]]" = WeakKeyDictionary()
"""slopes that were found already"""


class ParameterSlopes:
    """How tables of the machines of a batch change with parameters; UnsupportedError names one that is not covered."""

    def __init__(self, batch: Batch, paths: Sequence[str]):
        if isinstance(paths, str):
            raise InputError(f"parameters must be a list of paths, not {paths!r}")
        self._model, self._count = batch.model, len(batch)
        known = _known.setdefault(batch, {})
        for path in paths:
            if path not in known:
                known[path] = _slopes(batch, path)
        self._slopes = {path: known[path] for path in paths}
        self._shapes = {path: batch.shape_of(path) for path in paths}
        self._sets = batch.sets_of(np.arange(len(batch)))
        for path, slopes in self._slopes.items():
            refuse_slopes(self._model, path, slopes)

    def __bool__(self) -> bool:
        return bool(self._slopes)

    def of(self, found: Gradients, chosen: np.ndarray) -> dict[str, np.ndarray]:
        """Derivatives by each parameter (machines, rows, ...) from those of the chosen machines; NaN for the others."""
        by_path, rows = {}, found.of_state.shape[1]
        for path, slopes in self._slopes.items():
            components = np.full((self._count, rows, *self._shapes[path]), np.nan)
            by = of_parameter(self._model, slopes, found, self._sets[chosen])
            components[chosen] = by.reshape(len(chosen), rows, *self._shapes[path])
            by_path[path] = components
        return by_path


def _slopes(batch: Batch, path: str) -> dict[str, Slope]:
    try:
        return batch.slopes(path)
    except InputError as error:
        raise InputError(
            f"derivatives by parameter {path!r} take machines with numbers beside its own: {error}"
        ) from error


def refuse_slopes(model: Model, path: str, slopes: dict[str, Slope]) -> None:
    """UnsupportedError names a parameter that changes what there are no derivatives by."""
    moving = {name: slope for name, slope in slopes.items() if name not in IGNORED}
    if not moving:
        raise UnsupportedError(f"parameter {path!r} changes nothing in a step, or only where machines start")
    for name, slope in moving.items():
        for word, place in zip(slope.words, slope.names):
            if (words := _not_covered(model, name, int(word))) is not None:
                raise UnsupportedError(f"derivatives of steps by parameter {path!r} are not there: {words} ({place})")


def _not_covered(model: Model, table: str, word: int) -> str | None:
    """What a number of a table is, if there are no derivatives by it."""
    forces = model.forces
    if table == "body_f":
        column = word % col.N_BODY_F
        if column == col.PITCH:
            return "it changes the pitch of a screw"
        return (
            "it moves a joint of a machine with loops"
            if model.loops and column in GEOMETRY and word > col.N_BODY_F
            else None
        )
    if table == "element_f":
        e, column = divmod(word, fp.N_ELEMENT_F)
        kind = int(forces.element_i[e, el.E_KIND])
        covered = [getattr(COLUMNS[kind], name) for name in COVERED.get(kind, ())]
        covered += [at + k for at in covered[:2] for k in (1, 2)] if kind == el.LINE else []  # points
        return (
            None if column in covered else f"it changes a number of the force {forces.names[e]!r} that is not covered"
        )
    if table == "signal_f":
        s = _signal_at(model, word)
        if s >= 0:
            held = forces.signal_i[s, SIGNAL_KIND] == HELD
            return f"{forces.signal_names[s]} is an input of the batch, see of_inputs" if held else None
    return f"it changes the table {table!r}"


def _signal_at(model: Model, word: int) -> int:
    """The constant or held signal whose value is this word of signal_f; -1 if there is none."""
    for s, (kind, start, _) in enumerate(model.forces.signal_i.tolist()):
        if kind in (CONSTANT, HELD) and word == 2 * start:
            return s
    return -1


def of_parameter(model: Model, slopes: dict[str, Slope], found: Gradients, chosen: np.ndarray) -> np.ndarray:
    """Derivatives by the components of a parameter (machines, rows, components)."""
    total: Any = 0.0
    for name, slope in slopes.items():
        if name in IGNORED or name not in ("body_f", "element_f", "signal_f"):
            continue
        if name == "signal_f":
            signals = [_signal_at(model, int(word)) for word in slope.words]
            by_words = found.of_values.sum(axis=2)[:, :, signals]
        else:
            by_words = (found.of_body if name == "body_f" else found.of_element)[:, :, slope.words]
        rates = slope.rates[:, :, chosen] if slope.rates.shape[2] > 1 else slope.rates
        total = total + np.einsum("mre,esm->mrs", by_words, np.broadcast_to(rates, (*rates.shape[:2], len(by_words))))
    return total
