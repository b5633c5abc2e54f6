"""Robots of the example-robot-data package, and the same robots in Pinocchio."""

import importlib.util
import warnings
from pathlib import Path

import numpy as np

import gori
from gori.errors import SpecWarning
from gori.spec import GROUND

LINEAR_FIRST = [3, 4, 5, 0, 1, 2]

# files that are no machine: `gori.load` says why
REFUSED = {
    "alex_psyonic_hands.urdf": "mimics 'index_q1', which is not a joint",
    "TwoDofs.urdf": "must not be called 'ground'",
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
    """The same URDF in Pinocchio, in our order and conventions.

    Its mimic joints are free too. Differences: joints in another order, a free root named root_joint with q = position,
    quaternion x y z w and v = linear, angular; cosine and sine for continuous joints; linear rows first in Jacobians.
    """

    def __init__(self, model: gori.Model, file: Path, base: str):
        import pinocchio as pin

        self.pin, self.model = pin, model
        root = [pin.JointModelFreeFlyer()] if base == "free" else []
        self.theirs = pin.buildModelFromUrdf(str(file), *root)
        self.data = self.theirs.createData()
        carrier = next(name for name, joint in model.spec.joints.items() if joint.parent == GROUND)
        self.joints = []
        order = np.full(self.theirs.nv, -1)
        for i in range(1, self.theirs.njoints):
            joint, name = self.theirs.joints[i], self.theirs.names[i]
            info = model.joint(carrier if name == "root_joint" and base == "free" else name)
            # the three kinds that this mapping knows
            assert (joint.nq, joint.nv) in ((1, 1), (2, 1), (7, 6)), f"{name}: {joint.shortname()}"
            here = np.arange(info.v.start, info.v.stop)
            order[joint.idx_v : joint.idx_v + joint.nv] = here[LINEAR_FIRST] if joint.nv == 6 else here
            self.joints.append((joint.idx_q, joint.nq, info.q))
        assert model.nv == self.theirs.nv and sorted(order) == list(range(model.nv))
        self.order, self.back = order, np.argsort(order)

    def q(self, q):
        result = np.zeros(self.theirs.nq)
        for at, nq, ours in self.joints:
            x = q[ours]
            if nq == 7:
                x = [*x[4:], *x[1:4], x[0]]
            elif nq == 2:
                x = [np.cos(x[0]), np.sin(x[0])]
            result[at : at + nq] = x
        return result

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
        frame = self.theirs.getFrameId(body, self.pin.BODY)
        axes = self.pin.LOCAL_WORLD_ALIGNED
        J = self.pin.computeFrameJacobian(self.theirs, self.data, self.q(q), frame, axes)
        return J[LINEAR_FIRST][:, self.back]

    def derivatives(self, q, v, tau):
        found = self.pin.computeABADerivatives(self.theirs, self.data, self.q(q), v[self.order], tau[self.order])
        return [self._square(matrix, symmetric=k == 2) for k, matrix in enumerate(found)]

    def inverse_derivatives(self, q, v, a):
        found = self.pin.computeRNEADerivatives(self.theirs, self.data, self.q(q), v[self.order], a[self.order])
        return [self._square(matrix, symmetric=k == 2) for k, matrix in enumerate(found)]
