"""Layouts of implicit methods: each strategy has the pieces that it needs, and they cover the flat arrays once."""

import numpy as np
import pytest

from gori.integrate import STRATEGIES, ImplicitEuler
from gori.integrate.clock import Sizes
from gori.integrate.implicit_memory import COUNTS, IMPLICIT_HEAD, IMPLICIT_WORK

KEEPS_AN_INVERSE = {"frozen", "round_robin", "fastest", "error_driven"}


@pytest.mark.parametrize("ne", [0, 2])
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_kept_pieces(strategy, ne):
    sizes = Sizes(nrow=5, nq=4, nv=3, nz=1, ne=ne)
    memory = ImplicitEuler(jacobian=strategy).memory(sizes)
    state = memory.state
    for k, piece in enumerate(state.members().values()):
        piece[:] += k + 1
    assert (np.diff(state.flat) >= 0).all() and state.flat.min() == 1
    assert state.inverse.shape == ((3, 3) if strategy in KEEPS_AN_INVERSE else (0, 0))
    assert state.closed_matrix.shape == ((5, 5) if ne else (0, 0))
    assert sum(piece.size for piece in state.members().values()) == state.flat.size
    unused = memory.dense if strategy == "matrix_free" else memory.tree
    assert unused.body_d.size == 0 < (memory.tree if strategy == "matrix_free" else memory.dense).body_d.size


def test_counts_are_fields_of_the_head():
    assert set(COUNTS) < {field.name for field in IMPLICIT_HEAD.fields}
    memory = ImplicitEuler().memory(Sizes(2, 1, 1, 0))
    memory.head["steps"] = 9
    assert ImplicitEuler().report(ImplicitEuler().counts(memory))["jacobian"]["steps"] == 9


def test_no_name_twice():
    names = [piece.name for piece in IMPLICIT_WORK.arrays]
    assert len(names) == len(set(names))
