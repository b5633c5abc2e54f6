"""The process that reads mutants, which may die of it: python -m fuzz.tries SEED COUNT FIRST END; results as
`soak.watched` wants them.
"""

import contextlib
import json
import os
import resource
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from fuzz import hostile, recordings
from fuzz.formats import FORMATS, Seed, fill, seeds
from fuzz.judge import Verdict, judged

MEMORY = 1 << 30
"""that a file may take, besides what the process has from the start [bytes]"""
HDF5 = "hdf5"
SHARES = {name: found.share for name, found in FORMATS.items()} | {HDF5: 75}


def format_of(number: int) -> str:
    """The format of a mutant: each has its share of any thousand."""
    at = number * 617 % sum(SHARES.values())  # neighbours are of different formats
    for name, share in SHARES.items():
        at -= share
        if at < 0:
            return name
    raise AssertionError


def mutant(name: str, rng: hostile.Rng) -> tuple[Seed, bytes, str]:
    """A seed of a format, its content with a change, and words on the change."""
    known, kind = seeds(name), FORMATS[name]
    seed = hostile.one_of(rng, known)
    if rng.random() < kind.blind:
        return seed, *hostile.text(seed.content, rng)
    return seed, *kind.mutate(seed.content, rng, [other.content for other in known])


class Reader:
    """Reads mutants in a folder of its own."""

    def __init__(self, folder: Path, seed: int):
        self._seed, self._work, self._stored, self._date = seed, folder / "work", folder / "stored", 10**9
        for place, make in ((self._work, fill), (self._stored, recordings.fill)):
            place.mkdir()
            make(place)

    def warm(self) -> None:
        """Read all seeds: what is loaded once does not count as time and memory of a file."""
        for name in FORMATS:
            for one in seeds(name):
                verdict = self._read(one, one.content)
                if verdict.what != "loaded":
                    raise RuntimeError(f"the seed {one.target} of {name}: {verdict}")
        for name, reader in recordings.READERS:
            copy = self._work / name
            shutil.copyfile(self._stored / name, copy)
            reader(copy)

    def attempt(self, number: int) -> tuple[dict[str, Any], Callable[[], Verdict]]:
        """What is tried, and a function that tries it."""
        rng, name = np.random.default_rng([self._seed, number]), format_of(number)
        if name == HDF5:
            path, read, told = recordings.mutant(self._stored, self._work, rng)
            return {"k": number, "format": name, "file": path.name, "told": told}, lambda: judged(read, path)
        seed, content, told = mutant(name, rng)
        return {"k": number, "format": name, "file": seed.target, "told": told}, lambda: self._read(seed, content)

    def _read(self, seed: Seed, content: bytes) -> Verdict:
        target = self._work / seed.target
        self._write(target, content)
        try:
            return judged(seed.read, self._work / seed.main)
        finally:
            self._write(target, seed.content)

    def _write(self, target: Path, content: bytes) -> None:
        """Each time with another date: MuJoCo keeps the meshes of files whose dates have not changed."""
        target.write_bytes(content)
        self._date += 1
        os.utime(target, (self._date, self._date))

    def parsed(self, number: int) -> bool:
        """Whether the parser before Gori takes a mutant that was refused."""
        rng, name = np.random.default_rng([self._seed, number]), format_of(number)
        seed, content, _ = mutant(name, rng)
        target = self._work / seed.target
        target.write_bytes(content)
        try:
            FORMATS[name].parse(content, target)
        except Exception:  # whatever it may say
            return False
        finally:
            target.write_bytes(seed.content)
        return True


def parsed_hdf5(words: str) -> bool:
    return "as HDF5" not in words and "its structure (HDF5) cannot" not in words


def main(seed: int, first: int, end: int) -> None:
    out = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # where parsers may print
    dies = int(os.environ.get("GORI_MUTANT_DIES_AT", "-1"))  # a test of the harness itself
    with tempfile.TemporaryDirectory(prefix="fuzz-") as name, contextlib.chdir(name):
        reader = Reader(Path(name), seed)
        reader.warm()
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        most = _held() + MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        for number in range(first, end):
            told, attempt = reader.attempt(number)
            print(json.dumps(told), file=out, flush=True)
            if number == dies:
                os.abort()
            verdict = attempt()
            past = verdict.what != "refused"
            if not past:
                past = parsed_hdf5(verdict.words) if told["format"] == HDF5 else reader.parsed(number)
            print(
                json.dumps({"what": verdict.what, "words": verdict.words[:1000], "parsed": past}), file=out, flush=True
            )


def _held() -> int:
    """Address space of this process [bytes]."""
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
