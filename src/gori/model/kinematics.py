"""Where the bodies of a Model are and how they move: poses, Jacobians, energy and momentum."""

from typing import Any, Literal

import numpy as np

from gori.errors import InputError
from gori.kernels.tree import jacobian, kinematics, totals
from gori.kernels.tree.columns import MASS, N_BODY_W, N_DOF_W, N_FRAME_F, P_BF
from gori.kernels.tree.jacobian import jacobian_batch, jacobian_rate_batch
from gori.kernels.tree.kinematics import poses_batch, poses_one
from gori.kernels.tree.totals import ANGULAR, CENTER, KINETIC, N_TOTALS, POTENTIAL, totals_batch
from gori.model.arrays import frozen
from gori.model.coordinates import Coordinates
from gori.model.poses import Poses
from gori.model.tables import Names, Tables
from gori.model.work import Workspaces, one_state
from gori.text.arguments import is_one_of


class Kinematics(Coordinates):
    """Base of Model: functions of q and v. Not made on its own."""

    def __init__(self, tables: Tables, names: Names, values: dict[str, np.ndarray]):
        super().__init__(tables, names, values)
        self.tables = Tables(*map(frozen, tables))
        self.kernel_tables = self._t = tables  # the same arrays, writable, as the kernels want them: do not write
        nrow, nframe = len(tables.body_i), len(self.frame_names)
        self._batch = Workspaces(nrow, self.nq, self.nv).run
        work = ((nrow, N_BODY_W), (self.nv, N_DOF_W))
        self._poses = one_state(poses_one, (*tables[:2], tables.frame_i, tables.frame_f), (), (nframe, N_FRAME_F), work)

    @property
    def mass(self) -> float:
        """Mass of all bodies [kg]."""
        return float(self._t.body_f[:, MASS].sum())

    def forward_kinematics(self, q: Any) -> Poses:
        """Poses of all bodies and frames: `poses["tool"]` is a 4 x 4 matrix."""
        if one_of(q):
            try:
                if (poses := self._poses(q)) is not None:
                    return Poses(self._index_of_frame, poses)
            except TypeError:
                pass
        t, x = self._t, self.rows(q=(q, self.nq))
        out = np.empty((x.count, len(self.frame_names) * N_FRAME_F))
        tables, nframe = (t.body_i, t.body_f, t.frame_i, t.frame_f, self.nv), len(self.frame_names)
        self._batch(poses_batch, kinematics.WORK, tables, (x["q"], out), nframe=nframe)
        self._require_finite(out, "poses")
        return Poses(self._index_of_frame, x.shaped(out, nframe, N_FRAME_F))

    def jacobian(self, q: Any, frame: str, axes: Literal["world", "body"] = "world") -> np.ndarray:
        """J (6, nv) with (angular; linear) velocity of the frame's origin = J v.

        axes   "world", or "body" for the frame's own axes
        """
        x = self.rows(q=(q, self.nq))
        out = np.empty((x.count, 6 * self.nv))
        self._batch(jacobian_batch, jacobian.WORK, self._point(frame), (x["q"], out))
        self._require_finite(out, "Jacobian")
        J = out.reshape(x.count, 6, self.nv)
        if _own_axes(axes):
            J = _turn_rows(self.forward_kinematics(x["q"])[frame][:, :3, :3], J)
        return x.shaped(J, 6, self.nv)

    def jacobian_rate(self, q: Any, v: Any, frame: str, axes: Literal["world", "body"] = "world") -> np.ndarray:
        """Time derivative (6, nv) of `jacobian` along v."""
        x = self.rows(q=(q, self.nq), v=(v, self.nv))
        out = np.empty((x.count, 6 * self.nv))
        self._batch(jacobian_rate_batch, jacobian.WORK, self._point(frame), (x["q"], x["v"], out))
        self._require_finite(out, "Jacobian rates")
        rate = out.reshape(x.count, 6, self.nv)
        if _own_axes(axes):
            # (R' J)' = R' (J' - w x J)
            J = self.jacobian(x["q"], frame)
            w = np.einsum("bij,bj->bi", J[:, :3], x["v"])[:, None, :]
            for part in (slice(0, 3), slice(3, 6)):
                rate[:, part] -= np.cross(w, J[:, part].swapaxes(1, 2)).swapaxes(1, 2)
            rate = _turn_rows(self.forward_kinematics(x["q"])[frame][:, :3, :3], rate)
        return x.shaped(rate, 6, self.nv)

    def _point(self, frame: str) -> tuple:
        t, k = self._t, self.frame(frame)
        return t.body_i, t.body_f, int(t.frame_i[k]), t.frame_f[k, P_BF : P_BF + 3].copy()

    # ---- totals

    def energy(self, q: Any, v: Any) -> tuple[Any, Any]:
        """Kinetic energy (armature included) and potential energy of gravity (zero at the world's origin) [J]."""
        out = self._totals(q, v)
        kinetic, potential = out[..., KINETIC], out[..., POTENTIAL]
        return (float(kinetic), float(potential)) if out.ndim == 1 else (kinetic, potential)

    def momentum(self, q: Any, v: Any) -> np.ndarray:
        """Momentum (6,) of all bodies: angular about the centre of mass, then linear, world axes."""
        return self._totals(q, v)[..., ANGULAR : ANGULAR + 6]

    def center_of_mass(self, q: Any) -> np.ndarray:
        """Centre of mass (3,) of all bodies [m]."""
        return self._totals(q, np.zeros(self.nv))[..., CENTER : CENTER + 3]

    def _totals(self, q, v) -> np.ndarray:
        x = self.rows(q=(q, self.nq), v=(v, self.nv))
        out = np.empty((x.count, N_TOTALS))
        self._batch(totals_batch, totals.WORK, (self._t.body_i, self._t.body_f), (x["q"], x["v"], out))
        self._require_finite(out, "energies and momenta")
        return x.shaped(out)


def one_of(*state: Any) -> bool:
    """Whether all are arrays of one state. Anything else would be refused by the kernel too, but slowly."""
    for x in state:
        if x.__class__ is not np.ndarray or x.ndim != 1:
            return False
    return True


def _own_axes(axes: str) -> bool:
    if not is_one_of(axes, ("world", "body")):
        raise InputError(f"axes must be 'world' or 'body', not {axes!r}")
    return axes == "body"


def _turn_rows(R: np.ndarray, J: np.ndarray) -> np.ndarray:
    """Both halves of J (B, 6, n) from world axes into the axes R (B, 3, 3)."""
    return np.concatenate([R.swapaxes(1, 2) @ J[:, :3], R.swapaxes(1, 2) @ J[:, 3:]], axis=1)
