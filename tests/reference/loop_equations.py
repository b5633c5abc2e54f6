"""The scalar equations of a cut between frame A on the parent and frame B on the child (Haug 1989, section 9.4).

Of each equation phi = 0 there is, with d = p_B - p_A and world axes:

value    phi
row      (6,)   moment and force at p_B, so that phi' = row . (twist of B - twist of A's body at p_B): what a unit
                multiplier puts on the parent's side; the child gets its opposite
gamma    phi'' where qdd = 0: what the velocities and the accelerations they cause make of it

Both frames are turned so that z is the axis of the cut. Kinds of equations:

x, y, z       phi = e.d, e an axis of A
rx, ry, rz    phi = e.f, e an axis of A and f of B, signed so that phi grows with a turn of B about that axis of A:
              rx = -y_A.z_B, ry = x_A.z_B, rz = y_A.x_B; of a fixed cut the rotation vector of B seen from A instead
cross         phi = axis_A . axis2_B
screw         phi = z_A.d - pitch angle, with the full turns for which it is smallest
length        phi = |d| - length
"""

from typing import NamedTuple

import numpy as np

from gori.spec.base import rotation_to
from tests.reference.dynamics import link_poses, velocities
from tests.reference.spatial import crm, skew, so3_log
from tests.reference.tree import Tree, unit

EQUATIONS = {
    "fixed": ("x", "y", "z", "rx", "ry", "rz"),
    "revolute": ("x", "y", "z", "rx", "ry"),
    "prismatic": ("x", "y", "rx", "ry", "rz"),
    "helical": ("x", "y", "rx", "ry", "screw"),
    "cylindrical": ("x", "y", "rx", "ry"),
    "universal": ("x", "y", "z", "cross"),
    "planar": ("z", "rx", "ry"),
    "spherical": ("x", "y", "z"),
    "distance": ("length",),
}
X, Y, Z = range(3)
DIRECTIONS = {"rx": (-1.0, Y, Z), "ry": (1.0, X, Z), "rz": (1.0, Y, X)}
"""sign, axis of A, axis of B"""


class Motion(NamedTuple):
    """Of a frame in world axes: rotation (3, 3), position, angular velocity, velocity, and their rates, each (3,)."""

    R: np.ndarray
    p: np.ndarray
    w: np.ndarray
    u: np.ndarray
    alpha: np.ndarray
    a: np.ndarray

    def frame(self, R_BF, p_BF):
        """Motion of a frame fixed to this one: u + w x r, a + alpha x r + w x (w x r)."""
        r = self.R @ p_BF
        u = self.u + np.cross(self.w, r)
        a = self.a + np.cross(self.alpha, r) + np.cross(self.w, np.cross(self.w, r))
        return Motion(self.R @ R_BF, self.p + r, self.w, u, self.alpha, a)


GROUNDED = Motion(np.eye(3), *np.zeros((5, 3)))


def motions(tree: Tree, q, v, a):
    """Motion of every link at the joint velocity v and acceleration a (Featherstone 2008, table 5.1, no gravity)."""
    accelerations, result = [], []
    for link, (R, p), V in zip(tree.links, link_poses(tree, q), velocities(tree, q, v)):
        X_CP, S, c_J = link.move(q, v)
        above = accelerations[link.parent] if link.parent >= 0 else np.zeros(6)
        A = X_CP @ above + S @ a[link.v] + c_J + crm(V) @ S @ v[link.v]
        accelerations.append(A)
        # a spatial acceleration has w x u of the origin taken off (section 2.11)
        w, u = V[:3], V[3:]
        result.append(Motion(R, p, R @ w, R @ u, R @ A[:3], R @ (A[3:] + np.cross(w, u))))
    return result


def frames(tree: Tree, cut, links):
    """Motion of the frames A and B of a cut, z along its axis; links are the motions of the tree's links."""
    turn = rotation_to(cut.axis)
    sides = []
    for body, (R, p) in ((cut.parent, cut.pose()), (cut.child, cut.child_pose())):
        index, _, _ = tree.place(body)
        sides.append((links[index] if index >= 0 else GROUNDED).frame(R @ turn, p))
    return sides


def equations(cut, A: Motion, B: Motion):
    """Value, row and gamma of each equation of a cut, in the order of EQUATIONS."""
    if cut.type == "distance":
        return [length(cut.length, A, B)]
    rows = []
    for kind in EQUATIONS[cut.type]:
        if kind in "xyz":
            rows.append(position(A.R[:, "xyz".index(kind)], A, B))
        elif kind == "screw":
            rows.append(screw(cut.pitch / (2.0 * np.pi), A, B))
        elif kind == "cross":
            axis2 = unit(rotation_to(cut.axis)[:, X] if cut.axis2 is None else cut.axis2)
            rows.append(direction(A.R[:, Z], B.R @ rotation_to(cut.axis).T @ axis2, A, B))
        elif cut.type == "fixed":
            rows.append(tuple(part["xyz".index(kind[1])] for part in rotation_vector(A, B)))
        else:
            sign, i, j = DIRECTIONS[kind]
            rows.append(direction(sign * A.R[:, i], B.R[:, j], A, B))
    return rows


def turning(e, M: Motion):
    """First and second derivative of a direction that turns with M."""
    return np.cross(M.w, e), np.cross(M.alpha, e) + np.cross(M.w, np.cross(M.w, e))


def position(e, A, B):
    """phi = e.d: phi'' = e.d'' + 2 e'.d' + e''.d."""
    d = B.p - A.p
    e1, e2 = turning(e, A)
    return e @ d, np.array([0.0, 0.0, 0.0, *e]), e @ (B.a - A.a) + 2.0 * e1 @ (B.u - A.u) + e2 @ d


def direction(e, f, A, B):
    """phi = e.f: phi' = (w_B - w_A).(f x e), phi'' = e''.f + 2 e'.f' + e.f''."""
    (e1, e2), (f1, f2) = turning(e, A), turning(f, B)
    return e @ f, np.array([*np.cross(f, e), 0.0, 0.0, 0.0]), e2 @ f + 2.0 * e1 @ f1 + e @ f2


def screw(pitch, A, B):
    """phi = z.d - pitch angle: the angle grows at z.w, w = w_B - w_A, and that at z'.w + z.w'; on the loop."""
    value, row, gamma = position(A.R[:, Z], A, B)
    z, w = A.R[:, Z], B.w - A.w
    angle = np.arctan2(A.R[:, Y] @ B.R[:, X], A.R[:, X] @ B.R[:, X])
    phi = value - pitch * angle
    turn = 2.0 * np.pi * pitch
    spin = z @ (B.alpha - A.alpha) + np.cross(A.w, z) @ w
    return phi - turn * np.round(phi / turn), row - pitch * np.array([*z, 0.0, 0.0, 0.0]), gamma - pitch * spin


def length(rest, A, B):
    """phi = |d| - L: phi'' = (d'.d' - (n.d')^2) / |d| + n.d'', n = d / |d|; not a number where |d| = 0."""
    d, d1, d2 = B.p - A.p, B.u - A.u, B.a - A.a
    L = np.linalg.norm(d)
    n = d / L
    return L - rest, np.array([0.0, 0.0, 0.0, *n]), (d1 @ d1 - (n @ d1) ** 2) / L + n @ d2


def rotation_vector(A, B):
    """phi = r = log(R_A' R_B), three equations: r' = G w with w = R_A'(w_B - w_A) (Chirikjian 2012, section 10.8).

    G = 1 - K/2 + c K^2, K = r x, c = 1/t^2 - cot(t/2)/(2 t), t = |r|; it is 1 where the loop is closed.
    """
    r = so3_log(A.R.T @ B.R)
    w = A.R.T @ (B.w - A.w)
    w1 = A.R.T @ (B.alpha - A.alpha - np.cross(A.w, B.w - A.w))
    t = np.linalg.norm(r)
    # c and (dc/dt)/t; the closed forms lose their digits near zero
    c, c1_t = 1.0 / 12.0 + t**2 / 720.0 + t**4 / 30240.0, 1.0 / 360.0 + t**2 / 7560.0
    if t > 0.05:
        cot, sin = 1.0 / np.tan(0.5 * t), np.sin(0.5 * t)
        c = 1.0 / t**2 - 0.5 * cot / t
        c1_t = -2.0 / t**4 + 0.5 * cot / t**3 + 0.25 / (t * sin) ** 2
    K = skew(r)
    G = np.eye(3) - 0.5 * K + c * K @ K
    r1 = G @ w
    K1 = skew(r1)
    G1 = -0.5 * K1 + c1_t * (r @ r1) * K @ K + c * (K1 @ K + K @ K1)
    return r, np.hstack([G @ A.R.T, np.zeros((3, 3))]), G1 @ w + G @ w1
