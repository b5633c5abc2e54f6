"""Machines of different Models in one call."""

import numpy as np
import pytest

import gori
from gori.errors import InputError
from gori.sim.batch.batch import Batch
from gori.sim.batch.groups import Batches
from tests.sim.batch.machines import H, arm, four_bar, pendulum, speeds


def test_groups_are_batches_that_step_together():
    masses = np.array([1.0, 2.0])
    groups = gori.batch(
        {"arm": (arm(), 3), "loop": (four_bar(), 2), "swing": (pendulum(), 2)},
        gori.RK4(step=H),
        parameters={"swing": {"bodies.lower.mass": masses}},
        state={"arm": arm().state().replace(v=speeds(arm(), 1)[0])},
    )
    assert isinstance(groups, Batches) and list(groups) == ["arm", "loop", "swing"]
    groups.step(20)
    groups.run(0.03, progress=False)
    alone = Batch(pendulum(), 2, gori.RK4(step=H), parameters={"bodies.lower.mass": masses})
    alone.step(50)
    assert np.array_equal(groups["swing"].q, alone.q) and not np.array_equal(alone.q[0], alone.q[1])
    assert np.array_equal(groups["arm"].q[0], groups["arm"].q[2]) and groups["loop"].time.tolist() == [50 * H] * 2
    groups["loop"].v[1] = np.nan
    groups.step()
    assert {name: failed.tolist() for name, failed in groups.failed.items()} == {
        "arm": [False] * 3, "loop": [False, True], "swing": [False] * 2,
    }  # fmt: skip
    assert list(groups.time) == list(groups) and groups.time["swing"] == pytest.approx([51 * H] * 2)
    assert list(groups.failures()) == ["loop"] and list(groups.failures()["loop"]) == [1]
    groups.reset()
    assert not groups.failures() and not groups["arm"].time.any()


@pytest.mark.parametrize(
    ("groups", "options", "words"),
    [
        ({}, {}, "at least one"),
        ({"a": 3}, {}, r"group 'a' must be \(Model"),
        ({"a": (None, 3)}, {}, "a"),
        ({}, {"state": {"b": None}}, "no group 'b'"),
        ({}, {"parameters": 3}, "parameters of groups"),
    ],
)
def test_what_is_refused(groups, options, words):
    with pytest.raises(InputError, match=words):
        gori.batch(groups, **options)
