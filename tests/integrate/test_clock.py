"""The clock, the watched events, and the memory of methods: what is kept and what is not."""

import numpy as np
import pytest

from gori.integrate import METHODS
from gori.integrate.clock import CLOCK, Sizes, method_memory, watch_of
from gori.kernels.layout import array, field, layout, record, row

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
    for k, piece in enumerate(watch.work.members().values()):
        piece[:] += k + 1
    flat = watch.work.flat
    assert (flat > 0).all() and flat[0] == 1 and (np.diff(flat) >= 0).all()


def test_memories_have_what_was_declared():
    head, settings = record("H", field("count", "", "", dtype="i8")), record("S", field("order", "", ""))
    state, work = (
        layout("DeclaredState", ("n",), array("x", "n", "", "")),
        layout("W", ("m",), array("y", "m 2", "", "")),
    )
    Declared = method_memory("Declared", head, state, settings, work=work, more=work)
    memory = Declared.make({"n": 3, "m": 4}, ("more",), order=2.0)
    assert memory.settings["order"][0] == 2.0 and memory.head["count"][0] == 0
    assert [memory.state.x.shape, memory.work.y.shape, memory.more.y.shape] == [(3,), (4, 2), (0, 2)]
    with pytest.raises(ValueError, match="no field of name rank"):
        Declared.make({"n": 3, "m": 4}, rank=1)


@pytest.mark.parametrize("kind", METHODS)
def test_memory_of_a_method(kind):
    """Kept pieces are apart from settings and work, and two memories share nothing."""
    method = METHODS[kind]()
    one, other = method.memory(SIZES), method.memory(SIZES)
    assert set(one.kept()) == {"head", "state"}
    for a, b in zip(one.members().values(), other.members().values()):
        a, b = (x if isinstance(x, np.ndarray) else x.flat for x in (a, b))
        assert len(a) == len(b) and not np.shares_memory(a, b)
    one.head.view(np.uint8)[:] = 255
    method.forget(one)
    assert method.counts(one).shape == method.counts(other).shape
    for name in one.settings.dtype.names:
        given = method.settings().get(name)
        if isinstance(given, (int, float)):
            assert one.settings[name][0] == given
