"""Radau IIA of order 5: order, tolerances, dense output, stiff machines, loops, and what it keeps."""

import numpy as np
import pytest

import gori
from bench.mechanism_references import PUBLISHED_ANDREWS
from bench.stiff_machines import CASES, error, model_of, run
from gori.errors import SimulationError, UnsupportedError
from gori.integrate import Dopri5, Radau5
from gori.integrate.radau.method import attempt, dense_output, first_step, growth
from gori.integrate.radau.stages import solve_stages
from gori.kernels.codes import NO_CONVERGENCE, OK
from gori.sim import Event, Simulation
from tests.checks import close
from tests.integrate.machines import MACHINES, PERIOD, pendulum, pendulum_angle, solution
from tests.integrate.radau.steps import PRECISE, begun, random_step, sticking
from tests.integrate.steps import bundle, slider
from tests.integrate.test_order import END, drift, error_of
from tests.integrate.test_order import model_of as tree_of
from tests.plain import plain
from tests.reference import radau

# ---- one step


@pytest.mark.parametrize("on_axes", [True, False], ids=["in O(n)", "with a matrix"])
def test_a_step_is_that_of_the_twin(on_axes):
    made, f = random_step(3, on_axes, Radau5(rtol=1e-3, atol=1e-3))
    h = 0.005
    code, size = plain(attempt)(*made[:3], 0.0, h, made.y)
    assert code == OK and size < 1.0
    made, f = random_step(3, on_axes)
    assert plain(attempt)(*made[:3], 0.0, h, made.y)[0] == OK
    work, Z = made.memory.work, radau.stages(f, 0.0, h, made.y)
    e, out = radau.error(f, 0.0, h, made.y, Z), np.empty(len(made.y))
    for s in (0.0, 0.2, 0.7, 1.0):
        plain(dense_output)(made.machine, (made.y, work.Z, work.error), s, out)
        close(out, radau.between(made.y, Z, e, s), 1e-5)


def test_dense_output_is_of_order_four():
    """Within a step its error falls by 2^5 with half the step, that of the polynomial of the stages by 2^4."""
    motion = lambda t: (np.sin(5.0 * t), 5.0 * np.cos(5.0 * t))  # noqa: E731
    away, plainly = [], []
    for h in (0.08, 0.04):
        made = bundle(slider(v=5.0, stiffness=25.0), PRECISE, on_axes=True)
        begun(made)
        plain(attempt)(*made[:3], 0.0, h, made.y)
        work, out, places = made.memory.work, np.empty(2), np.linspace(0.05, 0.95, 19)
        found = []
        for s in places:
            plain(dense_output)(made.machine, (made.y, work.Z, work.error), s, out)
            found.append(out.copy())
        exact = np.array([motion(s * h) for s in places])
        away.append(np.abs(found - exact).max())
        poorer = np.array([radau.between(made.y, work.Z, 0.0, s) for s in places])
        plainly.append(np.abs(poorer - exact).max())
    print(f"\nwithin a step: order {np.log2(away[0] / away[1]):.2f} and {np.log2(plainly[0] / plainly[1]):.2f}")
    assert abs(np.log2(away[0] / away[1]) - 5.0) < 0.4 and away[0] < 0.3 * plainly[0]


def test_a_step_that_fails_says_how_to_go_on():
    made = bundle(slider(v=1.0), PRECISE, user=lambda t, q, v, tau: tau.fill(np.nan if t > 0.1 else 0.0) or 0)
    begun(made)
    assert plain(attempt)(*made[:3], 0.0, 1.0, made.y)[0] == NO_CONVERGENCE
    assert made.memory.step[0].slow == 0.5 and made.memory.head[0].attempts == 1


def test_step_lengths():
    made, _ = sticking(on_axes=True)
    memory, clock = made.memory, np.rec.array([(1e-2,)], dtype=[("last_error", float)])[0]
    memory.step[0].iterations = 1
    assert plain(growth)(memory, clock, 0.1, 1e-10) == 8.0
    assert plain(growth)(memory, clock, 0.1, 1.0) == pytest.approx(0.9)
    memory.head[0].known, memory.head[0].last_step = 1, 0.2  # errors that grow although the step was halved
    assert plain(growth)(memory, clock, 0.1, 0.5) < 0.25
    memory.head[0].refused = 1
    assert plain(growth)(memory, clock, 0.1, 1e-6) <= 1.0
    assert plain(first_step)(memory, made.y) < 1e-3
    assert plain(first_step)(memory, 0.0 * made.y) == 1e-6


# ---- trees


def fixed(name, count):
    """State at END of a machine of `MACHINES`, after equal steps whose stages are found precisely."""
    model = tree_of(name)
    made = bundle(model, Radau5(rtol=1e-13, atol=1e-13), on_axes=True)
    f, h = begun(made), END / count
    memory, y = made.memory, made.y
    from gori.integrate.radau.method import arrive
    from gori.integrate.radau.stages import prepare

    for k in range(count):
        assert plain(prepare)(*made[:3], k * h, h, y) == OK
        assert plain(solve_stages)(*made[:3], k * h, h, y) == OK
        y[:] += memory.work.Z[2]
        plain(arrive)(*made[:2], (k + 1) * h, y, memory.state.rates)
    assert f(END, y).shape == y.shape
    return y
