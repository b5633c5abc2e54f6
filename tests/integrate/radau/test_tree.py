"""The linear equations of a step of a tree in O(n), against those with a matrix."""

import numpy as np
import pytest

import gori
from gori.integrate.radau.dense import differentiate, factor_dense, solve_dense, solve_dense_pair
from gori.integrate.radau.tree import axis_terms, factor_tree, on_axes, solve_tree, solve_tree_pair
from gori.integrate.step_equations import simple
from gori.kernels.codes import OK
from gori.model.machine import machine_of
from tests.checks import close
from tests.integrate.radau.steps import random_step, sprung, sticking
from tests.integrate.steps import bundle, slider
from tests.plain import plain, records

H = 0.02


def both(make):
    """The same step twice: in O(n), and with a matrix; both prepared."""
    free, matrix = make(True)[0], make(False)[0]
    assert plain(factor_tree)(*free[:3], 0.0, free.y, H)
    assert plain(differentiate)(*matrix[:3], 0.0, matrix.y, matrix.memory.state.rates) == OK and plain(factor_dense)(
        matrix.memory, H
    )
    return free, matrix


CASES = {
    "revolute and prismatic": lambda way: random_step(0, way, types=("revolute", "prismatic", "helical")),
    "all joints": lambda way: random_step(3, way),
    "floating": lambda way: random_step(1, way, floating=True),
    "friction that sticks": sticking,
    "friction that slips": lambda way: sticking(way, v=0.02),
    "stiff": lambda way: sprung(way, 1e10),
}


@pytest.mark.parametrize("case", CASES)
def test_solutions(case):
    free, matrix = both(CASES[case])
    nu = matrix.memory.work.right.shape[1]
    rng, none = np.random.default_rng(0), np.zeros(free.data.tau.shape[0])
    x, a, b = rng.normal(size=(3, nu))
    expected, c, d = x.copy(), a.copy(), b.copy()
    plain(solve_dense)(matrix.memory, H, none, expected)
    plain(solve_tree)(free.machine, free.memory, H, none, x)
    close(x / np.abs(expected), expected / np.abs(expected), 1e-4)
    plain(solve_dense_pair)(matrix.memory, H, c, d)
    plain(solve_tree_pair)(free.machine, free.memory, H, a, b)
    size = np.abs(c + 1j * d)
    close((a + 1j * b) / size, (c + 1j * d) / size, 1e-4)


def test_springs_act_on_what_stands_for_q():
    free, matrix = both(sticking)
    g, x, y = np.array([0.7]), np.array([0.2, -0.4]), np.array([0.2, -0.4])
    plain(solve_dense)(matrix.memory, H, g, y)
    plain(solve_tree)(free.machine, free.memory, H, g, x)
    close(x / y, np.ones(2), 1e-5)


def test_terms_of_axes():
    """Limits count while they are pressed, motors while they are not at their limit."""
    limited = {"limits": [-1.0, 1.0], "limit_stiffness": 1e5, "limit_damping": 7.0}
    motor = {"type": "motor", "joint": "rail", "target": 0.0, "kp": 40.0, "kd": 3.0, "limit": 50.0}
    model = slider(stiffness=10.0, damping=2.0, forces={"motor": motor}, **limited)
    made = bundle(model, gori.Radau5(), on_axes=True)
    tree, none = made.memory.tree, np.zeros(0)
    for q, v, stiffness, damping in (
        (0.5, 0.0, 50.0, 5.0),
        (1.2, 0.0, 100_050.0, 12.0),
        (-1.3, 0.0, 10.0 + 100_000.0, 2.0 + 7.0),  # the motor is at its limit
        (1.0001, -100.0, 50.0 - 40.0, 5.0 - 3.0),  # the damping would pull, and the motor is at its limit
    ):
        values = np.zeros(2)
        plain(axis_terms)(made.machine, tree, np.array([q]), np.array([v]), none, values)
        assert (tree.stiffness[0], tree.damping[0]) == (stiffness, damping)


def test_which_forces_need_no_matrix():
    """The same answer as that of the compiled methods with a fixed step."""
    forces = {
        "number": {"type": "force", "joint": "rail", "value": 3.0},
        "of time": {"type": "force", "joint": "rail", "value": "sin(t)"},
        "of velocity": {"type": "force", "joint": "rail", "value": "-rail.v"},
        "motor": {"type": "motor", "joint": "rail", "target": "t", "kp": 1.0},
        "motor of q": {"type": "motor", "joint": "rail", "target": "rail.q", "kp": 1.0},
        "spring": {"type": "spring", "parent": "ground", "child": "mass", "stiffness": 1.0, "at": [0, 0, 1]},
        "wrench": {"type": "wrench", "body": "mass", "force": [1, 0, 0]},
    }
    found = {}
    for name, force in forces.items():
        machine, _ = machine_of(slider(forces={"f": force}))
        found[name] = on_axes(machine)
        assert found[name] == plain(simple)(records(machine))
    assert [name for name, free in found.items() if free] == ["number", "of time", "motor"]
    machine, _ = machine_of(slider(stiffness=1.0, friction=1.0))
    assert on_axes(machine) and not on_axes(machine.replace(user=1))
