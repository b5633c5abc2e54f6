"""Work arrays of the narrow phase: made once, for any pair of shapes. Nothing in them has to be kept.

All coordinates are in the frame of shape A, but for `face_*` and `clip_*`, whose z is along the normal of the contact.
"""

from typing import Annotated, Any

import numpy as np
from numba import types

from gori.kernels.bundle import Bundle
from gori.kernels.contact.tables import MOST_POINTS
from gori.kernels.layout import field, record
from gori.kernels.vehicle.state import CELL

DIFFERENCE_POINT = record(
    "DifferencePoint",
    field("x", "m", "w = a - b, a point of the Minkowski difference of both cores"),
    field("y", "m", ""),
    field("z", "m", ""),
    field("ax", "m", "the support point of A"),
    field("ay", "m", ""),
    field("az", "m", ""),
    field("share", "", "barycentric coordinate of the closest point of the simplex"),
)

POLYTOPE_FACE = record(
    "PolytopeFace",
    field("i", "", "corners, counter-clockwise seen from outside", dtype="i8"),
    field("j", "", "", dtype="i8"),
    field("k", "", "", dtype="i8"),
    field("nx", "", "unit normal to the outside"),
    field("ny", "", ""),
    field("nz", "", ""),
    field("distance", "m", "of its plane from the origin"),
    field("blur", "m", "uncertainty of heights over its plane, by rounding"),
    field("alive", "", "0: its place is free; OPEN, DONE or THIN_FACE", dtype="i8"),
)

EDGE = record(
    "PolytopeEdge",
    field("i", "", "from this corner", dtype="i8"),
    field("j", "", "to this one", dtype="i8"),
)

FACE_POINT = record(
    "FacePoint",
    field("x", "m", "own frame of the shape; later along the tangents and the normal of the contact"),
    field("y", "m", ""),
    field("z", "m", ""),
    field("id", "", "of the vertex within its shape", dtype="i8"),
)

CLIP_POINT = record(
    "ClipPoint",
    field("x", "m", "along the first tangent"),
    field("y", "m", "along the second tangent"),
    field("z", "m", "along the normal"),
    field("gap", "m", "between both faces, along the normal"),
    field("edge", "", "id of the edge that begins here", dtype="i8"),
    field("own", "", "1: that edge is one of the clipped polygon, 0: one of the other", dtype="i8"),
    field("feature", "", "of this point", dtype="i8"),
)

ANSWER = record(
    "NarrowAnswer",
    field("nx", "", "unit normal from A to B"),
    field("ny", "", ""),
    field("nz", "", ""),
    field("distance", "m", "between both cores; negative: depth"),
    field("x", "m", "point of A's core that is closest to B, or deepest in it"),
    field("y", "m", ""),
    field("z", "m", ""),
)

SPOT = record(
    "GroundSpot",
    field("x", "m", "midway between a shape and the terrain, world axes"),
    field("y", "m", ""),
    field("z", "m", ""),
    field("nx", "", "unit normal of the contact, out of the ground"),
    field("ny", "", ""),
    field("nz", "", ""),
    field("gap", "m", "along it"),
    field("id", "", "of the feature", dtype="i8"),
)

MOST_VERTICES = 200
MOST_FACES = 400
"""of the polytope: a closed triangulation with n vertices has 2 n - 4 faces"""
FACE_POINTS = 16
"""of a supporting face"""
CLIP_POINTS = 40
NEAR_POINTS = 64
"""vertices of a hull next to its supporting plane"""
SPOTS = 64
"""places where a shape may touch the terrain, of which a few become contact points"""


class NarrowWork(Bundle):
    """Scratch of `collide`."""

    pose_ab: Annotated[Any, types.float64[::1]]  # (12,) of B in the frame of A
    simplex: Annotated[Any, DIFFERENCE_POINT.type[::1]]  # (4,)
    corner: Annotated[Any, DIFFERENCE_POINT.type[::1]]  # of the polytope
    face: Annotated[Any, POLYTOPE_FACE.type[::1]]
    horizon: Annotated[Any, EDGE.type[::1]]
    gone: Annotated[Any, types.int64[::1]]  # faces that see the new corner
    seen: Annotated[Any, types.int64[::1]]  # faces that may
    face_a: Annotated[Any, FACE_POINT.type[::1]]
    face_b: Annotated[Any, FACE_POINT.type[::1]]
    near: Annotated[Any, FACE_POINT.type[::1]]
    nearest: Annotated[Any, types.float64[::1]]  # squared distance of each of these from those that are chosen
    clip_from: Annotated[Any, CLIP_POINT.type[::1]]
    clip_to: Annotated[Any, CLIP_POINT.type[::1]]
    answer: Annotated[Any, ANSWER.type[::1]]  # (3,): the answer, and room for two more
    rounds: Annotated[Any, types.float64[:, ::1]]  # (3, 6): normals and their turns in the last rounds (`polish.py`)
    spot: Annotated[Any, SPOT.type[::1]]  # of a shape on the terrain
    kept: Annotated[Any, types.int64[::1]]  # features of the pair in the step before, behind their number
    cells: Annotated[Any, CELL.type[::1]]  # of soft soil, kept by the vehicles of a run; empty: as it was at first


def narrow_work(cells: np.ndarray | None = None, deep: bool = True) -> NarrowWork:
    """Scratch for one thread.

    cells   of soft soil, which wheels change
    deep    with room for a polytope, which the depth of some pairs of shapes needs (`may_need_polytope`)
    """
    vertices, faces = (MOST_VERTICES, MOST_FACES) if deep else (0, 0)
    return NarrowWork(
        pose_ab=np.zeros(12),
        simplex=DIFFERENCE_POINT.zeros(4),
        corner=DIFFERENCE_POINT.zeros(vertices),
        face=POLYTOPE_FACE.zeros(faces),
        horizon=EDGE.zeros(faces),
        gone=np.zeros(faces, np.int64),
        seen=np.zeros(faces, np.int64),
        face_a=FACE_POINT.zeros(FACE_POINTS),
        face_b=FACE_POINT.zeros(FACE_POINTS),
        near=FACE_POINT.zeros(NEAR_POINTS),
        nearest=np.zeros(NEAR_POINTS),
        clip_from=CLIP_POINT.zeros(CLIP_POINTS),
        clip_to=CLIP_POINT.zeros(CLIP_POINTS),
        answer=ANSWER.zeros(3),
        rounds=np.zeros((3, 6)),
        spot=SPOT.zeros(SPOTS),
        kept=np.zeros(1 + MOST_POINTS, np.int64),
        cells=CELL.zeros(0) if cells is None else cells,
    )
