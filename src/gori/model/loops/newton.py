"""Damped Newton steps from a rough pose to one that closes all loops, and the search from several starts."""

from typing import NamedTuple

import numpy as np

from gori.model.model import Model

ASSEMBLED, NEARLY = 1e-12, 1e-9
"""residual that counts as zero, lengths by the size of the machine; and the largest that rounding may leave"""
STRIDE = 0.4
"""largest change of a coordinate in one iteration [rad, or the size of the machine]"""
ALIKE = 1e-5
"""poses that are nearer than this to each other are one [rad, or the size of the machine]"""


class Pose(NamedTuple):
    """Where Newton steps ended."""

    q: np.ndarray
    size: float  # of the residual, without units
    gap: np.ndarray  # (ne,) residual

    @property
    def closed(self) -> bool:
        return self.size <= NEARLY


def close_from(model: Model, q: np.ndarray, free: np.ndarray, weight: np.ndarray, time: float) -> Pose:
    """The closed pose that damped Newton steps lead to from q, or where they end.

    Each step is the smallest that closes the linearised loops (pseudo-inverse by singular values); it is shortened
    where the residual would grow, so that the branch next to the start is kept.

    free     (nv,) which coordinates may change
    weight   (nv,) how readily they do
    """
    system, scale = model.loop_system, model.loop_system.column_scale

    def pose(q):
        gap = system.terms(q, time=time).gap
        return Pose(q, float(np.linalg.norm(gap * system.row_scale)), gap)

    here, still = pose(q), 0
    for _ in range(300):
        if here.size <= ASSEMBLED or still > 3:
            break
        J = (system.scaled(system.terms(here.q, time=time).J) * weight)[:, free]
        step = np.zeros(model.nv)
        step[free] = -weight[free] * (np.linalg.pinv(J, rcond=1e-7) @ (here.gap * system.row_scale))
        step *= min(1.0, STRIDE / max(np.abs(step).max(initial=0.0), 1e-300))
        share, there = 1.0, None
        while share > 1e-4 and there is None:
            trial = pose(model.integrate(here.q, share * step * scale))
            if trial.size < (1.0 - 0.01 * share) * here.size:
                there = trial
            share *= 0.5
        if there is None:
            still += 1
            if here.closed:  # rounding
                break
            # a pose where the loops do not move towards each other: aside a little, then on
            step[free] = 1e-3 * np.random.default_rng(still).normal(size=int(free.sum()))
            there = pose(model.integrate(here.q, step * scale))
        here = there
    return here


class Search:
    """Closed poses of a Model from several starts, always the same ones.

    q        start values
    weight   (nv,) what a change of each coordinate counts in the distance from the start
    """

    FEW = 12
    """coordinates up to which all closures are looked for"""
    STARTS, MOST = 12, 60
    """starts in a row that lead to no other closure before the search for more ends, and starts to find one at all"""
    BUDGET = 240
    """starts of a search for more closures"""

    def __init__(self, model: Model, q: np.ndarray, weight: np.ndarray, time: float):
        self.model, self.q, self.weight, self.time = model, q, weight, time
        self.system = model.loop_system
        self.scale = self.system.column_scale
        self.angles = np.zeros(model.nv, bool)
        """coordinates that mean the same after a full turn"""
        for info in model.joints:
            if info.type in ("revolute", "universal"):
                self.angles[info.v] = True

    def near(self, free: np.ndarray, readiness: np.ndarray | None = None, q: np.ndarray | None = None) -> Pose:
        """Where Newton steps from the start itself end, or from another q."""
        readiness = np.ones(self.model.nv) if readiness is None else readiness
        return close_from(self.model, self.q if q is None else q, free, readiness, self.time)

    def closures(self, free: np.ndarray, readiness: np.ndarray | None = None) -> list[Pose]:
        """Closed poses with the other coordinates as they are at the start, the nearest first.

        Of few coordinates all that are found, until STARTS closed poses in a row were known before; of infinitely many,
        and of many coordinates, the one that the start leads to.
        """
        first = self.near(free, readiness)
        if first.size <= ASSEMBLED and np.array_equal(first.q, self.q):
            return [first]
        few = int(free.sum()) <= self.FEW
        found = [self._unwound(first, free)] if first.closed else []
        if found and (not few or self.continuous(first, free)):
            return found
        rng, best, known = np.random.default_rng(0), first, 0
        for k in range(self.BUDGET):
            if known >= self.STARTS or (k >= self.MOST and not found) or (found and not few):
                break
            pose = self.near(free, q=self._aside(rng, best, free, few or k % 2 == 1))
            best = min(best, pose, key=lambda one: one.size)
            if not pose.closed:
                continue
            pose, known = self._unwound(pose, free), known + 1
            if all(self.distance(pose.q, other.q, np.ones(self.model.nv)) > ALIKE for other in found):
                found.append(pose)
                known = 0
                if self.continuous(pose, free):
                    break
        return sorted(found, key=lambda one: (self._beyond_limits(one.q), self.distance(one.q)))

    def distance(self, q: np.ndarray, other: np.ndarray | None = None, weight: np.ndarray | None = None) -> float:
        """Of a pose from the start, or from another pose."""
        moved = self.model.difference(self.q if other is None else other, q) / self.scale
        if other is not None:
            moved = np.where(self.angles, np.remainder(moved + np.pi, 2.0 * np.pi) - np.pi, moved)
        return float(np.linalg.norm((self.weight if weight is None else weight) * moved))

    def continuous(self, pose: Pose, free: np.ndarray) -> bool:
        """Whether the free coordinates can go on moving there: it is one of infinitely many."""
        J = self.system.scaled(self.system.terms(pose.q, time=self.time).J)[:, free]
        if not J.size:
            return bool(free.any())
        values = np.linalg.svd(J, compute_uv=False)
        return bool((values > 1e-6 * max(values[0], 1e-300)).sum() < free.sum())

    def _aside(self, rng: np.random.Generator, best: Pose, free: np.ndarray, anywhere: bool) -> np.ndarray:
        """Another start: all coordinates anywhere, or only those of the loops that stay open."""
        model, change = self.model, np.zeros(self.model.nv)
        wanted, base = free.copy(), self.q
        if not anywhere:
            base, open_ = best.q, np.abs(best.gap * self.system.row_scale) > NEARLY
            wanted &= (np.abs(self.system.terms(base, time=self.time).J[open_]) > 0.0).any(axis=0)
        change[wanted] = rng.uniform(-np.pi, np.pi, int(wanted.sum()))
        travels = wanted & ~self.angles
        change[travels] = rng.normal(size=int(travels.sum()))
        return model.integrate(base, change * self.scale)

    def _unwound(self, pose: Pose, free: np.ndarray) -> Pose:
        """The same pose with angles within half a turn of the start, unless a gear says otherwise."""
        moved = self.model.difference(self.q, pose.q)
        turns = np.where(self.angles & free, 2.0 * np.pi * np.round(moved / (2.0 * np.pi)), 0.0)
        if not turns.any():
            return pose
        q = self.model.integrate(pose.q, -turns)
        again = self.near(free, q=q)
        return again if again.closed and self.distance(again.q, q, np.ones(self.model.nv)) < ALIKE else pose

    def _beyond_limits(self, q: np.ndarray) -> bool:
        """Whether a joint is outside its limits."""
        model = self.model
        return any(
            not model.lower[info.v.start] - ALIKE <= q[info.q.start] <= model.upper[info.v.start] + ALIKE
            for info in model.joints
            if info.nv == 1
        )
