"""The clock, the watched events, and the memory of methods: what is kept and what is not."""

import numpy as np
import pytest

from gori.integrate import METHODS
from gori.integrate.clock import CLOCK, WATCH_WORK, Sizes, watch_of
from gori.kernels.layout import row

SIZES = Sizes(nrow=4, nq=3, nv=3, nz=2)


def test_a_row_writes_through():
    table = CLOCK.zeros(1)
    clock = row(table)
    clock.step, clock.steps_done = 0.25, 7
    clock.steps_done += 1
    assert table["step"][0] == 0.25 and table["steps_done"][0] == 8 and table["time"][0] == 0.0


@pytest.mark.parametrize("events", [0, 1, 5])
def test_work_of_the_watch_is_cut_without_gaps(events):
    watch = watch_of(np.zeros((0, 4), np.int64), np.zeros((0, 4)), np.zeros(events, np.int64), 8)
    assert watch.met.shape == watch.before.shape == (events,)
    for k, piece in enumerate(WATCH_WORK.views(watch.work, n=8, events=events)):
        piece[:] += k + 1
    assert (watch.work > 0).all() and watch.work[0] == 1 and (np.diff(watch.work) >= 0).all()


@pytest.mark.parametrize("kind", METHODS)
def test_memory_of_a_method(kind):
    """Kept pieces are apart from settings and work, and two memories share nothing."""
    method = METHODS[kind]()
    one, other = method.memory(SIZES), method.memory(SIZES)
    assert set(one.kept()) == {"head", "state"}
    for a, b in zip(one, other):
        assert len(a) == len(b) and not np.shares_memory(a, b)
    one.head.view(np.uint8)[:] = 255
    method.forget(one)
    assert method.counts(one).shape == method.counts(other).shape
    for name in one.settings.dtype.names:
        given = method.settings().get(name)
        if isinstance(given, (int, float)):
            assert one.settings[name][0] == given
