"""Random trees and states for tests that call kernels directly."""

from typing import NamedTuple

import numpy as np

from gori.kernels.tree.columns import N_BODY_W, N_DOF_W
from tests.checks import machine, states, take


class Case(NamedTuple):
    model: object
    tree: object  # of the reference
    state: dict  # q, v, a, tau
    tables: tuple  # body_i, body_f
    work: tuple  # body_w, dof_w, full of NaN: a kernel must not read what it has not written


def case(seed: int = 3, **options) -> Case:
    model, tree = machine(seed, **options)
    t = model.kernel_tables
    work = np.full((len(t.body_i), N_BODY_W), np.nan), np.full((model.nv, N_DOF_W), np.nan)
    return Case(model, tree, take(states(tree, 1, seed), 0), (t.body_i, t.body_f), work)


def wrench_rows(model, wrenches) -> np.ndarray:
    """The table of outside wrenches (n, N_WRENCH)."""
    t = model.kernel_tables
    rows = [[t.frame_i[k], *t.frame_f[k, 9:], *wrenches[name]] for name in wrenches for k in [model.frame(name)]]
    return np.array(rows, float)
