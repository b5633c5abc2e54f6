"""The loops of a Model in Python: residuals and Jacobians at a state, and which equations matter."""

from contextlib import contextmanager
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from gori.errors import InputError, SingularError
from gori.kernels.loops import tables as t
from gori.kernels.loops.terms import loop_terms
from gori.kernels.tree.columns import P_PJ, PARENT
from gori.model.arrays import numbers_of
from gori.model.loops.equations import LoopTables, loop_tables
from gori.model.machine import data_of, machine_of
from gori.model.model import Model
from gori.model.state import seconds

SHARE, SHARE_REDUNDANT = 1e-14, 1e-11
"""what stands for zero in the factors, as a share of the diagonal of J M^-1 J'; where equations are always redundant it
has to be well above rounding"""
CLOSED = 7e-13
"""residual of the loops that counts as none, for a machine of 1 m"""
OPEN = 1e-6
"""residual of positions and velocities, without units, from which on a state is refused"""
FLAT = 1e-9
"""singular values below this share of the largest count as zero"""
ROUNDING = 1e-13
"""inertia of a motion below this share of the largest counts as none"""
NOTHING = 1e-12
"""what is smaller in a Jacobian without units is rounding, of a loop that says nothing, as a ball on a hinge's axis"""

BESIDE = 0.0, 1e-2, 1e-1
"""distances from a pose at which the usual rank is looked for [rad, or the size of the machine]"""
BLUR = 10.0
"""singular values below this times the root of the residual count as zero"""


class Terms(NamedTuple):
    """The equations at a state: Phi (ne,), J (ne, nv), J v - nu (ne,), gamma (ne,), and wrench (ne, 6) of
    `kernels/loops/memory.py`.
    """

    gap: np.ndarray
    J: np.ndarray
    slip: np.ndarray
    gamma: np.ndarray
    wrench: np.ndarray


class Regularisation(NamedTuple):
    """What makes the factors of the kept equations regular, for a machine assembled at one pose."""

    eps_mass: np.ndarray  # (ne,) instead of zero in [M J'; J -eps]
    eps_unit: np.ndarray  # (ne,) and in [1 J'; J -eps]
    extra_inertia: np.ndarray  # (nv,) of axes that have none in the tree
    redundant: int  # equations that are always redundant
    epsilon: float  # eps as a share of what is typical for each equation


class LoopSystem:
    """All equations of a Model: of its cuts, mimic joints, gears and motions. Safe to use from several threads at once.

    names        of the equations: "D.x"
    tables       `LoopTables` of all of them
    size         typical length of the machine [m]
    """

    def __init__(self, model: Model):
        self.model = model
        self.tables = loop_tables(model, model.forces.motions)
        self.names = self.tables.names
        self._machine, data = machine_of(model, loops=self.tables, wheels=False)
        self._pool = [data]
        self.size = self._size()
        lengths = np.isin(self.tables.equation["kind"], (t.ALONG, t.DISTANT, t.SLID, t.SCREWED))
        lengths[self.tables.mesh["equation"]] = True
        self.row_scale = np.where(lengths, 1.0 / self.size, 1.0)
        self.column_scale = np.where(model.travels, self.size, 1.0)

    def _size(self) -> float:
        """The largest distance of a joint or cut from the origin of its body; of those on the ground from their middle:
        it does not matter where a machine stands.
        """
        tables, kinds = self.model.tables, self.tables.equation["kind"]
        cut = self.tables.cut
        cut = cut[~np.isin(kinds[cut["first"]], (t.COUPLED, t.DRIVEN))]  # these are nowhere
        rows = np.concatenate([tables.body_i[1:, PARENT], cut["row_a"], cut["row_b"]])
        places = np.vstack([tables.body_f[1:, P_PJ : P_PJ + 3], cut["p_A"], cut["p_B"]])
        grounded = rows == 0
        if grounded.any():
            places[grounded] -= places[grounded].mean(axis=0)
        rods = kinds[cut["first"]] == t.DISTANT
        largest = max([*np.linalg.norm(places, axis=1), *cut["length"][rods]], default=0.0)
        return float(largest) if largest > 0.0 else 1.0

    @contextmanager
    def _lent(self):
        """Data for one call under way; it is kept for the next."""
        try:
            lent = self._pool.pop()
        except IndexError:  # all are lent
            lent = data_of(self.model, self._machine, wheels=False)
        try:
            yield lent
        finally:
            self._pool.append(lent)

    def terms(self, q: Any, v: Any = None, time: float = 0.0) -> Terms:
        """The equations at one state."""
        q = numbers_of(q, "q")
        v = np.zeros(self.model.nv) if v is None else numbers_of(v, "v")
        if q.shape != (self.model.nq,) or v.shape != (self.model.nv,):
            raise InputError(f"q and v must have shapes ({self.model.nq},) and ({self.model.nv},): one state at a time")
        J = np.zeros((len(self.names), self.model.nv))
        with self._lent() as data:
            loop_terms(self._machine, data, seconds(time), q, v, J)
            w = data.loops.work
            return Terms(w.gap.copy(), J, w.slip.copy(), w.gamma.copy(), w.wrench.copy())

    def refuse_open(self, q: np.ndarray, v: np.ndarray | None, time: float = 0.0, words: str = "") -> None:
        """Raise if a state does not lie on the loops; v None: velocities do not matter.

        words   what q and v belong to: "state."
        """
        terms = self.terms(q, v, time)
        if not np.abs(terms.gap * self.row_scale).max(initial=0.0) <= OPEN:
            name, value = self.worst(terms.gap)
            raise InputError(
                f"{words}q does not close the loops: {name} is open by {value:.3g}. Use gori.assemble(model, q)"
            )
        if v is None:
            return
        slip = np.abs(terms.slip * self.row_scale)
        if not slip.max(initial=0.0) <= OPEN * (1.0 + np.abs(v).max(initial=0.0)):
            name = self.names[int(np.argmax(slip))]
            raise InputError(
                f"{words}v would open the loops: {name} by {slip.max():.3g} per second. Use "
                "gori.consistent_velocity(model, q, v)"
            )

    def accelerations(self, q: np.ndarray, v: np.ndarray, force: np.ndarray) -> np.ndarray:
        """qdd (B, nv) of M qdd + J' lambda = force, J qdd = -gamma, for states (B, ...) on the loops."""
        try:
            return self._accelerations(q, v, force)
        except np.linalg.LinAlgError:
            raise SingularError(
                "the equations of the motions that the loops allow are singular: give all moving bodies mass and "
                "inertia, and look for positions or masses of the wrong size"
            ) from None

    def _accelerations(self, q: np.ndarray, v: np.ndarray, force: np.ndarray) -> np.ndarray:
        """On the motions Z that the loops allow: qdd = x + Z w, J x = -gamma, Z' M Z w = Z' (force - M x)."""
        out = np.empty((len(q), self.model.nv))
        for k, M in enumerate(self.model.tree.mass_matrix(q)):
            terms = self.terms(q[k], v[k])
            left, values, right, rank = self._rank_of(terms.J)
            held = left[:, :rank].T @ (-terms.gamma * self.row_scale) / values[:rank]
            out[k], free = self.column_scale * (right[:rank].T @ held), self._free(right, rank)
            if (extra := lent(M)).any():
                self._as_loops_allow(M, extra, free)
            reduced = free.T @ M @ free
            size = np.sqrt(np.maximum(np.diag(reduced), 1e-300))
            rest = free.T @ (force[k] - M @ out[k]) / size
            out[k] += free @ (np.linalg.solve(reduced / np.outer(size, size), rest) / size)
        return out

    def _rank_of(self, J: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
        """Singular values of J without units, their vectors, and how many of them are not zero."""
        left, values, right = np.linalg.svd(self.scaled(J))
        return left, values, right, int((values > FLAT * max(values.max(initial=0.0), 1e-300)).sum())

    def _free(self, right: np.ndarray, rank: int) -> np.ndarray:
        """Motions (nv, n) that the loops allow."""
        return right[rank:].T * self.column_scale[:, None]

    def scaled(self, J: np.ndarray) -> np.ndarray:
        """J made free of units: lengths by the size of the machine."""
        return J * self.row_scale[:, None] * self.column_scale

    def rank(self, J: np.ndarray) -> int:
        if not J.size:
            return 0
        scaled = self.scaled(J) if len(J) == len(self.names) else J * self.column_scale
        values = np.linalg.svd(scaled, compute_uv=False)
        return int((values > max(FLAT * values[0], NOTHING)).sum())

    def worst(self, gap: np.ndarray) -> tuple[str, float]:
        """The equation that is open the most, and by how much."""
        k = int(np.argmax(np.abs(gap * self.row_scale)))
        return self.names[k], float(gap[k])

    def _around(self, q: np.ndarray) -> list[np.ndarray]:
        """J at q and at some other poses of the tree, closed or not."""
        model, rng = self.model, np.random.default_rng(0)
        others = [model.integrate(q, self.column_scale * rng.normal(size=model.nv)) for _ in range(3)]
        return [self.terms(there).J for there in (q, *others)]

    @cached_property
    def matters(self) -> np.ndarray:
        """(ne,) whether each equation depends on the coordinates at all: not across a plane mechanism."""
        around = self._around(self.model.q0)
        return np.max([np.abs(self.scaled(J)).max(axis=1, initial=0.0) for J in around], axis=0) > 1e-11

    @cached_property
    def kept(self) -> LoopTables:
        """Tables of independent equations that say all, judged next to the start of the Spec.

        Those that do not depend on the coordinates at all, as across a plane mechanism, are left out; and of those that
        follow from each other, as in over-constrained mechanisms, as many as are redundant.
        """
        wanted, J = self.matters.copy(), self._good_pose(self.model.q0, 0.0)
        if J is not None and (rank := self.rank(J)) < wanted.sum():
            from scipy.linalg import qr

            order = qr(self.scaled(J).T, mode="r", pivoting=True)[-1]
            wanted &= np.isin(np.arange(len(wanted)), order[:rank])
        return loop_tables(self.model, self.model.forces.motions, wanted)

    @property
    def tolerance(self) -> float:
        """Residual of positions and velocities that counts as none."""
        return CLOSED * min(max(self.size, 0.01), 1.0)

    def regularisation(self, q: np.ndarray, time: float = 0.0) -> Regularisation:
        """Of the kept equations, for a machine assembled at q."""
        chosen = [self.names.index(name) for name in self.kept.names]
        extra = self._extra(q, time)
        inverse = 1.0 / (np.diag(self.model.tree.mass_matrix(q)) + extra)
        J = self._good_pose(q, time)
        redundant = 0 if J is None else len(chosen) - self.rank(J[chosen])
        share, around = SHARE_REDUNDANT if redundant else SHARE, self._around(q)
        eps_mass, eps_unit = (
            share * np.max([J[chosen] ** 2 @ weight for J in around], axis=0)
            for weight in (inverse, np.ones(self.model.nv))
        )
        return Regularisation(eps_mass, eps_unit, extra, redundant, share)

    def _extra(self, q: np.ndarray, time: float) -> np.ndarray:
        """Inertia (nv,) to lend to axes that have none in the tree; raises if the loops leave such an axis free."""
        M = self.model.tree.mass_matrix(q)
        extra = lent(M)
        if not extra.any():
            return extra
        _, _, right, rank = self._rank_of(self.terms(q, time=time).J)
        return self._as_loops_allow(M, extra, self._free(right, rank))

    def _as_loops_allow(self, M: np.ndarray, extra: np.ndarray, free: np.ndarray) -> np.ndarray:
        """The inertia that is lent, less that of axes that the loops leave free and that move a little of their own.

        Raises if the loops leave a motion free that moves none: what counts is M on the motions that they allow.

        free   (nv, n) those motions
        """
        if not free.size:
            return extra
        inertia, motions = np.linalg.eigh(free.T @ M @ free)
        if inertia[0] <= ROUNDING * max(inertia[-1], 1e-300):
            k = int(np.argmax(np.abs(free @ motions[:, 0] / self.column_scale)))
            raise SingularError(
                f"joint {self.model.joint_of_dof(k)!r} moves no inertia, and no loop constrains it, so its "
                "acceleration is undefined: give what it carries mass and inertia, or give the joint armature"
            )
        for own, motion in zip(inertia, (free @ motions).T):
            if (extra * motion**2).sum() > 0.1 * own:
                extra = np.where(extra * motion**2 > 0.01 * own, 0.0, extra)
        return extra

    def _good_pose(self, q: np.ndarray, time: float) -> np.ndarray | None:
        """J where it has its usual rank: at q with its loops closed, or nearby if that is a singular pose.

        Beside a singular pose Newton's steps may fall back to it; steps along its branches do not.
        """
        from gori.model.loops.branches import directions, is_singular, tangents
        from gori.model.loops.newton import close_from

        model, rng = self.model, np.random.default_rng(1)

        def closed(aside):
            return close_from(model, aside, np.ones(model.nv, bool), np.ones(model.nv), time)

        poses = [closed(model.integrate(q, size * self.column_scale * rng.normal(size=model.nv))) for size in BESIDE]
        if poses[0].closed and is_singular(at := tangents(model, poses[0].q, time)):
            for c in directions(at):
                step = BESIDE[1] * self.column_scale * (at.N @ c)
                poses += [closed(model.integrate(poses[0].q, sign * step)) for sign in (1.0, -1.0)]
        best = None
        for pose in poses:
            if pose.closed:
                J = self._without_noise(self.terms(pose.q, time=time).J, pose.size)
                best = J if best is None or self.rank(J) > self.rank(best) else best
        return best

    def _without_noise(self, J: np.ndarray, residual: float) -> np.ndarray:
        """J without the singular values that a pose has only because its loops are open by the residual: next to a
        crossing of branches these grow with the distance from it, and the residual with its square.
        """
        left, values, right = np.linalg.svd(self.scaled(J), full_matrices=False)
        some = values > max(FLAT * values.max(initial=0.0), NOTHING)
        real = some & (values > BLUR * residual**0.5)
        if real.sum() == some.sum():
            return J
        return (left[:, real] * values[real]) @ right[real] / self.row_scale[:, None] / self.column_scale


def lent(M: np.ndarray) -> np.ndarray:
    """Inertia (nv,) for axes that have none in the tree of mass matrix M (nv, nv), or next to none."""
    extra, rest, size = np.zeros(len(M)), M.copy(), np.diag(M).max(initial=0.0) or 1.0
    for k in range(len(M) - 1, -1, -1):  # from the tips to the ground, as the factors go
        if rest[k, k] <= 1e-9 * max(M[k, k], 1e-6 * size):
            extra[k] = 1e-3 * max(M[k, k], 1e-3 * size)
        column = rest[:k, k] / (rest[k, k] + extra[k])
        rest[:k, :k] -= np.outer(column, rest[:k, k])
    return extra
