"""The closed mechanisms of the benchmarks start closed, and their references agree with what is published."""

import numpy as np
import pytest

from bench.mechanism_references import IndexOne, row_of_squares
from bench.mechanisms import CASES, andrews

FREEDOM = {"four_bar": 1, "n_four_bar_40": 1, "andrews": 1, "bricard": 1, "stewart": 6}


@pytest.mark.parametrize("name", CASES)
def test_starts_closed_with_its_degrees_of_freedom(name):
    machine = IndexOne(CASES[name].make())
    q, v = machine.model.q0, machine.model.v0
    residual, J, _ = machine.loops(q, v)
    assert np.abs(residual).max() < 1e-12
    assert np.abs(J @ v).max() < 1e-12
    assert machine.model.nv - np.linalg.matrix_rank(J, tol=1e-9) == FREEDOM[name]
    assert CASES[name].point in machine.spec.frames


def test_row_of_squares_moves_as_published():
    # N = 40 and N = 2 after 10 s, mechanism A02
    assert row_of_squares(40, 10.0)[:2] == pytest.approx([0.1805122267, 0.9835727406], abs=1e-9)
    assert row_of_squares(2, 10.0)[:2] == pytest.approx([0.3284581115, 0.9445185382], abs=1e-9)


def test_loops_of_a_square_give_the_motion_of_its_one_equation():
    machine = IndexOne(CASES["four_bar"].make())
    q, _ = machine.run(0.5)
    assert machine.model.forward_kinematics(q)["B0"][:3, 3] == pytest.approx(row_of_squares(1, 0.5), abs=1e-10)


def test_andrews_starts_with_the_published_accelerations():
    machine = IndexOne(andrews())
    a = dict(zip(machine.model.joint_names, machine.accelerations(machine.model.q0, machine.model.v0), strict=True))
    assert a.pop("beta") == pytest.approx(14222.4439199541, rel=1e-12)
    assert a.pop("Theta") == pytest.approx(-10666.8329399656, rel=1e-12)
    assert np.abs(list(a.values())).max() < 1e-8
