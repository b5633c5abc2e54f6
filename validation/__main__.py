"""Solve all problems, print the report, exit with 1 if one misses its reference."""

import sys

from bench.timing import machine, show
from validation import a01_pendulum, energy


def main() -> None:
    good = True
    rows: list[list] = []
    good &= a01_pendulum.solve(rows)
    show(f"Against the exact motion. {machine()}", ["problem", "method", "error [m]", "energy drift [J]"], rows)
    rows = []
    good &= energy.solve(rows)
    show("Energy drift over the largest kinetic energy", ["problem", "method", "", "drift"], rows)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
