import numpy as np

from gori.kernels.tree.configuration import difference_batch, integrate_batch
from tests.checks import close, machine, states
from tests.reference import dynamics as dyn


def test_steps_of_all_joint_types_against_the_twin_and_back():
    model, tree = machine(6)
    body_i, x = model.kernel_tables.body_i, states(tree, 4, 6)
    dv = 0.3 * x["v"]
    moved, back = np.empty_like(x["q"]), np.empty_like(dv)
    integrate_batch(body_i, x["q"], dv, moved)
    difference_batch(body_i, x["q"], moved, back)
    close(moved, np.array([dyn.integrate(tree, q, d) for q, d in zip(x["q"], dv)]), 1e-12)
    close(back, np.array([dyn.difference(tree, q, p) for q, p in zip(x["q"], moved)]), 1e-9)
