"""The tables of the cuts: of each cut, of each equation, and the pattern of the sparse factors."""

from typing import Annotated, Any

from numba import types

from gori.kernels.bundle import Bundle
from gori.kernels.layout import field, record

CUT = record(
    "Cut",
    field("row_a", "", "row of body A, the parent", dtype="i8"),
    field("row_b", "", "row of body B, the child", dtype="i8"),
    field("root", "", "row where both ways to the ground meet", dtype="i8"),
    field("first", "", "of its equations", dtype="i8"),
    field("equations", "", "their number", dtype="i8"),
    field("path", "", "first of its axes in `path`", dtype="i8"),
    field("axes", "", "their number", dtype="i8"),
    field("jac", "", "first of its numbers in the Jacobian", dtype="i8"),
    field("R_A", "", "rotation of the frame on A, in the frame of its row", shape=9),
    field("p_A", "m", "origin of the frame on A, in the frame of its row", shape=3),
    field("R_B", "", "rotation of the frame on B, in the frame of its row", shape=9),
    field("p_B", "m", "origin of the frame on B, in the frame of its row", shape=3),
    field("length", "m", "of DISTANT; of COUPLED: the ratio"),
    field("offset", "m, rad", "of COUPLED"),
)

EQUATION = record(
    "Equation",
    field("kind", "", "ALONG, ...", dtype="i8"),
    field("a", "", "axis of A; of COUPLED and DRIVEN: index in q", dtype="i8"),
    field("b", "", "of COUPLED: index in q of the joint that leads; of DRIVEN: first of three signals", dtype="i8"),
    field("dof", "", "of DRIVEN: the degree of freedom", dtype="i8"),
)

ALONG = 0  # e . (p_B - p_A) = 0, e an axis of A
TILT_X = 1  # -y_A . z_B = 0
TILT_Y = 2  # x_A . z_B = 0
CROSSED = 3  # z_A . z_B = 0
TURNED = 4  # twice the vector part of the quaternion of B seen from A, one component
DISTANT = 5  # |p_B - p_A| = length
COUPLED = 6  # q - ratio q_leading - offset = 0
DRIVEN = 7  # q - s(t) = 0

_i1 = types.int64[::1]


class Pattern(Bundle):
    """Where the factors of [H J'; J -eps] are not zero (`factors.py`); n = nv + ne places in the order of elimination.

    `row`, `source_row` and `source` belong to entries above the diagonal; `column` and `at` to those of L by its rows,
    `lower_row` to those of L by its columns.
    """

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
