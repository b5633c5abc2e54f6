"""Whether simulated time keeps up: every 10 ms of the clock count, also those in which nothing ran."""

import pytest

from gori.web.serve.drive.pace import ALLOWED, GIVEN_UP, Pace


def drive(pace, now, seconds, cost=0.0):
    """Blocks at the pace of the clock, each of which takes a time."""
    end = now + seconds
    while now < end:
        now = max(now, pace.due) + cost
        pace.finished(now)
    return now


def test_in_time():
    pace = Pace(0.005, 100.0)
    drive(pace, 100.0, 3.0)
    assert pace.percent == 100.0 and 298 <= pace.looks <= 302 and pace.ratio == pytest.approx(1.0, abs=0.01)


def test_a_stall_counts_as_long_as_it_is():
    pace = Pace(0.005, 0.0)
    now = drive(pace, 0.0, 1.0)
    pace.finished(now + 0.25)  # nothing for a quarter of a second
    drive(pace, now + 0.25, 1.0)
    missed = pace.looks - pace.held
    assert missed == pytest.approx((0.25 - ALLOWED) / 0.01, abs=2) and pace.lost == 0.0


def test_too_slow_a_machine_is_said():
    pace = Pace(0.005, 0.0)
    drive(pace, 0.0, 10.0, cost=0.01)  # half of real time
    assert pace.percent < 5.0 and pace.lost > 0.0 and pace.ratio == pytest.approx(0.5, abs=0.05)
    assert pace.behind(pace.start + pace.simulated) <= GIVEN_UP


def test_a_pause_does_not_count():
    pace = Pace(0.005, 0.0)
    drive(pace, 0.0, 1.0)
    pace.restart(60.0)
    drive(pace, 60.0, 1.0)
    assert pace.percent == 100.0 and 198 <= pace.looks <= 203
