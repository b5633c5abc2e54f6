"""Workers in step: pieces of work, and barriers that nobody passes before the last has come."""

import itertools
import threading

import numpy as np

from gori.kernels.jit import kernel
from gori.kernels.particles.team import barrier, share


def test_workers_share_all_chunks():
    for count, workers in itertools.product((1, 2, 7, 100), (1, 2, 3)):
        pieces = [range(*share.py_func(count, worker, workers)) for worker in range(workers)]
        assert [k for piece in pieces for k in piece] == list(range(count))


@kernel("void(i8[::1], i8[:, ::1], i8, i8)")
def in_turn(counters, seen, worker, workers):
    """Each worker adds 1 in every round, and after a barrier sees what all have added."""
    number = 1
    for turn in range(seen.shape[0]):
        seen[turn, worker] += turn + 1
        number = barrier(counters, number, workers)
        total = 0
        for w in range(workers):
            total += seen[turn, w]
        seen[turn, workers + worker] = total
    seen[0, 2 * workers] = number


def test_nobody_passes_before_the_last():
    for workers in (1, 2, 3):
        counters, seen = np.zeros(1, np.int64), np.zeros((200, 2 * workers + 1), np.int64)
        in_turn.load()
        team = [threading.Thread(target=in_turn, args=(counters, seen, w, workers)) for w in range(workers)]
        for thread in team:
            thread.start()
        for thread in team:
            thread.join(60.0)
        assert not any(thread.is_alive() for thread in team)
        expected = workers * np.arange(1, 201)
        assert (seen[:, workers : 2 * workers] == expected[:, None]).all()
        assert seen[0, -1] == 201 and counters[0] == (200 * workers if workers > 1 else 0)
