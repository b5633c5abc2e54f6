"""How well loops stay closed in long runs: residuals of all cuts after 100,000 steps; with --long, after a million.

The equations are written out anew in NumPy (`bench.mechanism_references`), so that the kernels do not judge themselves.
"""

from collections.abc import Iterator

import numpy as np

import gori
from bench.mechanism_references import IndexOne
from bench.mechanisms import andrews, bricard, four_bar, stewart
from validation.check import Check, attempt, small
from validation.solvers import Solver, with_loops

CASE = "residual"
BOUND = 1e-10
"""[m, rad; m/s, rad/s]"""
# step [s]: a tenth of what would be a good one, or less
MACHINES = {
    "four-bar": (four_bar, 1e-3),
    "Andrews": (andrews, 1e-6),
    "Bricard": (bricard, 1e-3),
    "Stewart": (stewart, 1e-3),
}


def checks(long: bool = False) -> Iterator[Check]:
    steps = 1_000_000 if long else 100_000
    for name, (make, step) in MACHINES.items():
        spec = make()
        for solver in with_loops((gori.RK4(step=step), gori.GeneralizedAlpha(step=step))):
            yield from attempt(f"{CASE}, {name}", solver, _closed, f"{CASE}, {name}", spec, steps)


def _closed(solver: Solver, case: str, spec: gori.Spec, steps: int) -> Iterator[Check]:
    state = solver.simulation(gori.compile(spec)).step(steps)
    gap, J, _ = IndexOne(spec).loops(state.q, state.v)
    yield small(case, f"positions after {steps:.0e} steps", solver, np.abs(gap).max(), BOUND)
    if solver.loops is not None:  # an implicit method solves for positions alone; its velocities follow as it converges
        yield small(case, f"velocities after {steps:.0e} steps", solver, np.abs(J @ state.v).max(), BOUND)
