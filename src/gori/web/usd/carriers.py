"""Which body moves another one in USD. A rigid body there has a mass and a moment of inertia about each axis; a body
without, such as the frame of a camera or a tool, stands below the body that it is fixed to, and is a part of it.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from gori.model import Model
from gori.model.graph import Pose
from gori.spec.body import Inertial, combine
from gori.web.contents import Contents
from gori.web.poses import rotations

SMALLEST = 1e-9
"""moment of inertia, of the largest one: UsdPhysics takes zero for not given"""


class Carriers(NamedTuple):
    """of: the body that carries each one, itself for most; poses: where others stand in the frame of theirs."""

    of: Mapping[str, str]
    poses: Mapping[str, Pose]

    def carried(self, name: str, pose: Pose) -> Pose:
        """A pose in the frame of a body as one in the frame of its carrier."""
        if name not in self.poses:
            return pose
        R, p = self.poses[name]
        return R @ pose[0], p + R @ np.asarray(pose[1], float)

    def inertial(self, model: Model, name: str) -> Inertial:
        """Mass, centre of mass and inertia about it of a body with all that it carries, in its frame."""
        parts = []
        for other, carrier in self.of.items():
            if carrier == name:
                mass, com, inertia = model.spec.bodies[other].inertial()
                R, p = self.carried(other, (np.eye(3), com))
                parts.append((mass, p, R @ inertia @ R.T))
        return combine(parts)


def is_full(inertial: Inertial) -> bool:
    """Whether USD can say it: a mass, and a moment of inertia about each axis."""
    mass, _, inertia = inertial
    low, _, high = np.linalg.eigvalsh(inertia)
    return bool(mass > 0.0 and high > 0.0 and low > SMALLEST * high)


def carriers_of(contents: Contents) -> Carriers:
    of = carried_by(contents.model)
    place = {body.name: contents.poses[0, k] for k, body in enumerate(contents.bodies)}
    poses = {}
    for name, carrier in of.items():
        if name != carrier:
            R = rotations(place[carrier][3:])
            poses[name] = R.T @ rotations(place[name][3:]), R.T @ (place[name][:3] - place[carrier][:3])
    return Carriers(of, poses)


def carried_by(model: Model) -> dict[str, str]:
    """Of a body that is not full one that is, to which it is fixed, directly or by others; of the rest themselves.

    What one body carries hangs together, so that the joints between carriers form a tree as before.
    """
    moving = [name for name in model.body_names if model.tables.frame_i[model.frame(name)] != 0]
    found = {name: name for name in moving if is_full(model.spec.bodies[name].inertial())}
    fixed = [(joint.parent, joint.child) for joint in model.connections if joint.type == "fixed" and not joint.cut]
    fixed = [pair for pair in fixed if set(pair) <= set(moving)]
    while more := {b: found[a] for pair in fixed for a, b in (pair, pair[::-1]) if a in found and b not in found}:
        found |= more
    return {name: found.get(name, name) for name in model.body_names}
