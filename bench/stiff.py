"""Work and precision on stiff machines, Radau5 beside Dopri5 and fixed steps; and its time on long chains.

Each method runs with tolerances, or steps, from coarse to fine. The error is the largest of any coordinate at any of 50
samples, against Dopri5 with rtol 1e-12 (`bench/stiff_machines.py`). Time is the CPU time of the compiled steps; all
take turns, and the best of several runs counts. `python -m bench.stiff --plots docs/pictures` also draws the picture of
docs/methods.md.
"""

import time
from pathlib import Path

import numpy as np
import typer

import gori
from bench.chains import chain
from bench.stiff_machines import CASES, SAMPLES, error, model_of, run
from bench.timing import console, finish, machine, show
from gori.errors import SimulationError
from gori.integrate import Method

TOLERANCES = [10.0**-k for k in range(3, 11)]
ASKED = (1e-4, 1e-8)
"""tolerances between which the achieved error is compared with what was asked for"""
LONGEST = {"andrews": 1.2e-4, "spring_pendulum": 1e-2, "suspension": 4e-3}
"""of the fixed steps [s]; each is half of the one before"""
RIVALS = ("Dopri5", "GeneralizedAlpha", "RK4")
WANTED = 1e-6
"""error at which times are compared"""
FAR_OFF, NOTHING = 0.1, 1e-12
"""errors that are left out, and those that cannot be told from the error of the reference"""
ROUNDS = 3

SIZES = {"in O(n)": (50, 100, 200, 500, 1000), "with a matrix": (10, 20, 50, 100, 200)}
CHAIN_STEPS = 40

Point = tuple[float, float]
"""seconds, error"""
Points = dict[str, list[tuple[Method, Point]]]
"""of the runs of each method, from coarse to fine"""


def methods(name: str) -> dict[str, list[Method]]:
    """All that are compared."""
    period = CASES[name].duration / SAMPLES
    steps = [period / round(period / LONGEST[name] * 2**k) for k in range(10)]
    return {
        "Radau5": [gori.Radau5(rtol=tol, atol=1e-3 * tol) for tol in TOLERANCES],
        "Dopri5": [gori.Dopri5(rtol=tol, atol=1e-3 * tol) for tol in TOLERANCES],
        "GeneralizedAlpha": [gori.GeneralizedAlpha(step=step) for step in steps],
        "RK4": [gori.RK4(step=step) for step in steps],
    }


def achieved(name: str, method: Method) -> float | None:
    """Error of a run; None where it fails, as explicit methods do whose step is too long, or is far off."""
    try:
        found = error(name, run(name, method))
    except SimulationError:
        return None
    return found if found < FAR_OFF else None


def seconds(model: gori.Model, method: Method, duration: float, steps: int | None = None) -> tuple[float, dict]:
    """CPU time of the compiled steps of a run, or of the first of them, and the report of the method."""
    simulation = gori.Simulation(model, method)
    stepper = simulation.stepper
    stepper.plan_run(duration, duration / SAMPLES)
    begin = time.process_time()
    while (left := min(stepper.steps_left(), stepper.most_steps(), (steps or 10**9) - stepper.steps_done)) > 0:
        if stepper.take_steps(left).code != 0:
            raise RuntimeError(f"{method.kind} stopped at t = {stepper.time:.6g} s")
    return time.process_time() - begin, simulation.report


def points(name: str) -> Points:
    """Time and error of all runs that succeed."""
    errors = {kind: [(m, achieved(name, m)) for m in family] for kind, family in methods(name).items()}
    good = {kind: [(m, away) for m, away in family if away is not None] for kind, family in errors.items()}
    best = {m: np.inf for family in good.values() for m, _ in family}
    for _ in range(ROUNDS):
        for m in best:
            best[m] = min(best[m], seconds(model_of(name), m, CASES[name].duration)[0])
    return {kind: [(m, (best[m], away)) for m, away in family] for kind, family in good.items()}


def label(method: Method) -> str:
    settings = method.settings()
    return f"rtol {settings['rtol']:.0e}" if method.adaptive else f"step {settings['step']:.1e} s"


def time_for(measured: list[tuple[Method, Point]], wanted: float) -> float | None:
    """Time of the cheapest run with an error as small as wanted."""
    return min((took for _, (took, away) in measured if away <= wanted), default=None)


def figures_of(name: str, found: Points) -> dict[str, float | None]:
    """Largest error over rtol, and how much faster Radau5 is than others at the same error."""
    own = time_for(found["Radau5"], WANTED)
    asked = [(m.settings()["rtol"], away) for m, (_, away) in found["Radau5"]]
    ratios = [away / rtol for rtol, away in asked if ASKED[1] <= rtol * 1.001 and rtol <= ASKED[0] * 1.001]
    figures: dict[str, float | None] = {f"{name}_error_over_rtol": max(ratios)}
    for kind in RIVALS:
        other = time_for(found[kind], WANTED)
        figures[f"{name}_faster_than_{kind}"] = None if own is None or other is None else other / own
    return figures


def long_chain(links: int, way: str) -> gori.Model:
    """Stiff hinges; with a spring from the last link to the ground, which acts on many axes, a matrix is needed."""
    model = chain(links, "alternating", 200.0, 2.0)
    if way == "in O(n)":
        return model
    tip = {"type": "spring", "parent": "ground", "at": [0, 0, 1], "child": f"link{links - 1}", "stiffness": 1e3}
    return gori.compile(gori.Spec(**{**model.spec.model_dump(exclude_unset=True), "forces": {"tip": tip}}))


def growth() -> dict[str, float]:
    """Time of the first steps on chains, by the number of links: exponents of the last sizes."""
    figures = {}
    for way, sizes in SIZES.items():
        models, method = {n: long_chain(n, way) for n in sizes}, gori.Radau5(rtol=1e-4, atol=1e-6)
        best, counts = dict.fromkeys(sizes, np.inf), {}
        for _ in range(ROUNDS):
            for n, model in models.items():
                took, report = seconds(model, method, 1.0, CHAIN_STEPS)
                best[n], counts[n] = min(best[n], took), report["newton"]
        each = {n: best[n] / counts[n]["attempts"] for n in sizes}
        rows = [[n, 1e6 * each[n], 1e6 * each[n] / n, *counts[n].values()] for n in sizes]
        show(
            f"Chains of stiff hinges, {way}: the first {CHAIN_STEPS} steps",
            ["links", "us per attempt", "us per link", *counts[sizes[0]]],
            rows,
        )
        key = way.replace(" ", "_").replace("(", "").replace(")", "")
        last = sizes[-3:]
        figures[f"exponent_{key}"] = float(np.polyfit(np.log(last), np.log([each[n] for n in last]), 1)[0])
        figures[f"us_per_link_{key}_{sizes[-1]}"] = 1e6 * each[sizes[-1]] / sizes[-1]
    return figures


def main(plots: Path | None = None) -> None:
    console.print(machine())
    results, figures = {name: points(name) for name in CASES}, {}
    for name, found in results.items():
        rows = [
            [kind, label(method), f"{1e3 * took:.3g}", f"{away:.1e}"]
            for kind, measured in found.items()
            for method, (took, away) in measured
        ]
        show(CASES[name].words, ["method", "", "ms", "error"], rows)
        figures |= figures_of(name, found)
    if plots is not None:
        draw(plots, results)
        console.print(f"plot in {plots}")
    finish(figures | growth())


def draw(folder: Path, results: dict[str, Points]) -> None:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(results), figsize=(4.4 * len(results), 4.2), layout="constrained", sharex=True)
    for ax, (name, found) in zip(axes, results.items(), strict=True):
        for kind, measured in found.items():
            away = [max(away, NOTHING) for _, (_, away) in measured]
            took = [1e3 * took for _, (took, _) in measured]
            ax.loglog(away, took, "o-", ms=4, label=kind, lw=2.2 if kind == "Radau5" else 1.2)
        ax.set(title=CASES[name].words, xlabel="largest error of a coordinate")
        ax.grid(True, which="major", alpha=0.3)
    axes[0].set(ylabel="CPU time [ms]", xlim=(FAR_OFF, 0.5 * NOTHING))
    axes[0].legend(fontsize=8)
    folder.mkdir(parents=True, exist_ok=True)
    figure.savefig(folder / "methods-work-precision.png", dpi=110)
    plt.close(figure)


if __name__ == "__main__":
    typer.run(main)
