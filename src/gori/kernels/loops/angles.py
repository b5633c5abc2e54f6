"""Angles between frame A on one body and frame B on another, full turns left open.

    TURN, SCREW   atan2(y_A . x_B, x_A . x_B)     about z_A, where z_A = z_B
    FIRST         atan2(y_A . z_B, x_A . z_B)     about z_A, where z_A . z_B = 0: the first angle of a universal joint
    SECOND        atan2(-y_B . z_A, x_B . z_A)    about z_B: the second one

With w = w_B - w_A the angle grows at e . w, e the axis that it is about.
"""

import math

from gori.kernels.jit import part
from gori.kernels.loops.tables import FIRST, SECOND
from gori.kernels.tree.kinematics import turn

TURN_ANGLE = 2.0 * math.pi
"""of one full turn [rad]"""


@part
def axis_of(R, k, row, body_w):
    """Axis k of a frame R (9,) that stands on the row, world axes."""
    return turn(body_w, row, R[k], R[3 + k], R[6 + k])


@part
def dot(ax, ay, az, bx, by, bz):
    return ax * bx + ay * by + az * bz


@part
def angle_of(cut, kind, body_w):
    """The angle, within half a turn; cut: a row with frames A and B."""
    if kind == SECOND:
        zx, zy, zz = axis_of(cut.R_A, 2, cut.row_a, body_w)
        xx, xy, xz = axis_of(cut.R_B, 0, cut.row_b, body_w)
        yx, yy, yz = axis_of(cut.R_B, 1, cut.row_b, body_w)
        return math.atan2(-dot(yx, yy, yz, zx, zy, zz), dot(xx, xy, xz, zx, zy, zz))
    fx, fy, fz = axis_of(cut.R_B, 2 if kind == FIRST else 0, cut.row_b, body_w)
    xx, xy, xz = axis_of(cut.R_A, 0, cut.row_a, body_w)
    yx, yy, yz = axis_of(cut.R_A, 1, cut.row_a, body_w)
    return math.atan2(dot(yx, yy, yz, fx, fy, fz), dot(xx, xy, xz, fx, fy, fz))


@part
def turning_axis(cut, kind, body_w):
    """The axis that the angle is about, world axes."""
    if kind == SECOND:
        return axis_of(cut.R_B, 2, cut.row_b, body_w)
    return axis_of(cut.R_A, 2, cut.row_a, body_w)


@part
def turning_row(cut, kind):
    """The row that this axis is fixed to."""
    return cut.row_b if kind == SECOND else cut.row_a


@part
def nearest_turn(angle, near):
    """Full turns to add to an angle, so that it is next to another one."""
    return ((near - angle) / TURN_ANGLE + 0.5) // 1.0


@part
def screw_turns(angle, travel, pitch):
    """Full turns of a screw that has travelled so far [m, m/rad]; none where it has no pitch."""
    return nearest_turn(angle, travel / pitch) if pitch != 0.0 else 0.0
