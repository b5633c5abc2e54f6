"""The loop that simulates, without a process of its own."""

import threading
from multiprocessing import Pipe, get_context

import numpy as np

from gori.web.poses import poses_of
from gori.web.serve.drive.engine import Ended
from gori.web.serve.drive.frames import DriveFrames
from gori.web.serve.drive.pedals import Order
from gori.web.serve.drive.truck import DriveOptions
from gori.web.serve.drive.worker import IN_FLIGHT, IN_VAIN, SEEN, Worker, _latest, work


def test_frames_stop_without_credit_and_nothing_is_lost():
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
    pieces = [(np.array([5, 2]), np.array([0.1, 0.2])), (np.array([2]), np.array([0.3]))]
    cells, depth = _latest(pieces)
    assert cells.tolist() == [2, 5] and depth.tolist() == [0.3, 0.1]


def test_what_cannot_be_driven_is_told():
    ours, theirs = Pipe()
    process = get_context("spawn").Process(target=work, args=(DriveOptions(course="moon"), theirs))
    process.start()
    assert ours.poll(60.0) and ours.recv()[0] == "failed"
    process.join(20)
    assert process.exitcode == 0


def worker(**options):
    ours, theirs = Pipe()
    return Worker(DriveOptions(**options), theirs), ours


def test_a_vehicle_that_digs_itself_in_waits_for_its_driver(monkeypatch):
    made, ours = worker(soil="dry_sand")
    thread = threading.Thread(target=made.run, daemon=True)
    real, said = made.engine.advance, []
    at_once = Ended("a wheel has dug itself in", 0.3, 0.2, False)
    monkeypatch.setattr(made.engine, "advance", lambda: at_once if made.trouble is None and len(said) < 5 else real())
    thread.start()
    while thread.is_alive():
        assert ours.poll(20.0)
        kind, given = ours.recv()
        if kind == "notice":
            said.append(given)
        elif kind == "frame":
            ours.send(("credit",))
            if given["trouble"]:
                break
    assert len(said) == IN_VAIN - 1 and "back at the start" in said[0]  # not again and again
    assert given["paused"] and "dry sand does not carry hmmwv" in given["trouble"] and "Reset" in given["trouble"]
    said += 5 * ["enough"]
    ours.send(("pause", False))
    ours.send(("reset",))
    while given["trouble"]:
        assert ours.poll(20.0)
        kind, given = ours.recv()
        ours.send(("credit",))
    assert not given["paused"]
    ours.send(("end",))
    thread.join(20)


def test_the_driver_hears_of_the_end_of_the_soil_once():
    made, ours = worker(soil="dry_sand")
    q = made.engine.simulation.state.q.copy()
    q[made.engine.size.joint_q.start + 4] = 105.0
    made.engine.simulation.state = made.engine.simulation.state.replace(q=q)
    made._warn()
    made._warn()
    assert ours.recv()[0] == "ready" and "the soft soil ends in" in ours.recv()[1] and not ours.poll(0.1)


def test_keys_are_answered_as_soon_as_one_sees_what_they_do(monkeypatch):
    made, ours = worker()
    sent = []
    monkeypatch.setattr(made, "_send", lambda: sent.append((made.blocks, made._sent)))
    monkeypatch.setattr(made, "_look", lambda: None)
    real, frames = made.engine.advance, DriveFrames(made.vehicle)
    angle = lambda: frames._wheel_angle(poses_of(made.engine.model, made.engine.simulation.q))  # noqa: E731
    before, angles = angle(), []

    def advance():
        ended = real()
        angles.append(angle() - before)
        made.ended = len(angles) == 8
        return ended

    monkeypatch.setattr(made.engine, "advance", advance)
    made._orders.put(Order(steering=1.0, sent=5.0))
    made.run()
    first = next(blocks for blocks, stamp in sent if stamp == 5.0)
    assert first == SEEN and angles[first - 1] > np.radians(0.1)  # not only with the next regular frame
    assert ours.recv()[0] == "ready" and made.punctual


def test_a_machine_that_is_too_slow_is_shared():
    made, _ = worker()
    made.pace.start -= 10.0
    made._keep_time()
    assert not made.punctual and made.pace.lost > 0.0
