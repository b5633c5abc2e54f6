"""Vehicles that carry grains, on their way to rest.

Grains settle while all bodies are held; their load, as if it were one rigid body, brings the vehicle to where it will
stand; there they go along. What is left to wait for is small.
"""

from typing import Any

import numpy as np

from gori.kernels.particles import grains as gr
from gori.kernels.particles import tables as c
from gori.model import Model, Poses, compile
from gori.sim.particles.particles import Grains
from gori.spec import GROUND, Spec
from gori.spec.body import combine

BLOCK = 0.05
"""time between looks at grains that settle [s]"""
QUIET = 0.01
"""speed of grains that have settled, over that after a fall by a radius"""
LEFT_OUT = ("particles", "inlets", "outlets", "materials", "contacts", "run")
"""sections of a Spec that a rigid load does not need"""


def settle(simulation: Any, longest: float = 5.0) -> None:
    """Grains fall and come to rest while the bodies stand still, brakes or not; no time passes for these."""
    grains: Grains = simulation.grains
    poses = grains.poses()
    poses[:, gr.VEL :] = 0.0
    steps = max(1, int(np.ceil(BLOCK / grains.step)))
    table = np.repeat(poses[None], steps + 1, axis=0)
    fall = np.sqrt(2.0 * np.linalg.norm(grains.setup.gravity) * float(grains.radius.mean()))
    for k in range(1, max(3, round(longest / BLOCK)) + 1):
        grains.follow(table, BLOCK / steps, simulation.time)
        motion = grains.bed.look()[2]
        speed = np.sqrt(motion[:, c.MASS] @ np.square(motion[:, :3]).sum(axis=1) / motion[:, c.MASS].sum())
        if k >= 3 and speed <= QUIET * fall:
            return


def loads(grains: Grains) -> dict[str, tuple[float, np.ndarray, np.ndarray]]:
    """Mass, centre of mass and inertia about it of the grains that each moving body carries, in its frame."""
    ident, place, motion = grains.bed.look()
    found = {}
    for body, mine in _carried(grains, ident).items():
        R, p = grains.pose_of(body)
        points, mass = (place[mine, :3] - p) @ R, motion[mine, c.MASS]
        com = mass @ points / mass.sum()
        arms = points - com
        own = 0.4 * mass @ np.square(place[mine, 3])
        squares = np.einsum("n,ni,nj->ij", mass, arms, arms)
        found[body] = float(mass.sum()), com, (np.trace(squares) + own) * np.eye(3) - squares
    return found


def as_rigid(model: Model, load: dict[str, tuple[float, np.ndarray, np.ndarray]]) -> Model:
    """The Model without grains, what they weigh added to the bodies that carry them."""
    data = {key: value for key, value in model.spec.model_dump(exclude_unset=True).items() if key not in LEFT_OUT}
    bodies = {}
    for name, body in model.spec.bodies.items():
        mass, com, J = combine([body.inertial(), *([load[name]] if name in load else [])])
        moments = [*np.diag(J), J[0, 1], J[0, 2], J[1, 2]]
        bodies[name] = {"mass": mass, "com": com.tolist(), "inertia": [float(x) for x in moments]} if mass else {}
    return compile(Spec(**data | {"bodies": {name: part for name, part in bodies.items() if name != GROUND}}))


def along(grains: Grains, before: Poses, after: Poses, poses: np.ndarray) -> dict[str, Any]:
    """What grains save, those that a body carries having gone with it from one pose to another, at rest.

    poses   (nbody, N_POSE) of all that carry walls, after it
    """
    saved = grains.save()
    names = saved["grains_ident"]
    for body, mine in _carried(grains, names).items():
        T = after[body] @ np.linalg.inv(before[body])
        R = T[:3, :3]
        saved["grains_place"][mine, :3] = saved["grains_place"][mine, :3] @ R.T + T[:3, 3]
        for part in ("grains_history", "grains_wall_history"):
            rows = saved["grains_pairs" if part == "grains_history" else "grains_walls"][:, 0]
            turned = mine[np.searchsorted(names, rows)]
            for k in (0, 4):
                saved[part][turned, k : k + 3] = saved[part][turned, k : k + 3] @ R.T
    saved["grains_motion"][:, :3] = saved["grains_motion"][:, c.WX : c.WX + 3] = 0.0
    saved["grains_before"], saved["grains_pose_before"] = saved["grains_place"][:, :3].copy(), poses
    return saved


def ride(grains: Grains, saved: dict[str, Any], poses: np.ndarray) -> dict[str, Any]:
    """What grains save, those that a body carries moving as it does; poses (nbody, N_POSE) of all that carry walls."""
    saved = dict(saved)
    place, motion = saved["grains_place"][:, :3], saved["grains_motion"].copy()
    for body, mine in _carried(grains, saved["grains_ident"]).items():
        velocity, spin, origin = grains.motion_of(body, poses)
        motion[mine, :3] = velocity + np.cross(spin, place[mine] - origin)
        motion[mine, c.WX : c.WX + 3] = spin
    return saved | {"grains_motion": motion}


def _carried(grains: Grains, ident: np.ndarray) -> dict[str, np.ndarray]:
    """Which of the grains (n,) each moving body carries: those of the groups that it held at the start."""
    found: dict[str, np.ndarray] = {}
    for k, body in enumerate(grains.held_by):
        if body != GROUND:
            mine = grains.group[ident] == k
            found[body] = found[body] | mine if body in found else mine
    return {body: mine for body, mine in found.items() if mine.any()}
