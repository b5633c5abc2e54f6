"""Implicit steps with all strategies for the Jacobian: time, columns and error, n = 10 to 1000, and Exudyn beside.

Stiff chains (`bench/chains.py`): h omega_max is above 10, joint springs and dampers. Errors are those of the joint
angles (root mean square) at the end, against generalized-alpha with a fiftieth of the step. `python -m bench.implicit
--plots FOLDER` also draws the pictures of docs/strategies.md.
"""

import time
from pathlib import Path

import numpy as np
import typer

import gori
from bench.chains import KINDS, chain, highest_frequency
from bench.timing import console, finish, machine, show

STEP, DURATION = 1e-2, 2.0
STIFFNESS, DAMPING = 200.0, 2.0
SIZES = (10, 20, 50, 100, 200, 500, 1000)
STRATEGIES = {
    "full, differences": gori.jacobian.Full(differences=True),
    "full, analytic": gori.jacobian.Full(),
    "frozen": gori.jacobian.Frozen(),
    "round robin, 1": gori.jacobian.RoundRobin(1),
    "fastest, 1": gori.jacobian.Fastest(1),
    "error-driven": gori.jacobian.ErrorDriven(),
    "matrix-free": gori.jacobian.MatrixFree(),
}
BASE = "full, differences"
Rows = dict[str, tuple[float, float, float]]
"""seconds per step, error and columns per step of each strategy"""


class Runner:
    """A chain with one strategy, run again and again from its start."""

    def __init__(self, model: gori.Model, jacobian, method=gori.ImplicitEuler, step: float = STEP, **options):
        self.simulation = gori.Simulation(model, method(step=step, jacobian=jacobian, **options))
        self.start, self.seconds, self.columns, self.failed = self.simulation.state, np.inf, 0.0, False

    def run(self, steps: int, first: int = 1) -> None:
        """The first step is not counted: it makes the whole matrix, whatever the strategy."""
        self.simulation.state = self.start
        if first:
            self.simulation.step(first)
        before, begin = self.columns_made(), time.perf_counter()
        try:
            self.simulation.step(steps - first)
        except gori.errors.SimulationError:
            self.failed = True
            return
        self.seconds = min(self.seconds, (time.perf_counter() - begin) / (steps - first))
        self.columns = (self.columns_made() - before) / (steps - first)

    def columns_made(self) -> float:
        report = self.simulation.report["jacobian"]
        return report["columns_per_step"] * report["steps"]

    def error(self, q: np.ndarray) -> float:
        return np.inf if self.failed else float(np.sqrt(np.mean((self.simulation.state.q - q) ** 2)))


def reference(model: gori.Model) -> np.ndarray:
    """Joint angles at the end."""
    simulation = gori.Simulation(model, gori.GeneralizedAlpha(step=STEP / 50))
    return simulation.step(round(DURATION / STEP) * 50).q


def compare(links: int, kind: str, rounds: int) -> Rows:
    """Seconds per step, error and columns per step of each strategy; the rivals take turns."""
    model = chain(links, kind, STIFFNESS, DAMPING)
    assert links > 200 or STEP * highest_frequency(model, STIFFNESS) > 10
    q, steps = reference(model), round(DURATION / STEP)
    runners = {name: Runner(model, jacobian) for name, jacobian in STRATEGIES.items()}
    rows = {}
    for turn in range(rounds):
        for name, runner in runners.items():
            if turn == 0 or links < 500 or not name.startswith("full"):
                runner.run(20 if links >= 500 and name == BASE else steps)  # a tenth of a second each
    for name, runner in runners.items():
        rows[name] = (runner.seconds, np.nan if links >= 500 and name == BASE else runner.error(q), runner.columns)
    return rows


def sizes() -> dict[int, Rows]:
    found = {}
    for links in SIZES:
        found[links] = compare(links, "alternating", 3 if links <= 200 else 2)
        console.print(f"n = {links} done", style="dim")
    columns = [f"{name} [us]" for name in STRATEGIES]
    show(
        f"Alternating chains, time per step. {machine()}",
        ["links", *columns],
        [[links, *(1e6 * rows[name][0] for name in STRATEGIES)] for links, rows in found.items()],
    )
    show(
        "Error over that of the full analytic Jacobian; columns refreshed per step of error-driven",
        ["links", *STRATEGIES, "columns"],
        [
            [links, *(ratio(rows, name) for name in STRATEGIES), rows["error-driven"][2]]
            for links, rows in found.items()
        ],
    )
    return found


def ratio(rows: Rows, name: str, base: str = "full, analytic") -> float:
    return rows[name][1] / rows[base][1]


def kinds(links: int = 100) -> dict[str, Rows]:
    """Six kinds of chain."""
    found = {kind: compare(links, kind, 5) for kind in KINDS}
    for words, cell in (("times faster than", faster), ("error over that of", ratio)):
        show(
            f"n = {links}: {words} the full Jacobian by differences",
            ["chain", *STRATEGIES],
            [[kind, *(cell(rows, name, BASE) for name in STRATEGIES)] for kind, rows in found.items()],
        )
    return found


def faster(rows: Rows, name: str, base: str = BASE) -> float:
    return rows[base][0] / rows[name][0]


def long_runs(steps: int = 100_000, links: int = 10) -> dict[str, list[float]]:
    """Energy over very many steps with h omega_max = 100: a chain with little damping, kept moving by a torque."""
    spec = chain(links, "alternating", STIFFNESS, 0.02).spec
    drive = {"type": "torque", "joint": "hinge0", "value": "3*sin(1.7*t)"}
    model = gori.compile(gori.Spec(**{**spec.model_dump(exclude_unset=True), "forces": {"drive": drive}}))
    h = 100.0 / highest_frequency(model, STIFFNESS)
    rows, found = [], {}
    for method in (gori.ImplicitEuler, gori.GeneralizedAlpha):
        for name, jacobian in STRATEGIES.items():
            simulation = gori.Simulation(model, method(step=h, jacobian=jacobian))
            try:
                rec = simulation.run(steps * h, sample=50 * h, progress=False)
            except gori.errors.SimulationError as error:
                rows.append([f"{method.__name__}, {name}", f"failed at t = {error.time:.3g} s", "", ""])
                continue
            energy = rec["energy.total"]
            thirds = [float(np.ptp(part)) for part in np.array_split(energy, 3)]
            found[f"{method.__name__} {name}"] = thirds
            rows.append([f"{method.__name__}, {name}", *thirds])
    show(
        f"{steps} steps with h omega_max = 100 (h = {1e3 * h:.0f} ms, {links} links): span of the energy [J]",
        ["method and strategy", "first third", "second third", "last third"],
        rows,
    )
    return found


def beside_exudyn(links: int = 400, step: float = 1e-3, steps: int = 100) -> float | None:
    """Exudyn's chain of revolute joints, generalized-alpha with the same step, and the errors of both."""
    try:
        from bench.exudyn_peer import time_per_step
    except SystemExit as missing:
        console.print(f"no comparison with Exudyn: {missing}")
        return None

    model = exudyn_chain(links)
    fine = gori.Simulation(model, gori.GeneralizedAlpha(step=step / 20))
    exact = fine.step(20 * steps).q
    ours = Runner(model, gori.jacobian.MatrixFree(), gori.GeneralizedAlpha, step)
    best = None
    for _ in range(3):
        theirs = time_per_step(links, step, steps, gravity=(0, -5, -8.44))
        best = theirs if best is None or theirs.seconds < best.seconds else best
        ours.run(steps, first=0)
    rows = [
        ["Exudyn", 1e6 * best.seconds, f"{np.abs(best.angles - exact).max():.1e}"],
        ["Gori", 1e6 * ours.seconds, f"{np.abs(ours.simulation.state.q - exact).max():.1e}"],
    ]
    show(
        f"{links} links, generalized-alpha, step {1e3 * step:g} ms, {steps} steps from rest",
        ["", "us per step", "largest error [rad]"],
        rows,
    )
    return best.seconds / ours.seconds


def exudyn_chain(links: int, length=0.1, mass=0.1, width=0.01, stiffness=1.0, damping=0.01) -> gori.Model:
    """The chain of `bench/exudyn_peer.py`."""
    across = mass * (length**2 + width**2) / 12
    body = gori.spec.Body(mass=mass, com=(length / 2, 0, 0), inertia=(mass * width**2 / 6, across, across))
    joints = {
        f"hinge{k}": gori.spec.Joint(
            type="revolute",
            parent=f"link{k - 1}" if k else "ground",
            child=f"link{k}",
            at=(length if k else 0.0, 0, 0),
            axis=(0, 1, 0) if k % 2 else (0, 0, 1),
            stiffness=stiffness,
            damping=damping,
        )
        for k in range(links)
    }
    bodies = {f"link{k}": body for k in range(links)}
    return gori.compile(gori.Spec(gravity=(0, -5, -8.44), bodies=bodies, joints=joints))


def main(plots: Path | None = None) -> None:
    by_size, by_kind = sizes(), kinds()
    long_runs()
    n100 = by_kind["alternating"]
    figures = {
        "speedup_n100_round_robin": faster(n100, "round robin, 1"),
        "speedup_n100_fastest": faster(n100, "fastest, 1"),
        "speedup_n100_error_driven": min(faster(rows, "error-driven") for rows in by_kind.values()),
        "speedup_n100_round_robin_vs_analytic": faster(n100, "round robin, 1", "full, analytic"),
        "speedup_n100_matrix_free": faster(n100, "matrix-free"),
        "columns_per_step_error_driven": n100["error-driven"][2],
        "error_ratio_round_robin": ratio(n100, "round robin, 1", BASE),
        "error_ratio_fastest": ratio(n100, "fastest, 1", BASE),
        "error_ratio_error_driven": max(ratio(rows, "error-driven", BASE) for rows in by_kind.values()),
    }
    large = [links for links in SIZES if links >= 50]
    times = [by_size[links]["matrix-free"][0] for links in large]
    figures["slope_matrix_free"] = float(np.polyfit(np.log(large), np.log(times), 1)[0])
    figures["us_per_dof_step_matrix_free_1000"] = 1e6 * by_size[1000]["matrix-free"][0] / 1000
    if (speedup := beside_exudyn()) is not None:
        figures["speedup_exudyn_400"] = speedup
    if plots is not None:
        from bench.implicit_plots import draw

        draw(plots, by_size)
    finish(figures)


if __name__ == "__main__":
    typer.run(main)
