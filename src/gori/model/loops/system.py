"""The loops of a Model in Python: residuals and Jacobians at a state, and which equations matter."""

from contextlib import contextmanager
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from gori.errors import SingularError
from gori.kernels.loops import tables as t
from gori.kernels.loops.terms import loop_terms
from gori.kernels.tree.columns import P_PJ, PARENT
from gori.model.loops.equations import LoopTables, loop_tables
from gori.model.machine import data_of, machine_of
from gori.model.model import Model

SHARE, SHARE_REDUNDANT = 1e-14, 1e-11
"""what stands for zero in the factors, as a share of the diagonal of J M^-1 J'; where equations are always redundant it
has to be well above rounding"""
CLOSED = 7e-13
"""residual of the loops that counts as none, for a machine of 1 m"""
FLAT = 1e-9
"""singular values below this share of the largest count as zero"""
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
        q = np.array(q, float)
        v = np.zeros(self.model.nv) if v is None else np.array(v, float)
        J = np.zeros((len(self.names), self.model.nv))
        with self._lent() as data:
            loop_terms(self._machine, data, float(time), q, v, J)
            w = data.loops.work
            return Terms(w.gap.copy(), J, w.slip.copy(), w.gamma.copy(), w.wrench.copy())

    def accelerations(self, q: np.ndarray, v: np.ndarray, force: np.ndarray) -> np.ndarray:
        """qdd (B, nv) of M qdd + J' lambda = force, J qdd = -gamma, for states (B, ...) on the loops."""
        nv, ne = self.model.nv, len(self.names)
        out = np.empty((len(q), nv))
        for k, M in enumerate(self.model.tree.mass_matrix(q)):
            terms = self.terms(q[k], v[k])
            J = terms.J * self.row_scale[:, None]
            size = np.sqrt(np.maximum(np.diag(M), 1e-12 * np.diag(M).max()))
            # without units, so that what is redundant can be told from what is small
            J = J / size
            matrix = np.block([[M / np.outer(size, size), J.T], [J, np.zeros((ne, ne))]])
            rest = np.concatenate([force[k] / size, -terms.gamma * self.row_scale])
            out[k] = np.linalg.lstsq(matrix, rest, rcond=1e-12)[0][:nv] / size
        return out

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
        model = self.model
        M = model.tree.mass_matrix(q)
        extra = np.zeros(model.nv)
        rest, size = M.copy(), np.diag(M).max(initial=0.0) or 1.0
        for k in range(model.nv - 1, -1, -1):  # from the tips to the ground, as the factors go
            if rest[k, k] <= 1e-9 * max(M[k, k], 1e-6 * size):
                extra[k] = 1e-3 * max(M[k, k], 1e-3 * size)
            column = rest[:k, k] / (rest[k, k] + extra[k])
            rest[:k, :k] -= np.outer(column, rest[:k, k])
        if extra.any():
            _, values, right = np.linalg.svd(self.scaled(self.terms(q, time=time).J))
            free = right[int((values > FLAT * max(values[0], 1e-300)).sum()) :].T * self.column_scale[:, None]
            inertia = np.linalg.eigh(free.T @ M @ free) if free.size else None
            if inertia is not None and inertia[0][0] <= 1e-12 * max(inertia[0][-1], 1e-300):
                k = int(np.argmax(np.abs(free @ inertia[1][:, 0] / self.column_scale)))
                raise SingularError(
                    f"joint {model.joint_of_dof(k)!r} moves no inertia, and no loop constrains it, so its "
                    "acceleration is undefined: give what it carries mass and inertia, or give the joint armature"
                )
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
