"""Singular poses: which velocities lie on a branch.

Where J loses rank, more velocities keep J v = nu than the machine can go on with. With N the null space of J, W that of
J', and v = v_p + N c, the loops stay closed to second order only if

    W' gamma(q, v_p + N c) = 0

which is quadratic in c. At a regular pose, and where equations are redundant everywhere, it holds for all c. Where two
branches cross it holds on the tangents of both, and at a dead centre for c = 0 alone.
"""

from dataclasses import dataclass

import numpy as np

from gori.model.loops.newton import close_from
from gori.model.loops.system import FLAT, NOTHING
from gori.model.model import Model

NONE = 1e-7
"""what is smaller in the second-order condition, by gamma itself, is rounding"""
STRIDE = 1e-3
"""how far along a branch one goes to see whether it goes on [rad, or the size of the machine]"""


@dataclass(frozen=True)
class Tangents:
    """Velocities at one pose that close the loops to first order: v = v_p + N c, without units; columns of N and W are
    orthonormal.
    """

    model: Model
    q: np.ndarray
    time: float
    v_p: np.ndarray  # (nv,) smallest velocity with J v = nu
    N: np.ndarray  # (nv, k)
    W: np.ndarray  # (ne, l)

    @property
    def freedom(self) -> int:
        """Degrees of freedom in this instant."""
        return self.N.shape[1]

    def bend(self, c: np.ndarray) -> np.ndarray:
        """W' gamma (l,): what keeps the loops from staying closed."""
        system = self.model.loop_system
        v = (self.v_p + self.N @ c) * system.column_scale
        return self.W.T @ (system.terms(self.q, v, self.time).gamma * system.row_scale)

    def velocity(self, c: np.ndarray) -> np.ndarray:
        return (self.v_p + self.N @ c) * self.model.loop_system.column_scale

    def on_branch(self, c: np.ndarray) -> bool:
        v = self.v_p + self.N @ c
        return bool(np.abs(self.bend(c)).max(initial=0.0) <= NONE * max(v @ v, 1e-300))


def tangents(model: Model, q: np.ndarray, time: float = 0.0) -> Tangents:
    """Of a closed pose."""
    system = model.loop_system
    terms = system.terms(q, np.zeros(model.nv), time)
    J = system.scaled(terms.J)
    left, values, right = np.linalg.svd(J)
    rank = int((values > max(FLAT * values.max(initial=0.0), NOTHING)).sum())
    slip = left[:, :rank].T @ (terms.slip * system.row_scale)
    v_p = -right[:rank].T @ (slip / values[:rank])
    return Tangents(model, q, time, v_p, right[rank:].T, left[:, rank:])


def is_singular(at: Tangents) -> bool:
    """Whether some velocities that close the loops to first order lie on no branch."""
    if not at.N.size or not at.W.size:
        return False
    rng = np.random.default_rng(0)
    return not all(at.on_branch(rng.normal(size=at.freedom)) for _ in range(3))


def crossings(at: Tangents, offset: np.ndarray, basis: np.ndarray) -> list[np.ndarray]:
    """Values c = offset + basis d that lie on branches: all of them if they are isolated, or else the one that is found
    first, next to the offset. `basis` (k, m) has orthonormal columns.
    """
    m = basis.shape[1]
    if m == 0:
        return [offset] if at.on_branch(offset) else []
    here, plus, minus = (at.bend(offset + x * basis[:, 0]) for x in (0.0, 1.0, -1.0))
    if m == 1:  # each row is a quadratic polynomial of one number
        square, slope = 0.5 * (plus + minus) - here, 0.5 * (plus - minus)
        k = int(np.argmax(np.abs(square) + np.abs(slope) + np.abs(here)))
        roots = np.roots(np.where(np.abs([square[k], slope[k], here[k]]) > 1e-13, [square[k], slope[k], here[k]], 0.0))
        tries = [offset + float(x.real) * basis[:, 0] for x in roots if abs(x.imag) <= 1e-6 * max(1.0, abs(x))]
        return _different([c for c in tries if at.on_branch(c)])
    found, size = [], max(float(np.linalg.norm(offset)), 1.0)
    rng = np.random.default_rng(0)
    for k in range(40):
        d = np.zeros(m) if k == 0 else rng.normal(size=m) * size
        for _ in range(60):
            rest = at.bend(offset + basis @ d)
            slope = _slope(at, offset, basis, d)
            step = np.linalg.pinv(slope, rcond=1e-8) @ rest
            d -= step
            if np.abs(step).max() <= 1e-13 * max(1.0, np.abs(d).max()):
                break
        c = offset + basis @ d
        if at.on_branch(c):
            if np.linalg.matrix_rank(_slope(at, offset, basis, d), 1e-6) < m:
                return [c]
            found = _different([*found, c])
    return found


def _slope(at: Tangents, offset: np.ndarray, basis: np.ndarray, d: np.ndarray) -> np.ndarray:
    """Derivative (l, m) of the second-order condition; exact, as it is quadratic."""
    columns = [at.bend(offset + basis @ (d + e)) - at.bend(offset + basis @ (d - e)) for e in np.eye(len(d))]
    return 0.5 * np.array(columns).T


def _different(cs: list[np.ndarray]) -> list[np.ndarray]:
    kept: list[np.ndarray] = []
    for c in cs:
        if all(np.linalg.norm(c - other) > 1e-6 * max(1.0, np.linalg.norm(c)) for other in kept):
            kept.append(c)
    return kept


def directions(at: Tangents) -> list[np.ndarray]:
    """Unit directions c of the branches that cross at a singular pose; a few of them if there are infinitely many."""
    found: list[np.ndarray] = []
    for seed in range(2 * at.freedom + 4):
        # across a random direction: each branch meets this plane once
        axis = np.random.default_rng(seed).normal(size=at.freedom)
        axis /= np.linalg.norm(axis)
        across = np.linalg.svd(axis[None])[2][1:].T
        still = Tangents(at.model, at.q, at.time, np.zeros_like(at.v_p), at.N, at.W)
        for c in crossings(still, axis, across):
            unit = c / np.linalg.norm(c)
            if all(abs(abs(unit @ other) - 1.0) > 1e-8 for other in found):
                found.append(unit)
    return found


def finite_freedom(at: Tangents) -> int:
    """Degrees of freedom of a finite motion from this pose: of the branch that has most."""
    if at.freedom == 0:
        return 0
    model, scale, best = at.model, at.model.loop_system.column_scale, 0
    everywhere = np.random.default_rng(0).normal(size=(2, at.freedom))
    for c in directions(at) if is_singular(at) else everywhere:
        unit = at.N @ c / np.linalg.norm(c)
        for sign in (1.0, -1.0):
            there = model.integrate(at.q, sign * STRIDE * unit * scale)
            pose = close_from(model, there, np.ones(model.nv, bool), np.ones(model.nv), at.time)
            if pose.closed and np.linalg.norm(model.difference(at.q, pose.q) / scale) > 0.5 * STRIDE:
                best = max(best, tangents(model, pose.q, at.time).freedom)
    return best
