"""Robots of the example-robot-data package, and the same robots in Pinocchio."""

import importlib.util
import warnings
from pathlib import Path

import numpy as np

import gori
from gori.errors import SpecWarning

LINEAR_FIRST = [3, 4, 5, 0, 1, 2]

# files that are no machine: `gori.load` says why
REFUSED = {
    "falcon.urdf": "child 'Z_propeller' is not a link",
    "ur3.urdf": "has no links",
}

# joints that move nothing with inertia: M is singular, and accelerations do not exist
SINGULAR = {
    "bluevolta_bravo7_gripper.urdf": "bravo_finger2_joint",
    "bravo7_gripper.urdf": "bravo_finger2_joint",
    "falcon_bravo7_gripper.urdf": "bravo_finger2_joint",
    "romeo.urdf": "RThumb3",
    "romeo_laas_small.urdf": "r_gripper_joint",
}


def files() -> list[Path]:
    """All URDF files of the package; none where it is not installed."""
    found = importlib.util.find_spec("cmeel")
    site = Path(found.origin).parents[1] if found and found.origin else Path(__file__).parent
    return sorted((site / "cmeel.prefix/share/example-robot-data/robots").glob("**/*.urdf"))


def folder(file: Path) -> str:
    """The robot's folder, such as talos_data."""
    return file.parts[file.parts.index("example-robot-data") + 2]


def load(file: Path, base: str) -> gori.Spec:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SpecWarning)
        return gori.load(file, base=base)


class Twin:
    """The same URDF in Pinocchio, answering in our order and conventions. Its mimic joints are free too."""

    def __init__(self, model: gori.Model, file: Path, base: str):
        from bench.pinocchio_peer import Peer, pin

        self.pin, self.peer = pin, Peer(model, file, base)
        self.theirs, self.data = self.peer.model, self.peer.data
        self.back = self.peer.v_index
        assert model.nv == self.theirs.nv and sorted(self.back) == list(range(model.nv))
        self.order = np.argsort(self.back)

    def q(self, q):
        return self.peer.q(q[None])[0]

    def _square(self, matrix, symmetric=False):
        matrix = np.array(matrix)
        if symmetric:  # only the upper triangle is filled
            matrix = np.triu(matrix) + np.triu(matrix, 1).T
        return matrix[np.ix_(self.back, self.back)]

    def inverse_dynamics(self, q, v, a):
        return self.pin.rnea(self.theirs, self.data, self.q(q), v[self.order], a[self.order])[self.back]

    def forward_dynamics(self, q, v, tau):
        return self.pin.aba(self.theirs, self.data, self.q(q), v[self.order], tau[self.order])[self.back]

    def mass_matrix(self, q):
        return self._square(self.pin.crba(self.theirs, self.data, self.q(q)), symmetric=True)

    def jacobian(self, q, body):
        theirs = {"ground_link": "ground"}.get(body, body)  # a name that is not possible here
        assert self.theirs.existFrame(theirs, self.pin.BODY)
        frame = self.theirs.getFrameId(theirs, self.pin.BODY)
        axes = self.pin.LOCAL_WORLD_ALIGNED
        J = self.pin.computeFrameJacobian(self.theirs, self.data, self.q(q), frame, axes)
        return J[LINEAR_FIRST][:, self.back]

    def derivatives(self, q, v, tau):
        found = self.pin.computeABADerivatives(self.theirs, self.data, self.q(q), v[self.order], tau[self.order])
        return [self._square(matrix, symmetric=k == 2) for k, matrix in enumerate(found)]

    def inverse_derivatives(self, q, v, a):
        found = self.pin.computeRNEADerivatives(self.theirs, self.data, self.q(q), v[self.order], a[self.order])
        return [self._square(matrix, symmetric=k == 2) for k, matrix in enumerate(found)]
