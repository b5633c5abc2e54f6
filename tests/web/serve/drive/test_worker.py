"""The loop that simulates, without a process of its own."""

import threading
from multiprocessing import Pipe

from gori.web.serve.drive.truck import DriveOptions
from gori.web.serve.drive.worker import IN_FLIGHT, Worker, _latest, work


def test_frames_stop_without_credit_and_nothing_is_lost():
    import numpy as np

    ours, theirs = Pipe()
    worker = Worker(DriveOptions(soil="dry_sand"), theirs)
    thread = threading.Thread(target=worker.run, daemon=True)
    thread.start()
    assert ours.recv()[0] == "ready"
    ours.send(("pedals", 1.0, 0.0, 0.0, True, "D", False, 5.0))
    frames = []
    while ours.poll(2.0) and len(frames) < IN_FLIGHT:
        frames.append(ours.recv()[1])
    assert len(frames) == IN_FLIGHT and not ours.poll(0.3)  # no queue grows
    ours.send(("record", True))
    ours.send(("credit",))
    late = ours.recv()[1]
    assert late["row"][0] > frames[-1]["row"][0] + 0.2 and late["sent"] == 5.0
    assert len(late["ruts"][0]) == len(np.unique(late["ruts"][0]))
    ours.send(("pause", True))
    ours.send(("end",))
    thread.join(20)
    assert not thread.is_alive()


def test_the_latest_depth_counts():
    import numpy as np

    pieces = [(np.array([5, 2]), np.array([0.1, 0.2])), (np.array([2]), np.array([0.3]))]
    cells, depth = _latest(pieces)
    assert cells.tolist() == [2, 5] and depth.tolist() == [0.3, 0.1]


def test_what_cannot_be_driven_is_told():
    ours, theirs = Pipe()
    thread = threading.Thread(target=lambda: None)
    thread.start()
    try:
        work(DriveOptions(course="moon"), theirs)
    except ValueError:  # signals only in the main thread
        return
    assert ours.recv()[0] == "failed"
