"""The settings of MuJoCo that are fastest within the thresholds: those that were found, and the search that found them.

python -m bench.contact_tuning [CASE ...] [--seconds 60]    search again, and print the best of each scene

The search walks from one of the candidates to the better of its neighbours, one setting at a time; the order of its
trials is random, but the same in each run. Better is nearer to the thresholds, and within them faster. A trial that
takes longer than the best one is broken off.
"""

import argparse
import math
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple

from bench.contact_mujoco import Measured, measure
from bench.contact_scenes import Options, Scene

LADDERS: dict[str, tuple] = {
    "step": (
        5e-2, 4e-2, 3e-2, 2.5e-2, 2e-2, 1.5e-2, 1e-2, 8e-3, 6.5e-3, 6e-3, 5e-3, 4.5e-3,
        4e-3, 3.5e-3, 3e-3, 2.5e-3, 2e-3, 1.5e-3, 1e-3, 7e-4, 5e-4, 3e-4, 2e-4,
    ),
    "solimp": (0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.998, 0.999, 0.9995, 0.9999),
    "impratio": (1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0, 1e4),
    "noslip": (0, 2, 5, 10, 20, 40),
    "solref": (1.0, 2.0, 3.0, 5.0, 10.0),
    "iterations": (3, 5, 10, 20, 50, 100, 300),
    "tolerance": (1e-4, 3e-5, 3e-6, 1e-6, 1e-8, 1e-10, 1e-12),
    "noslip_tolerance": (1e-6, 3e-7, 1e-7, 3e-8),
}  # fmt: skip
CHOICES: dict[str, tuple] = {
    "cone": ("elliptic", "pyramidal"),
    "solver": ("CG", "Newton", "PGS"),
    "integrator": ("implicitfast", "Euler", "implicit", "discrete", "RK4"),
    "jacobian": ("auto", "dense", "sparse"),
    "flags": ("", 'island="disable"'),
}


class Trial(NamedTuple):
    options: Options
    measured: Measured | None  # None: it failed or was broken off
    short: float  # how far from the thresholds; 0: within them
    seconds: float  # processor time per simulated second


def attempt(scene: Scene, options: Options, patience: float = math.inf) -> Trial:
    """A run with its distance from the thresholds: the sum of the logarithms of how often each is exceeded."""
    found = measure(scene, options, patience)
    if found is None:
        return Trial(options, None, math.inf, math.inf)
    ratios = found.excess(scene).values()
    short = sum(math.log(ratio) if math.isfinite(ratio) else math.inf for ratio in ratios)
    return Trial(options, found, short, found.seconds / scene.duration)


def neighbours(options: Options, chance: random.Random) -> Iterator[Options]:
    """All settings that differ in one thing, in random order; up and down a ladder by one or two rungs."""
    changes: list[tuple[str, object]] = []
    for name, rungs in LADDERS.items():
        at = min(range(len(rungs)), key=lambda k: abs(math.log((rungs[k] or 0.5) / (getattr(options, name) or 0.5))))
        changes += [(name, rungs[k]) for k in range(max(at - 2, 0), min(at + 3, len(rungs))) if k != at]
    for name, choices in CHOICES.items():
        changes += [(name, choice) for choice in choices if choice != getattr(options, name)]
    chance.shuffle(changes)
    for name, value in changes:
        yield replace(options, **{name: value})


def search(
    scene: Scene, starts: list[Options], seconds: float, told: Callable[[Trial], None] = lambda trial: None
) -> Trial:
    """The best trial within a wall time [s]; without one within the thresholds, the nearest."""
    chance, deadline = random.Random(1), time.monotonic() + seconds
    known: set[Options] = set()

    def better(a: Trial, b: Trial) -> bool:
        return (a.short, a.seconds) < (b.short, b.seconds)

    def patience() -> float:
        own = best.seconds * scene.duration if best.short == 0.0 else seconds / 3.0
        return min(own, max(deadline - time.monotonic(), 0.1))

    best = Trial(starts[0], None, math.inf, math.inf)
    for options in starts:
        known.add(options)
        if better(trial := attempt(scene, options, patience()), best):
            best = trial
            told(best)
    moved = True
    while moved and time.monotonic() < deadline:
        moved = False
        for options in neighbours(best.options, chance):
            if options in known or time.monotonic() > deadline:
                continue
            known.add(options)
            if better(trial := attempt(scene, options, patience()), best):
                best, moved = trial, True
                told(best)
                break
    return best


ALONE = 'island="disable"'
"""where everything touches everything there is one island, and looking for more costs time"""
CANDIDATES: dict[str, list[Options]] = {
    "spheres": [
        Options(
            4.5e-3, "Euler", solver="CG", solimp=0.985, noslip=15, iterations=40, tolerance=3e-6, noslip_tolerance=1e-7
        ),
        Options(
            4e-3, "Euler", solver="CG", solimp=0.985, noslip=20, iterations=40, tolerance=1e-6, noslip_tolerance=1e-7
        ),
        Options(2.5e-3, "Euler", solver="CG", solimp=0.98, noslip=20, iterations=50),
        Options(2e-3, "Euler", solver="CG", solimp=0.95, noslip=10),
        Options(2e-3, solver="CG", solimp=0.98, noslip=20),
        Options(1e-3, solver="CG", solimp=0.9, noslip=20),
    ],
    "pile": [
        Options(3e-3, "discrete", solref=1.0, solimp=0.9, impratio=100.0, iterations=20, tolerance=1e-12),
        Options(3e-3, "discrete", solref=1.0, solimp=0.9, impratio=1e3, iterations=20, tolerance=1e-12),
        Options(2.5e-3, "discrete", solref=1.0, solimp=0.9, impratio=300.0, iterations=20, tolerance=1e-12),
    ],
    "humanoid": [
        Options(4e-2, "discrete", solref=1.0, impratio=30.0, iterations=50, tolerance=1e-4, flags=ALONE),
        Options(2e-2, "discrete", solref=1.0, impratio=30.0, iterations=50, tolerance=1e-4, flags=ALONE),
        Options(2e-2, "discrete", solref=1.0, impratio=30.0, iterations=50, tolerance=1e-4),
        Options(1.5e-2, "discrete", solref=1.0, solimp=0.98, impratio=10.0, iterations=50, tolerance=1e-10),
        Options(8e-3, "discrete", solref=1.0, solimp=0.98, impratio=30.0),
        Options(2e-3, impratio=100.0),
    ],
    "gripper": [
        Options(4e-2, "discrete", solref=1.0, impratio=30.0, iterations=50, tolerance=1e-4, flags=ALONE),
        Options(2e-2, "discrete", solref=1.0, impratio=30.0, iterations=20, tolerance=1e-4, flags=ALONE),
        Options(2e-2, "discrete", solref=1.0, impratio=30.0, iterations=20, tolerance=1e-4),
        Options(1e-2, "discrete", solref=1.0, impratio=300.0, tolerance=1e-6),
        Options(8e-3, "discrete", solref=1.0, impratio=300.0, tolerance=1e-6),
        Options(5e-3, "discrete", solref=1.0, impratio=10.0),
    ],
    "chain": [
        Options(
            6.5e-3, "discrete", solver="CG", solref=1.0, solimp=0.9, iterations=12, tolerance=3e-5, jacobian="dense",
            flags=ALONE,
        ),
        Options(
            4.5e-3, "discrete", solver="CG", solimp=0.85, iterations=10, tolerance=1e-4, jacobian="dense", flags=ALONE
        ),
        Options(4e-3, "discrete", solver="CG", solimp=0.8, iterations=10, tolerance=1e-4),
        Options(4e-3, "discrete", solver="CG", solimp=0.8, iterations=20, tolerance=1e-4),
        Options(4e-3, "discrete", solimp=0.8, iterations=20, tolerance=1e-4),
        Options(3e-3, "discrete", cone="pyramidal", solimp=0.9),
    ],
}  # fmt: skip


def fastest(scene: Scene) -> Trial:
    """The best of the candidates; if none is within the thresholds, the nearest to them."""
    best = Trial(CANDIDATES[scene.name][0], None, math.inf, math.inf)
    for options in CANDIDATES[scene.name]:
        patience = best.seconds * scene.duration if best.short == 0.0 else math.inf
        trial = attempt(scene, options, patience)
        best = min(best, trial, key=lambda t: (t.short, t.seconds))
    return best


def describe(scene: Scene, trial: Trial) -> str:
    found, step = trial.measured, trial.options.step
    if found is None:
        return f"{step * 1e3:g} ms, {trial.options}: failed"
    missed = ", ".join(f"{name} x {ratio:.2g}" for name, ratio in found.excess(scene).items()) or "within"
    return (
        f"{step * 1e3:g} ms, {trial.options}: {1e6 * trial.seconds * step:.0f} us per step, "
        f"{1e3 * trial.seconds:.3g} ms per s; {found.contacts:.0f} points, penetration {found.penetration:.1e}, "
        f"sliding {found.sliding:.1e} (fastest {found.fastest:.1e}), "
        f"energy {found.energy:.1e} (rise {found.rise:.1e}), slip {found.slip:.1e}; {missed}"
    )


def main() -> None:
    from bench.contact_cases import CASES

    asked = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    asked.add_argument("cases", nargs="*", default=list(CASES))
    asked.add_argument("--seconds", type=float, default=60.0, help="wall time for each scene")
    given = asked.parse_args()
    for name in given.cases:
        scene = CASES[name]()

        def tell(trial: Trial, scene: Scene = scene) -> None:
            print("  ", describe(scene, trial), flush=True)

        best = search(scene, CANDIDATES[name], given.seconds, tell)
        print(f"{name}: {best.options!r}\n{describe(scene, best)}", flush=True)


if __name__ == "__main__":
    main()
