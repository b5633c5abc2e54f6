"""Poses of all bodies and frames."""

import numpy as np

from gori.errors import InputError
from gori.kernels.tree.columns import P_BF, R_BF
from gori.spec.spec import closest
from gori.text.arguments import is_one_of


class Poses:
    """Result of forward kinematics. `poses["hand"]` is the 4 x 4 matrix that carries points of the hand to the world.

    rotation   (nframe, 3, 3), or (B, nframe, 3, 3); in the order of `names`
    position   (nframe, 3), or (B, nframe, 3) [m]
    """

    def __init__(self, index: dict[str, int], table: np.ndarray):
        self._index = index
        self.rotation = table[..., R_BF : R_BF + 9].reshape(*table.shape[:-1], 3, 3)
        self.position = table[..., P_BF : P_BF + 3]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._index)

    def __contains__(self, name: object) -> bool:
        return is_one_of(name, self._index)

    def __iter__(self):
        return iter(self._index)

    def __getitem__(self, name: str) -> np.ndarray:
        if not is_one_of(name, self._index):
            raise InputError(f"{name!r} is not a body or frame{closest(name, self._index)}")
        k = self._index[name]
        T = np.zeros((*self.position.shape[:-2], 4, 4))
        T[..., :3, :3] = self.rotation[..., k, :, :]
        T[..., :3, 3] = self.position[..., k, :]
        T[..., 3, 3] = 1.0
        return T
