"""Where a body or frame of each machine is and how it moves, by array operations along its chain of joints.

The same as `kernels/tree/joints.py` does for one state: r and R of a row follow from those of its parent. In between
vectors are (3, machines), so that each component is one piece of memory; R_WB is kept as its three columns.
"""

from typing import Any, NamedTuple

import numpy as np

from gori.errors import UnsupportedError
from gori.kernels.tree.columns import KIND, MASS, N_BODY_F, P_BF, P_PJ, PARENT, PITCH, Q0, R_BF, R_PJ, V0
from gori.kernels.tree.joints import FREE, HELICAL, PRISMATIC, REVOLUTE, SPHERICAL, WELD
from gori.learn.arrays import Arrays
from gori.model import Model


class FrameMotion(NamedTuple):
    """Of one frame of all machines, world axes.

    axes       its x, y and z axis, three arrays (machines, 3)
    position   of its origin (machines, 3) [m]
    angular    velocity (machines, 3) [rad/s]
    linear     velocity of its origin (machines, 3) [m/s]
    """

    axes: tuple[Any, Any, Any]
    position: Any
    angular: Any
    linear: Any


class JointChain:
    """The joints between the ground and a body or frame."""

    def __init__(self, model: Model, frame: str, arrays: Arrays):
        self._arrays, self._tables, self._name = arrays, model.tables, frame
        index = model.frame(frame)
        self._frame, row = model.tables.frame_f[index], int(model.tables.frame_i[index])
        self._units = tuple(arrays.of(unit)[:, None] for unit in np.eye(3))
        self._origin, self._still = arrays.of(np.zeros((3, 1))), arrays.zeros(3).T
        self.rows: list[int] = []
        while row > 0:
            self.rows.insert(0, row)
            row = int(model.tables.body_i[row, PARENT])

    def refuse_varied(self, words: np.ndarray) -> None:
        """Refuse lengths that differ from machine to machine, by the words of `body_f` that do."""
        rows, columns = np.divmod(words, N_BODY_F)
        if np.isin(rows[(columns < MASS) | (columns == PITCH)], self.rows).any():
            raise UnsupportedError(
                f"{self._name!r} is behind joints whose places differ from machine to machine by `parameters`, which "
                "frames do not follow yet: observe joints instead, or vary other numbers"
            )

    def motion(self, q: Any, v: Any) -> FrameMotion:
        """From coordinates (machines, nq) and velocities (machines, nv)."""
        xp, still = self._arrays.xp, self._still
        motion = self._units, self._origin, still, still
        for row in self.rows:
            motion = self._behind(row, motion, q, v)
        axes, position, angular, linear = motion
        arm = _combined(axes, self._frame[P_BF : P_BF + 3])
        x, y, z = ((axis + still).T for axis in _turned(axes, self._frame[R_BF : R_BF + 9]))
        position, linear = position + arm + still, linear + _cross(xp, angular, arm)
        return FrameMotion((x, y, z), position.T, angular.T, linear.T)

    def _behind(self, row: int, parent: tuple, q: Any, v: Any) -> tuple:
        """Motion of a row from that of its parent: vectors (3, machines), or (3, 1) where all are the same."""
        xp, body_i, body_f = self._arrays.xp, self._tables.body_i[row], self._tables.body_f[row]
        axes, position, angular, linear = parent
        arm = _combined(axes, body_f[P_PJ : P_PJ + 3])
        x, y, z = axes = _turned(axes, body_f[R_PJ : R_PJ + 9])
        kind, at, d = int(body_i[KIND]), int(body_i[Q0]), int(body_i[V0])
        turning, sliding = 0.0, 0.0
        if kind in (REVOLUTE, HELICAL):
            c, s = xp.cos(q[:, at]), xp.sin(q[:, at])
            axes, turning = (c * x + s * y, c * y - s * x, z), z * v[:, d]
        if kind in (PRISMATIC, HELICAL):
            pitch = 1.0 if kind == PRISMATIC else float(body_f[PITCH])
            arm, sliding = arm + z * (pitch * q[:, at]), z * (pitch * v[:, d])
        if kind in (SPHERICAL, FREE):
            if kind == FREE:
                arm = arm + _combined(axes, [q[:, at + k] for k in (4, 5, 6)])
            axes = _turned(axes, rotation(*[q[:, at + k] for k in range(4)]))
            turning = _combined(axes, [v[:, d + k] for k in range(3)])
            if kind == FREE:
                sliding = _combined(axes, [v[:, d + k] for k in (3, 4, 5)])
        assert kind in (WELD, REVOLUTE, PRISMATIC, HELICAL, SPHERICAL, FREE)
        return axes, position + arm, angular + turning, linear + _cross(xp, angular, arm) + sliding


def rotation(w: Any, x: Any, y: Any, z: Any) -> tuple[Any, ...]:
    """Rotation matrix of a quaternion, nine arrays by rows."""
    s = 2.0 / (w * w + x * x + y * y + z * z)
    return (
        1.0 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y),
        s * (x * y + w * z), 1.0 - s * (x * x + z * z), s * (y * z - w * x),
        s * (x * z - w * y), s * (y * z + w * x), 1.0 - s * (x * x + y * y),
    )  # fmt: skip


def in_axes(xp: Any, axes: tuple[Any, Any, Any], vector: Any) -> Any:
    """A vector (machines, 3) of the world in other axes, each (machines, 3)."""
    return xp.stack([xp.sum(axis * vector, axis=1) for axis in axes], axis=1)


def _cross(xp: Any, a: Any, b: Any) -> Any:
    """Cross product of (3, machines)."""
    return xp.stack((a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]), axis=0)


def _combined(axes: Any, numbers: Any) -> Any:
    """numbers[0] x + numbers[1] y + numbers[2] z."""
    return axes[0] * numbers[0] + axes[1] * numbers[1] + axes[2] * numbers[2]


def _turned(axes: Any, R: Any) -> tuple[Any, Any, Any]:
    """Axes after a rotation R, nine numbers by rows: column k is the new axis k in the old ones."""
    return tuple(_combined(axes, [R[k], R[3 + k], R[6 + k]]) for k in range(3))  # pyright: ignore[reportReturnType]
