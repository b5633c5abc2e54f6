"""What implicit methods have in common for their users."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

import gori
from gori.integrate.clock import Sizes
from gori.integrate.implicit import Implicit
from gori.integrate.implicit_memory import COUNTS


@dataclass(frozen=True)
class Once(Implicit):
    """One linear solve a step."""

    kind: ClassVar[str] = "once"

    def iterates(self) -> bool:
        return False


def counts(**values):
    return np.array([values.get(name, 0) for name in COUNTS], float)


def test_settings_hold_the_strategy():
    method = Once(0.5, jacobian={"type": "round_robin", "columns": 3})
    assert method.jacobian == gori.jacobian.RoundRobin(3)
    assert method.settings() == {"type": "once", "step": 0.5, "jacobian": {"type": "round_robin", "columns": 3}}
    parameters = method.parameters()
    assert parameters["columns"] == 3 and parameters["newton"] is False and Implicit(0.5).parameters()["newton"]


def test_forgetting_keeps_the_counts():
    method = Once(jacobian="frozen")
    memory = method.memory(Sizes(3, 2, 2, 0))
    for name in memory.head.dtype.names:
        memory.head[name] = 7
    method.forget(memory)
    assert {name: memory.head[name][0] for name in ("known", "made_for", "next_row", "wanted")} == dict.fromkeys(
        ("known", "made_for", "next_row", "wanted"), 0
    )
    assert (method.counts(memory) == 7).all()


def test_report_is_by_step():
    found = Once().report(counts(steps=10, refreshed=30, whole=2, iterations=15))["jacobian"]
    assert (found["steps"], found["whole"]) == (10, 2)
    assert found["columns_per_step"] == 3.0 and found["iterations_per_step"] == 1.5


@pytest.mark.parametrize("kind", ["frozen", "round_robin", "fastest"])
def test_doubts_where_a_lagging_jacobian_was_made_anew_often(kind):
    often, seldom = counts(steps=1000, guarded=12), counts(steps=1000, guarded=11)
    words = Once(jacobian=kind).doubts(often)
    assert words is not None and f"the Jacobian of {kind}" in words and "12 times in 1000 steps" in words
    assert Once(jacobian=kind).doubts(seldom) is None
    assert Implicit(jacobian=kind).doubts(often) is None  # which iterates
    assert Once(jacobian="full").doubts(often) is None
