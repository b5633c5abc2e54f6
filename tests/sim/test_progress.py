"""The bar of long runs: nothing for two seconds, nothing without a terminal."""

import io

import pytest

from gori.sim import progress as module
from gori.sim.progress import Progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


def screen(monkeypatch):
    """A terminal to write on, and a clock that is set by hand."""
    now, terminal = [100.0], Terminal()
    monkeypatch.setattr(module.sys, "stderr", terminal)
    monkeypatch.setattr(module.time, "perf_counter", lambda: now[0])
    return now, terminal


def test_short_runs_have_none(monkeypatch):
    now, terminal = screen(monkeypatch)
    bar = Progress(True, 0.0, 10.0)
    for k in range(20):
        now[0] += 0.099
        bar.move(0.1 * k)
    bar.close()
    assert terminal.getvalue() == "" and bar._bar is None


def test_long_runs_show_time_and_words(monkeypatch):
    now, terminal = screen(monkeypatch)
    bar = Progress(True, 5.0, 10.0, lambda: "42 grains")
    now[0] += 2.5
    bar.move(6.25)
    (task,) = bar._bar.tasks
    assert task.percentage == pytest.approx(25.0) and task.fields["words"] == "t = 6.250 of 10 s, 42 grains"
    bar.move(7.0)  # at once again: nobody could see it
    assert task.percentage == pytest.approx(25.0)
    now[0] += 0.11
    bar.move(7.5)
    assert task.percentage == pytest.approx(50.0)
    bar.close()
    assert terminal.getvalue()


def test_unwanted_or_unseen(monkeypatch):
    now, terminal = screen(monkeypatch)
    unwanted = Progress(False, 0.0, 1.0)
    monkeypatch.setattr(module.sys, "stderr", io.StringIO())
    unseen = Progress(True, 0.0, 1.0)
    now[0] += 10.0
    for bar in (unwanted, unseen):
        bar.move(0.5)
        bar.close()
        assert bar._bar is None
    assert terminal.getvalue() == ""
