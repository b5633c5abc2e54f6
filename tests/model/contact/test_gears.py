"""Gears that collide: their pieces fill the gear."""

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from gori.kernels.contact.tables import CYLINDER, HULL
from gori.model.contact.gears import gear_pieces
from gori.spec import Gear


@pytest.mark.parametrize("bore", [0.0, 0.02])
def test_pieces_fill_the_gear(bore):
    shape = Gear(
        type="gear", teeth=24, module=0.004, width=0.02, bore=bore, axis=[0, 1, 0], phase_deg=10.0, material="steel",
        collide=True,
    )  # fmt: skip
    pieces = gear_pieces("a.g", shape)
    assert [piece.kind for piece in pieces] == [HULL] * 24 + ([HULL] * 24 if bore else [CYLINDER])
    volume = sum(ConvexHull(piece.vertices).volume for piece in pieces if piece.kind == HULL)
    volume += sum(2 * np.pi * piece.size[0] ** 2 * piece.size[2] for piece in pieces if piece.kind == CYLINDER)
    assert volume == pytest.approx(shape.unit()[0], rel=0.02)
    # a tooth stands where the mesh has it
    vertices, _ = shape.mesh()
    tooth = pieces[0].vertices + pieces[0].p
    assert all(np.linalg.norm(vertices - corner, axis=1).min() < 1e-12 for corner in tooth)
