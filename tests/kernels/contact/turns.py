"""Random rotations."""

import numpy as np

from gori.spec.base import rotation


def random_rotation(rng):
    """A rotation (3, 3), all alike likely."""
    quat = rng.normal(size=4)
    return rotation(None, tuple(quat / np.linalg.norm(quat)))
