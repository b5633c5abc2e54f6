"""The classical Runge-Kutta method. Its order of convergence is in `test_order.py`."""

import numpy as np

import gori
from gori.integrate import RK4
from gori.integrate.clock import Sizes
from gori.integrate.rates import rhs
from gori.integrate.rk4 import RK4_WORK, rk4_step_with
from gori.kernels.codes import OK, USER_ERROR
from gori.sim import Simulation
from tests.checks import close
from tests.integrate.machines import PERIOD, pendulum
from tests.integrate.steps import bundle, random_bundle, slider
from tests.plain import plain


def test_a_step_by_the_formula():
    """An oscillator driven by t."""
    h = 0.3
    machine, data, memory, y = bundle(slider(q=1.0, v=-2.0), RK4(step=h))
    data.dof_w[:] = 1.0  # no axis without inertia

    def linear(machine, data, t, y, k):
        k[:] = [y[1], -4.0 * y[0] + t, 0.5 * y[1]]
        return OK

    A, expected = np.array([[0.0, 1.0, 0.0], [-4.0, 0.0, 0.0], [0.0, 0.5, 0.0]]), y.copy()
    stages = []
    for c, a in ((0.0, 0.0), (0.5, 0.5), (0.5, 0.5), (1.0, 1.0)):
        at = y + (h * a * stages[-1] if stages else 0.0)
        stages.append(A @ at + [0.0, c * h, 0.0])
    expected += h / 6.0 * (stages[0] + 2.0 * stages[1] + 2.0 * stages[2] + stages[3])

    assert plain(rk4_step_with(linear))(machine, data, memory, 0.0, h, y) == OK
    close(y, expected, 1e-15)


def test_a_stage_that_fails_ends_the_step():
    asked = []

    def user(t, q, v, tau):
        asked.append(t)
        return 1 if len(asked) == 3 else 0

    (machine, data, memory, y), _ = random_bundle(1, RK4(step=0.1), user=user)
    assert plain(rk4_step_with(rhs))(machine, data, memory, 2.0, 0.1, y) == USER_ERROR
    assert asked == [2.0, 2.05, 2.05]


def test_four_evaluations_a_step():
    asked = []
    simulation = Simulation(slider(), RK4(step=0.5), forces=lambda t, q, v: asked.append(t) or 0.0 * v)
    simulation.step(3)
    assert len(asked) in (12, 13)  # and one where it starts
    assert RK4().memory(Sizes(2, 1, 1, 0)).work.flat.size == RK4_WORK.size(n=3) == 15


def test_period_of_the_pendulum():
    simulation = Simulation(gori.compile(pendulum()), RK4(step=1e-3), events={"down": "pin.q"})
    times = np.array([time for _, time in simulation.run(5 * PERIOD, progress=False).info["events"]])
    error = np.abs(times - PERIOD * (0.25 + 0.5 * np.arange(10))).max()
    print(f"\nA01 with rk4, 1 ms: crossings of ten half periods to {error:.1e} s")
    assert error < 1e-9
