"""`python -m soak`: kills, signals, full disks, damaged caches, forks, wrong arguments; JSON on the last line.

python -m soak [--kills 100] [--mutants 2000] [--scenes tree,impacts] [--seed S]
"""

import argparse
import json
import os
import random
import sys
import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path

from rich.console import Console

KEYS = (
    "kills", "resumes", "resumes_identical", "kills_in_checkpoint", "mixed_files", "crashes", "hangs", "full_disks",
    "cache_faults", "forks", "api_mutants", "api_crashes", "seed",
)  # fmt: skip
"""figures that are always told"""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--mutants", type=int, default=2000, help="calls with wrong arguments, and damaged files")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 31))
    parser.add_argument("--scenes", help="only these, as impulses,penalty,impacts; default: all")
    asked = parser.parse_args()
    if not hasattr(os, "fork"):
        raise SystemExit("the soak needs fork: run it on Linux or macOS")
    from soak import files, mutants
    from soak.cases import cases
    from soak.faults import Faults
    from soak.kills import Soak, Undisturbed

    warnings.simplefilter("ignore")
    console, began = Console(width=110), time.perf_counter()
    console.print(f"seed {asked.seed}")
    counts: Counter[str] = Counter()
    problems: list[str] = []
    with tempfile.TemporaryDirectory(prefix="soak-") as name:
        folder, made = Path(name), cases()
        if asked.scenes is not None:
            if unknown := [scene for scene in asked.scenes.split(",") if scene not in made]:
                parser.error(f"unknown scene {unknown[0]!r}; there are {', '.join(made)}")
            made = {scene: made[scene] for scene in asked.scenes.split(",")}
        for case in made.values():
            case.simulation().run(0.01, progress=False) if case.adaptive else case.simulation().step()
        undisturbed = Undisturbed(made, folder)
        seconds = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in undisturbed.seconds.items())
        console.print(f"left alone: {seconds}")
        soak = Soak(made, undisturbed, folder, random.Random(asked.seed))
        number = 0
        while soak.counts["kills"] < asked.kills:
            soak.one(number)
            number += 1
            if number % 20 == 0:
                console.print(f"{dict(soak.counts)}, {time.perf_counter() - began:.0f} s", style="dim")
        faults = Faults(made, undisturbed, folder, random.Random(asked.seed + 1))
        for _ in range(max(2, asked.kills // 20)):
            faults.full_disk()
            faults.shared_folder()
            faults.cache_fault()
            faults.fork()
        for part in (soak, faults):
            counts += part.counts
            problems += part.problems
    for part in (mutants, files):
        found = part.run(asked.mutants, asked.seed)
        problems += found.pop("problems", [])
        counts.update(found)
    for problem in problems:
        console.print(problem, style="red", markup=False)
    figures = {key: counts.get(key, 0) for key in (*KEYS, *counts)} | {"seed": asked.seed}
    console.print(f"{time.perf_counter() - began:.0f} s, {len(problems)} problems")
    print(json.dumps(figures | {"problems": len(problems)}))
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
