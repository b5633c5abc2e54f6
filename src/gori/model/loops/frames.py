"""Frames of joints and cuts in the rows of a Model, for tables of equations and of coordinates."""

import numpy as np

from gori.kernels.loops import tables as t
from gori.kernels.tree import columns as col
from gori.model.connections import Connected, connections
from gori.model.graph import Pose, compose, turned
from gori.model.model import Model
from gori.spec.base import rotation_to

KINDS: dict[str, list[tuple[int, int]]] = {
    "revolute": [(t.TURN, 0)],
    "prismatic": [(t.SLIDE, 2)],
    "helical": [(t.SCREW, 0)],
    "cylindrical": [(t.TURN, 0), (t.SLIDE, 2)],
    "universal": [(t.FIRST, 0), (t.SECOND, 0)],
    "planar": [(t.SLIDE, 0), (t.SLIDE, 1), (t.TURN, 0)],
    "spherical": [(t.BALL, 0)],
}
"""kind and axis of the coordinates of each type of joint, in their order"""


def path_between(model: Model, a: int, b: int) -> tuple[int, list[int]]:
    """The row where the ways of rows a and b to the ground meet, and the axes on both: those on the way of a first."""
    body_i = model.tables.body_i

    def way(row):
        rows = [row]
        while row > 0:
            row = int(body_i[row, col.PARENT])
            rows.append(row)
        return rows

    ways = way(a), way(b)
    root = next(row for row in ways[0] if row in set(ways[1]))
    path = []
    for rows in ways:
        for row in rows[: rows.index(root)]:
            path += range(body_i[row, col.V0], body_i[row, col.V0] + body_i[row, col.NDOF])
    return root, path


def place_on_row(model: Model, body: str, pose: Pose) -> tuple[int, Pose]:
    """Row of a body, and a pose given in the body's frame, in that of the row."""
    k, frames = model.frame(body), model.tables
    return int(frames.frame_i[k]), compose((frames.frame_f[k, :9].reshape(3, 3), frames.frame_f[k, 9:]), pose)


def axis_frames(joint: Connected) -> tuple[Pose, Pose]:
    """Frames A on the parent and B on the child, z along the axis, such that coordinates are zero where they agree."""
    about, about2 = rotation_to(joint.axis), rotation_to(joint.axis2)
    turns: list[Pose] = [turned(about), turned(about)]
    if joint.type == "universal":
        # R_A' R_B = Rz(q) C Rz(q2): x_A and x_B such that both angles count from them
        C = about.T @ about2
        turns = [turned(about @ _about_z(C[0, 2], C[1, 2])), turned(about2 @ _about_z(C[2, 0], C[2, 1]))]
    elif joint.type == "spherical":
        turns = [turned(np.eye(3))] * 2
    return compose(joint.on_parent, turns[0]), compose(joint.on_child, turns[1])


def fill_frames(row: np.ndarray, model: Model, joint: Connected) -> list[int]:
    """Rows and frames of a joint in a row of COORDINATE or CUT. Returns the axes between both."""
    ends = []
    for side, body, frame in zip("AB", (joint.parent, joint.child), axis_frames(joint)):
        end, (R, p) = place_on_row(model, body, frame)
        row[f"R_{side}"], row[f"p_{side}"] = R.ravel(), p
        ends.append(end)
    root, path = path_between(model, *ends)
    row["row_a"], row["row_b"], row["root"], row["pitch"] = *ends, root, joint.pitch
    return path


def start_of_cut(model: Model, name: str) -> list[float]:
    """Coordinates of a cut [rad, m] in the start pose of the tree, angles within half a turn; of no spherical one."""
    (joint,) = (joint for joint in connections(model.spec) if joint.name == name)
    poses = model.forward_kinematics(model.q0)
    (A, p_A), (B, p_B) = (
        compose((poses[body][:3, :3], poses[body][:3, 3]), frame)
        for body, frame in zip((joint.parent, joint.child), axis_frames(joint))
    )
    d, C, values = A.T @ (p_B - p_A), A.T @ B, []
    for kind, axis in KINDS[joint.type]:
        if kind == t.SLIDE:
            values.append(float(d[axis]))
            continue
        sine, cosine = {t.FIRST: (C[1, 2], C[0, 2]), t.SECOND: (-C[2, 1], C[2, 0])}.get(kind, (C[1, 0], C[0, 0]))
        angle = float(np.arctan2(sine, cosine))
        if kind == t.SCREW and joint.pitch:
            angle += 2.0 * np.pi * np.floor((d[2] / joint.pitch - angle) / (2.0 * np.pi) + 0.5)
        values.append(angle)
    return values


def _about_z(cosine: float, sine: float) -> np.ndarray:
    return np.array([[cosine, -sine, 0.0], [sine, cosine, 0.0], [0.0, 0.0, 1.0]])
