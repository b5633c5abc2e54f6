"""Functions of some of the columns, by their values at a few points, and what is put together from them."""

import math
from typing import NamedTuple

import numpy as np

from gori.model.varied.nodes import COUNTS, chebyshev_nodes, lagrange, outer_rows
from gori.model.varied.parameters import Parameters

EVERY = len(COUNTS)
"""level of what is not smooth: each distinct value is compiled"""

Rule = int
SUM, PRODUCT, ROOT, RECIPROCAL = RULES = range(4)
"""how a number follows from functions of groups of columns: g = f, log f, f^2 or 1/f is a sum of them"""


class Separated(NamedTuple):
    """A function that follows by a rule from functions of fewer columns, each with all others at the base."""

    rule: Rule
    parts: tuple["Tree", ...]


Tree = tuple[int, ...] | Separated
"""a group of columns, or what is split further"""


def combined(rule: Rule, base: np.ndarray, parts: list[np.ndarray]) -> np.ndarray:
    """f of all columns, by f (..., e) of each group with the others at the base, and f (e,) there.

    SUM          f = f0 + sum (f_k - f0)
    PRODUCT      f = f0 prod f_k / f0
    ROOT         f = sign(f0) sqrt(f0^2 + sum (f_k^2 - f0^2))
    RECIPROCAL   1/f = 1/f0 + sum (1/f_k - 1/f0)
    """
    if len(parts) == 1:
        return parts[0]
    with np.errstate(all="ignore"):
        if rule == SUM:
            return sum(parts[1:], parts[0]) - (len(parts) - 1) * base
        if rule == PRODUCT:
            return np.prod([parts[0], *(one / base for one in parts[1:])], axis=0)
        if rule == ROOT:
            squares = combined(SUM, base**2, [one**2 for one in parts])
            return np.copysign(np.sqrt(np.where(squares < 0.0, np.nan, squares)), base)
        return 1.0 / combined(SUM, 1.0 / base, [1.0 / one for one in parts])


class TooMany(Exception):
    """So many points that the machines may as well be compiled themselves."""


class Interpolant:
    """A function of a group of columns, on a grid of Chebyshev points or at each distinct combination of their values,
    whichever takes fewer points.

    points   (m, p) where it has to be known; other columns are those of the base
    most     points from which on it raises TooMany
    """

    def __init__(
        self, parameters: Parameters, base: np.ndarray, group: tuple[int, ...], levels: tuple[int, ...], most: int
    ):
        self.group, self._X = group, parameters.X[:, group]
        self._nodes = [_nodes(parameters, column, min(level, EVERY - 1)) for column, level in zip(group, levels)]
        size = math.inf if EVERY in levels else math.prod(len(nodes) for nodes in self._nodes)
        self._place, values = None, np.zeros((1, 0))
        if group and size >= max(len(parameters.distinct[column]) for column in group):
            rows = np.ascontiguousarray(self._X).view(f"V{8 * len(group)}").ravel()
            _, first, place = np.unique(rows, return_index=True, return_inverse=True)
            if len(first) <= size:
                size, self._place, values = len(first), place.ravel(), self._X[first]
        if size > most:
            raise TooMany
        if group and self._place is None:
            values = np.stack([grid.ravel() for grid in np.meshgrid(*self._nodes, indexing="ij")], axis=1)
        self.points = np.tile(base, (len(values), 1))
        self.points[:, group] = values

    def at(self, machines: np.ndarray, values: np.ndarray) -> np.ndarray:
        """The function (n, e) of some machines, by its values (m, e) at the points."""
        if self._place is not None:
            return values[self._place[machines]]
        if not self.group:
            return np.tile(values, (len(machines), 1))
        X = self._X[machines]
        return outer_rows([lagrange(nodes, x) for nodes, x in zip(self._nodes, X.T)]) @ values


def _nodes(parameters: Parameters, column: int, level: int) -> np.ndarray:
    values = parameters.distinct[column]
    return values if parameters.few[column] else chebyshev_nodes(values[0], values[-1], COUNTS[level])
