"""Files of other programs: how many of them load, and compute what the other program computes.

MJCF: all files of six packages that MuJoCo compiles. Mass matrix, bias force, inverse and forward dynamics at random
states, without constraints and contacts, must agree to 1e-9 of the largest number. Then all forces that act besides, of
springs, dampers, actuators and gravity compensation, for the files whose forces a Spec holds; and the same dynamics
after `gori.save` has written the Spec as MJCF again, by MuJoCo and by Gori. URDF: all files of three packages that
Pinocchio reads, against Pinocchio. SDFormat: all files of six packages, against Drake. And hostile files of all
formats (`fuzz`).
"""

import argparse
import tempfile
import time
import warnings
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import gori
from bench import urdf_agrees
from bench.format_packages import MJCF, SDF, URDF, cache, mjcf_files, sdf_files, unpacked, urdf_files
from bench.mujoco_agrees import compiled, errors, same_forces
from bench.timing import console, finish, machine, show
from fuzz.run import COLUMNS, rows, run
from gori.errors import GoriError

BOUND = 1e-9
HUMANOID = "gymnasium/envs/mujoco/assets/humanoid.xml"
Verdict = tuple[str, str]
"""a column of the table, and words where it is not the good one"""


def reading(path: Path, within: Path) -> Verdict | None:
    """Whether Gori computes what MuJoCo computes; None for a file that MuJoCo refuses."""
    if (m := compiled(path)) is None:
        return None
    try:
        model = gori.compile(gori.load(path, within=within), open_loops=True)
    except GoriError as error:
        return "refused", str(error)
    return _verdict(errors(m, model), "agree", "differ")


def forces(path: Path, within: Path) -> Verdict | None:
    """Whether all forces act alike; None where a Spec does not hold them all."""
    error = same_forces(path, within)
    return None if error is None else _verdict({"force": error}, "forces agree", "forces differ")


def writing(path: Path, within: Path, folder: Path) -> Verdict:
    """Whether MuJoCo computes the same from what Gori writes, and Gori from what it reads again."""
    spec, written = gori.load(path, within=within), folder / "written.xml"
    try:
        gori.save(spec, written)
    except GoriError as error:
        return "not written", str(error)
    m, first = compiled(written), gori.compile(spec, open_loops=True)
    if m is None:
        return "written wrong", "MuJoCo refuses what was written"
    again = gori.compile(gori.load(written, within="/"), open_loops=True)
    found = errors(m, again)
    if again.joint_names != first.joint_names:
        return "written wrong", "other joints"
    if first.nv:
        q = first.random(1)
        M = first.mass_matrix(q)
        found["first mass"] = float(abs(again.mass_matrix(q) - M).max() / abs(M).max())
    return _verdict(found, "written", "written wrong")


def _verdict(found: dict[str, float], good: str, bad: str) -> Verdict:
    worst = max(found, key=found.__getitem__)
    return (good, "") if found[worst] <= BOUND else (bad, f"{worst} differs by {found[worst]:.1e}")


def mjcf(folder: Path) -> Counter:
    """All MJCF files: a table, and counts."""
    columns = ["agree", "refused", "differ", "forces agree", "forces differ", "written", "not written", "written wrong"]
    rows, reasons, total = [], [], Counter()
    with tempfile.TemporaryDirectory(prefix="gori-bench-") as scratch:
        for package in MJCF:
            root, counts = unpacked(package, folder), Counter()
            for path in mjcf_files(root):
                if (first := reading(path, root)) is None:
                    continue
                counts["tried"] += 1
                verdicts = [first]
                if first[0] == "agree":
                    verdicts += [forces(path, root), writing(path, root, Path(scratch))]
                for verdict in verdicts:
                    if verdict is not None:
                        counts[verdict[0]] += 1
                        reasons += [f"{path.relative_to(root)}: {': '.join(verdict)}"] if verdict[1] else []
            rows.append([package, counts["tried"], *(counts[name] for name in columns)])
            total += counts
    show(f"MJCF against MuJoCo; {machine()}", ["package", "MuJoCo compiles", *columns], rows)
    for reason in reasons:
        console.print(reason, soft_wrap=True, highlight=False)
    return total


def urdf(folder: Path) -> Counter:
    """All URDF files: a table, and counts."""
    rows, total = [], Counter()
    for package in URDF:
        verdicts = [(path, urdf_agrees.judged(path)) for path in urdf_files(unpacked(package, folder))]
        counts = Counter("agree" if words == "agrees" else "not" for _, words in verdicts if words is not None)
        rows.append([package, counts["agree"] + counts["not"], counts["agree"]])
        for path, words in verdicts:
            if words not in (None, "agrees"):
                console.print(f"{path.name}: {words}", soft_wrap=True, highlight=False)
        total += counts
    show("URDF against Pinocchio", ["package", "Pinocchio reads", "agree"], rows)
    return total


def sdf(folder: Path) -> Counter:
    """All SDFormat files: a table, and counts."""
    from bench import sdf_agrees  # here, since Drake is large

    columns = ["agrees", "differs", "refused", "Drake refuses"]
    rows, total = [], Counter()
    for package in SDF:
        root, counts = unpacked(package, folder), Counter()
        for path in sdf_files(root):
            verdict, words = sdf_agrees.judged(path, root)
            counts[verdict] += 1
            if verdict != "agrees" or ";" in words:
                console.print(f"{path.relative_to(root)}: {verdict}: {words}", soft_wrap=True, highlight=False)
        rows.append([package, sum(counts.values()), *(counts[name] for name in columns)])
        total += counts
    show("SDFormat against Drake", ["package", "files", *columns], rows)
    return total


def mutants(count: int) -> dict[str, int]:
    """Hostile files: a table, and counts."""
    found = run(count, seed=1, tell=lambda problem: console.print(problem, soft_wrap=True, markup=False))
    show(f"Hostile files; {machine()}", ["format", *COLUMNS], rows(found))
    return found.figures()


def load_time(path: Path) -> float:
    """Milliseconds from a file to its Model, the best of twenty."""
    best = float("inf")
    for _ in range(21):
        start = time.perf_counter()
        gori.compile(gori.load(path))
        best = min(best, time.perf_counter() - start)
    return 1e3 * best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cache", type=Path, default=cache(), help="folder for what is fetched")
    parser.add_argument("--only", choices=("mjcf", "urdf", "sdf", "mutants"), help="one of them; SDFormat needs Drake")
    parser.add_argument("--mutants", type=int, default=20_000, help="hostile files")
    given = parser.parse_args()
    figures: dict[str, float | None] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if given.only in (None, "mjcf"):
            unpacked("gymnasium==1.4.0", given.cache)
            humanoid = load_time(given.cache / "gymnasium" / HUMANOID)  # before the memory is full
            found = mjcf(given.cache)
            figures |= {
                "mjcf_ok": found["agree"],
                "mjcf_tried": found["tried"],
                "mjcf_forces_ok": found["forces agree"],
                "mjcf_forces_tried": found["forces agree"] + found["forces differ"],
                "mjcf_written_ok": found["written"],
                "load_ms_humanoid": humanoid,
            }
        if given.only in (None, "urdf"):
            found = urdf(given.cache)
            figures |= {"urdf_ok": found["agree"], "urdf_tried": found["agree"] + found["not"]}
        if given.only == "sdf" or (given.only is None and find_spec("pydrake")):
            found = sdf(given.cache)
            figures |= {"sdf_ok": found["agrees"], "sdf_tried": found.total()}
        if given.only in (None, "mutants"):
            figures |= mutants(given.mutants)
    finish(figures)


if __name__ == "__main__":
    main()
