"""`python -m fuzz`: hostile files of all formats; a table, and JSON on the last line.

python -m fuzz [--count 20000] [--seed 1] [--processes 2]
"""

import argparse
import json
import random
import sys
import time

from bench.timing import console, machine, show
from fuzz.run import COLUMNS, rows, run


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--count", type=int, default=20_000, help="mutants")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 31))
    parser.add_argument("--processes", type=int, default=2)
    asked = parser.parse_args()
    began = time.perf_counter()

    def tell(problem: str) -> None:
        console.print(problem, style="red", markup=False, highlight=False, soft_wrap=True)

    found = run(asked.count, asked.seed, asked.processes, tell)
    took = time.perf_counter() - began
    show(f"Hostile files, seed {asked.seed}, {took:.0f} s; {machine()}", ["format", *COLUMNS], rows(found))
    print(json.dumps(found.figures() | {"seconds": round(took), "seed": asked.seed, "problems": len(found.problems)}))
    sys.exit(1 if found.problems else 0)


if __name__ == "__main__":
    main()
