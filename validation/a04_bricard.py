"""IFToMM A04: Bricard's mechanism (`bench.mechanisms.bricard`), 10 s: energy, mobility, and where P3 goes.

No table of P3 is public, so ours is printed here: made by one solver, with the largest difference to another one with
other tolerances as its error.
"""

from collections.abc import Iterator

import numpy as np

import gori
from bench.mechanisms import bricard
from validation.balance import noted
from validation.check import Check, attempt, compare, order, small
from validation.solvers import PRECISE, Solver, first_order, with_loops

CASE = "A04 Bricard"
DURATION = 10
# energy [J], P3 [m]
BOUNDS = {
    "dopri5": (1e-6, 1e-6),
    "rk4": (1e-6, 1e-6),
    "adams": (1e-3, 1e-3),
    "generalized_alpha": (1e-3, 1e-3),
}
METHODS = (PRECISE, gori.RK4(step=1e-3), gori.Adams(step=1e-3), gori.GeneralizedAlpha(step=1e-3))
TABLE = Solver(gori.Dopri5(rtol=1e-12, atol=1e-13), "partition"), Solver(gori.RK4(step=2.5e-4), "multipliers")
"""what makes the table of P3, and what confirms it"""


def run(solver: Solver) -> tuple[np.ndarray, float]:
    """P3 at 1, 2, .. 10 s (10, 3) [m], and the largest drift of the energy [J]."""
    simulation, points, energies = solver.simulation(gori.compile(bricard())), [], []
    for _ in range(DURATION):
        rec = noted(simulation.run(1.0, sample=0.1, progress=False), solver)
        points.append(rec["P3.position"][-1])
        energies.append(rec["energy.total"])
    energy = np.concatenate(energies)
    return np.array(points), float(np.abs(energy - energy[0]).max())


def checks(long: bool = False) -> Iterator[Check]:
    mobility = gori.compile(bricard()).mobility()
    counts = {"redundant equations": len(mobility.redundant), "degrees of freedom": mobility.freedom}
    yield compare(CASE, "mobility", "model.mobility()", dict.fromkeys(counts, 1), counts, 0.0, source="published")
    table, other = run(TABLE[0])[0], run(TABLE[1])[0]
    for k, (ours, theirs) in enumerate(zip(table, other, strict=True)):
        # the table itself is the reference: the other solver confirms it
        for axis, *pair in zip("xyz", ours, theirs, strict=True):
            yield compare(
                CASE,
                f"our table: P3.{axis} at {k + 1} s [m]",
                " / ".join(map(str, TABLE)),
                *pair,
                1e-9,
                source="own run",
            )
    for solver in with_loops(METHODS):
        yield from attempt(CASE, solver, accurate, table)
    for solver in with_loops(first_order(5e-4)):
        yield from attempt(CASE, solver, convergent, table)


def accurate(solver: Solver, table: np.ndarray) -> Iterator[Check]:
    points, drift = run(solver)
    energy_bound, point_bound = BOUNDS[solver.kind]
    names = [f"{axis} at {k + 1} s" for k in range(DURATION) for axis in "xyz"]
    reference, found = (dict(zip(names, values.ravel(), strict=True)) for values in (table, points))
    yield compare(CASE, "P3 against the table [m]", solver, reference, found, point_bound, source="own run")
    yield small(CASE, "energy, largest drift in 10 s [J]", solver, drift, energy_bound)


def convergent(solver: Solver, table: np.ndarray) -> Iterator[Check]:
    coarse, fine = (np.abs(run(trial)[0] - table).max() for trial in (solver, solver.halved()))
    yield order(CASE, "P3 against the table", solver, solver.order, coarse, fine, 0.2)
