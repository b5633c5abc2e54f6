"""Semi-implicit Euler. Its order of convergence is in `test_order.py`."""

import numpy as np

from gori.integrate import SemiImplicit
from gori.integrate.semi_implicit import semi_implicit_step
from gori.kernels.codes import OK
from gori.sim import Simulation
from tests.checks import close
from tests.integrate.machines import PERIOD
from tests.integrate.steps import random_bundle
from tests.integrate.test_order import model_of
from tests.plain import plain
from tests.reference import dynamics as dyn


def test_a_step_by_the_formula():
    """v' = v + h a(q, v), q' = q (+) h v'."""
    h = 0.02
    (machine, data, memory, y), step = random_bundle(4, SemiImplicit(step=h), floating=True)
    v = step.v + h * dyn.aba(step.tree, step.q, step.v, np.zeros(step.tree.nv))
    assert plain(semi_implicit_step)(machine, data, memory, 0.0, h, y) == OK
    close(y[:-1], np.concatenate([dyn.integrate(step.tree, step.q, h * v), v]), 1e-11)
    assert y[-1] == 0.0


def test_semi_implicit_euler_keeps_energy_bounded():
    """It is symplectic: the energy error of the pendulum swings, after 400 periods no more than in the first 10."""
    simulation = Simulation(model_of("pendulum"), SemiImplicit(step=5e-3))
    energy = simulation.run(PERIOD * 400, sample=5e-3, progress=False)["energy.total"]
    first, last = (np.abs(part - energy[0]).max() for part in (energy[:5000], energy[-5000:]))
    assert last < 1.1 * first
