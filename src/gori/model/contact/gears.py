"""Gears as shapes of contact: a hull for each tooth, and the wheel that carries them.

The flanks of a tooth bulge outwards, so that it is convex. A wheel without a bore is a cylinder up to the root circle;
one with a bore is a ring of hulls, one for each tooth, and the hole has as many flat sides.
"""

from typing import Any

import numpy as np

from gori.kernels.contact.tables import CYLINDER
from gori.model.contact.piece import Piece, hull_piece
from gori.spec.base import rotation, rotation_to
from gori.spec.gear import tooth_flank


def gear_pieces(name: str, shape: Any) -> list[Piece]:
    """Pieces of a gear; name: "body.shape", for messages."""
    flank, root = tooth_flank(
        shape.teeth,
        shape.module,
        shape.pressure_angle_deg,
        shape.backlash,
        shape.addendum,
        shape.dedendum,
        shape.flank_points,
    )
    R, pitch = rotation_to(shape.axis) @ rotation((0.0, 0.0, shape.phase_deg), None), 2.0 * np.pi / shape.teeth

    def prism(radius: np.ndarray, angle: np.ndarray) -> Piece:
        flat = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
        ends = [np.column_stack([flat, np.full(len(flat), z)]) for z in (0.0, shape.width)]
        return hull_piece(np.concatenate(ends) @ R.T, f"{name}: a part of the gear")

    radius, half = np.tile(flank[:, 0], 2), np.concatenate([flank[:, 1], -flank[:, 1]])
    pieces = [prism(radius, half + pitch * k) for k in range(shape.teeth)]
    if shape.bore == 0.0:
        size = (root, root, 0.5 * shape.width)
        return [*pieces, Piece(CYLINDER, R, size[2] * R[:, 2], size, 0.0, size, root)]
    foot = flank[0, 1]
    outer = np.array([-0.5 * pitch, -foot, foot, 0.5 * pitch])
    radius = np.array([root] * 4 + [0.5 * shape.bore] * 2)
    return [*pieces, *(prism(radius, np.array([*outer, outer[3], outer[0]]) + pitch * k) for k in range(shape.teeth))]
