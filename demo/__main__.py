"""Run all cases; exit with 1 if one of them fails its check."""

import sys
import time
from pathlib import Path

from bench.timing import machine
from demo import contact, implicit, loops, motion, particles, robust, states, trees, vehicles
from demo.report import Report


def main() -> None:
    print("compiling kernels where this machine has none yet (first run only, about five minutes)", flush=True)
    start = time.perf_counter()
    report = Report(Path("out") / "demo")
    for case in (
        *trees.CASES,
        *motion.CASES,
        *states.CASES,
        *robust.CASES,
        *implicit.CASES,
        *loops.CASES,
        *contact.CASES,
        *vehicles.CASES,
        *particles.CASES,
    ):
        report.run(case)
    seconds = time.perf_counter() - start
    path = report.write(f"{machine()}; {seconds:.0f} s in all")
    print(f"report with pictures: {path}")
    if not all(case.passed for case in report.cases):
        sys.exit(1)


if __name__ == "__main__":
    main()
