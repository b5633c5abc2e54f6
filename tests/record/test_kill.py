"""Files of runs that were killed: `GORI_KILLS=1000 pytest tests/record/test_kill.py -s` for a thousand of them."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from gori.record import open_recording, read_checkpoint
from tests.record.writer import rows

KILLS = int(os.environ.get("GORI_KILLS", "25"))
ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs fork")


@pytest.fixture(scope="module")
def writers():
    """The process that forks writers."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.record.writer"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "up\n"
    yield process
    process.stdin.close()
    process.wait(30)


def kill_one(writers, path, flush_seconds, seconds, wait) -> tuple[float, float]:
    """Start a writer, kill it; wall clock at both. Without `wait` it may still be making its file."""
    writers.stdin.write(f"{path} {flush_seconds}\n")
    writers.stdin.flush()
    words = {writers.stdout.readline().strip()}
    while words == {"ready"} or (wait and "ready" not in words):  # the two words come in any order
        words.add(writers.stdout.readline().strip())
    started = time.time()
    time.sleep(seconds)
    killed = time.time()
    os.kill(int(*(words - {"ready"})), signal.SIGKILL)
    while writers.stdout.readline() != "gone\n":
        pass
    return started, killed


def test_killed_runs_leave_good_files(writers, tmp_path):
    rng, path = random.Random(), tmp_path / "run.h5"
    lost, counts, checkpoints, absent = [], [], 0, 0
    for k in range(KILLS):
        # mostly kills inside the writing, where every block is flushed; some at the usual pace, some at the very start
        flush_seconds, longest, wait = (0.0, 0.15, True)
        if k % 8 == 1:
            flush_seconds, longest = 0.5, 1.2
        elif k % 8 == 2:
            longest, wait = 0.012, False
        started, killed = kill_one(writers, path, flush_seconds, rng.uniform(0.0, longest), wait)
        if not path.exists():
            assert not wait
            absent += 1
            continue
        rec = open_recording(path)
        assert rec.info["complete"] is False
        n = len(rec)
        time_, q, v, z = rows(0, n)
        assert np.array_equal(rec.time, time_)
        for name, actual, expected in (("q", rec.q, q), ("v", rec.v, v), ("z", rec.z, z)):
            assert np.array_equal(actual, expected[:, : actual.shape[1]]), name
        lost.append(killed - (rec["wall"][-1] if n else started))
        assert lost[-1] < 1.0
        saved = read_checkpoint(path)
        if saved is not None:
            checkpoints += 1
            thing = saved.parts["thing"]
            assert (thing["state"] == thing["made"]).all() and saved.time in rec.time
        counts.append(n)
        path.unlink()
    if lost:
        print(
            f"\n{KILLS} kills, {len(counts)} files, all open ({absent} killed before there was one); "
            f"samples {min(counts)} to {max(counts)}; with checkpoint {checkpoints}; "
            f"lost at most {max(lost):.3f} s, median {np.median(lost) * 1e3:.2f} ms"
        )
