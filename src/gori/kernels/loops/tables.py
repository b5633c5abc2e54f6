"""The tables of the cuts: of each cut, of each equation, of coordinates and gears, and the pattern of the factors."""

from typing import Annotated, Any

from numba import types

from gori.kernels.bundle import Bundle
from gori.kernels.layout import field, record

_ROWS = (
    field("row_a", "", "row of body A, the parent", dtype="i8"),
    field("row_b", "", "row of body B, the child", dtype="i8"),
    field("root", "", "row where both ways to the ground meet", dtype="i8"),
)
_FRAMES = (
    field("R_A", "", "rotation of the frame on A, in the frame of its row", shape=9),
    field("p_A", "m", "origin of the frame on A, in the frame of its row", shape=3),
    field("R_B", "", "rotation of the frame on B, in the frame of its row", shape=9),
    field("p_B", "m", "origin of the frame on B, in the frame of its row", shape=3),
    field("pitch", "m/rad", "travel of a screw"),
)

CUT = record(
    "Cut",
    *_ROWS,
    field("first", "", "of its equations", dtype="i8"),
    field("equations", "", "their number", dtype="i8"),
    field("path", "", "first of its axes in `path`", dtype="i8"),
    field("axes", "", "their number", dtype="i8"),
    field("jac", "", "first of its numbers in the Jacobian", dtype="i8"),
    *_FRAMES,
    field("length", "m", "of DISTANT"),
    field("offset", "m, rad", "of COUPLED"),
)

EQUATION = record(
    "Equation",
    field("kind", "", "ALONG, ...", dtype="i8"),
    field("a", "", "axis of A; of DRIVEN: index in q; of SPUN: TURN, FIRST, SECOND or SCREW", dtype="i8"),
    field("b", "", "of DRIVEN, SLID and SPUN: first of three signals", dtype="i8"),
    field("dof", "", "of DRIVEN: the degree of freedom", dtype="i8"),
)

ALONG = 0  # e . (p_B - p_A) = 0, e an axis of A
TILT_X = 1  # -y_A . z_B = 0
TILT_Y = 2  # x_A . z_B = 0
CROSSED = 3  # z_A . z_B = 0
TURNED = 4  # twice the vector part of the quaternion of B seen from A, one component
DISTANT = 5  # |p_B - p_A| = length
COUPLED = 6  # sum of factor q - offset = 0, over the axes of its path
DRIVEN = 7  # q - s(t) = 0
SCREWED = 8  # z_A . (p_B - p_A) - pitch angle = 0, on the turn that is nearest
SLID = 9  # e . (p_B - p_A) - s(t) = 0, e an axis of A
SPUN = 10  # angle - s(t) = 0, on the turn that is nearest

COORDINATE = record(
    "CutCoordinate",
    *_ROWS,
    field("kind", "", "SLIDE, TURN, FIRST, SECOND, SCREW or BALL", dtype="i8"),
    field("axis", "", "of A, of a SLIDE", dtype="i8"),
    field("q", "", "first of its numbers among the coordinates", dtype="i8"),
    field("v", "", "first of its numbers among the velocities", dtype="i8"),
    field("turns", "", "of what has to be remembered of it: its index; -1 for nothing", dtype="i8"),
    *_FRAMES,
)
"""one coordinate of a joint that is not a coordinate of the tree: of a cut"""

SLIDE = 0  # e . (p_B - p_A), e an axis of A
TURN = 1  # angle of x_B from x_A about z_A = z_B
FIRST = 2  # angle of z_B from x_A about z_A: the first of a universal joint
SECOND = 3  # angle of z_A from x_B about -z_B: the second of a universal joint
SCREW = 4  # as TURN, on the turn that its travel tells
BALL = 5  # quaternion w x y z of B seen from A

TRACK = record(
    "TurnTrack",
    field("angle", "rad", "at the end of the last step, full turns counted"),
    field("rate", "rad/s", "of the angle there"),
    field("time", "s", "there"),
    field("quaternion", "", "of a BALL there, w x y z", shape=4),
)
"""by what turns are counted, and the signs of quaternions chosen"""

MESH = record(
    "Mesh",
    field("row", "", "row of the carrier, on which both wheels turn", dtype="i8"),
    field("row_a", "", "row of the first wheel", dtype="i8"),
    field("row_b", "", "row of the second wheel, or of the rack", dtype="i8"),
    field("equation", "", "its index", dtype="i8"),
    field("point_1", "m", "on the first line of action, frame of the carrier's row", shape=3),
    field("along_1", "", "direction of the pull on the first wheel there, 1 along the pitch line", shape=3),
    field("point_2", "m", "on the second line of action", shape=3),
    field("along_2", "", "direction of the pull on the first wheel there", shape=3),
    field("preload", "N", "of a belt, in both spans"),
)
"""where gears, belts and racks transmit their force: along two lines, by the sense of the torque"""

_i1 = types.int64[::1]


class Pattern(Bundle):
    """Where the factors of [H J'; J -eps] are not zero (`factors.py`); n = nv + ne places in the order of elimination.

    `row`, `source_row` and `source` belong to entries above the diagonal; `column` and `at` to those of L by its rows,
    `lower_row` to those of L by its columns.
    """

    in_code = frozenset(
        ("order", "start", "row", "source_row", "source", "lower_start", "column", "at", "below", "lower_row")
    )

    order: Annotated[Any, _i1]  # (n,) axis d, or nv + equation e, at each place
    start: Annotated[Any, _i1]  # (n + 1,) first entry of each column
    row: Annotated[Any, _i1]  # place
    source_row: Annotated[Any, _i1]  # of M, from which its value comes; -1: from jac
    source: Annotated[Any, _i1]  # column of M, or index in jac
    lower_start: Annotated[Any, _i1]  # (n + 1,) first entry of each row of L
    column: Annotated[Any, _i1]  # of L
    at: Annotated[Any, _i1]  # index in `lower`, which is stored by columns
    below: Annotated[Any, _i1]  # (n + 1,) first index of each column in `lower`
    lower_row: Annotated[Any, _i1]  # of each number in `lower`
