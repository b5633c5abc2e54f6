"""Writers to be killed: reads lines `path flush_seconds` and for each forks a child that records as fast as it can.

Forked from a process that has imported everything, so that a kill takes milliseconds. Prints the child's id, and
`ready` when its file is there.
"""

import os
import sys
import time

import numpy as np

import gori
from gori.record import Recorder
from tests.checks import arm


def rows(first: int, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Samples that can be checked: every number follows from its index."""
    n = np.arange(first, first + count, dtype=float)
    return n / 1024.0, n[:, None] + [0.25, 0.5], -n[:, None] * [1.0, 2.0], n[:, None] * [3.0]


def record(path: str, flush_seconds: float, say) -> None:
    """Append blocks of random size, with wall clock and a checkpoint now and then, until killed."""
    rng, first, made = np.random.default_rng(), 0, 0
    with Recorder(path, MODEL, flush_seconds=flush_seconds) as recorder:
        say("ready")
        while True:
            count = int(rng.integers(1, 200))
            recorder.append(*rows(first, count), extra={"wall": np.full(count, time.time())})
            first += count
            if flush_seconds == 0.0 and rng.random() < 0.2:  # it flushes, and the usual pace shall be seen as well
                made += 1
                # the size changes, so that slots must grow
                size = int(rng.integers(1, 50 * made + 2))
                parts = {"thing": {"made": made, "state": np.full(size, made)}}
                recorder.checkpoint(gori.State((first - 1) / 1024.0, [], [], parts=parts))


if __name__ == "__main__":
    MODEL = gori.compile(arm())
    print("up", flush=True)
    for line in sys.stdin:
        path, flush = line.split()
        pid = os.fork()
        if pid == 0:
            try:
                record(path, float(flush), lambda word: os.write(1, f"{word}\n".encode()))
            finally:
                os._exit(1)
        os.write(1, f"{pid}\n".encode())
        os.waitpid(pid, 0)
        os.write(1, b"gone\n")
