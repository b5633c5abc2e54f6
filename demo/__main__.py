"""Run all cases; exit with 1 if one of them fails its check."""

import sys
import time
from pathlib import Path

from bench.timing import machine
from demo import contact, formats, implicit, loops, many, motion, particles, robust, states, trees, vehicles, viewer
from demo.report import Report

CHAPTERS = {
    "Vehicles": vehicles.CASES,
    "Closed loops": loops.CASES,
    "Contact": contact.CASES,
    "Particles": particles.CASES,
    "View and drive": viewer.CASES,
    "Kinematics and dynamics": trees.CASES,
    "Many machines at once": many.CASES,
    "Integration": (*motion.CASES, *implicit.CASES),
    "States and files": (*states.CASES, *robust.CASES, *formats.CASES),
}
"""what moves comes first"""


def main() -> None:
    print("compiling kernels where this machine has none yet (first run only, about five minutes)", flush=True)
    start = time.perf_counter()
    report = Report(Path("out") / "demo")
    for title, cases in CHAPTERS.items():
        report.chapter(title)
        for case in cases:
            report.run(case)
    path = report.write(machine(), start)
    print(f"report with pictures: {path} ({time.perf_counter() - start:.0f} s)")
    if not all(case.passed for case in report.cases):
        sys.exit(1)


if __name__ == "__main__":
    main()
