"""Why a march of particles has ended early, and what to do about it."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from gori.errors import SimulationError
from gori.kernels.particles import columns as c
from gori.model.particles.domain import NOT_GIVEN, Domain
from gori.model.particles.materials import DEEPEST
from gori.model.particles.packing import near_pairs
from gori.sim.particles.engine import EngineFailure, ParticleEngine

NEARLY = 0.8
"""of the overlap that ends a run, as particles have moved a little since it was found"""


class Overlap(NamedTuple):
    """Rows of two particles, and how deep they overlap: in metres, and as a share of the smaller radius."""

    i: int
    j: int
    deep: float
    share: float


def deepest_pair(sphere: np.ndarray, k: int = -1) -> Overlap | None:
    """The two of the particles (n, 4) that overlap most; of particle k, unless it is -1."""
    rows = np.flatnonzero(np.isfinite(sphere).all(axis=1))
    points, radii = sphere[rows, :3], sphere[rows, 3]
    if len(rows) < 2:
        return None
    i, j = near_pairs(points, radii)
    deep = radii[i] + radii[j] - np.linalg.norm(points[i] - points[j], axis=1)
    share = deep / np.minimum(radii[i], radii[j])
    if k >= 0:
        share = np.where((rows[i] == k) | (rows[j] == k), share, 0.0)
    if not share.any():
        return None
    at = int(np.argmax(share))
    return Overlap(int(rows[i[at]]), int(rows[j[at]]), float(deep[at]), float(share[at]))


def march_error(
    failure: EngineFailure,
    engine: ParticleEngine,
    domain: Domain,
    poses: np.ndarray,
    time: float,
    step: float,
    advice: str = "",
    walls_at: Callable[[np.ndarray], Sequence[str]] = lambda sphere: (),
) -> SimulationError:
    """The error behind a failure at a time [s].

    poses      (nbody, N_POSE) of the carriers now
    step       sub-step [s]
    advice     if that is too large
    walls_at   names of the walls that a sphere (4,) overlaps
    """
    ids, sphere, motion = engine.snapshot()
    k = int(np.searchsorted(ids, failure.id))
    known = k < len(ids) and ids[k] == failure.id

    def called(row: int) -> str:
        x, y, z = sphere[row, :3]
        speed = float(np.linalg.norm(motion[row, :3]))
        return f"particle {ids[row]} at ({x:.4g}, {y:.4g}, {z:.4g}) m, moving with {speed:.3g} m/s,"

    who = called(k) if known else f"particle {failure.id}" if failure.id >= 0 else "a particle"
    if failure.code == c.LOST:
        side = domain.left_by(sphere[k, :3], poses) if known else ""
        default = "" if domain.given else f". {NOT_GIVEN}"
        return SimulationError(
            f"{who} has left the domain{side} and is lost, by t = {time:.6g} s. Check for a hole in the walls or a "
            "wall without a material. If particles should leave, add an outlet; if they should "
            f"continue, use a larger `domain`, or `domain: none`{default}",
            time,
        )
    pair = deepest_pair(sphere, k if known else -1) if known or failure.id < 0 else None
    if failure.code == c.TOO_DEEP:
        cause = f"{advice}the material is too soft for the load, or an impact is far too hard"
        when = f"more than half a radius, before t = {time:.6g} s"
        if pair is not None and pair.share > (NEARLY * DEEPEST if known else 0.0):
            speed = float(np.linalg.norm(motion[pair.i, :3] - motion[pair.j, :3]))
            return SimulationError(
                f"{called(pair.i)} and {called(pair.j)} overlap by {pair.deep:.3g} m, {when}; their relative speed is "
                f"{speed:.3g} m/s: {cause}",
                time,
            )
        walls = [f"the wall {name!r}" for name in walls_at(sphere[k])] if known else []
        return SimulationError(f"{who} overlaps {' and '.join(walls) or 'another or a wall'} by {when}: {cause}", time)
    beside = f", and touches {called(pair.j if pair.i == k else pair.i)}" if known and pair is not None else ""
    return SimulationError(
        f"{who} moves more than a quarter of its radius in one step of {step:.3g} s, before t = {time:.6g} s"
        f"{beside.rstrip(',')}: {advice}an impact is far too hard, or particles are so fast that they need a shorter "
        "step",
        time,
    )
