"""Derivatives of steps in the space of q, for rows of states: of q (+) dv (`kernels/tree/configuration.py`) in tangent
coordinates, and cotangents between tangent coordinates and the numbers of q.

With w the turn, E = exp([w]), s = sin(t)/t, b = (1 - cos t)/t^2, c = (t - sin t)/t^3, t = |w|  (Chirikjian 2012, 10.3):

    E = 1 + s [w] + b [w]^2        V = 1 + b [w] + c [w]^2        right Jacobian of SO(3): E' V = 1 - b [w] + c [w]^2

Spherical: R exp(a) E = R E exp(E' a), so the derivative by q is E', by w the right Jacobian.
Free: besides, p moves by R V u. Both are seen from the new body axes: E' (p's - [V u] a) and E' (d(V u)/dw dw + V du).
Of all other joints q (+) dv is the sum, and both derivatives are one.
"""

from typing import NamedTuple

import numpy as np

from gori.model.coordinates import Coordinates
from gori.spec.joint import QUATERNION


class QuaternionStep(NamedTuple):
    """Derivatives of q (+) dv of one joint with a quaternion, each (rows, k, k) with k = 3 or 6.

    at      its degrees of freedom
    by_q    by where it starts
    by_dv   by the step
    """

    at: slice
    by_q: np.ndarray
    by_dv: np.ndarray


def quaternion_steps(model: Coordinates, dv: np.ndarray) -> list[QuaternionStep]:
    """Of all joints with a quaternion, for steps dv (rows, nv)."""
    return [QuaternionStep(info.v, *_turn(dv[:, info.v])) for info in model.joints if info.type in QUATERNION]


def _turn(dv: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    w, u = dv[:, :3], dv[:, 3:]
    s, b, c, b_rate, c_rate = _coefficients((w * w).sum(axis=1)[:, None, None])
    W, one = cross_matrix(w), np.eye(3)
    W2 = W @ W
    back = one - s * W + b * W2  # E'
    right = one - b * W + c * W2
    if not u.shape[1]:
        return back, right
    V = one + b * W + c * W2
    first = np.cross(w, u)  # V u = u + b w x u + c w x (w x u)
    second = np.cross(w, first)
    by_w = c * (-cross_matrix(first) - W @ cross_matrix(u)) - b * cross_matrix(u)
    by_w += 2.0 * (b_rate * first[:, :, None] + c_rate * second[:, :, None]) * w[:, None, :]
    moved = cross_matrix((V @ u[:, :, None])[:, :, 0])
    by_q, by_dv = np.zeros((2, len(dv), 6, 6))
    by_q[:, :3, :3], by_q[:, 3:, :3], by_q[:, 3:, 3:] = back, -back @ moved, back
    by_dv[:, :3, :3], by_dv[:, 3:, :3], by_dv[:, 3:, 3:] = right, back @ by_w, right  # E' V is the right Jacobian
    return by_q, by_dv


def _coefficients(x: np.ndarray) -> tuple[np.ndarray, ...]:
    """s, b, c of x = t^2, and the rates of b and c with x; their series where they would cancel."""
    small = x < 0.01
    t = np.sqrt(np.where(small, 1.0, x))
    sine, half = np.sin(t), np.sin(0.5 * t)
    s, b, c = sine / t, 2.0 * (half / t) ** 2, (t - sine) / t**3
    return (
        np.where(small, 1.0 + x * (-1.0 / 6.0 + x * (1.0 / 120.0 - x / 5040.0)), s),
        np.where(small, 0.5 + x * (-1.0 / 24.0 + x * (1.0 / 720.0 - x / 40320.0)), b),
        np.where(small, 1.0 / 6.0 + x * (-1.0 / 120.0 + x * (1.0 / 5040.0 - x / 362880.0)), c),
        np.where(
            small, -1.0 / 24.0 + x * (1.0 / 360.0 + x * (-1.0 / 13440.0 + x / 907200.0)), (s - 2.0 * b) / (2 * t * t)
        ),
        np.where(
            small,
            -1.0 / 120.0 + x * (1.0 / 2520.0 + x * (-1.0 / 120960.0 + x / 9979200.0)),
            (b - 3.0 * c) / (2 * t * t),
        ),
    )


def cross_matrix(a: np.ndarray) -> np.ndarray:
    """[a] (rows, 3, 3) of vectors (rows, 3): [a] b = a x b."""
    out = np.zeros((len(a), 3, 3))
    x, y, z = a.T
    out[:, 0, 1], out[:, 0, 2], out[:, 1, 2] = -z, y, -x
    out[:, 1, 0], out[:, 2, 0], out[:, 2, 1] = z, -y, x
    return out


def spring_turn(rest: np.ndarray, quaternions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rotation vectors r (rows, 3) from one quaternion to rows of others, and dr by a turn of them in body axes
    (rows, 3, 3), the inverse of the right Jacobian: 1 + [r]/2 + k [r]^2 with k = (1 - (t/2) cot(t/2)) / t^2.
    """
    w = quaternions @ rest
    xyz = -np.einsum("rij,i->rj", _axes(quaternions), rest)  # of rest' q, since (q' rest)' is that
    xyz = np.where(w[:, None] < 0.0, -xyz, xyz)
    sine = np.linalg.norm(xyz, axis=1)
    angle = 2.0 * np.arctan2(sine, np.abs(w))
    r = xyz * np.where(sine > 1e-12, angle / np.maximum(sine, 1e-300), 2.0)[:, None]
    t = np.maximum(angle, 0.01)
    k = np.where(angle < 0.01, 1.0 / 12.0 + angle**2 / 720.0, (1.0 - 0.5 * t / np.tan(0.5 * t)) / t**2)
    R = cross_matrix(r)
    return r, np.eye(3) + 0.5 * R + k[:, None, None] * (R @ R)


# ---- cotangents


def to_tangent(model: Coordinates, q: np.ndarray, cotangent: np.ndarray) -> np.ndarray:
    """From derivatives of a number by q (rows, nq) to those by steps from there (rows, nv)."""
    out = np.empty((len(q), model.nv))
    for info in model.joints:
        given, own = cotangent[:, info.q], out[:, info.v]
        if info.type not in QUATERNION:
            own[:] = given
            continue
        axes = _axes(_unit(q[:, info.q]))
        own[:, :3] = 0.5 * np.einsum("rij,ri->rj", axes, given[:, :4])
        if info.type == "free":
            own[:, 3:] = np.einsum("rij,ri->rj", _rotation(q[:, info.q]), given[:, 4:])
    return out


def to_coordinates(model: Coordinates, q: np.ndarray, cotangent: np.ndarray) -> np.ndarray:
    """From derivatives of a number by steps (rows, nv) to those by q (rows, nq), whose quaternions count as if they
    were first scaled to length 1.
    """
    out = np.empty((len(q), model.nq))
    for info in model.joints:
        given, own = cotangent[:, info.v], out[:, info.q]
        if info.type not in QUATERNION:
            own[:] = given
            continue
        axes, length = _axes(_unit(q[:, info.q])), np.linalg.norm(q[:, info.q][:, :4], axis=1)
        own[:, :4] = 2.0 * np.einsum("rij,rj->ri", axes, given[:, :3]) / length[:, None]
        if info.type == "free":
            own[:, 4:] = np.einsum("rij,rj->ri", _rotation(q[:, info.q]), given[:, 3:])
    return out


def _unit(q: np.ndarray) -> np.ndarray:
    """Unit quaternions (rows, 4) at the beginning of rows."""
    return q[:, :4] / np.linalg.norm(q[:, :4], axis=1)[:, None]


def _axes(quaternions: np.ndarray) -> np.ndarray:
    """Quaternions times i, j and k (rows, 4, 3): a turn a in body axes changes them by half of this times a."""
    w, x, y, z = quaternions.T
    return np.moveaxis(np.array([[-x, -y, -z], [w, -z, y], [z, w, -x], [-y, x, w]]), 2, 0)


def _rotation(q: np.ndarray) -> np.ndarray:
    """Rotation matrices (rows, 3, 3) of the quaternions at the beginning of rows."""
    unit = _unit(q)
    A = cross_matrix(unit[:, 1:])
    return np.eye(3) + 2.0 * (unit[:, :1, None] * A + A @ A)
