"""Which body moves another one in USD. A rigid body there has a mass, so that a body without one, such as the frame of
a camera or a tool, stands below the body that it is fixed to.
"""

from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from gori.model import Model
from gori.model.graph import Pose
from gori.web.contents import Contents
from gori.web.poses import rotations


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
    """Of a body without mass the first with a mass among those that it is fixed to; of all others themselves."""
    groups = defaultdict(list)
    for name in model.body_names:
        groups[int(model.tables.frame_i[model.frame(name)])].append(name)
    found = {}
    for row, names in groups.items():
        heavy = [name for name in names if row != 0 and model.spec.bodies[name].inertial()[0] > 0.0]
        found |= {name: name if name in heavy or not heavy else heavy[0] for name in names}
    return found
