"""The coordinates of a Model: names, limits, and steps in the space of q."""

from typing import Any

import numpy as np

from gori.errors import InputError
from gori.kernels.tree.batch import all_finite
from gori.kernels.tree.configuration import difference_batch, integrate_batch
from gori.model.arrays import Rows, frozen, whole
from gori.model.tables import JointInfo, Names, Tables
from gori.spec.joint import QUATERNION
from gori.spec.spec import closest
from gori.text.arguments import is_one_of


class Coordinates:
    """Base of Model: what can be asked without kinematics. Not made on its own.

    nq, nv                          lengths of q and v
    joints, joint_names             the joints that move, in order, as `JointInfo` and as names
    body_names, frame_names         all bodies; ground, bodies and frames, in the order of `Poses`
    loops                           descriptions of the cuts and mimic joints
    rest                            q at which the joints' springs are free, (nq,)
    lower, upper                    limits of q of joints with one degree of freedom; infinite if there are none, (nv,)
    velocity_limit, effort_limit    (nv,)
    damping, friction, stiffness, armature   of the joints, (nv,)
    """

    def __init__(self, tables: Tables, names: Names, values: dict[str, np.ndarray]):
        self._body_i = tables.body_i
        self.joints = names.joints
        self.joint_names = tuple(info.name for info in names.joints)
        self.body_names = names.bodies
        self.frame_names = names.frames
        self.loops = names.loops
        self.open_loops = names.open_loops
        self._q0, self._v0 = values["q0"], values["v0"]
        self.nq, self.nv = len(self._q0), len(self._v0)
        self.rest = frozen(values["rest"])
        self.lower, self.upper = frozen(values["lower"]), frozen(values["upper"])
        self.velocity_limit, self.effort_limit = frozen(values["velocity_limit"]), frozen(values["effort_limit"])
        self.damping, self.friction = frozen(values["damping"]), frozen(values["friction"])
        self.stiffness, self.armature = frozen(values["stiffness"]), frozen(values["armature"])
        self._quaternions = [info for info in names.joints if info.type in QUATERNION]
        self._info_of_joint = {info.name: info for info in self.joints}
        self._index_of_frame = {name: k for k, name in enumerate(self.frame_names)}

    @property
    def q0(self) -> np.ndarray:
        """Start coordinates of the Spec (nq,), a new array."""
        return self._q0.copy()

    @property
    def v0(self) -> np.ndarray:
        """Start velocities of the Spec (nv,), a new array."""
        return self._v0.copy()

    def rows(self, **arguments: tuple[Any, int]) -> Rows:
        """Arguments of a call as rows of one batch; every q among them must hold real quaternions."""
        rows = Rows(**arguments)
        for name in ("q", "q0", "q1") if self._quaternions else ():
            if name not in arguments:
                continue
            for info in self._quaternions:
                first = info.q.start
                length = np.linalg.norm(rows[name][:, first : first + 4], axis=1)
                if (length < 1e-6).any():
                    raise InputError(
                        f"{name}[{first}:{first + 4}], the quaternion of joint {info.name!r}, is zero: start from "
                        "model.neutral(), or give w x y z of length 1"
                    )
        return rows

    def joint(self, name: str) -> JointInfo:
        """A joint by name: `q[model.joint("elbow").q]` are its coordinates."""
        if not is_one_of(name, self._info_of_joint):
            hint = closest(name, self.joint_names)
            raise InputError(f"{name!r} is not a movable joint{hint}")
        return self._info_of_joint[name]

    def frame(self, name: str) -> int:
        """Index of a body or frame in `frame_names`."""
        if not is_one_of(name, self._index_of_frame):
            raise InputError(f"{name!r} is not a body or frame{closest(name, self.frame_names)}")
        return self._index_of_frame[name]

    def joint_of_dof(self, dof: int) -> str:
        """Name of the joint that has this degree of freedom."""
        found = [info.name for info in self.joints if info.v.start <= whole("dof", dof) < info.v.stop]
        if not found:
            raise InputError(f"there is no degree of freedom {dof!r}: there are {self.nv}")
        return found[0]

    def neutral(self) -> np.ndarray:
        """q (nq,) with every joint at zero."""
        q = np.zeros(self.nq)
        for info in self.joints:
            if info.type in QUATERNION:
                q[info.q.start] = 1.0
        return q

    def random(self, rng: np.random.Generator | int | None = None, count: int | None = None) -> np.ndarray:
        """Random q (nq,), or (count, nq): within limits where there are any, else within +-pi or +-1 m."""
        try:
            rng = np.random.default_rng(rng)
        except (TypeError, ValueError) as error:
            raise InputError(f"rng must be a random generator or a seed, not {rng!r}: {error}") from None
        if count is not None and whole("count", count) < 0:
            raise InputError(f"count must not be negative, not {count!r}")
        try:
            q = np.zeros((1 if count is None else count, self.nq))
        except (MemoryError, ValueError):
            raise InputError(f"{count} random states do not fit into memory") from None
        for info in self.joints:
            if info.type in QUATERNION:
                quat = rng.normal(size=(len(q), 4))
                q[:, info.q.start : info.q.start + 4] = quat / np.linalg.norm(quat, axis=1, keepdims=True)
                if info.type == "free":
                    q[:, info.q.start + 4 : info.q.stop] = rng.uniform(-1.0, 1.0, (len(q), 3))
                continue
            reach = {"prismatic": [1.0], "cylindrical": [np.pi, 1.0], "planar": [1.0, 1.0, np.pi]}
            bound = np.array(reach.get(info.type, [np.pi] * info.nq))
            low, high = np.maximum(self.lower[info.v], -1e3), np.minimum(self.upper[info.v], 1e3)
            low = np.where(np.isfinite(self.lower[info.v]), low, -bound)
            high = np.where(np.isfinite(self.upper[info.v]), high, bound)
            q[:, info.q] = rng.uniform(low, high, (len(q), info.nq))
        return q[0] if count is None else q

    @staticmethod
    def _require_finite(out: np.ndarray, what: str) -> None:
        """Refuse what has left the range of numbers."""
        if not all_finite(out.reshape(-1)):
            raise InputError(f"the {what} would not be finite: sizes, masses, coordinates or velocities are too large")

    def integrate(self, q: Any, dv: Any) -> np.ndarray:
        """q moved along the tangent vector dv (nv,): the sum for simple joints, the exponential map for quaternions."""
        x = self.rows(q=(q, self.nq), dv=(dv, self.nv))
        out = np.empty((x.count, self.nq))
        integrate_batch(self._body_i, x["q"], x["dv"], out)
        self._require_finite(out, "coordinates")
        return x.shaped(out)

    def difference(self, q0: Any, q1: Any) -> np.ndarray:
        """The tangent vector (nv,) that leads from q0 to q1."""
        x = self.rows(q0=(q0, self.nq), q1=(q1, self.nq))
        out = np.empty((x.count, self.nv))
        difference_batch(self._body_i, x["q0"], x["q1"], out)
        self._require_finite(out, "differences")
        return x.shaped(out)
