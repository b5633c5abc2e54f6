"""The linearised dynamics of a tree solved in O(n), against the matrix of the reference."""

import numpy as np
import pytest

from gori.kernels.tree.columns import ARMATURE, INERTIA, MASS, NDOF, V0
from gori.kernels.tree.derivatives import N_BODY_D, N_DOF_D, motion, rigid_terms
from gori.kernels.tree.inverse_mass import axes_at_root
from gori.kernels.tree.kinematics import place
from gori.kernels.tree.tree_solve import N_BODY_N, N_DOF_N, eliminate, gains, mass_times, own_columns, substitute
from tests.checks import close
from tests.kernels.tree.trees import case
from tests.plain import plain
from tests.reference import dynamics as dyn


def prepared(seed, cv, cq, **options):
    """Tables after `gains`, the armature of each axis, and the reference's tree and state."""
    model, tree, x, (body_i, body_f), (body_w, dof_w) = case(seed, **options)
    nrow, nv = len(body_i), model.nv
    body_d, dof_d = np.zeros((nrow, N_BODY_D)), np.zeros((nv, N_DOF_D))
    body_n, dof_n = np.zeros((nrow, N_BODY_N)), np.zeros((nv, N_DOF_N))
    body_w[:] = 0.0
    plain(place)(body_i, body_f, x["q"], body_w, dof_w)
    plain(axes_at_root)(body_i, body_w, dof_w, body_d, dof_d)
    plain(motion)(body_i, body_f, x["v"], x["a"], body_d, dof_d)
    plain(rigid_terms)(body_i, body_f, body_w, body_d)
    plain(own_columns)(body_i, body_d, body_n)
    plain(gains)(body_i, cv, cq, body_d, dof_d, dof_n)
    armature = np.zeros(nv)
    for i in range(1, nrow):
        armature[body_i[i, V0] : body_i[i, V0] + body_i[i, NDOF]] = body_f[i, ARMATURE]
    return (body_i, body_f, body_n, dof_n), armature, tree, x


@pytest.mark.parametrize("seed", range(3))
def test_against_the_matrix(seed):
    """(M + cv C + cq K + diag) x = b, all joint types, branches too."""
    _, _, tree, s = prepared(seed, 0.0, 0.0, n=5)
    rng = np.random.default_rng(seed)
    dq, dv = dyn.rnea_derivatives(tree, s["q"], s["v"], s["a"])[:2]
    for cv, cq in ((0.0, 0.0), (0.1, 0.0), (0.05, 0.0025)):
        (body_i, _, body_n, dof_n), armature, _, _ = prepared(seed, cv, cq, n=5)
        own = rng.uniform(0.0, 2.0, tree.nv)
        N = dyn.crba(tree, s["q"]) + cv * dv + cq * dq + np.diag(own)
        assert plain(eliminate)(body_i, armature + own, body_n, dof_n)
        b, x = rng.normal(size=tree.nv), np.full(tree.nv, np.nan)
        plain(substitute)(body_i, b, x, body_n, dof_n)
        close(x, np.linalg.solve(N, b), 1e-7)
        plain(substitute)(body_i, b, b, body_n, dof_n)
        assert np.array_equal(b, x)


@pytest.mark.parametrize("seed", range(4))
def test_products_with_the_masses(seed):
    (body_i, body_f, body_n, dof_n), _, tree, s = prepared(seed, 0.1, 0.01)
    x, out = np.cos(np.arange(tree.nv)), np.full(tree.nv, np.nan)
    plain(mass_times)(body_i, body_f, x, out, body_n, dof_n)
    close(out, dyn.crba(tree, s["q"]) @ x, 1e-11)


@pytest.mark.filterwarnings("ignore:divide by zero:RuntimeWarning", "ignore:invalid value:RuntimeWarning")
def test_an_axis_that_moves_nothing():
    """Without masses it needs something on its diagonal."""
    for diagonal in (0.0, 1.0):
        (body_i, _, body_n, dof_n), _, tree, _ = prepared(1, 0.0, 0.0, types=("revolute",))
        body_n[:] = 0.0
        assert plain(eliminate)(body_i, np.full(tree.nv, diagonal), body_n, dof_n) == (diagonal > 0.0)


def test_a_pivot_that_is_rounding():
    """A rod on a ball joint in turned frames: its own axis needs something on the diagonal."""
    for seed in range(20):
        for diagonal in (0.0, 1e-3):
            model, _, x, (body_i, body_f), (body_w, dof_w) = case(
                seed, n=2, types=("spherical",), armature_fraction=0.0
            )
            body_f = body_f.copy()
            body_f[-1, MASS:], body_f[-1, MASS], body_f[-1, INERTIA : INERTIA + 2] = 0.0, 1.0, 1.0
            assert turned(model, x, body_i, body_f, body_w, dof_w, diagonal) == (diagonal > 0.0)


def turned(model, x, body_i, body_f, body_w, dof_w, diagonal):
    nrow, nv = len(body_i), model.nv
    body_d, dof_d = np.zeros((nrow, N_BODY_D)), np.zeros((nv, N_DOF_D))
    body_n, dof_n = np.zeros((nrow, N_BODY_N)), np.zeros((nv, N_DOF_N))
    body_w[:] = 0.0
    plain(place)(body_i, body_f, x["q"], body_w, dof_w)
    plain(axes_at_root)(body_i, body_w, dof_w, body_d, dof_d)
    plain(motion)(body_i, body_f, x["v"], x["a"], body_d, dof_d)
    plain(rigid_terms)(body_i, body_f, body_w, body_d)
    plain(own_columns)(body_i, body_d, body_n)
    plain(gains)(body_i, 0.0, 0.0, body_d, dof_d, dof_n)
    return plain(eliminate)(body_i, np.full(nv, diagonal), body_n, dof_n)
