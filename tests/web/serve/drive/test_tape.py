"""What is kept of a drive, and shown again."""

import time

import numpy as np

from gori.web.serve.drive.tape import Tape, play
from gori.web.serve.ruts import RutMap


def frame(moment, throttle):
    return {"row": np.array([moment, 1.0]), "rows": np.array([[moment - 0.01, 0.0], [moment, throttle]]),
            "values": {"throttle": throttle}, "stones": (1, 2), "gear": "R"}  # fmt: skip


def test_frames_keep_controls_and_the_ruts_of_their_time():
    ruts = RutMap(10)
    ruts.change(np.array([1]), np.array([0.5], np.float32))
    tape = Tape(ruts)
    tape.add({"row": np.zeros(2)}, ruts, None)  # it had not begun
    for k in range(20):
        cells = np.array([2, k % 10])
        ruts.change(cells, np.float32([0.01 * k, 0.02]))
        tape.add(frame(0.02 * (k + 1), 0.05 * k), ruts, cells)
    assert tape.start.tolist() == [0, 0.5] + 8 * [0] and tape.length == 0.4 - 0.01 and not tape.full
    assert [kept["values"]["throttle"] for kept, _ in tape.frames] == [0.05 * k for k in range(20)]
    assert all(kept["gear"] == "R" and "stones" not in kept and kept["row"][1] == 0.05 * k for k, (kept, _) in
               enumerate(tape.frames))  # fmt: skip
    shown, depth = [], tape.start.copy()

    def show(kept, piece):
        if piece is not None:
            depth[piece[0]] = piece[1]
        shown.append((kept["row"][0], time.perf_counter()))
        return True

    play(tape, show)
    moments, clock = np.array(shown).T
    assert np.ptp(clock) >= 0.3 and len(moments) >= 10 and (np.diff(moments) > 0).all()
    assert abs(depth[2] - 0.19) < 0.05 and depth[1] != 0.5


def test_a_replay_ends_when_it_is_told():
    tape = Tape(None)
    for k in range(5):
        tape.add(frame(0.01 * (k + 1), 0.0), None, None)
    shown = []
    play(tape, lambda kept, piece: len(shown) < 2 and not shown.append(kept))
    assert len(shown) == 2
