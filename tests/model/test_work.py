import threading

import numpy as np
import pytest

from gori.kernels.layout import array, layout
from gori.model.work import Workspaces, one_state

LAYOUT = layout("Test", ("nrow", "nq", "nv", "more"), array("x", "nv more", "", ""))


def test_rows_are_covered_once_and_workspaces_are_kept():
    spaces, seen = Workspaces(1, 2, 3), []

    def kernel(factor, x, out, work):
        seen.append((threading.get_ident(), len(x), len(work)))
        out += factor * x

    x, out = np.arange(20000.0).reshape(10000, 2), np.zeros((10000, 2))
    spaces.run(kernel, LAYOUT, (2.0,), (x, out), more=5)
    assert np.array_equal(out, 2.0 * x)
    assert sum(rows for _, rows, _ in seen) == 10000 and {length for *_, length in seen} == {3 * 5 * 8}
    assert len(spaces.pool) <= len(seen)


def test_a_workspace_grows_with_what_is_asked():
    spaces, lengths = Workspaces(1, 1, 1), []
    for more in (1, 4, 2):
        spaces.run(lambda x, work: lengths.append(len(work)), LAYOUT, (), (np.zeros((1, 1)),), more=more)
    assert lengths == [8, 32, 32] and len(spaces.pool) == 1


def test_a_workspace_comes_back_after_an_error():
    spaces = Workspaces(1, 1, 1)

    def kernel(x, work):
        raise RuntimeError("failed")

    with pytest.raises(RuntimeError, match="failed"):
        spaces.run(kernel, LAYOUT, (), (np.zeros((1, 1)),), more=1)
    assert len(spaces.pool) == 1


def test_one_state_returns_none_for_a_bad_check():
    class Kernel:
        @staticmethod
        def call(scale, q, out, work):
            out[:] = scale * q + work.sum()
            return out.sum()

    run = one_state(Kernel, (2.0,), (), (3,), ((4,),))
    assert np.array_equal(run(np.ones(3)), [2.0, 2.0, 2.0])
    assert run(np.array([1.0, np.nan, 1.0])) is None
