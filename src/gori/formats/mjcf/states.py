"""States of MuJoCo and of a Model, from one to the other; keyframes as States."""

import os
from typing import Any

import numpy as np

from gori.errors import InputError
from gori.formats.left_out import LeftOut
from gori.formats.mjcf import velocities as conventions
from gori.formats.mjcf.joints import BALL, FREE, is_split
from gori.formats.mjcf.names import ElementNames
from gori.formats.mjcf.read import checked_model
from gori.spec.base import rotation
from gori.text.arguments import path_of


class MujocoCoordinates:
    """The coordinates of an MjModel and of the Model that was made from the same file.

    m       mujoco.MjModel
    model   gori.compile(gori.load(file))
    """

    def __init__(self, m: Any, model: Any):
        self.m, self.model = m, model
        names = ElementNames(m, LeftOut()).joints
        self._joints: list[tuple[int, int, int, int, int]] = []  # kind, and first index in qpos, qvel, q, v
        for j, name in enumerate(names):
            at, dof, kind = int(m.jnt_qposadr[j]), int(m.jnt_dofadr[j]), int(m.jnt_type[j])
            if is_split(m, j):
                for i, letter in enumerate("xyz"):
                    self._add(-1, at + i, dof + i, f"{name}.{letter}")
                self._add(BALL, at + 3, dof + 3, name)
            else:
                self._add(kind, at, dof, name)

    def _add(self, kind: int, at: int, dof: int, name: str) -> None:
        if name not in self.model.joint_names:
            raise InputError(f"the Model has no joint {name!r}: it was not made from this MJCF file")
        info = self.model.joint(name)
        self._joints.append((kind, at, dof, info.q.start, info.v.start))

    def q(self, qpos: np.ndarray) -> np.ndarray:
        """Gori's q (nq,) for MuJoCo's qpos (nq,)."""
        out = np.zeros(self.model.nq)
        for kind, at, _, q, _ in self._joints:
            if kind == FREE:
                out[q : q + 7] = conventions.free_coordinates(qpos[at : at + 7])
            else:
                count = 4 if kind == BALL else 1
                out[q : q + count] = qpos[at : at + count]
        return out

    def v(self, qpos: np.ndarray, qvel: np.ndarray) -> np.ndarray:
        """Gori's v (nv,) for MuJoCo's qpos and qvel (nv,)."""
        return self._by_dof(qpos, qvel, self.model.nv)

    def a(self, qpos: np.ndarray, qvel: np.ndarray, qacc: np.ndarray) -> np.ndarray:
        """Gori's accelerations (nv,) for MuJoCo's qpos, qvel and qacc (nv,).

        The axes of a free body turn: (R'u)' = R'u' - w x R'u for its velocity u along the world's axes.
        """
        out, v = self._by_dof(qpos, qacc, self.model.nv), self.v(qpos, qvel)
        for kind, _, _, _, d in self._joints:
            if kind == FREE:
                out[d + 3 : d + 6] -= np.cross(v[d : d + 3], v[d + 3 : d + 6])
        return out

    def tau(self, qpos: np.ndarray, qfrc: np.ndarray) -> np.ndarray:
        """Gori's joint forces (nv,) for MuJoCo's generalized forces (nv,): they do the same work."""
        return self._by_dof(qpos, qfrc, self.model.nv)

    def qpos(self, q: np.ndarray) -> np.ndarray:
        """MuJoCo's qpos (nq,) for Gori's q (nq,)."""
        out = np.zeros(self.m.nq)
        for kind, at, _, i, _ in self._joints:
            if kind == FREE:
                out[at : at + 7] = conventions.free_qpos(q[i : i + 7])
            else:
                count = 4 if kind == BALL else 1
                out[at : at + count] = q[i : i + count]
        return out

    def qvel(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """MuJoCo's qvel (nv,) for Gori's q and v (nv,)."""
        out = np.zeros(self.m.nv)
        for kind, _, dof, i, d in self._joints:
            if kind == FREE:
                out[dof : dof + 6] = conventions.free_qvel(q[i : i + 7], v[d : d + 6])
            else:
                count = 3 if kind == BALL else 1
                out[dof : dof + count] = v[d : d + count]
        return out

    def velocity_matrix(self, qpos: np.ndarray) -> np.ndarray:
        """T (nv, nv): v = T qvel. Mass matrices are T' M T in MuJoCo for M here."""
        return np.array([self._by_dof(qpos, row, self.model.nv) for row in np.eye(self.m.nv)]).T

    def _by_dof(self, qpos: np.ndarray, rates: np.ndarray, count: int) -> np.ndarray:
        out = np.zeros(count)
        for kind, at, dof, _, d in self._joints:
            if kind == FREE:
                out[d : d + 3] = rates[dof + 3 : dof + 6]
                out[d + 3 : d + 6] = rotation(None, tuple(qpos[at + 3 : at + 7])).T @ rates[dof : dof + 3]
            else:
                size = 3 if kind == BALL else 1
                out[d : d + size] = rates[dof : dof + size]
        return out


def keyframes(path: str | os.PathLike, model: Any, within: str | os.PathLike | None = None) -> dict[str, Any]:
    """The keyframes of an MJCF file as States of the Model that was made from it, by name."""
    m, _ = checked_model(path_of(path), within)
    coordinates = MujocoCoordinates(m, model)
    names = ElementNames(m, LeftOut()).keys
    return {
        name: model.state(
            coordinates.q(m.key_qpos[k]), coordinates.v(m.key_qpos[k], m.key_qvel[k]), float(m.key_time[k])
        )
        for k, name in enumerate(names)
    }
