"""Vehicles that carry particles, on their way to rest.

Particles settle while all bodies are fixed; the vehicle finds its equilibrium under their load, taken as rigid; the
particles are moved along with it. Little motion remains after that.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from gori.kernels.particles import columns as c
from gori.model import Poses
from gori.sim.particles.particles import Particles
from gori.spec import GROUND

BLOCK = 0.05
"""time between looks at particles that settle [s]"""
QUIET = 0.01
"""speed of particles that have settled, over that after a fall by a radius"""


def settle(particles: Particles, time: float, longest: float = 5.0) -> None:
    """Particles fall and come to rest while the bodies stand still, brakes or not; no time passes for these."""
    poses = particles.poses()
    poses[:, c.VEL :] = 0.0
    steps = max(1, int(np.ceil(BLOCK / particles.step)))
    table = np.repeat(poses[None], steps + 1, axis=0)
    fall = np.sqrt(2.0 * np.linalg.norm(particles.tables.gravity) * float(particles.radius.mean()))
    for k in range(1, max(3, round(longest / BLOCK)) + 1):
        particles.follow(table, BLOCK / steps, time)
        motion = particles.engine.snapshot()[2]
        speed = np.sqrt(motion[:, c.MASS] @ np.square(motion[:, :3]).sum(axis=1) / motion[:, c.MASS].sum())
        if k >= 3 and speed <= QUIET * fall:
            return


def loads(particles: Particles) -> dict[str, tuple[float, np.ndarray, np.ndarray]]:
    """Mass, centre of mass and inertia about it of the particles that each moving body carries, in its frame."""
    ids, sphere, motion = particles.engine.snapshot()
    found = {}
    for body, mine in _carried(particles, ids).items():
        R, p = particles.pose_of(body)
        points, mass = (sphere[mine, :3] - p) @ R, motion[mine, c.MASS]
        com = mass @ points / mass.sum()
        arms = points - com
        own = 0.4 * mass @ np.square(sphere[mine, 3])
        squares = np.einsum("n,ni,nj->ij", mass, arms, arms)
        found[body] = float(mass.sum()), com, (np.trace(squares) + own) * np.eye(3) - squares
    return found


def along(particles: Particles, before: Poses, after: Poses, poses: np.ndarray) -> dict[str, Any]:
    """The state of particles, those that a body carries having gone with it from one pose to another, at rest.

    poses   (nbody, N_POSE) of all that carry walls, after it
    """
    saved = {name: np.array(value) for name, value in particles.state().items()}
    names = saved["id"]
    for body, mine in _carried(particles, names).items():
        T = after[body] @ np.linalg.inv(before[body])
        R = T[:3, :3]
        saved["sphere"][mine, :3] = saved["sphere"][mine, :3] @ R.T + T[:3, 3]
        for part in ("history", "wall_history"):
            rows = saved["pairs" if part == "history" else "walls"][:, 0]
            turned = mine[np.searchsorted(names, rows)]
            for k in (0, 4):
                saved[part][turned, k : k + 3] = saved[part][turned, k : k + 3] @ R.T
    saved["motion"][:, :3] = saved["motion"][:, c.WX : c.WX + 3] = 0.0
    saved["listed_position"], saved["listed_pose"] = saved["sphere"][:, :3].copy(), poses
    return saved


def ride(particles: Particles, saved: Mapping[str, Any], poses: np.ndarray) -> dict[str, Any]:
    """The state of particles, those that a body carries moving as it does; poses (nbody, N_POSE) of the carriers."""
    saved = dict(saved)
    position, motion = saved["sphere"][:, :3], saved["motion"].copy()
    for body, mine in _carried(particles, saved["id"]).items():
        velocity, spin, origin = particles.tables.motion_of(body, poses)
        motion[mine, :3] = velocity + np.cross(spin, position[mine] - origin)
        motion[mine, c.WX : c.WX + 3] = spin
    return {**saved, "motion": motion}


def _carried(particles: Particles, ids: np.ndarray) -> dict[str, np.ndarray]:
    """Which of the particles (n,) each moving body carries: those of the groups that it held at the start."""
    found: dict[str, np.ndarray] = {}
    for k, group in enumerate(particles.tables.groups):
        if (body := group.body) != GROUND:
            mine = particles.group[ids] == k
            found[body] = found[body] | mine if body in found else mine
    return {body: mine for body, mine in found.items() if mine.any()}
