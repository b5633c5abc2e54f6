"""Two checkouts of Gori beside each other: what a change costs or gains, in every case of every bench.

python -m bench.before_after OLD [NEW] [--turns 5] [--cases tree loops]

Both take turns, a process each, and the median of the ratios new / old counts: a noisy neighbour disturbs both.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from statistics import median

from bench.timing import console, finish, machine, show

SCRIPT = Path(__file__).with_name("own_times.py")


def times(tree: Path, cases: list[str]) -> dict[str, float]:
    """Seconds of all cases in a checkout."""
    path = os.pathsep.join([str(tree / "src"), str(tree), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, str(SCRIPT), *cases]
    done = subprocess.run(command, cwd=tree, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{tree}: {done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path, nargs="?", default=Path.cwd())
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--cases", nargs="*", default=["tree", "simulate", "implicit", "loops", "vehicle", "particles"])
    asked = parser.parse_args()
    old, new = [], []
    for turn in range(asked.turns):
        old.append(times(asked.old.resolve(), asked.cases))
        new.append(times(asked.new.resolve(), asked.cases))
        console.print(f"turn {turn + 1} of {asked.turns} done", style="dim")
    rows, ratios = [], {}
    for name in (name for name in new[0] if name in old[0]):
        ratios[name] = median(after[name] / before[name] for before, after in zip(old, new))
        least = min(one[name] for one in old), min(one[name] for one in new)
        rows.append([name, 1e6 * least[0], 1e6 * least[1], ratios[name], least[1] / least[0]])
    columns = ["case", "old, least us", "new, least us", "median of ratios", "ratio of the least"]
    show(f"{asked.turns} turns. {machine()}", columns, rows)
    worst = max(ratios, key=ratios.__getitem__)
    console.print(f"worst: {worst}, {ratios[worst]:.3f}; {sum(one > 1.05 for one in ratios.values())} above 1.05")
    finish(ratios)


if __name__ == "__main__":
    main()
