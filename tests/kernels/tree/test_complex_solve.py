"""The linearised dynamics of a tree solved in O(n) for a complex step, against the matrix of the reference."""

import numpy as np
import pytest

from gori.kernels.tree.columns import ARMATURE, NDOF, V0
from gori.kernels.tree.complex_solve import N_BODY_C, N_DOF_C, complex_eliminate, complex_gains, complex_substitute
from gori.kernels.tree.derivatives import N_BODY_D, N_DOF_D, motion, rigid_terms
from gori.kernels.tree.inverse_mass import axes_at_root
from gori.kernels.tree.kinematics import place
from gori.kernels.tree.tree_solve import N_BODY_N, N_DOF_N, gains, own_columns
from tests.checks import close
from tests.kernels.tree.trees import case
from tests.plain import plain
from tests.reference import dynamics as dyn


def prepared(seed, c, **options):
    """Tables after `complex_gains`, the armature of each axis, and the reference's tree and state."""
    model, tree, x, (body_i, body_f), (body_w, dof_w) = case(seed, **options)
    nrow, nv = len(body_i), model.nv
    body_d, dof_d = np.zeros((nrow, N_BODY_D)), np.zeros((nv, N_DOF_D))
    body_n, dof_n = np.zeros((nrow, N_BODY_N)), np.zeros((nv, N_DOF_N))
    body_c, dof_c = np.full((nrow, N_BODY_C), np.nan), np.full((nv, N_DOF_C), np.nan)
    body_w[:] = 0.0
    plain(place)(body_i, body_f, x["q"], body_w, dof_w)
    plain(axes_at_root)(body_i, body_w, dof_w, body_d, dof_d)
    plain(motion)(body_i, body_f, x["v"], x["a"], body_d, dof_d)
    plain(rigid_terms)(body_i, body_f, body_w, body_d)
    plain(own_columns)(body_i, body_d, body_n)
    plain(gains)(body_i, 0.1, 0.01, body_d, dof_d, dof_n)  # another, real step
    plain(complex_gains)(body_i, c.real, c.imag, body_d, dof_d, body_c, dof_c)
    armature = np.zeros((2, nv))
    for i in range(1, nrow):
        armature[0, body_i[i, V0] : body_i[i, V0] + body_i[i, NDOF]] = body_f[i, ARMATURE]
    return (body_i, body_n, dof_n, body_c, dof_c), armature, tree, x


@pytest.mark.parametrize("seed", range(4))
def test_against_the_matrix(seed):
    """(M + c C + c^2 K + diag) x = b, all joint types, branches too."""
    rng = np.random.default_rng(seed)
    for c in (0.05 - 0.06j, 0.01 + 0.02j, 0.03 + 0.0j):
        (body_i, body_n, dof_n, body_c, dof_c), armature, tree, s = prepared(seed, c, n=5 + seed)
        by_q, by_v = dyn.rnea_derivatives(tree, s["q"], s["v"], s["a"])[:2]
        own = rng.uniform(0.5, 2.0, (2, tree.nv))
        N = dyn.crba(tree, s["q"]) + c * by_v + c * c * by_q + np.diag(own[0] + 1j * own[1])
        assert plain(complex_eliminate)(body_i, armature + own, body_n, dof_n, body_c, dof_c)
        for _ in range(2):
            b = rng.normal(size=(2, tree.nv))
            x = b.copy()
            plain(complex_substitute)(body_i, x[0], x[1], dof_n, body_c, dof_c)
            close(x[0] + 1j * x[1], np.linalg.solve(N, b[0] + 1j * b[1]), 1e-7)


@pytest.mark.filterwarnings("ignore:divide by zero:RuntimeWarning", "ignore:invalid value:RuntimeWarning")
def test_an_axis_that_moves_nothing():
    """Without masses it needs something on its diagonal."""
    for diagonal in (0.0, 1.0):
        (body_i, body_n, dof_n, body_c, dof_c), _, tree, _ = prepared(1, 0.1 - 0.1j, types=("revolute",))
        body_n[:] = 0.0
        own = np.array([np.full(tree.nv, diagonal), np.zeros(tree.nv)])
        assert plain(complex_eliminate)(body_i, own, body_n, dof_n, body_c, dof_c) == (diagonal > 0.0)
