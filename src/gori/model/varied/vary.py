"""Tables of many machines of one structure whose Specs differ in some numbers."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from gori.errors import InputError
from gori.model.compile import compile
from gori.model.model import Model, require_model
from gori.model.varied.fit import Fit
from gori.model.varied.interpolants import TooMany
from gori.model.varied.moments import MOMENTS, Moments, with_moments
from gori.model.varied.parameters import Parameters
from gori.model.varied.probes import BetweenError, Probes
from gori.model.varied.sticking import START, Sticking, with_start
from gori.model.varied.tables import LOOSE, Arrays, compiled_tables, overlaid
from gori.spec import Spec

FEW_MACHINES = 64
"""distinct machines up to which each is compiled"""
LAST_CHECKS, SLACK = 16, 10.0
"""machines that are compared at the end, and tolerance then, by that of the fit"""
HIDDEN = MOMENTS, START


class VariedTable(NamedTuple):
    """The numbers of one table that vary.

    words    (e,) their places in the table, seen as a flat array of numbers of 8 bytes:
             table.reshape(-1).view(np.float64)[words]; in a record each number of each field counts
    values   (e, n) for each machine
    names    "body_f[2, 12]", "tyre[0].radius"
    """

    words: np.ndarray
    values: np.ndarray
    names: tuple[str, ...]


@dataclass(frozen=True)
class Varied:
    """Numbers of n machines.

    count      n
    model      that has their structure: the one that was given, or that of machine 0 if it has another one
    tables     of those tables that vary, or differ from those of the Model
    base       all tables of the Model; what is not in `tables` is as there, in all machines
    compiled   how many Specs were compiled
    """

    count: int
    model: Model
    tables: dict[str, VariedTable]
    base: Arrays
    compiled: int

    def machine(self, k: int) -> dict[str, np.ndarray]:
        """All tables of machine k."""
        return overlaid(self.base, ((name, one.words, one.values[:, k]) for name, one in self.tables.items()))


def vary(
    model: Model | Spec,
    parameters: Mapping[str, Any],
    tables_of: Callable[[Model], Arrays] = compiled_tables,
    tolerances: Mapping[str, float] | None = None,
    progress: Callable[[int, int], None] | None = None,
    exact: bool = False,
) -> Varied:
    """Tables of n machines: machine k is `spec.set({path: values[k]})`, compiled.

    model        or its Spec, as it was written before its loops were opened
    parameters   {path as of `Spec.set`: values (n,), of vectors (n, 3) and so on}
    tables_of    what is compared: tables by name
    tolerances   {table: relative difference that does not count}; default: 1e-13, or LOOSE
    progress     called with (done, of) while many machines are compiled one by one; once for each lot of them
    exact        compile each machine: tables are then the same to the last bit, for about a millisecond each
    """
    if isinstance(model, Spec):
        spec, model = model, compile(model)
    else:
        require_model(model)
        spec = model.spec
    wanted = Parameters(spec, parameters)
    probes = Probes(model, wanted, with_moments(with_start(tables_of)), {**LOOSE, **(tolerances or {})}, progress)
    rng = np.random.default_rng(0)
    _, first, place = np.unique(wanted.X, axis=0, return_index=True, return_inverse=True)
    found = _fitted(probes, wanted, len(first), rng) if len(first) > FEW_MACHINES and not exact else None
    if found is None:
        found = _compiled(probes, wanted, first, place.ravel(), progress)
    _check(probes, wanted, *found, rng)
    return _result(probes, wanted.count, *found)


def _fitted(
    probes: Probes, wanted: Parameters, distinct: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray] | None:
    """The numbers that vary (e,), and their values (e, n), by few machines; None if that takes as many as there are."""
    for k in np.unique([0, *wanted.X.argmin(axis=0), *wanted.X.argmax(axis=0)]):
        probes.machine(int(k))  # an error here names the machine
    if wanted.refuses_corners():
        return None
    rules = Moments(probes.words, probes.reference), Sticking(probes.model, probes.words)
    try:
        fit = Fit(probes, wanted, np.concatenate([rule.ruled for rule in rules]), distinct, rng)
        numbers, machines = np.flatnonzero(probes.seen), np.arange(wanted.count)
        values = np.full((len(numbers), wanted.count), np.nan)  # as what was seen to vary later than it was fitted
        for one in fit.found:
            values[np.searchsorted(numbers, one.numbers)] = fit.evaluated(one, machines).T
    except (TooMany, BetweenError):
        return None
    for rule in rules:
        rule.settle(probes.reference, numbers, values)
    return (numbers, values) if np.isfinite(values).all() else None


def _compiled(
    probes: Probes,
    wanted: Parameters,
    first: np.ndarray,
    place: np.ndarray,
    progress: Callable[[int, int], None] | None,
) -> tuple[np.ndarray, np.ndarray]:
    """The same from all machines that are not alike.

    first   one machine of each kind
    place   (n,) which kind each machine is of
    """
    for done, k in enumerate(first):
        probes.machine(int(k))
        if progress is not None:
            progress(done + 1, len(first))
    numbers = np.flatnonzero(probes.seen)
    return numbers, probes.matrix(wanted.X[first], numbers).T[:, place]


def _check(probes: Probes, wanted: Parameters, numbers: np.ndarray, values: np.ndarray, rng: Any) -> None:
    """Compare a few machines, compiled, with what was found."""
    machines = np.unique(rng.integers(0, wanted.count, LAST_CHECKS))
    for k in machines:
        probes.machine(int(k))
    everything = np.arange(probes.words.count)
    allowed = SLACK * probes.tolerance()
    for k in machines:
        true = probes.matrix(wanted.X[k][None], everything)[0]
        found = probes.reference.copy()
        found[numbers] = values[:, k]
        with np.errstate(all="ignore"):
            wrong = ~((np.abs(found - true) <= allowed) | (found == true) | (np.isnan(found) & np.isnan(true)))
        if wrong.any():
            at = int(np.flatnonzero(wrong)[0])
            raise InputError(
                f"{probes.words.name(at)} of machine {k} is {true[at]:.17g}, not {found[at]:.17g} as other machines "
                "tell: it jumps within the range of the parameters. Make batches of machines without jumps between them"
            )


def _result(probes: Probes, count: int, numbers: np.ndarray, values: np.ndarray) -> Varied:
    words, tables = probes.words, {}
    for t, name in enumerate(words.names):
        own = words.table[numbers] == t
        if own.any() and name not in HIDDEN:
            names = tuple(words.name(int(k)) for k in numbers[own])
            tables[name] = VariedTable(words.word[numbers[own]], values[own], names)
    base = {name: table for name, table in probes.tables.items() if name not in HIDDEN}
    return Varied(count, probes.model, tables, base, probes.compiled)
