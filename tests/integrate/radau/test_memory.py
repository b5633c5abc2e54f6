"""The memory of Radau IIA: with a matrix, or without."""

import pytest

from gori.integrate.clock import Sizes
from gori.integrate.radau.memory import COUNTS, RADAU_HEAD, radau_memory


@pytest.mark.parametrize(("equations", "on_axes", "matrix"), [(0, True, False), (0, False, True), (2, True, True)])
def test_a_matrix_is_there_where_it_is_needed(equations, on_axes, matrix):
    memory = radau_memory(Sizes(6, 7, 6, 2, equations, on_axes), 1e-5, 1e-8)
    assert memory.state.by_u.shape == ((8, 8) if matrix else (0, 0))
    assert memory.state.by_q.shape == ((6, 8) if matrix else (0, 0))
    assert (memory.dense.complex.size > 0) == matrix and (memory.tree.dof_c.size > 0) != matrix
    assert memory.work.Z.shape == (3, 16) and memory.work.right.shape == (3, 8)
    assert memory.settings["rtol"][0] == 1e-5 and memory.settings["atol"][0] == 1e-8


def test_without_a_matrix_all_grows_with_the_number_of_bodies():
    sizes = [
        sum(part.size for part in radau_memory(Sizes(1 + n, n, n, 0, 0, True), 1e-6, 1e-9).kept().values())
        for n in (100, 200)
    ]
    assert sizes[1] < 2.1 * sizes[0]


def test_counts_are_fields():
    assert set(COUNTS) <= {field.name for field in RADAU_HEAD.fields}
