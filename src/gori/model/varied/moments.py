"""Centres of mass: c = h / m, with the first moment h = sum m_i c_i of the bodies of a rigid group.

Mass, first moment and inertia about the origin of a group are sums over its bodies; the centre of mass is a quotient,
in which all of them act together. So first moments are varied as one more table.
"""

from collections.abc import Callable

import numpy as np

from gori.kernels.tree.columns import COM, MASS, N_BODY_F
from gori.model.model import Model
from gori.model.varied.tables import Arrays, Words, among

MOMENTS = "first_moments"
"""name of the table (rows, 3) [kg m]; it is not among the results"""


def with_moments(tables_of: Callable[[Model], Arrays]) -> Callable[[Model], Arrays]:
    """Tables of a Model, and the first moments of its rows of bodies."""

    def tables(model: Model) -> Arrays:
        found = tables_of(model)
        if "body_f" not in found:
            return found
        body_f = found["body_f"]
        return {**found, MOMENTS: body_f[:, MASS, None] * body_f[:, COM : COM + 3]}

    return tables


class Moments:
    """The rows of bodies that have mass.

    ruled   numbers of tables that are centres of mass
    """

    def __init__(self, words: Words, reference: np.ndarray):
        rows = words.numbers("body_f").reshape(-1, N_BODY_F)
        heavy = reference[rows[:, MASS]] > 0.0
        self._mass, self._com = rows[heavy, MASS], rows[heavy, COM : COM + 3]
        self._moment = words.numbers(MOMENTS).reshape(-1, 3)[heavy]
        self.ruled = np.sort(self._com.ravel())

    def settle(self, reference: np.ndarray, numbers: np.ndarray, values: np.ndarray) -> None:
        """Fill in what is ruled, of all numbers (e,) that vary and their values (e, n)."""
        for masses, moments, centres in zip(self._mass, self._moment, self._com):
            for moment, centre in zip(moments, centres):
                varies, at = among(numbers, np.array([centre, moment, masses]))
                if varies[0]:
                    h, m = (values[at[k]] if varies[k] else reference[one] for k, one in ((1, moment), (2, masses)))
                    with np.errstate(all="ignore"):
                        values[at[0]] = h / m
