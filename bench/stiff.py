"""Work and precision of methods on stiff machines: python -m bench.stiff [FOLDER FOR THE PLOT]

Radau5 beside Dopri5 and fixed steps: time of a run against the error that it achieves. Errors are against Dopri5 with
rtol 1e-12 (`bench/stiff_machines.py`).
"""

import time
from pathlib import Path

import typer

import gori
from bench.stiff_machines import CASES, SAMPLES, error, model_of, run
from bench.timing import finish, show

TOLERANCES = [10.0**-k for k in range(3, 11)]
STEPS = {"andrews": 1e-4, "spring_pendulum": 1e-2, "suspension": 2e-3}
"""longest of the fixed steps [s]; each is half of the one before"""
FIXED = {"GeneralizedAlpha": gori.GeneralizedAlpha, "RK4": gori.RK4}


class Point(tuple):
    """Seconds, error."""


def methods(name: str) -> dict[str, list[gori.integrate.Method]]:
    """All that are compared, each from coarse to fine."""
    duration = CASES[name].duration
    found: dict[str, list[gori.integrate.Method]] = {
        "Radau5": [gori.Radau5(rtol=tol, atol=1e-3 * tol) for tol in TOLERANCES],
        "Dopri5": [gori.Dopri5(rtol=tol, atol=1e-3 * tol) for tol in TOLERANCES],
    }
    for kind, make in FIXED.items():
        found[kind] = [make(step=duration / SAMPLES / round(duration / SAMPLES / STEPS[name] * 2**k)) for k in range(9)]
    return found
