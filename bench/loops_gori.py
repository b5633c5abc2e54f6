"""Gori's own side of `bench/loops.py`: the mechanisms with their loops kept closed by multipliers.

The method is what suits the case best, as for the peers: an Adams method with one evaluation a step where the motion
is smooth at steps of 10 ms, of the order that is accurate enough; Runge-Kutta of order 4 where it is not.
"""

import time
from dataclasses import replace
from functools import cache

import numpy as np

import gori
from bench.mechanism_references import IndexOne
from bench.mechanisms import CASES, n_four_bar

METHODS = {
    "four_bar": gori.Adams(order=3),
    "n_four_bar_40": gori.Adams(order=4),
    "andrews": gori.RK4(),
    "bricard": gori.Adams(order=3),
    "stewart": gori.AdamsMoulton(order=3),
}


def run(name: str, step: float) -> tuple[np.ndarray, float]:
    """Position (3,) of the case's point at the end, not finite if the run failed; seconds of the steps alone."""
    case = CASES[name]
    simulation = _simulation(name, step)
    start = time.perf_counter()
    try:
        state = simulation.step(round(case.duration / step))
    except gori.errors.SimulationError:  # a step too large: the same as a peer's run that fails
        return np.full(3, np.nan), time.perf_counter() - start
    seconds = time.perf_counter() - start
    return simulation.model.forward_kinematics(state.q)[case.point][:3, 3], seconds


def largest_residual(name: str, step: float, samples: int = 100) -> float:
    """Of all equations of the cuts over the run [m, 1], as written out in NumPy by the references."""
    case = CASES[name]
    recording = _simulation(name, step).run(case.duration, sample=case.duration / samples, progress=False)
    equations = IndexOne(case.make())
    rest = np.zeros(equations.model.nv)
    return max(float(np.abs(equations.loops(q, rest)[0]).max()) for q in recording.q)


def us_per_step(squares: int) -> float:
    """Microseconds of a step of Adams-Bashforth for a row of squares, the best of many."""
    simulation = gori.Simulation(gori.compile(n_four_bar(squares)), gori.Adams(step=1e-3, order=4))
    simulation.step(10)
    best = np.inf
    for _ in range(12):
        start = time.perf_counter()
        simulation.step(40)
        best = min(best, (time.perf_counter() - start) / 40)
    return 1e6 * best


def _simulation(name: str, step: float) -> gori.Simulation:
    return gori.Simulation(_model(name), replace(METHODS[name], step=step), loops="multipliers")


@cache
def _model(name: str) -> gori.Model:
    return gori.compile(CASES[name].make())
