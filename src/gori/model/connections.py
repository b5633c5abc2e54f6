"""All joints of a machine, those of the tree and the cuts, as they were written: bodies, frames, axes.

A joint that `gori.compile` turned around stands here with its own parent and child again: whichever joints of a loop
are cut, and whichever way the tree runs through the others, these are the same.
"""

from collections import defaultdict
from typing import Any, NamedTuple

import numpy as np

from gori.model.graph import Pose
from gori.spec import Spec
from gori.spec.base import rotation_to


class Connected(NamedTuple):
    """A joint or cut between a frame on its parent and one on its child."""

    name: str
    type: str
    parent: str
    child: str
    on_parent: Pose  # of the joint frame: rotation (3, 3), position (3,)
    on_child: Pose
    axis: np.ndarray  # (3,) unit vectors in the joint frame
    axis2: np.ndarray
    pitch: float  # of a helical one [m/rad]
    cut: bool
    reversed: bool  # in the tree the child carries the parent
    compliance: np.ndarray | None  # (6,) about and along the axes of the frame on the parent [rad/(N m), m/N]

    def motion_axis(self, k: int) -> tuple[str, np.ndarray]:
        """The body that axis k of its coordinates is fixed to, and the axis (6,) there: angular, linear."""
        x, y, _ = rotation_to(self.axis).T
        none, turn, slide = np.zeros(3), [*self.axis, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, *self.axis]
        axes = {
            "prismatic": [slide],
            "helical": [[*self.axis, *(self.pitch * self.axis)]],
            "cylindrical": [turn, slide],
            "planar": [[*none, *x], [*none, *y], turn],
        }.get(self.type, [turn])
        body, (R, _) = self.parent, self.on_parent
        if self.type == "universal" and k == 1:
            axes, body, (R, _) = [turn, [*self.axis2, *none]], self.child, self.on_child
        return body, (R @ np.array(axes[k]).reshape(2, 3).T).T.ravel()


def connections(spec: Spec, open_loops: bool = False) -> tuple[Connected, ...]:
    """Joints of the tree, then cuts, in the order of the Spec; without cuts where loops are open."""
    found = [_connected(name, joint, False) for name, joint in spec.joints.items()]
    return (*found, *(_connected(name, cut, True) for name, cut in spec.cuts.items() if not open_loops))


def _connected(name: str, joint: Any, cut: bool) -> Connected:
    axis = _unit(joint.axis)
    axis2 = _unit(rotation_to(axis)[:, 0] if joint.axis2 is None else joint.axis2)
    (one, two), (parent, child) = (joint.pose(), joint.child_pose()), (joint.parent, joint.child)
    around = not cut and joint.reversed
    if around:  # what `spanning.turned` did, undone
        one, two, parent, child = two, one, child, parent
        axis, axis2 = (-axis2, -axis) if joint.type == "universal" else (-axis, -axis2)
        if joint.type == "spherical":  # its frames turned with it
            one, two = (two[0].T, one[1]), (np.eye(3), two[1])
    pitch = (getattr(joint, "pitch", None) or 0.0) / (2.0 * np.pi)
    compliance = None if joint.compliance is None else np.array(joint.compliance)
    return Connected(name, joint.type, parent, child, one, two, axis, axis2, pitch, cut, around, compliance)


def _unit(axis: Any) -> np.ndarray:
    return np.asarray(axis, float) / np.linalg.norm(axis)


def reach(connected: tuple[Connected, ...]) -> float:
    """The largest distance between two joints on one body [m]; 1 where no two are apart."""
    points: dict[str, list[np.ndarray]] = defaultdict(list)
    for joint in connected:
        points[joint.parent].append(joint.on_parent[1])
        points[joint.child].append(joint.on_child[1])
    largest = 0.0
    for own in points.values():
        spots = np.array(own)
        for spot in spots:
            largest = max(largest, float(np.linalg.norm(spots - spot, axis=1).max()))
    return largest if largest > 0.0 else 1.0


class Drive(NamedTuple):
    """What moves a coordinate of a joint or cut as given."""

    motion: str
    joint: str
    axis: int
    weight: float


def drives(spec: Spec) -> tuple[Drive, ...]:
    """Of all motions, in the order of the Spec."""
    return tuple(Drive(name, motion.joint, motion.axis, motion.weight) for name, motion in spec.motions.items())
