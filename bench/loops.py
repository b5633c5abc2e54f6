"""Closed mechanisms: Gori against Exudyn and MuJoCo, each with the largest step that is accurate enough.

The mechanisms are those of `bench/mechanisms.py`. Of the steps 10 ms / 2^k each program takes the largest with which
the compared point ends within 1e-4 of the mechanism's size of where it should be (`bench/mechanism_references.py`). At
these steps the programs take turns, the steps alone are timed, and the best run counts. A program that never gets there
is shown with its best error.

python -m bench.loops [--coarsest 0.01]    the largest step that is tried [s]
"""

import argparse
from collections.abc import Callable
from importlib import import_module
from typing import NamedTuple

import numpy as np

import gori
from bench.mechanism_references import reference
from bench.mechanisms import CASES
from bench.timing import console, finish, machine, show, turns

ACCURACY = 1e-4
"""error of the position at the end, as a share of the mechanism's size"""
COARSEST, HALVINGS, PATIENCE = 1e-2, 14, 20.0
"""first step [s], how often it is halved, and the wall time of a run after which it is not [s]"""

Run = Callable[[float], tuple[np.ndarray, float]]
"""step [s] -> position at the end (3,), seconds of the steps"""


class Found(NamedTuple):
    step: float | None  # None if no step is accurate enough
    error: float  # with this step, or the best; share of the mechanism's size
    seconds: float  # of that run


def largest_step(run: Run, exact: np.ndarray, size: float, coarsest: float = COARSEST) -> Found:
    """The largest step that is accurate enough; without one, the best error."""
    best = Found(None, np.inf, np.inf)
    for k in range(HALVINGS + 1):
        step = coarsest / 2**k
        position, seconds = run(step)
        error = float(np.abs(position - exact).max()) / size  # not a number, and so not small, if the run failed
        if error < ACCURACY:
            return Found(step, error, seconds)
        if error < best.error:
            best = Found(None, error, seconds)
        if seconds > PATIENCE:
            break
    return best


def programs() -> dict[str, Callable[[str, float], tuple[np.ndarray, float]]]:
    """Gori and the peers that are installed: name -> run(case, step)."""
    found = {}
    for name in ("gori", "exudyn", "mujoco"):
        try:
            found[name] = import_module(f"bench.loops_{name}").run
        except SystemExit as missing:
            console.print(f"no comparison with {name}: {missing}")
    return found


def compare(name: str, rivals: dict, coarsest: float) -> tuple[dict[str, Found], dict[str, float]]:
    """The step of each rival, and the seconds of its run of the whole case with that step."""
    case, exact = CASES[name], reference(name)
    found = {
        rival: largest_step(lambda step, run=run: run(name, step), exact, case.size, coarsest)
        for rival, run in rivals.items()
    }
    ready = {rival: f.step for rival, f in found.items() if f.step is not None}
    seconds = turns(
        {rival: (lambda rival=rival, step=step: rivals[rival](name, step)[1]) for rival, step in ready.items()}
    )
    return found, seconds


def table(name: str, found: dict[str, Found], seconds: dict[str, float]) -> None:
    duration, ours = CASES[name].duration, seconds.get("gori")
    rows = []
    for rival, f in found.items():
        if f.step is None:
            rows.append([rival, "never", f.error, "", "", ""])
            continue
        wall = seconds[rival]
        speedup = wall / ours if ours else ""
        rows.append([rival, f"{f.step:.4g}", f.error, 1e6 * wall * f.step / duration, wall / duration, speedup])
    columns = ["program", "step [s]", "error / size", "us per step", "s per simulated s", "Gori is faster by"]
    show(f"{name}, {duration:g} s", columns, rows)


def growth() -> float:
    """Exponent of the time of a step over the number of squares, 5 to 40; 1: in proportion."""
    from bench.loops_gori import us_per_step

    counts = (1, 2, 5, 10, 20, 40)
    times = {n: us_per_step(n) for n in counts}
    show("a row of N squares, one evaluation a step", ["N", *map(str, counts)], [["us per step", *times.values()]])
    wide = [n for n in counts if n >= 5]
    return float(np.polyfit(np.log(wide), np.log([times[n] for n in wide]), 1)[0])


def main() -> None:
    from bench.loops_gori import largest_residual

    asked = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    asked.add_argument("--coarsest", type=float, default=COARSEST, help="largest step that is tried [s]")
    coarsest = asked.parse_args().coarsest
    console.print(f"Gori {gori.__version__}. {machine()}")
    rivals = programs()
    figures: dict[str, float | None] = {}
    residual = 0.0
    for name, case in CASES.items():
        found, seconds = compare(name, rivals, coarsest)
        table(name, found, seconds)
        step, ours = found["gori"].step, seconds.get("gori")
        figures[f"us_per_step_{name}"] = None if ours is None else 1e6 * ours * step / case.duration
        for peer in ("exudyn", "mujoco"):
            both = ours is not None and peer in seconds
            figures[f"speedup_{peer}_{name}"] = seconds[peer] / ours if both else None
        if step is not None:
            residual = max(residual, largest_residual(name, step))
    figures["max_residual"] = residual
    figures["slope_n_four_bar"] = growth()
    finish(figures)


if __name__ == "__main__":
    main()
