"""Energy that a Model stores: in springs, struts, bushings, torsion, and in stiffness and limits of joints."""

import numpy as np

from gori.kernels.forces.elements import BALL_SPRING, BUSHING, E_KIND, JOINT_LIMIT, JOINT_SPRING, LINE, STRUT
from gori.kernels.forces.parameters import SPRING_F
from gori.kernels.forces.potential import potentials
from gori.kernels.tree.columns import N_BODY_W, N_DOF_W
from gori.model.model import Model

ELASTIC = (JOINT_SPRING, BALL_SPRING, JOINT_LIMIT, LINE, STRUT, BUSHING)
"""kinds of elements that can store energy"""


def elastic_elements(model: Model) -> np.ndarray:
    """Elements that store energy (k,), as indices; dampers and friction of joints do not."""
    element_i, element_f = model.forces.element_i, model.forces.element_f
    stores = np.isin(element_i[:, E_KIND], ELASTIC)
    idle = (element_f[:, SPRING_F.stiffness] == 0.0) & (element_f[:, SPRING_F.preload] == 0.0)
    stores[(element_i[:, E_KIND] == JOINT_SPRING) & idle] = False
    return np.flatnonzero(stores)


def elastic_energies(model: Model, q: np.ndarray) -> np.ndarray:
    """Energy [J] of each of `elastic_elements` (N, k), for rows of q (N, nq)."""
    which, tables = elastic_elements(model), model.kernel_tables
    out = np.zeros((len(q), len(which)))
    if out.size:
        element_i = np.ascontiguousarray(model.forces.element_i[which])
        element_f = np.ascontiguousarray(model.forces.element_f[which])
        body_w, dof_w = np.zeros((len(tables.body_i), N_BODY_W)), np.zeros((model.nv, N_DOF_W))
        potentials(tables.body_i, tables.body_f, element_i, element_f, np.array(q, float), out, body_w, dof_w)
    return out
