"""IFToMM A01: planar simple pendulum, m = 1 kg, L = 1 m, massless bar, g = 9.81, released at rest, horizontal.

Exact: sin(theta/2) = k sn(K(k) - w t, k) from the lowest point, k = sin(45 deg), w = sqrt(g/L); the period from 90
degrees is 4 sqrt(L/g) K(1/2). Judged over 10 s: the period, the largest error of the position, the drift of the energy.
"""

from collections.abc import Iterator

import numpy as np
from scipy.special import ellipj, ellipk

import gori
from validation.check import Check, attempt, compare, order, small
from validation.solvers import PRECISE, Solver, first_order

CASE = "A01 pendulum"
PERIOD = 2.36784194757624
DURATION = 10.0
# position [m], energy [J], period [s]
BOUNDS = {
    "rk4": (1e-6, 5e-5, 1e-6),
    "dopri5": (1e-6, 5e-5, 1e-6),
    "adams": (1e-3, 5e-5, 1e-4),
    "generalized_alpha": (1e-3, 5e-5, 1e-4),
}
"""the library asks for 1e-3 m of an accurate run, and for 5e-5 J"""
METHODS = (
    PRECISE,
    gori.RK4(step=1e-3),
    gori.Adams(step=1e-3),
    gori.GeneralizedAlpha(step=1e-3, rho_inf=1.0),
)


def first_order_of_trees(step: float) -> list[Solver]:
    """With loops the implicit method iterates anyway; without, it may or may not."""
    return [Solver(method) for method in (*first_order(step), gori.ImplicitEuler(step=step, newton=True))]


def model() -> gori.Model:
    return gori.compile(
        gori.Spec(
            bodies={"bob": gori.spec.Body(mass=1, com=(1, 0, 0), inertia=(0, 0, 0))},
            joints={"pivot": gori.spec.Joint(type="revolute", parent="ground", child="bob", axis=(0, 1, 0))},
            frames={"P1": gori.spec.Frame(body="bob", at=(1, 0, 0))},
        )
    )


def exact(t: np.ndarray) -> np.ndarray:
    """Position (x, z) of the bob at times t."""
    m = 0.5  # k^2
    sn, _, _, _ = ellipj(ellipk(m) - np.sqrt(9.81) * t, m)
    theta = 2.0 * np.arcsin(np.sqrt(m) * sn)  # from the lowest point
    return np.column_stack([np.sin(theta), -np.cos(theta)])


def swing(solver: Solver) -> tuple[float, float, float]:
    """Largest error of P1 [m], largest drift of the energy [J], period [s]."""
    lowest = gori.Event("pivot.q - pi/2", when="rising")
    rec = solver.run(model(), DURATION, sample=0.01, events={"lowest": lowest})
    times = [time for _, time in rec.info["events"]]
    error = np.abs(rec["P1.position"][:, [0, 2]] - exact(rec.time)).max()
    drift = np.abs(rec["energy.total"] - rec["energy.total"][0]).max()
    return float(error), float(drift), (times[-1] - times[0]) / (len(times) - 1)


def checks(long: bool = False) -> Iterator[Check]:
    yield compare(
        CASE, "period [s]", "4 sqrt(L/g) K(1/2)", PERIOD, 4.0 * np.sqrt(1 / 9.81) * ellipk(0.5), 1e-13, source="exact"
    )
    for solver in map(Solver, METHODS):
        yield from attempt(CASE, solver, accurate)
    for solver in first_order_of_trees(1e-3):
        yield from attempt(CASE, solver, convergent)


def accurate(solver: Solver) -> Iterator[Check]:
    error, drift, period = swing(solver)
    position_bound, energy_bound, period_bound = BOUNDS[solver.kind]
    yield compare(CASE, "period [s]", solver, PERIOD, period, period_bound, source="exact")
    yield small(CASE, "position, largest error in 10 s [m]", solver, error, position_bound)
    yield small(CASE, "energy, largest drift in 10 s [J]", solver, drift, energy_bound)


def convergent(solver: Solver) -> Iterator[Check]:
    coarse, fine = swing(solver), swing(solver.halved())
    yield order(CASE, "position", solver, solver.order, coarse[0], fine[0], 0.2)
    yield order(CASE, "energy", solver, solver.order, coarse[1], fine[1], 0.2)
