"""The tables of a Model, and the small tuples that its methods return."""

from typing import NamedTuple

import numpy as np


class Tables(NamedTuple):
    """The arrays of the kernels; columns in `kernels/tree/columns.py`."""

    body_i: np.ndarray
    body_f: np.ndarray
    dof_i: np.ndarray
    frame_i: np.ndarray
    frame_f: np.ndarray


class JointInfo(NamedTuple):
    """Where a joint's coordinates are."""

    name: str
    type: str
    q: slice
    v: slice
    rows: tuple[int, ...]

    @property
    def nq(self) -> int:
        return self.q.stop - self.q.start

    @property
    def nv(self) -> int:
        return self.v.stop - self.v.start


class Names(NamedTuple):
    """The name tables."""

    joints: tuple[JointInfo, ...]
    bodies: tuple[str, ...]
    frames: tuple[str, ...]
    loops: tuple[str, ...]
    open_loops: bool


class Derivatives(NamedTuple):
    """Derivatives of the acceleration of forward dynamics, each (nv, nv) or (B, nv, nv)."""

    dq: np.ndarray
    dv: np.ndarray
    dtau: np.ndarray


class InverseDerivatives(NamedTuple):
    """Derivatives of the joint forces of inverse dynamics, each (nv, nv) or (B, nv, nv); da is the mass matrix."""

    dq: np.ndarray
    dv: np.ndarray
    da: np.ndarray


class Transposed(NamedTuple):
    """A vector times the derivatives of the acceleration of forward dynamics, each (nv,) or (B, nv)."""

    dq: np.ndarray
    dv: np.ndarray
    dtau: np.ndarray
