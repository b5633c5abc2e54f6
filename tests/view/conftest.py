"""A film for all tests of pictures here."""

import numpy as np
import pytest

from gori.record import FrameFile, Frames
from tests.view.grains import tray


@pytest.fixture(scope="module")
def film(tmp_path_factory):
    """Four frames of grains that move along x with their tray."""
    path, rng = tmp_path_factory.mktemp("film") / "f.h5", np.random.default_rng(1)
    with FrameFile(path, ("tray",), ("grain", "steel"), tray()) as file:
        for k in range(4):
            place = np.column_stack(
                [rng.uniform(-0.9, 0.9, (200, 1)) + k, rng.uniform(-0.4, 0.4, (200, 2)), np.full(200, 0.05)]
            )
            motion = np.zeros((200, 8))
            motion[:, 0], motion[:, 3], motion[:, 7] = k, 1.0, np.arange(200) % 2
            T = np.eye(4)
            T[0, 3] = k
            file.append(0.1 * k, np.arange(200), place, motion, [T])
    return Frames(path)
