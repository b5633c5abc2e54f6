"""Forces along a Recording as arrows: of contacts and particles on bodies, of the ground on wheels, reactions of
joints, and force elements.
"""

from typing import Any

import numpy as np

from gori.errors import InputError
from gori.record import Recording
from gori.spec import Bushing, Spring, Strut, Wrench
from gori.spec.vehicle.terrain import Terrain

KINDS = ("contact", "reaction", "force")
LONGEST = 0.4
"""of an arrow, by the size of the machine"""


def arrows_of(recording: Recording, kind: str, rows: np.ndarray, size: float) -> tuple[dict[str, Any], dict]:
    """Head and arrays of an arrows packet.

    rows   samples (N,) that are shown
    size   of the machine [m]
    """
    if kind not in KINDS:
        raise InputError(f"arrows must be one of {', '.join(KINDS)}, not {kind!r}")
    found = {"contact": _contacts, "reaction": _reactions, "force": _forces}[kind](recording, rows)
    names = [name for name, _, _ in found]
    shape = (len(rows), len(found), 3)
    tails = np.stack([at for _, at, _ in found], axis=1) if found else np.zeros(shape)
    forces = np.stack([force for _, _, force in found], axis=1) if found else np.zeros(shape)
    forces = np.where(np.isfinite(forces), forces, 0.0)
    length = np.linalg.norm(forces, axis=2)
    pressed = length[length > 0.0]
    top = float(np.quantile(pressed, 0.98)) if len(pressed) else 1.0
    scale = LONGEST * size / top
    heads = tails + scale * forces
    head = {"type": "arrows", "kind": kind, "names": names, "times": "times", "tails": "tails", "heads": "heads"}
    arrays = {"times": recording.time[rows].astype(np.float64), "tails": tails.astype(np.float32)}
    return head | {"scale": scale}, arrays | {"heads": heads.astype(np.float32)}


Arrow = tuple[str, np.ndarray, np.ndarray]
"""name, tails (N, 3) [m], forces (N, 3) [N]"""


def _reactions(rec: Recording, rows: np.ndarray) -> list[Arrow]:
    """Force of each joint on its child, at its origin there."""
    found = []
    for joint in rec.model.connections:
        name = f"{joint.name}.reaction"
        if joint.type != "free" and name in rec:
            found.append((joint.name, point_on(rec, joint.child, joint.on_child[1], rows), rec[name][rows, 3:]))
    return found


def _forces(rec: Recording, rows: np.ndarray) -> list[Arrow]:
    """Force of each spring, strut, bushing or wrench on its child."""
    found = []
    for name, force in rec.model.spec.forces.items():
        if f"{name}.force" in rec and isinstance(force, Wrench | Spring | Strut | Bushing):
            body, at = (force.body, force.at) if isinstance(force, Wrench) else (force.child, force.child_at)
            found.append((name, point_on(rec, body, np.array(at, float), rows), rec[f"{name}.force"][rows]))
    return found


def _contacts(rec: Recording, rows: np.ndarray) -> list[Arrow]:
    """Force of all contacts on a body, of particles on it, and of the ground on each wheel."""
    found = []
    for name in rec.channels():
        body, between, source = name.partition(".wrench_from.")
        if between and source in ("contact", "particles") and body in rec.model.body_names:
            moment, force = np.split(rec[name][rows], 2, axis=1)
            square = np.einsum("ni,ni->n", force, force)[:, None]
            # the point of the line of action that is nearest to the origin of the body
            arm = np.cross(force, moment) / np.where(square > 0.0, square, 1.0)
            found.append((f"{body}.{source}", rec[f"{body}.position"][rows] + arm, force))
    for wheel in () if rec.model.vehicle is None else rec.model.vehicle.mounted:
        if all(f"{wheel.name}.{end}" in rec for end in ("load", "fx", "fy")):
            found.append((wheel.name, *_of_ground(rec, wheel, rows)))
    return found


def _of_ground(rec: Recording, wheel: Any, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where a wheel stands on the ground, and the force there, from its load and its forces ahead and to the left."""
    centre = point_on(rec, wheel.body, wheel.at, rows)
    axis = rec[f"{wheel.body}.rotation"][rows] @ (wheel.axis / np.linalg.norm(wheel.axis))
    terrain = rec.model.spec.terrain
    normal = np.tile([0.0, 0.0, 1.0], (len(rows), 1)) if terrain is None else normals(terrain, centre)
    ahead = np.cross(axis, normal)
    ahead /= np.maximum(np.linalg.norm(ahead, axis=1, keepdims=True), 1e-9)
    down = np.cross(ahead, axis)  # up in the plane of the wheel
    load, fx, fy = (rec[f"{wheel.name}.{end}"][rows, None] for end in ("load", "fx", "fy"))
    return centre - wheel.radius * down, load * normal + fx * ahead + fy * np.cross(normal, ahead)


def normals(terrain: Terrain, points: np.ndarray, reach: float = 0.05) -> np.ndarray:
    """Normals (N, 3) of the ground under points (N, 3) [m], over a short distance to both sides."""
    x, y = points[:, 0], points[:, 1]
    slope_x = (terrain.height(x + reach, y) - terrain.height(x - reach, y)) / (2.0 * reach)
    slope_y = (terrain.height(x, y + reach) - terrain.height(x, y - reach)) / (2.0 * reach)
    up = np.stack([-slope_x, -slope_y, np.ones(len(x))], axis=1)
    return up / np.linalg.norm(up, axis=1, keepdims=True)


def point_on(rec: Recording, body: str, at: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """A point (3,) of a body or frame in the world (N, 3) [m]."""
    if f"{body}.position" not in rec:  # the ground
        return np.tile(np.asarray(at, float), (len(rows), 1))
    return rec[f"{body}.position"][rows] + rec[f"{body}.rotation"][rows] @ np.asarray(at, float)
