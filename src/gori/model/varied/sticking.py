"""Joint friction that sticks: stiffness and damping follow from the mass matrix at the start by a rule of their own.

That rule (`model/forces.py`) has eigenvalues and limits in it, and each of its numbers depends on all masses; the mass
matrix itself is a sum over the bodies. So the mass matrix is varied as one more table, and the rule applied to it.
"""

from collections.abc import Callable

import numpy as np

from gori.kernels.forces.elements import E_DOF, E_KIND, JOINT_FRICTION
from gori.kernels.forces.parameters import FRICTION_F, N_ELEMENT_F
from gori.model.forces import moved_inertia, stick_of
from gori.model.model import Model
from gori.model.varied.tables import Arrays, Words

HIDDEN = "sticking.mass_matrix"
"""name of the table (nv (nv + 1) / 2,) of the lower triangle; it is not among the results"""
ELEMENTS = "element_f"
BLOCK = 1 << 15
"""machines at once"""


class Sticking:
    """The joints of a Model that have friction.

    ruled   numbers that follow from the mass matrix
    """

    def __init__(self, model: Model, words: Words):
        self.model, self.words = model, words
        index, joints = model.forces.element_i, model.spec.joints
        self._rows = np.flatnonzero(index[:, E_KIND] == JOINT_FRICTION)
        self._dofs = index[self._rows, E_DOF]
        names = [model.joint_of_dof(int(dof)) for dof in self._dofs]
        self._free = np.array([joints[name].stick_stiffness is None for name in names], bool)
        elements = words.numbers(ELEMENTS)
        if not len(elements):
            self._rows = self._rows[:0]
        places = elements.reshape(-1, N_ELEMENT_F)[self._rows]
        self._coulomb, self._stiffness, self._damping = places[:, list(FRICTION_F)].T.reshape(3, -1)
        self.ruled = np.sort(np.concatenate([self._stiffness[self._free[: len(places)]], self._damping]))

    def settle(self, reference: np.ndarray, numbers: np.ndarray, values: np.ndarray) -> None:
        """Fill in what is ruled, of all numbers (e,) that vary and their values (e, n)."""
        triangle = np.tril_indices(self.model.nv)
        hidden, rubs = self.words.numbers(HIDDEN), self.model.friction > 0.0

        def known(wanted: np.ndarray, block: slice) -> np.ndarray:
            """Values (w, machines) of some numbers, whether they vary or not."""
            out = np.repeat(reference[wanted][:, None], values[:1, block].shape[1], axis=1)
            at = np.searchsorted(numbers, wanted).clip(max=len(numbers) - 1)
            varies = numbers[at] == wanted
            out[varies] = values[at[varies], block]
            return out

        for start in range(0, values.shape[1], BLOCK):
            block = slice(start, start + BLOCK)
            flat = known(hidden, block).T
            M = np.empty((len(flat), self.model.nv, self.model.nv))
            M[:, triangle[0], triangle[1]] = M[:, triangle[1], triangle[0]] = flat
            inertia = moved_inertia(M, rubs)[:, self._dofs].T
            friction, given = known(self._coulomb, block), known(self._stiffness, block)
            free, looped = stick_of(friction, None, inertia, bool(self.model.loops))[0], bool(self.model.loops)
            stiffness, damping = stick_of(friction, np.where(self._free[:, None], free, given), inertia, looped)
            for wanted, found in ((self._stiffness, stiffness), (self._damping, damping)):
                at = np.searchsorted(numbers, wanted).clip(max=len(numbers) - 1)
                varies = (numbers[at] == wanted) & np.isin(wanted, self.ruled)
                values[at[varies], block] = found[varies]


def with_mass_matrix(tables_of: Callable[[Model], Arrays]) -> Callable[[Model], Arrays]:
    """Tables of a Model, and its mass matrix at the start if joints have friction."""

    def tables(model: Model) -> Arrays:
        found = tables_of(model)
        if ELEMENTS in found and (model.forces.element_i[:, E_KIND] == JOINT_FRICTION).any():
            M = model.tree_mass_matrix(model.q0)
            return {**found, HIDDEN: M[np.tril_indices(model.nv)]}
        return found

    return tables
