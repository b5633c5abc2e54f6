"""Compiled machines at chosen parameters: the numbers of their tables, kept where they differ from a reference."""

import warnings
from collections.abc import Callable, Iterable

import numpy as np

from gori.errors import GoriError, InputError
from gori.model.compile import compile
from gori.model.model import Model
from gori.model.varied.parameters import Parameters
from gori.model.varied.tables import Arrays, StructureError, Words

RELATIVE, ROUNDING = 1e-13, 1e-15
"""differences that do not count: as a share of the number itself, and of the vector that it belongs to"""


class Probes:
    """Compiles each point once.

    model       with the structure of the machines
    words       of its tables
    reference   (nf,) numbers of the Model that is varied
    scale       (nf,) largest magnitude seen of each number
    seen        (nf,) whether it ever was another one
    """

    def __init__(
        self,
        model: Model,
        parameters: Parameters,
        tables_of: Callable[[Model], Arrays],
        tolerances: dict[str, float],
        progress: Callable[[int, int], None] | None = None,
    ):
        self._parameters, self._tables_of, self._progress = parameters, tables_of, progress
        self.model, tables = self._fitting(model)
        self.tables = {name: array.copy() for name, array in tables.items()}
        self.words = Words(self.tables)
        self.reference = self.words.flat(self.tables)
        self.scale = np.where(np.isfinite(self.reference), np.abs(self.reference), 0.0)
        self.seen = np.zeros(self.words.count, bool)
        of_table = np.array([tolerances.get(name, RELATIVE) for name in self.words.names])
        self._relative = of_table[self.words.table]
        self._found: dict[bytes, tuple[np.ndarray, np.ndarray]] = {}

    @property
    def compiled(self) -> int:
        """How many Specs were compiled."""
        return len(self._found)

    def _fitting(self, model: Model) -> tuple[Model, Arrays]:
        """A Model with the structure of machine 0, and its tables."""
        tables = self._quiet(model)
        try:
            first = compile(self._parameters.spec_at(self._parameters.X[0]), model.open_loops)
            others = self._quiet(first)
        except GoriError as error:
            raise self._parameters.refusal(0, error) from error
        try:
            Words(tables).flat(others)
        except StructureError:
            return first, others
        return model, tables

    def _quiet(self, model: Model) -> Arrays:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return self._tables_of(model)

    def tables_at(self, x: np.ndarray) -> Arrays:
        """Tables for columns x (p,), compiled anew."""
        spec = self._parameters.spec_at(x)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return self._tables_of(compile(spec, self.model.open_loops))

    def add(self, x: np.ndarray) -> None:
        """Compile the machine with columns x (p,), unless that was done before."""
        if (key := x.tobytes()) in self._found:
            return
        flat = self.words.flat(self.tables_at(x))
        same = (flat == self.reference) | (np.isnan(flat) & np.isnan(self.reference))
        changed = np.flatnonzero(~same)
        self._found[key] = changed, flat[changed]
        self.seen[changed] = True
        sizes = np.abs(flat[changed])
        self.scale[changed] = np.maximum(self.scale[changed], np.where(np.isfinite(sizes), sizes, 0.0))

    def machine(self, k: int) -> None:
        """Compile machine k; if that fails, the error names it."""
        try:
            self.add(self._parameters.X[k])
        except GoriError as error:
            raise self.failure(k, error) from error

    def failure(self, k: int, error: GoriError) -> InputError:
        """What to raise if machine k cannot be compiled, or has another structure."""
        if isinstance(error, StructureError):
            return self._structure(k, error)
        return self._parameters.refusal(k, error)

    def matrix(self, points: np.ndarray, numbers: np.ndarray) -> np.ndarray:
        """Some numbers (m, e) at points (m, p)."""
        out = np.tile(self.reference[numbers], (len(points), 1))
        for values, x in zip(out, points):
            self.add(x)
            changed, found = self._found[x.tobytes()]
            at = np.searchsorted(changed, numbers)
            at[at == len(changed)] = 0
            if len(changed):
                hit = changed[at] == numbers
                values[hit] = found[at[hit]]
        return out

    def machines(self, indices: Iterable[int], numbers: np.ndarray) -> np.ndarray:
        """Some numbers (m, e) of machines, with progress."""
        indices = list(indices)
        for done, k in enumerate(indices):
            self.machine(k)
            if self._progress is not None:
                self._progress(done + 1, len(indices))
        return self.matrix(self._parameters.X[indices], numbers)

    def tolerance(self) -> np.ndarray:
        """(nf,) differences that do not count."""
        largest = np.zeros(int(self.words.vector.max(initial=-1)) + 1)
        np.maximum.at(largest, self.words.vector, self.scale)
        return self._relative * self.scale + ROUNDING * largest[self.words.vector]

    def _structure(self, k: int, error: GoriError) -> InputError:
        """Which path gives machine k another structure."""
        parameters, guilty = self._parameters, []
        for path in parameters.paths:
            spec = parameters.spec.set(path.name, parameters.value(path, parameters.X[k]))
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    self.words.flat(self._tables_of(compile(spec, self.model.open_loops)))
            except GoriError:
                guilty.append(path.name)
        names = ", ".join(repr(name) for name in guilty or [path.name for path in parameters.paths][:6])
        return InputError(
            f"machine {k} has another structure than the Model, by {names}: {error}. Machines of a batch must share "
            "their structure: sort them into batches of one structure each"
        )

