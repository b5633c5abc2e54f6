"""IFToMM A02: a row of N squares of bars (`bench.mechanisms.n_four_bar`): position and velocity of B0.

On the parallelogram it has one degree of freedom, phi from the vertical:
    phi'' = g ((N+1)/2 + N) / ((N+1)/3 + N) sin phi,    phi(0) = 0, phi'(0) = 1,    B0 = (sin phi, cos phi).
Twice in every turn all bars lie in one line, where the equations of the loops lose rank.
"""

from collections.abc import Iterator

import numpy as np
from scipy.integrate import solve_ivp

import gori
from bench.mechanisms import n_four_bar
from validation.check import Check, attempt, compare, order
from validation.solvers import PRECISE, Solver, first_order, with_loops

NAMES = ("x", "y", "vx", "vy")
CALCULATED = {
    (2, 4.0): (0.1176161024, 0.9930591385, 1.0690392650, -0.1266150492),
    (2, 10.0): (0.3284581115, 0.9445185382, 1.4230514702, -0.4948688455),
    (40, 10.0): (0.1805122267, 0.9835727406, 1.1484412775, -0.2107700668),
    (40, 20.0): (0.4109011537, 0.9116799010, 1.5667853719, -0.7061622356),
}
"""N, time [s]: B0 [m, m/s]"""
BOUNDS = {"dopri5": 1e-6, "rk4": 1e-6, "adams": 1e-3, "generalized_alpha": 1e-3}
"""1e-3 is what the library asks for"""
METHODS = (PRECISE, gori.RK4(step=1e-3), gori.Adams(step=1e-3, order=4), gori.GeneralizedAlpha(step=1e-3))


def case(n: int) -> str:
    return f"A02 four-bars, N = {n}"


def exact(n: int, time: float) -> dict[str, float]:
    """B0 from the one equation."""
    rate = 9.81 * ((n + 1) / 2 + n) / ((n + 1) / 3 + n)
    motion = solve_ivp(
        lambda _, y: [y[1], rate * np.sin(y[0])], (0.0, time), [0.0, 1.0], method="DOP853", rtol=3e-14, atol=1e-14
    )
    return b0(*motion.y[:, -1])


def b0(phi: float, speed: float) -> dict[str, float]:
    x, y = np.sin(phi), np.cos(phi)
    return dict(zip(NAMES, (x, y, y * speed, -x * speed), strict=True))


def ours(solver: Solver, n: int, time: float) -> dict[str, float]:
    rec = solver.run(gori.compile(n_four_bar(n)), time, sample=time / 100)
    return b0(-rec["foot0.q"][-1], -rec["foot0.v"][-1])


def checks(long: bool = False) -> Iterator[Check]:
    for (n, time), values in CALCULATED.items():
        calculated = dict(zip(NAMES, values, strict=True))
        yield compare(
            case(n), f"B0 at {time:g} s", "the one equation", calculated, exact(n, time), 2e-10, source="calculated"
        )
    for n, time in CALCULATED:
        # the largest machine with a fixed step takes the longest: after 20 s it tells all that it would after 10 s
        quick = not long and (n, time) == (40, 10.0)
        for solver in with_loops(METHODS[:1] if quick else METHODS):
            yield from attempt(case(n), solver, accurate, n, time)
    for solver in with_loops(first_order(1e-4)):
        yield from attempt(case(2), solver, convergent, 2, 1.0)


def accurate(solver: Solver, n: int, time: float) -> Iterator[Check]:
    yield compare(
        case(n), f"B0 at {time:g} s", solver, exact(n, time), ours(solver, n, time), BOUNDS[solver.kind], source="exact"
    )


def convergent(solver: Solver, n: int, time: float) -> Iterator[Check]:
    reference = exact(n, time)
    ends = [ours(trial, n, time) for trial in (solver, solver.halved())]
    coarse, fine = (max(abs(end[name] - reference[name]) for name in NAMES) for end in ends)
    yield order(case(n), f"B0 at {time:g} s", solver, solver.order, coarse, fine, 0.2)
