"""How numbers of compiled tables change with numbers of the Spec, for many machines.

By differences of fourth order of tables that are found, as those of machines that differ, from few compiled Specs: the
tables are smooth functions of such numbers. Where a number is zero it may have to stay positive: it is then changed to
one side alone.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from gori.errors import InputError
from gori.model.model import Model
from gori.model.varied.vary import vary
from gori.spec import Spec

SHARE = 2e-3
"""change of a number, as a share of it"""
CENTRAL = np.array([-2.0, -1.0, 0.0, 1.0, 2.0]), np.array([1.0, -8.0, 0.0, 8.0, -1.0]) / 12.0
ONE_SIDED = np.array([0.0, 1.0, 2.0, 3.0, 4.0]), np.array([-25.0, 48.0, -36.0, 16.0, -3.0]) / 12.0
"""offsets and weights"""
ROUNDING = 1e-9
"""share of the largest rate of a table below which one is rounding"""


class Slope(NamedTuple):
    """Rates of numbers of one table with the components of one parameter.

    words   (e,) as in VariedTable
    rates   (e, components, machines)
    names   of the words
    """

    words: np.ndarray
    rates: np.ndarray
    names: tuple[str, ...]


def slopes_of(
    model: Model | Spec, parameters: Mapping[str, np.ndarray], path: str, values: np.ndarray
) -> dict[str, Slope]:
    """Rates of all tables with the parameter of one path.

    parameters   {path: values (machines, ...)} in which machines differ, by which the others are found
    values       (machines, ...) of this path
    """
    count, shape = len(values), values.shape[1:]
    flat = np.asarray(values, float).reshape(count, -1)
    moved, weights = _moved(flat)
    size = flat.shape[1]
    sets = {path: moved.reshape(-1, *shape) if shape else moved.reshape(-1)}
    others = {other: np.asarray(given) for other, given in parameters.items() if other != path}
    found = vary(model, {other: _repeated(given, 5 * size) for other, given in others.items()} | sets)
    slopes = {}
    for name, table in found.tables.items():
        there = table.values.reshape(len(table.words), size, 5, count)
        there = there - there[:, :, 2:3]  # what does not change has no rate, to the last bit
        rates = np.einsum("esom,som->esm", there, weights)
        kept = np.abs(rates).max(axis=(1, 2)) > ROUNDING * max(np.abs(rates).max(initial=0.0), 1e-300)
        if kept.any():
            names = tuple(one for one, there in zip(table.names, kept) if there)
            slopes[name] = Slope(table.words[kept], rates[kept], names)
    return slopes


def _moved(flat: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Values (components, 5, machines, components) with one component moved, and weights (components, 5, machines)."""
    count, size = flat.shape
    scale = np.abs(flat).max(axis=1, keepdims=True)
    step = SHARE * np.where(np.abs(flat) > 0.05 * scale, np.abs(flat), np.where(scale > 0.0, scale, 1.0))
    zero = (flat == 0.0).T[:, None]  # (components, 1, machines)
    offsets = np.where(zero, ONE_SIDED[0][None, :, None], CENTRAL[0][None, :, None])
    weights = np.where(zero, ONE_SIDED[1][None, :, None], CENTRAL[1][None, :, None]) / step.T[:, None]
    moved = np.broadcast_to(flat, (size, 5, count, size)).copy()
    for k in range(size):
        moved[k, :, :, k] += offsets[k] * step[:, k]
    return moved, weights


def _repeated(given: np.ndarray, times: int) -> np.ndarray:
    return np.concatenate([given] * times)


def values_at(spec: Spec, parameters: Mapping[str, Any], paths: Sequence[str], count: int) -> dict[str, np.ndarray]:
    """Values (machines, ...) of some paths: those of the machines, or that of the Spec for all of them."""
    found = {}
    for path in paths:
        if path in parameters:
            found[path] = np.asarray(parameters[path], float)
            continue
        found[path] = np.broadcast_to(_number_of(spec, path), (count, *np.shape(_number_of(spec, path)))).copy()
    return found


def _number_of(spec: Spec, path: str) -> np.ndarray:
    """A number or a vector of the Spec."""
    value: Any = spec
    for name in path.split("."):
        value = value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)
    try:
        number = np.asarray(value, float)
    except (TypeError, ValueError):
        number = np.array(np.nan)
    if not np.isfinite(number).all():
        raise InputError(f"parameters: {path!r} is no number of the Spec: write one there, or give values of it")
    return number
