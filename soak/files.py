"""Damaged files: recordings, frames of particles, States and batches with flipped, zeroed, missing or foreign bytes are
read, in a process that may die of it. What comes out is whole, or an error of Gori; nothing crashes, hangs or fills the
memory.

    python -m soak.files 3000 1     count of files, seed
"""

import json
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import gori
from gori.errors import DamageWarning, FileError, GoriError
from gori.record import FrameFile, Frames, Recorder, Recording, columns, read_checkpoint
from gori.sim.batch import Batch
from gori.sim.runfile import read_summary
from gori.spec import Spec
from soak.watched import tries

SECONDS = 40.0
"""that one file may take; the trial of a damaged structure in a process of its own may take half of it"""
MEMORY = 1 << 30
"""that reading a file of a megabyte may take [bytes]"""


def run(count: int, seed: int) -> dict[str, Any]:
    """Damage and read so many files. What came out of them, counted:

    files_refused   by a GoriError; `files_partly`: read with a DamageWarning; `files_whole`: as if nothing had happened
    problems        what must not be, in words: number, file, damage, what happened
    """
    found: Counter[str] = Counter()
    problems: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        make_files(Path(folder))
        for told in tries(["-m", "soak.files", folder, str(seed)], 0, count, SECONDS):
            found[told["what"]] += 1
            if told["what"] not in ("refused", "partly", "whole"):
                problems.append(f"{told['k']} {told['file']} {told['damage']}: {told['what']}, {told['words']}")
    names = ("whole", "partly", "refused", "crashes", "hangs", "raw_errors", "wrong", "memory")
    return {"files": count} | {f"files_{name}": found[name] for name in names} | {"problems": problems}


# ---- whole files


def machine() -> Spec:
    """Two links and a rough ground, whose heights stand beside the Spec."""
    heights = np.random.default_rng(0).normal(size=(20, 20))
    bodies = {name: {"mass": 1.0, "com": [0, 0, -0.5], "inertia": [0.1, 0.1, 0.01]} for name in ("upper", "lower")}
    shoulder = {"type": "revolute", "parent": "ground", "child": "upper", "axis": [0, 1, 0]}
    elbow = {"type": "revolute", "parent": "upper", "child": "lower", "axis": [0, 1, 0], "at": [0, 0, -1]}
    field = {"cell": 0.1, "heights": heights.tolist()}
    return Spec(bodies=bodies, joints={"shoulder": shoulder, "elbow": elbow}, terrain={"field": field})


def make_files(folder: Path) -> None:
    """One of each kind: growing and packed recordings, frames, a State, a batch, a summary."""
    spec = machine()
    model, rng = gori.compile(spec), np.random.default_rng(1)

    def record(name: str, count: int, close: bool) -> None:
        recorder = Recorder(folder / name, model, {"method": {"type": "rk4"}, "note": "soak"}, flush_seconds=0.0)
        time = np.arange(count) * 1e-3
        for rows in np.array_split(np.arange(count), 3):
            q = rng.normal(size=(len(rows), 2))
            extra = {"a": time[rows], "table": rng.normal(size=(len(rows), 3)), "flag": rows % 2 == 0}
            recorder.append(time[rows], q, -q, extra=extra)
            recorder.checkpoint(gori.State(time[rows[-1]], q[-1], -q[-1], parts={"thing": {"n": rows[:50]}}))
        if close:
            recorder.close()
        else:
            recorder._rows.close()  # as a kill leaves it

    record("growing.h5", 400, False)
    record("small.h5", 300, True)
    record("packed.h5", 40_000, True)
    with FrameFile(folder / "frames.h5", ["upper"], ["stone"], spec=spec, capacity=8) as frames:
        for k in range(6):
            frames.append(0.1 * k, np.arange(30 + k), rng.uniform(size=(30 + k, 4)), rng.uniform(size=(30 + k, 8)))
    gori.State(0.5, [0.1, 0.2], [0.3, 0.4], parts={"thing": {"n": np.arange(100), "x": rng.normal(size=50)}}).save(
        folder / "state.npz"
    )
    made_batch().save(folder / "batch.npz")
    (folder / "summary.json").write_text(json.dumps({"ended": "finished", "time": 1.0, "steps": 1000}, indent=2))


# ---- damage


def flipped(data: bytearray, rng: np.random.Generator) -> None:
    """A few bits, most of them where headers are."""
    for _ in range(int(rng.choice([1, 1, 2, 8]))):
        within = len(data) if rng.random() < 0.5 else min(len(data), 1 << 14)
        data[int(rng.integers(within))] ^= 1 << int(rng.integers(8))


def overwritten(data: bytearray, rng: np.random.Generator) -> None:
    """A few bytes that are not zero: headers are full of zeros that mean nothing."""
    places = np.flatnonzero(np.frombuffer(bytes(data[: 1 << 14]), np.uint8))
    for at in rng.choice(places, int(rng.integers(1, 5))):
        data[at] = int(rng.integers(256))


def zeroed(data: bytearray, rng: np.random.Generator) -> None:
    """A block of a disk."""
    size = int(rng.choice([64, 512, 4096]))
    at = int(rng.integers(len(data))) // size * size
    end = min(at + size, len(data))
    data[at:end] = bytes(end - at)


def cut_off(data: bytearray, rng: np.random.Generator) -> None:
    """The end is missing."""
    del data[int(rng.integers(len(data))) :]


def exchanged(data: bytearray, rng: np.random.Generator) -> None:
    """Two blocks in each other's place."""
    size = 512
    one, two = (int(at) * size for at in rng.integers(max(1, len(data) // size), size=2))
    data[one : one + size], data[two : two + size] = data[two : two + size], data[one : one + size]


def extended(data: bytearray, rng: np.random.Generator) -> None:
    """Foreign bytes at the end."""
    data += rng.bytes(int(rng.integers(1, 5000)))


def unsealed(data: bytearray, rng: np.random.Generator) -> None:
    """As of an older version, without the checksum of the structure, and damaged."""
    at = data.find(b"gori seal")
    if at >= 0:
        data[at : at + 4] = b"none"
    overwritten(data, rng)


DAMAGE: tuple[Callable[[bytearray, np.random.Generator], None], ...] = (
    flipped, flipped, flipped, overwritten, zeroed, cut_off, exchanged, extended, unsealed
)  # fmt: skip


# ---- reading


def read_recording(path: Path) -> dict[str, np.ndarray]:
    """Everything in a recording."""
    rec = Recording.load(path)
    found = {name: rec.numbers(name) for name in ("time", "q", "v", "z")}
    found |= {name: rec[name] for name in ("table", "flag", "lower.z", "energy.total") if name in rec}
    state = read_checkpoint(path)
    if state is not None:
        found |= {f"checkpoint/{name}": value for name, value in state.arrays().items()}
    return found


def continued(path: Path) -> dict[str, np.ndarray]:
    """A recording that is taken up."""
    recorder = Recorder.resume(path, gori.compile(machine()))
    recorder.append([1e6], [[0.0, 0.0]], [[0.0, 0.0]], extra={"a": [0.0], "table": np.zeros((1, 3)), "flag": [True]})
    recorder.close()
    return {}


def read_frames(path: Path) -> dict[str, np.ndarray]:
    """Everything in a file of frames."""
    frames = Frames(path)
    found = {"times": frames.times, "bodies": np.array([*frames.bodies, *frames.materials])}
    found |= {f"spheres {k}": frame.spheres for k, frame in enumerate(frames)}
    found["spec"] = np.array(frames.spec is not None)
    return found


def continued_frames(path: Path) -> dict[str, np.ndarray]:
    """Frames that are taken up."""
    with FrameFile.resume(path) as frames:
        frames.append(1e6, np.arange(3), np.ones((3, 4)), np.ones((3, 8)))
    return {}


def read_state(path: Path) -> dict[str, np.ndarray]:
    """A State."""
    return gori.State.load(path).arrays()


def made_batch() -> Batch:
    """Three machines that have moved."""
    batch = Batch(gori.compile(machine()), 3, gori.Adams(step=1e-3))
    batch.v[:] = [[1.0, 0.0], [0.0, 1.0], [1.0, -1.0]]
    batch.step(10)
    return batch


def read_batch(path: Path) -> dict[str, np.ndarray]:
    """A batch that is taken up: what it finds, after one more step."""
    batch = made_batch()
    batch.load(path)
    batch.step(1)
    batch.failures()
    return {"q": batch.q.copy(), "v": batch.v.copy(), "time": batch.time, "failed": batch.failed}


def read_a_summary(path: Path) -> dict[str, np.ndarray]:
    """What a run said of itself."""
    path.rename(path.with_name("summary.json"))
    return {"ended": np.array(str(read_summary(path.parent).get("ended")))}


READERS: tuple[tuple[str, Callable[[Path], dict[str, np.ndarray]]], ...] = (
    ("growing.h5", read_recording), ("growing.h5", continued), ("small.h5", read_recording),
    ("packed.h5", read_recording), ("packed.h5", continued), ("frames.h5", read_frames),
    ("frames.h5", continued_frames), ("state.npz", read_state), ("batch.npz", read_batch),
    ("summary.json", read_a_summary),
)  # fmt: skip
CHECKED = ("packed.h5", "state.npz", "batch.npz")
"""files all of whose numbers, but for columns of a few kilobytes, have a checksum"""


def attempt(folder: Path, work: Path, seed: int, k: int) -> Iterator[dict[str, Any]]:
    """Damage and read one file: first what is tried, then what came out."""
    rng = np.random.default_rng([seed, k])
    name, reader = READERS[int(rng.integers(len(READERS)))]
    damage = DAMAGE[int(rng.integers(len(DAMAGE)))]
    data = bytearray((folder / name).read_bytes())
    damage(data, rng)
    path = work / name
    path.write_bytes(data)
    columns.AT_ONCE = int(rng.choice([0, 1 << 23]))  # read as a large file is, or as a small one
    yield {"k": k, "file": name, "damage": damage.__name__}
    what, words = "whole", ""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = reader(path)
            if any(issubclass(warning.category, DamageWarning) for warning in caught):
                what = "partly"
            elif name in CHECKED and not _same(found, reader, folder / name, work):
                what, words = "wrong", "other numbers, and no warning"
        except GoriError as error:
            what, words = "refused", str(error)
            if isinstance(error, FileError) and path.name not in words:
                what = "raw_errors"
        except Exception as error:
            what, words = "raw_errors", f"{type(error).__name__}: {error}"
    yield {"what": what, "words": words}


def _same(found: dict[str, np.ndarray], reader: Callable, path: Path, work: Path) -> bool:
    copy = work / f"whole-{path.name}"
    copy.write_bytes(path.read_bytes())
    whole = reader(copy)
    return found.keys() == whole.keys() and all(np.array_equal(found[name], whole[name]) for name in whole)


def _peak() -> int:
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def main(folder: Path, seed: int, first: int, count: int) -> None:
    """The process that may die."""
    with tempfile.TemporaryDirectory() as work:
        for name, reader in READERS:  # what is loaded once does not count as memory of a file
            copy = Path(work) / name
            copy.write_bytes((folder / name).read_bytes())
            reader(copy)
        before = _peak()
        for k in range(first, count):
            steps = attempt(folder, Path(work), seed, k)
            print(json.dumps(next(steps)), flush=True)
            told = next(steps)
            if (more := _peak() - before) > MEMORY:
                told, before = {"what": "memory", "words": f"{more >> 20} MB"}, before + more
            print(json.dumps(told), flush=True)


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(json.dumps(run(int(sys.argv[1]), int(sys.argv[2])), indent=2))
    else:
        main(Path(sys.argv[1]), *map(int, sys.argv[2:]))
