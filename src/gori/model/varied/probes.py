"""Compiled machines at chosen parameters: the numbers of their tables, kept where they differ from a reference."""

from collections.abc import Callable, Mapping

import numpy as np

from gori.errors import GoriError, InputError
from gori.model.compile import compile
from gori.model.model import Model
from gori.model.varied.parameters import Parameters, quiet
from gori.model.varied.tables import Arrays, StructureError, Words
from gori.spec import Spec

RELATIVE, ROUNDING = 1e-13, 1e-15
"""differences that do not count: as a share of the number itself, and of the vector that it belongs to"""
SHOWN = 64
"""compiled machines from which on there is progress to show"""


class BetweenError(Exception):
    """A point between machines cannot be compiled."""


class Probes:
    """Compiles each point once.

    model       with the structure of the machines: the one that is given, or that of machine 0 if they differ
    tables      of that Model, and their `words`
    reference   (nf,) numbers of these tables
    scale       (nf,) largest magnitude seen of each number
    seen        (nf,) whether it ever was another one
    """

    def __init__(
        self,
        model: Model,
        parameters: Parameters,
        tables_of: Callable[[Model], Arrays],
        tolerances: Mapping[str, float],
        progress: Callable[[int, int], None] | None = None,
    ):
        self._parameters, self._tables_of, self._progress = parameters, tables_of, progress
        self.model, tables = self._fitting(model)
        self.tables = {name: array.copy() for name, array in tables.items()}
        self.words = Words(self.tables)
        self.reference = self.words.flat(self.tables)
        self.scale = np.where(np.isfinite(self.reference), np.abs(self.reference), 0.0)
        start = self.words.numbers("start")  # angles near zero are known as well as others: by that of 1 rad, or 1 m
        self.scale[start] = np.maximum(self.scale[start], 1.0)
        self.seen = np.zeros(self.words.count, bool)
        of_table = np.array([tolerances.get(name, RELATIVE) for name in self.words.names])
        self._relative = of_table[self.words.table]
        self._found: dict[bytes, tuple[np.ndarray, np.ndarray]] = {}

    @property
    def compiled(self) -> int:
        """How many points were compiled."""
        return len(self._found)

    def machine(self, k: int) -> None:
        """Compile machine k; if that fails, or it has another structure, the error names it."""
        try:
            self._add(self._parameters.X[k])
        except StructureError as error:
            raise self._other_structure(k, error) from error
        except GoriError as error:
            raise self._parameters.refusal(k, error) from error

    def matrix(self, points: np.ndarray, numbers: np.ndarray) -> np.ndarray:
        """Some numbers (m, e) at points (m, p), which need not be machines; raises BetweenError."""
        missing = [x for x in points if x.tobytes() not in self._found]
        for done, x in enumerate(missing):
            try:
                self._add(x)
            except (GoriError, ArithmeticError, np.linalg.LinAlgError) as error:
                raise BetweenError from error
            if self._progress is not None and len(missing) > SHOWN:
                self._progress(done + 1, len(missing))
        out = np.tile(self.reference[numbers], (len(points), 1))
        for values, x in zip(out, points):
            changed, found = self._found[x.tobytes()]
            if len(changed):
                at = np.searchsorted(changed, numbers).clip(max=len(changed) - 1)
                hit = changed[at] == numbers
                values[hit] = found[at[hit]]
        return out

    def tolerance(self) -> np.ndarray:
        """(nf,) differences that do not count."""
        largest = np.zeros(int(self.words.vector.max(initial=-1)) + 1)
        np.maximum.at(largest, self.words.vector, self.scale)
        return self._relative * self.scale + ROUNDING * largest[self.words.vector]

    def _tables(self, spec: Spec, open_loops: bool) -> Arrays:
        with quiet():
            return self._tables_of(compile(spec, open_loops))

    def _add(self, x: np.ndarray) -> None:
        if (key := x.tobytes()) in self._found:
            return
        flat = self.words.flat(self._tables(self._parameters.spec_at(x), self.model.open_loops))
        same = (flat == self.reference) | (np.isnan(flat) & np.isnan(self.reference))
        changed = np.flatnonzero(~same)
        self._found[key] = changed, flat[changed]
        self.seen[changed] = True
        sizes = np.abs(flat[changed])
        self.scale[changed] = np.maximum(self.scale[changed], np.where(np.isfinite(sizes), sizes, 0.0))

    def _fitting(self, model: Model) -> tuple[Model, Arrays]:
        """A Model with the structure of machine 0, and its tables."""
        with quiet():
            tables = self._tables_of(model)
            try:
                first = compile(self._parameters.spec_at(self._parameters.X[0]), model.open_loops)
                others = self._tables_of(first)
            except GoriError as error:
                raise self._parameters.refusal(0, error) from error
        try:
            Words(tables).flat(others)
        except StructureError:
            return first, others
        return model, tables

    def _other_structure(self, k: int, error: StructureError) -> InputError:
        """What to raise if machine k has another structure: by which path, if it is one."""
        parameters, guilty = self._parameters, []
        first, x = (parameters.X[machine] for machine in (0, k))
        for path in parameters.paths:
            changed = parameters.spec_at(first).set(path.name, parameters.value(path, x))
            try:
                self.words.flat(self._tables(changed, self.model.open_loops))
            except GoriError:
                guilty.append(path.name)
        names = ", ".join(repr(name) for name in guilty or [path.name for path in parameters.paths][:6])
        return InputError(
            f"machine {k} has another structure than machine 0, by {names}: {error}. Machines of a batch must share "
            "their structure: give small numbers instead of zeros that leave things out, or make a batch of each kind"
        )
