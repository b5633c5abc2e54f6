"""Ctrl-C waits until workers have come to the end of their march."""

import signal
import sys
import threading

import pytest

from gori.sim.particles.lockstep import without_interrupts


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_an_interrupt_comes_after_the_block():
    done = []
    with pytest.raises(KeyboardInterrupt), without_interrupts():
        signal.raise_signal(signal.SIGINT)
        done.append("all of it")
    assert done == ["all of it"]


def test_other_threads_are_left_alone():
    before, seen = signal.getsignal(signal.SIGINT), []

    def work():
        with without_interrupts():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [before]
