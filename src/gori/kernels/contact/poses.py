"""Where the shapes of contact are, and the boxes that hold them during a step.

The box of a shape is parallel to the world axes. Its half edges are sum_j |R_kj| half_j about the shape's origin
(Ericson 2005, section 4.2.6), where `half` are those of the box in the shape's own frame. For a step of length h the
origin moves by u h, and by at most |w| |r| |w| h^2 / 2 off that line, where r leads to it from the origin of its row;
a point of the shape moves by at most |w| h |half| about it, and never out of the ball of radius |half|.
"""

import math

from numba import types

from gori.kernels.contact.tables import SPHERE, ContactTables
from gori.kernels.jit import kernel, part
from gori.kernels.tree.columns import OMEGA, P_BF, P_WB, R_BF, VEL
from gori.kernels.tree.kinematics import cross, place, positions, turn


@part
def shape_poses(shape, body_w, pose):
    """Poses of all shapes in the world, after `positions`.

    shape    (n,) SHAPE
    body_w   (nrow, N_BODY_W) work of the tree
    pose     (n, 12) out: rotation from the shape's frame to the world, by rows; origin [m]
    """
    for s in range(shape.shape[0]):
        one, i = shape[s], shape[s].row
        R, p = one.rotation, one.position
        for k in range(3):
            x, y, z = turn(body_w, i, R[k], R[3 + k], R[6 + k])
            pose[s, R_BF + k], pose[s, R_BF + 3 + k], pose[s, R_BF + 6 + k] = x, y, z
        x, y, z = turn(body_w, i, p[0], p[1], p[2])
        pose[s, P_BF] = x + body_w[i, P_WB]
        pose[s, P_BF + 1] = y + body_w[i, P_WB + 1]
        pose[s, P_BF + 2] = z + body_w[i, P_WB + 2]


@part
def shape_boxes(shape, pose, body_w, reach, span, box):
    """Boxes that hold the shapes during a step, after `shape_poses`, and after `velocities` if span > 0.

    reach   by how much a box is larger than its shape, on all sides [m]
    span    length of the step [s]; 0: the shapes as they stand
    box     (n, 6) out: lowest x y z, highest x y z [m], world axes; infinite for shapes without an end
    """
    for s in range(shape.shape[0]):
        one, half = shape[s], shape[s].half
        if math.isinf(half[0]):
            for k in range(3):
                box[s, k], box[s, 3 + k] = -math.inf, math.inf
            continue
        for k in range(3):
            R = pose[s, 3 * k : 3 * k + 3]
            size = reach + abs(R[0]) * half[0] + abs(R[1]) * half[1] + abs(R[2]) * half[2]
            box[s, k], box[s, 3 + k] = pose[s, P_BF + k] - size, pose[s, P_BF + k] + size
        if span > 0.0 and one.row > 0:
            sweep(one, pose[s], body_w[one.row], span, box[s])


@part
def sweep(one, pose, body, span, box):
    """Extend the box (6,) of a shape by its motion during the span [s].

    one    its row of SHAPE; pose (12,) in the world; body (N_BODY_W,) of its row, with its velocities
    """
    wx, wy, wz = body[OMEGA], body[OMEGA + 1], body[OMEGA + 2]
    rx, ry, rz = pose[P_BF] - body[P_WB], pose[P_BF + 1] - body[P_WB + 1], pose[P_BF + 2] - body[P_WB + 2]
    ux, uy, uz = cross(wx, wy, wz, rx, ry, rz)
    angle = math.sqrt(wx * wx + wy * wy + wz * wz) * span
    around = 0.5 * angle * angle * math.sqrt(rx * rx + ry * ry + rz * rz)
    if one.kind != SPHERE:
        half = one.half
        around += min(angle, 1.0) * math.sqrt(half[0] * half[0] + half[1] * half[1] + half[2] * half[2])
    extend(box, 0, span * (body[VEL] + ux), around)
    extend(box, 1, span * (body[VEL + 1] + uy), around)
    extend(box, 2, span * (body[VEL + 2] + uz), around)


@part
def extend(box, k, way, around):
    """Extend a box (6,) along axis k: by a displacement [m], and by a length on both sides [m]."""
    box[k] += min(way, 0.0) - around
    box[3 + k] += max(way, 0.0) + around


_I2, _F1, _F2 = types.int64[:, ::1], types.float64[::1], types.float64[:, ::1]


@kernel(types.void(ContactTables.type, _F2, types.float64, types.float64, _F2, _F2))
def shapes_in_world(tables, body_w, reach, span, pose, box):
    """pose (n, 12) and box (n, 6) of all shapes; see `shape_poses` and `shape_boxes`."""
    shape_poses(tables.shape, body_w, pose)
    shape_boxes(tables.shape, pose, body_w, reach, span, box)


@kernel(types.void(_I2, _F2, ContactTables.type, _F1, types.float64, _F2, _F2, _F2, _F2))
def shapes_at(body_i, body_f, tables, q, reach, pose, box, body_w, dof_w):
    """pose (n, 12) and box (n, 6) of all shapes where the tree stands at q (nq,); body_w and dof_w are work."""
    place(body_i, body_f, q, body_w, dof_w)
    positions(body_i, body_w)
    shape_poses(tables.shape, body_w, pose)
    shape_boxes(tables.shape, pose, body_w, reach, 0.0, box)
