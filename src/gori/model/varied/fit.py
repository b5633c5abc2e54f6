"""How numbers of tables depend on the columns of Parameters, found from as few compiled machines as will do.

1. Along lines through a base point: which number depends on which column, and how many Chebyshev points it takes.
2. At random machines: is a number of several columns a sum or a product of functions of one column each?
3. If not, columns that do not act together are found from mixed differences,
       f(x, y) - f(x, y0) - f(x0, y) + f(x0, y0) = 0,
   of f, log f, f^2 or 1/f, and columns that do act together are interpolated on a grid.
4. What is still not met at the random machines is compiled for each distinct combination of its columns.
"""

import itertools
from collections import defaultdict
from typing import NamedTuple

import numpy as np

from gori.model.varied.interpolants import EVERY, PRODUCT, RULES, SUM, Interpolant, Separated, TooMany, Tree, combined
from gori.model.varied.nodes import COUNTS, lagrange
from gori.model.varied.parameters import Parameters
from gori.model.varied.probes import Probes

CHECKS, LINE_CHECKS = 16, 3
"""random machines at which all numbers are compared, and values at which functions of one column are"""
ACCEPTED = 5.0
"""error at random machines, by the tolerance that is kept to along lines"""
REFINED = 3
"""how often a grid is made finer: first with as many points in all directions as in the finest one"""
BLOCK = 1 << 22
"""numbers of a basis that are made at once"""


class Formula(NamedTuple):
    """Numbers of one tree that are equally smooth along the lines.

    finer   by how many levels their grids are finer than the lines ask for
    """

    tree: Tree
    finer: int
    numbers: np.ndarray


class Fit:
    """Trees of all numbers that vary.

    ruled      numbers that follow from others by a rule of their own
    distinct   how many machines are not alike
    numbers    that vary, ruled ones left out
    found      how groups of these numbers follow from the columns
    """

    def __init__(
        self, probes: Probes, parameters: Parameters, ruled: np.ndarray, distinct: int, rng: np.random.Generator
    ):
        self._ruled = ruled
        self.probes, self.parameters, self._rng = probes, parameters, rng
        self._most = max(64, distinct // 2)
        X = parameters.X
        count, p = X.shape
        # a machine with few zeros: at zero a factor hides what it is multiplied with
        some = rng.integers(0, count, 32)
        self.base_machine = int(some[np.argmin((X[some] == 0.0).sum(axis=1))])
        self.base = X[self.base_machine]
        self._interpolants: dict[tuple, Interpolant] = {}
        self.level = np.full((p, probes.words.count), -1, np.int8)  # -1: does not depend on the column
        self.checks = np.unique([*X.argmin(axis=0), *X.argmax(axis=0), *rng.integers(0, count, CHECKS)])
        for k in (self.base_machine, *self.checks):
            probes.machine(int(k))
        for column in range(p):
            self._line(column)
        self.numbers = np.setdiff1d(np.flatnonzero(probes.seen), ruled)
        self._tolerance = probes.tolerance()
        self.found: list[Formula] = []
        self._search()

    # ---- functions of one column

    def _line(self, column: int) -> None:
        """Level of each number along one column."""
        parameters, probes = self.parameters, self.probes
        x = parameters.X[self._rng.integers(0, len(parameters.X), LINE_CHECKS), column]
        checks = np.tile(self.base, (len(x), 1))
        checks[:, column] = x
        if parameters.few[column]:
            points = Interpolant(parameters, self.base, (column,), (0,), self._most).points
            numbers, found = self._numbers_at(points)
            self.level[column, numbers[(found != found[0]).any(axis=0)]] = 0
            return
        self._numbers_at(checks)
        for level in range(len(COUNTS)):
            points = Interpolant(parameters, self.base, (column,), (level,), self._most).points
            numbers, known = self._numbers_at(points)
            there = probes.matrix(checks, numbers)
            varies = (known != known[0]).any(axis=0) | (there != known[0]).any(axis=0)
            with np.errstate(all="ignore"):
                error = np.abs(lagrange(points[:, column], x) @ known - there)
                wrong = ~(error <= probes.tolerance()[numbers]).all(axis=0)
                wrong |= ~np.isfinite(known).all(axis=0)
            before = self.level[column, numbers]
            now = np.where(varies & ((before < 0) | (before == EVERY)), np.where(wrong, EVERY, level), before)
            self.level[column, numbers] = now
            if not np.setdiff1d(numbers[now == EVERY], self._ruled).size:
                return

    def _numbers_at(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """All numbers (e,) that were ever seen to vary, and their values (m, e) at points."""
        self.probes.matrix(points, np.zeros(0, np.int64))  # may find some more of them
        numbers = np.flatnonzero(self.probes.seen)
        return numbers, self.probes.matrix(points, numbers)

    # ---- functions of several columns

    def _search(self) -> None:
        """Find them all, or raise TooMany."""
        rest = self._settle({k: self._singles(k, SUM) for k in self.numbers})
        rest = self._settle({k: self._singles(k, PRODUCT) for k in rest})
        if rest:
            apart = self._interactions(rest)
            rest = self._refined({k: self._separated(apart[k], self._columns(k)) for k in rest})
            rest = self._refined({k: self._columns(k) for k in rest})
            for k in rest:
                self.level[self.level[:, k] >= 0, k] = EVERY
        if self._settle({k: self._columns(k) for k in rest}):
            raise TooMany

    def _refined(self, wanted: dict[int, Tree]) -> list[int]:
        """As `_settle`, on grids that are made finer where they have to be."""
        for finer in range(REFINED + 1):
            wanted = {k: wanted[k] for k in self._settle(wanted, finer)}
        return list(wanted)

    def _columns(self, k: int) -> tuple[int, ...]:
        return tuple(np.flatnonzero(self.level[:, k] >= 0).tolist())

    def _singles(self, k: int, rule: int) -> Tree:
        columns = self._columns(k)
        return columns if len(columns) < 2 else Separated(rule, tuple((column,) for column in columns))

    def _settle(self, wanted: dict[int, Tree], finer: int = 0) -> list[int]:
        """Take over those trees that give the numbers of the machines that were compiled; the other numbers."""
        rest: list[int] = []
        for one in self._gathered(wanted, finer):
            numbers = one.numbers
            there = self.probes.matrix(self.parameters.X[self.checks], numbers)
            try:
                with np.errstate(all="ignore"):
                    wrong = np.abs(self.evaluated(one, self.checks) - there)
                met = (wrong <= ACCEPTED * self._tolerance[numbers]).all(axis=0)
            except TooMany:
                met = np.zeros(len(numbers), bool)
            if met.any():
                self.found.append(one._replace(numbers=numbers[met]))
            rest += numbers[~met].tolist()
        return rest

    def _interactions(self, numbers: list[int]) -> dict[int, dict[tuple[int, int], list[bool]]]:
        """For each number and pair of its columns, by which rules they act together."""
        probes, X, base = self.probes, self.parameters.X, self.base
        pairs = sorted({pair for k in numbers for pair in itertools.combinations(self._columns(k), 2)})
        away = np.array([self._far(column) for column in range(X.shape[1])])
        chosen = np.array(numbers)
        here = probes.matrix(base[None], chosen)[0]
        alone = {column: self._moved([column], away, chosen) for column in {c for pair in pairs for c in pair}}
        found: dict[int, dict[tuple[int, int], list[bool]]] = {k: {} for k in numbers}
        for pair in pairs:
            both = self._moved(list(pair), away, chosen)
            for rule in RULES:
                with np.errstate(all="ignore"):
                    error = np.abs(combined(rule, here, [alone[pair[0]], alone[pair[1]]]) - both)
                for k, together in zip(numbers, ~(error <= ACCEPTED * self._tolerance[chosen])):
                    found[k].setdefault(pair, []).append(bool(together))
        return found

    def _far(self, column: int) -> float:
        """The end of the range of a column that is farther from the base."""
        ends = self.parameters.distinct[column][[0, -1]]
        return float(ends[np.argmax(np.abs(ends - self.base[column]))])

    def _moved(self, columns: list[int], away: np.ndarray, numbers: np.ndarray) -> np.ndarray:
        x = self.base.copy()
        x[columns] = away[columns]
        return self.probes.matrix(x[None], numbers)[0]

    def _separated(self, together: dict[tuple[int, int], list[bool]], columns: tuple[int, ...]) -> Tree:
        """A tree whose groups are as small as the rules allow."""
        if len(columns) < 2:
            return columns
        for rule in RULES:
            linked = [pair for pair, flags in together.items() if flags[rule]]
            if len(parts := _components(columns, linked)) > 1:
                return Separated(rule, tuple(self._separated(together, part) for part in parts))
        return columns

    # ---- values

    def _gathered(self, wanted: dict[int, Tree], finer: int) -> list[Formula]:
        """Numbers of the same tree and levels."""
        found: dict[tuple[Tree, bytes], list[int]] = defaultdict(list)
        for k, tree in wanted.items():
            found[tree, self.level[:, k].tobytes()].append(k)
        return [Formula(tree, finer, np.array(numbers)) for (tree, _), numbers in found.items()]

    def _interpolant(self, group: tuple[int, ...], one: Formula) -> Interpolant:
        levels = self.level[group, :][:, one.numbers].max(axis=1, initial=0)
        smooth = levels < EVERY
        if one.finer and smooth.any():  # first alike in all directions, as grids of other numbers may be already
            levels = np.where(smooth, levels[smooth].max(), levels)
            levels = np.where(smooth, np.minimum(levels + one.finer - 1, EVERY - 1), levels)
        key = group, *levels.tolist()
        if key not in self._interpolants:
            self._interpolants[key] = Interpolant(self.parameters, self.base, group, tuple(levels.tolist()), self._most)
        return self._interpolants[key]

    def evaluated(self, one: Formula, machines: np.ndarray) -> np.ndarray:
        """The numbers (n, e) of some machines."""
        if isinstance(one.tree, Separated):
            here = self.probes.matrix(self.base[None], one.numbers)[0]
            parts = [self.evaluated(one._replace(tree=part), machines) for part in one.tree.parts]
            return combined(one.tree.rule, here, parts)
        interpolant = self._interpolant(one.tree, one)
        values, size = self.probes.matrix(interpolant.points, one.numbers), max(1, BLOCK // len(interpolant.points))
        out = np.empty((len(machines), len(one.numbers)))
        for start in range(0, len(machines), size):
            out[start : start + size] = interpolant.at(machines[start : start + size], values)
        return out


def _components(columns: tuple[int, ...], linked: list[tuple[int, int]]) -> list[tuple[int, ...]]:
    """Columns that are linked with each other, directly or by others."""
    part = {column: {column} for column in columns}
    for a, b in linked:
        if a in part and b in part and part[a] is not part[b]:
            joined = part[a] | part[b]
            part |= dict.fromkeys(joined, joined)
    return sorted({tuple(sorted(one)) for one in part.values()})
