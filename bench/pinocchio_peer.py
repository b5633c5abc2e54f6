"""Pinocchio beside Gori: the same file in both, and states carried from one to the other.

Pinocchio: quaternions x y z w; a free base has q = position, quaternion and v = linear, angular; a joint without limits
("continuous") has q = cos, sin; joints stand in alphabetic order of their links.
"""

from pathlib import Path

import numpy as np

import gori

try:
    import pinocchio as pin
except ImportError as error:
    raise SystemExit("this needs Pinocchio: pip install 'gori[dev]'") from error


class Peer:
    """A Pinocchio model of the file that a Gori Model was loaded from."""

    def __init__(self, model: gori.Model, path: Path, base: str = "fixed"):
        self.gori = model
        root = (pin.JointModelFreeFlyer(),) if base == "free" else ()
        self.model = pin.buildModelFromUrdf(str(path), *root)
        self.data = self.model.createData()
        self.v_index = np.empty(model.nv, int)  # v of Gori = v of Pinocchio [v_index]
        for info, joint in self._pairs():
            index = joint.idx_v + np.arange(joint.nv)
            self.v_index[info.v] = np.roll(index, 3) if info.type == "free" else index

    def _pairs(self):
        for info in self.gori.joints:
            name = "root_joint" if info.type == "free" else info.name
            yield info, self.model.joints[self.model.getJointId(name)]

    def q(self, q: np.ndarray) -> np.ndarray:
        """q of Gori (B, nq) -> q of Pinocchio."""
        out = np.empty((len(q), self.model.nq))
        for info, joint in self._pairs():
            ours, at = q[:, info.q], joint.idx_q
            if info.type == "free":
                ours = ours[:, [4, 5, 6, 1, 2, 3, 0]]
            elif joint.nq == 2:
                ours = np.hstack([np.cos(ours), np.sin(ours)])
            out[:, at : at + joint.nq] = ours
        return out

    def v(self, v: np.ndarray) -> np.ndarray:
        """Velocities, accelerations or joint forces of Gori (B, nv) -> those of Pinocchio."""
        out = np.empty_like(v)
        out[:, self.v_index] = v
        return out
