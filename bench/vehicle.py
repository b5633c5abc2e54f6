"""A full vehicle in real time: wall time per simulated second on one core, at a step of 1 ms.

The HMMWV-like vehicle (27 coordinates, 16 equations, engine and gearbox in steps of 0.2 ms), loops by frozen factors:

bump         81 km/h over a trapezoid 60 cm long and 8 cm high, on hard ground (the paper: 0.1157)
drive train  full throttle from rest through the gears for 10 s (the paper: 0.1192)
soft soil    half throttle from rest on LETE sand, cells of 5 cm: firm, the wheels sink in by a centimetre or two
dry sand     the same on dry sand, in which they sink deeper and touch more cells

The error of frozen factors is that of the peak vertical acceleration of the front knuckle, at the same step, against
factors made anew at each evaluation and a step refined until it no longer changes.
"""

import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import gori
from bench.timing import console, finish, machine, show
from gori import vehicle

STEP = 1e-3
SPEED = 81.0 / 3.6
LOOPS = gori.loops.FrozenExplicit(tolerance=1e-3, closure=1e-7)
BUMP = {"features": {"bump": {"type": "trapezoid", "at": [10.0, 0.0], "length": 0.6, "height": 0.08}}}
SOFT = {"at": [-5.0, -3.0], "size": [80.0, 6.0], "cell": 0.05}
"""a field of soil"""
KNUCKLES = ("truck.knuckle_fl", "truck.knuckle_rl")


class Case:
    """A vehicle in its starting state, and what the driver does."""

    def __init__(self, terrain: dict | None, speed: float, inputs: dict, duration: float):
        self.model = gori.compile(vehicle.spec("hmmwv", terrain=terrain))
        self.state = gori.at_rest(self.model, speed=speed)
        self.inputs, self.duration = inputs, duration

    def simulation(self, step: float = STEP, loops: gori.loops.FrozenExplicit | str = LOOPS) -> gori.Simulation:
        simulation = gori.Simulation(self.model, gori.Adams(step=step, order=2), state=self.state, loops=loops)
        for name, value in self.inputs.items():
            simulation.inputs[f"truck.{name}"] = value
        return simulation

    def seconds(self) -> float:
        """Wall time of the whole run."""
        simulation = self.simulation()
        start = time.perf_counter()
        simulation.step(round(self.duration / STEP))
        return time.perf_counter() - start


def cases() -> dict[str, Case]:
    drive = {"throttle": 1.0, "selector": "D"}
    return {
        "bump": Case(BUMP, SPEED, {"selector": "N"}, 1.5),
        "drivetrain": Case(None, 0.0, drive, 10.0),
        "soft_soil": Case({"soft": SOFT | {"soil": gori.soil("lete_sand")}}, 0.0, drive | {"throttle": 0.5}, 6.0),
        "dry_sand": Case({"soft": SOFT | {"soil": gori.soil("dry_sand")}}, 0.0, drive | {"throttle": 0.5}, 6.0),
    }


def peaks(case: Case, step: float, loops: gori.loops.FrozenExplicit | str) -> np.ndarray:
    """Peak vertical acceleration of the front and rear knuckle [m/s2]."""
    rec = case.simulation(step, loops).run(case.duration, sample=step, progress=False)
    return np.array([rec[f"{name}.acceleration"][:, 5].max() for name in KNUCKLES])


def converged(case: Case) -> tuple[np.ndarray, list]:
    """Peaks with a refined step, and the rows of the table on the way."""
    rows, before = [], None
    for k in range(7):
        step = STEP / 2**k
        now = peaks(case, step, "multipliers")
        change = np.nan if before is None else float(np.abs(now / before - 1.0).max())
        rows.append([f"multipliers, {1e3 * step:g} ms", *now, 100.0 * change])
        if change < 1e-3:
            break
        before = now
    return now, rows


def one_by_one(case: Case, count: int = 4000) -> np.ndarray:
    """Microseconds of each of many single steps, as a loop in Python sees them; of three runs the least disturbed."""
    runs = []
    for _ in range(3):
        simulation = case.simulation()
        simulation.advance(200)
        times = np.empty(count)
        for k in range(count):
            start = time.perf_counter()
            simulation.advance()
            times[k] = time.perf_counter() - start
        runs.append(1e6 * times)
    return min(runs, key=lambda times: np.percentile(times, 99))


def in_real_time(case: Case, threads: int, count: int = 16) -> float:
    """Vehicles that this many threads move in real time."""
    fleet = [case.simulation() for _ in range(count)]
    steps = round(2.0 / STEP)
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(lambda simulation: simulation.step(100), fleet))
        start = time.perf_counter()
        list(pool.map(lambda simulation: simulation.step(steps), fleet))
        wall = time.perf_counter() - start
    return count * steps * STEP / wall


def main() -> None:
    console.print(f"Gori {gori.__version__}. {machine()}")
    found, figures = cases(), {}
    rows = []
    for name, case in found.items():
        best = min(case.seconds() for _ in range(7)) / case.duration
        figures[f"rtf_{name}"] = best
        rows.append([name, case.duration, best, 1e6 * best * STEP, 1.0 / best])
    show("one core, 1 ms", ["case", "duration [s]", "s per simulated s", "us per step", "times real time"], rows)

    times = one_by_one(found["drivetrain"])
    figures["step_us_median"], figures["step_us_p99"] = (float(np.percentile(times, p)) for p in (50, 99))
    show("single steps, called from Python [us]", ["median", "p90", "p99", "worst"],
         [[*(float(np.percentile(times, p)) for p in (50, 90, 99)), float(times.max())]])  # fmt: skip

    exact, rows = converged(found["bump"])
    full, frozen = peaks(found["bump"], STEP, "multipliers"), peaks(found["bump"], STEP, LOOPS)
    rows.append(["frozen, 1 ms", *frozen, 100.0 * float(np.abs(frozen / full - 1.0).max())])
    show("peak acceleration of the knuckles [m/s2]", ["solver, step", "front", "rear", "change [%]"], rows)
    figures["frozen_error_percent"] = 100.0 * float(np.abs(frozen / exact - 1.0).max())
    figures["batch_vehicles_realtime_2_threads"] = in_real_time(found["drivetrain"], 2)
    finish(figures)


if __name__ == "__main__":
    main()
