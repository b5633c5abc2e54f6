"""Files of other programs: how many of them load, and compute what the other program computes.

MJCF: all files of five packages that MuJoCo compiles. Mass matrix, bias force, inverse and forward dynamics at random
states, without constraints and contacts, must agree to 1e-9 of the largest number. Then all forces that act besides, of
springs, dampers, actuators and gravity compensation, for the files whose forces a Spec holds.
"""

import argparse
import time
import warnings
from collections import Counter
from pathlib import Path

import gori
from bench.mjcf_packages import PACKAGES, cache, mjcf_files, unpacked
from bench.mujoco_agrees import compiled, errors, same_forces
from bench.timing import console, finish, machine, show
from gori.errors import GoriError

BOUND = 1e-9
COUNTED = ("tried", "agrees", "refused", "differs", "with forces", "forces agree")
HUMANOID = "gymnasium/envs/mujoco/assets/humanoid.xml"


def judged(path: Path, within: Path) -> str | None:
    """ "agrees", or why a file does not; None for one that MuJoCo refuses."""
    m = compiled(path)
    if m is None:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = gori.compile(gori.load(path, within=within), open_loops=True)
            found = errors(m, model)
    except GoriError as error:
        return f"refused: {str(error).removeprefix(str(path))}"
    worst = max(found, key=found.__getitem__)
    return "agrees" if found[worst] <= BOUND else f"{worst} differs by {found[worst]:.1e}"


def load_time(path: Path) -> float:
    """Milliseconds from a file to its Model, the best of ten."""
    best = float("inf")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(11):
            start = time.perf_counter()
            gori.compile(gori.load(path))
            best = min(best, time.perf_counter() - start)
    return 1e3 * best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cache", type=Path, default=cache(), help="folder for what is fetched")
    folder = parser.parse_args().cache
    rows, reasons, total = [], [], Counter()
    for package in PACKAGES:
        root = unpacked(package, folder)
        counts = Counter()
        for path in mjcf_files(root):
            if (words := judged(path, root)) is not None:
                counts["tried"] += 1
                counts["agrees" if words == "agrees" else "refused" if words.startswith("refused") else "differs"] += 1
                if words == "agrees" and (error := same_forces(path, root)) is not None:
                    counts["with forces"] += 1
                    counts["forces agree"] += error <= BOUND
                    if error > BOUND:
                        reasons.append(f"{path.relative_to(root)}: with all forces differs by {error:.1e}")
                if words != "agrees":
                    reasons.append(f"{path.relative_to(root)}: {words}")
        rows.append([package, *(counts[name] for name in COUNTED)])
        total += counts
    columns = ["package", "compiled by MuJoCo", "agree", "refused", "differ", "all forces held", "they agree"]
    show(f"MJCF against MuJoCo; {machine()}", columns, rows)
    for reason in reasons:
        console.print(reason, soft_wrap=True, highlight=False)
    finish(
        {
            "mjcf_ok": total["agrees"],
            "mjcf_tried": total["tried"],
            "mjcf_forces_ok": total["forces agree"],
            "mjcf_forces_tried": total["with forces"],
            "load_ms_humanoid": load_time(folder / "gymnasium" / HUMANOID),
        }
    )


if __name__ == "__main__":
    main()
