"""Joint friction that sticks: its stiffness and damping follow from the mass matrix at the start.

The rule (`model/forces.py`) has eigenvalues and limits in it, and its numbers depend on all masses and lengths. So it
is applied to each machine: to the mass matrix of its own bodies.
"""

from collections.abc import Callable

import numpy as np

from gori.kernels.forces.elements import E_DOF, E_KIND, JOINT_FRICTION
from gori.kernels.forces.parameters import FRICTION_F, N_ELEMENT_F
from gori.kernels.tree.columns import N_BODY_W, N_DOF_W
from gori.kernels.tree.crba import crba_one
from gori.model.forces import moved_inertia, stick_of
from gori.model.model import Model
from gori.model.varied.tables import Arrays, Words, among

START = "sticking.q0"
"""name of the table of the coordinates (nq,) at which the mass matrix is taken; it is not among the results"""
NEEDED = "element_f", "body_f"
BLOCK = 1 << 14
"""machines at once"""


def with_start(tables_of: Callable[[Model], Arrays]) -> Callable[[Model], Arrays]:
    """Tables of a Model, and the coordinates at which its sticking friction is tuned."""

    def tables(model: Model) -> Arrays:
        found = tables_of(model)
        return {**found, START: model.q0} if found.keys() >= set(NEEDED) else found

    return tables


class Sticking:
    """The joints of a Model that have friction.

    ruled   numbers of its tables that follow from the mass matrix
    """

    def __init__(self, model: Model, words: Words):
        self._model, self._words = model, words
        index, joints = model.forces.element_i, model.spec.joints
        rows = np.flatnonzero(index[:, E_KIND] == JOINT_FRICTION) if START in words.names else np.zeros(0, np.int64)
        self._dofs = index[rows, E_DOF]
        names = [model.joint_of_dof(int(dof)) for dof in self._dofs]
        self._tuned = np.array([joints[name].stick_stiffness is None for name in names], bool)
        places = words.numbers("element_f").reshape(-1, N_ELEMENT_F)[rows]
        self._coulomb, self._stiffness, self._damping = places[:, list(FRICTION_F)].T
        self.ruled = np.sort(np.concatenate([self._stiffness[self._tuned], self._damping]))

    def settle(self, reference: np.ndarray, numbers: np.ndarray, values: np.ndarray) -> None:
        """Fill in what is ruled, of all numbers (e,) that vary and their values (e, n)."""
        if not np.isin(self.ruled, numbers).any():
            return
        looped, tuned = bool(self._model.loops), self._tuned[:, None]

        def known(wanted: np.ndarray, block: slice) -> np.ndarray:
            """Values (w, machines) of some numbers, whether they vary or not."""
            out = np.repeat(reference[wanted][:, None], values[:1, block].shape[1], axis=1)
            varies, at = among(numbers, wanted)
            out[varies] = values[at[varies], block]
            return out

        for start in range(0, values.shape[1], BLOCK):
            block = slice(start, start + BLOCK)
            M = self._mass_matrices(*(known(self._words.numbers(name), block).T.copy() for name in ("body_f", START)))
            inertia = moved_inertia(M, self._model.friction > 0.0)[:, self._dofs].T
            free, _ = stick_of(known(self._coulomb, block), None, inertia, looped)
            stiffness = np.where(tuned, free, known(self._stiffness, block))
            _, damping = stick_of(known(self._coulomb, block), stiffness, inertia, looped)
            for wanted, found in ((self._stiffness[self._tuned], free[self._tuned]), (self._damping, damping)):
                varies, at = among(numbers, wanted)
                values[at[varies], block] = found[varies]

    def _mass_matrices(self, bodies: np.ndarray, q: np.ndarray) -> np.ndarray:
        """M (n, nv, nv) of machines with rows of bodies (n, all numbers of body_f) at q (n, nq)."""
        t, nv = self._model.kernel_tables, self._model.nv
        work = np.zeros((len(t.body_i), N_BODY_W)), np.zeros((nv, N_DOF_W))
        out, body_f = np.zeros((len(q), nv, nv)), t.body_f.copy()
        for own, coordinates, M in zip(bodies.reshape(-1, *body_f.shape), q, out):
            body_f[:] = own
            crba_one(t.body_i, body_f, coordinates, M, *work)
        return out
