"""Why a march of particles has ended early, and what to do about it."""

import numpy as np

from gori.errors import SimulationError
from gori.kernels.particles import columns as c
from gori.model.particles.domain import NOT_GIVEN, Domain
from gori.sim.particles.engine import EngineFailure, ParticleEngine


def march_error(
    failure: EngineFailure,
    engine: ParticleEngine,
    domain: Domain,
    poses: np.ndarray,
    time: float,
    step: float,
    advice: str = "",
) -> SimulationError:
    """The error behind a failure at a time [s].

    poses    (nbody, N_POSE) of the carriers now
    step     sub-step [s]
    advice   if that is too large
    """
    ids, sphere, motion = engine.snapshot()
    k = int(np.searchsorted(ids, failure.id))
    known = k < len(ids) and ids[k] == failure.id
    who = f"particle {failure.id}" if failure.id >= 0 else "a particle"
    if known:
        x, y, z = sphere[k, :3]
        speed = float(np.linalg.norm(motion[k, :3]))
        who += f" at ({x:.4g}, {y:.4g}, {z:.4g}) m, moving with {speed:.3g} m/s,"
    if failure.code == c.LOST:
        side = domain.left_by(sphere[k, :3], poses) if known else ""
        default = "" if domain.given else f". {NOT_GIVEN}"
        return SimulationError(
            f"{who} has left the domain{side} and is lost, by t = {time:.6g} s. Check for a hole in the walls or a "
            "wall without a material. If particles should leave, add an outlet; if they should "
            f"continue, use a larger `domain`, or `domain: none`{default}",
            time,
        )
    if failure.code == c.TOO_DEEP:
        return SimulationError(
            f"{who} overlaps another or a wall by more than half a radius, before t = {time:.6g} s: "
            f"{advice}the material is too soft for the load, or an impact is far too hard",
            time,
        )
    return SimulationError(
        f"{who} moves more than a quarter of its radius in one step of {step:.3g} s, before t = {time:.6g} s: "
        f"{advice}an impact is far too hard, or particles are so fast that they need a shorter step",
        time,
    )
