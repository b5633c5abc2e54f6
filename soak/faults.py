"""A full disk, two runs in one folder, damaged caches of kernels, and forks."""

import os
import random
import resource
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np

import gori
from gori.record import read_checkpoint
from soak.cases import ROOT, Case, print_of
from soak.children import run
from soak.kills import Undisturbed

LOAD = """
from gori.kernels.tree.configuration import difference_batch
import numpy as np
difference_batch(np.zeros((1, 6), np.int64), np.zeros((1, 0)), np.zeros((1, 0)), np.zeros((1, 0)))
"""


class Faults:
    """`counts` are the figures, `problems` what was not as it should be."""

    def __init__(self, cases: dict[str, Case], undisturbed: Undisturbed, folder: Path, rng: random.Random):
        self._cases, self._undisturbed, self._folder, self._rng = cases, undisturbed, folder, rng
        self.counts: Counter[str] = Counter(full_disks=0, cache_faults=0, forks=0, folders_shared=0, mixed_files=0)
        self.problems: list[str] = []

    def full_disk(self) -> None:
        """No file may grow beyond a random size: the run ends as failed, says so, and goes on when there is room."""
        name = self._rng.choice(list(self._cases))
        case, path = self._cases[name], self._folder / "full.h5"
        most = self._rng.randint(300_000, 700_000)

        def starved() -> str:
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
            try:
                case.begin(path)
            except gori.errors.RecordError as error:
                end = gori.Recording.load(path).info["end"] if path.exists() else "failed"
                return f"{end}: {error}"
            return "it fitted"

        ended = run(starved)
        self.counts["full_disks"] += 1
        if ended.code != 0 or not (ended.text.startswith("failed:") or ended.text == "it fitted"):
            self.problems.append(f"full disk, {name}: code {ended.code}: {ended.text[-1500:]}")
        elif path.exists() and ended.text != "it fitted" and read_checkpoint(path) is not None:
            ended = run(lambda: (case.resume(path), print_of(path))[1])
            if ended.text != self._undisturbed.prints[name]:
                self.problems.append(f"full disk, {name}, taken up: code {ended.code}: {ended.text[-1500:]}")
        for file in self._folder.glob("*full*"):
            file.unlink()

    def shared_folder(self) -> None:
        """Two programs run different machines into one folder: one of them does it, the other is refused."""
        out = self._folder / "shared"
        commands = [
            [sys.executable, "-m", "gori.cli", "run", str(ROOT / "examples" / file), "--out", str(out), "--overwrite",
             "--no-plots", "--duration", "2", "--method", "rk4", "--step", "1e-5"]
            for file in ("pendulum.yaml", "swinging_chain.yaml")
        ]  # fmt: skip
        both = [subprocess.Popen(one, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) for one in commands]
        ends = [(one.communicate(timeout=120)[1], one.returncode) for one in both]
        self.counts["folders_shared"] += 1
        good = [k for k, (_, code) in enumerate(ends) if code == 0]
        refused = all(code == 2 and "is in use" in text for text, code in ends if code)
        spec = gori.open_run(out).model.spec if good else None
        if not good or not refused or spec != gori.load(out / "run.yaml"):
            self.counts["mixed_files"] += 1
            self.problems.append(f"two runs in one folder: {ends}")
        shutil.rmtree(out, ignore_errors=True)

    def cache_fault(self) -> None:
        """A cache with a damaged or missing file, or one that cannot be written."""
        cache, rng = self._folder / "cache", self._rng
        env = {**os.environ, "GORI_CACHE": str(cache)}
        subprocess.run([sys.executable, "-c", LOAD], env=env, check=True, capture_output=True)
        file = rng.choice([path for path in cache.rglob("*") if path.is_file()])
        kind = rng.choice(("cut", "flip", "remove", "folder"))
        if kind == "cut":
            os.truncate(file, rng.randint(0, file.stat().st_size))
        elif kind == "flip" and file.stat().st_size:
            content = bytearray(file.read_bytes())
            content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
            file.write_bytes(content)
        elif kind == "remove":
            file.unlink()
        elif kind == "folder":
            shutil.rmtree(cache)
            cache.write_text("not a folder")
        self.counts["cache_faults"] += 1
        for _ in range(2):
            done = subprocess.run([sys.executable, "-c", LOAD], env=env, capture_output=True, text=True)
            if done.returncode:
                self.problems.append(f"cache, {kind} of {file.name}: {done.stderr[-1500:]}")
                break
        shutil.rmtree(cache, ignore_errors=True) if cache.is_dir() else cache.unlink(missing_ok=True)

    def fork(self) -> None:
        """A Simulation that has moved is moved on in a forked child as in its parent."""
        stepping = [name for name, case in self._cases.items() if not case.adaptive]
        if not stepping:
            return
        name = self._rng.choice(stepping)

        def both() -> str:
            simulation = self._cases[name].simulation()
            simulation.step(5)
            ended = run(lambda: simulation.step(5).q.tobytes().hex(), 30.0)
            here = simulation.step(5).q
            same = ended.code == 0 and np.array_equal(np.frombuffer(bytes.fromhex(ended.text)), here)
            return "same" if same else f"code {ended.code}: {ended.text[-1000:]}"

        ended = run(both, 60.0)
        self.counts["forks"] += 1
        if ended.text != "same":
            self.problems.append(f"fork, {name}: {ended.code}: {ended.text[-1500:]}")
