"""A forked child has workers of its own."""

import os
import signal
import sys
import time

import pytest

import gori
from gori.sim.particles.lockstep import WorkerThreads
from tests.sim.damage import tray


def in_a_child(work, seconds=60.0):
    """What a forked child returns from `work` as text; fails if it does not within a time."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(write, work().encode())
        finally:
            os._exit(0)
    os.close(write)
    end = time.monotonic() + seconds
    while os.waitpid(child, os.WNOHANG)[0] == 0:
        if time.monotonic() > end:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            pytest.fail("the child hangs")
        time.sleep(0.01)
    with os.fdopen(read) as file:
        return file.read()


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
def test_workers_after_a_fork():
    workers = WorkerThreads(1)
    assert workers.submit(os.getpid).result() == os.getpid()
    assert in_a_child(lambda: str(workers.submit(lambda: 7).result(30.0))) == "7"
    assert workers.submit(os.getpid).result() == os.getpid()


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
def test_particles_in_a_forked_child():
    """They waited for threads that the child does not have."""
    threads = gori.threads()
    try:
        gori.threads(2)
        simulation = tray()()
        simulation.step(20)
        assert simulation.particles.engine.workers > 1

        def work():
            simulation.step(20)
            return simulation.state.digest()

        ends = [in_a_child(work) for _ in range(2)]
        assert ends == [work()] * 2
    finally:
        gori.threads(threads)
