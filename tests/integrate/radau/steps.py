"""Steps of Radau IIA in plain Python, beside the right-hand side that they solve."""

import numpy as np

from gori.integrate import Radau5
from gori.integrate.rates import rhs
from gori.kernels.codes import OK
from tests.checks import machine as random_machine
from tests.integrate.steps import bundle, slider
from tests.plain import plain
from tests.reference.random_spec import random_state

PRECISE = Radau5(rtol=1e-10, atol=1e-10)


def begun(made, t=0.0):
    """The rates at the start are known. Returns the right-hand side as a function of t and y."""
    machine, data, memory, y = made

    def f(t, y):
        k = np.empty(len(y))
        assert plain(rhs)(machine, data, t, y, k) == OK
        return k

    memory.state.rates[:] = f(t, y)
    return f


def random_step(seed, on_axes, method=PRECISE, **options):
    """A random tree without forces, and its right-hand side."""
    model, tree = random_machine(seed, n=4, **options)
    q, v, _ = random_state(np.random.default_rng(seed), tree)
    made = bundle(model, method, q, v, on_axes=on_axes)
    return made, begun(made)


def sprung(on_axes, stiffness, method=PRECISE):
    """A mass on a rail with a spring and a damper."""
    made = bundle(slider(mass=2.0, q=1e-3, v=0.02, stiffness=stiffness, damping=30.0), method, on_axes=on_axes)
    return made, begun(made)


def sticking(on_axes, method=PRECISE, v=0.002):
    """The same with friction; it slips from v = 0.006 on."""
    model = slider(mass=2.0, q=1e-3, v=v, stiffness=1e4, damping=30.0, friction=5.0, stick_stiffness=2e4)
    made = bundle(model, method, z=np.array([1.3e-4]), on_axes=on_axes)
    return made, begun(made)
