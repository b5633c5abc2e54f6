import numba
import numpy as np

from gori.kernels.tree.aba import aba
from gori.kernels.tree.derivatives import N_BODY_D, N_DOF_D
from gori.kernels.tree.inverse_mass import axes_at_root, inverse_mass_times
from tests.checks import close
from tests.kernels.tree.trees import case
from tests.reference import dynamics as dyn


@numba.njit(_nrt=False)
def _inverse(body_i, body_f, q, v, X, body_w, dof_w, body_d, dof_d, qdd):
    aba(body_i, body_f, q, v, v, body_f[:0, :4], body_f[:0, :6], qdd, body_w, dof_w)
    axes_at_root(body_i, body_w, dof_w, body_d, dof_d)
    inverse_mass_times(body_i, dof_w, X[0], X[1], X[2], body_d, dof_d)


def test_inverse_mass_matrix_by_columns():
    model, tree, x, tables, work = case(7)
    X = np.stack([np.eye(model.nv), 2.0 * np.eye(model.nv), np.zeros((model.nv, model.nv))])
    scratch = np.full((len(tables[0]), N_BODY_D), np.nan), np.full((model.nv, N_DOF_D), np.nan), np.empty(model.nv)
    _inverse(*tables, x["q"], x["v"], X, *work, *scratch)
    inverse = np.linalg.inv(dyn.crba(tree, x["q"]))
    close(X[0].T, inverse, 1e-8)
    close(X[1].T, 2.0 * inverse, 1e-8)
    assert not X[2].any()
