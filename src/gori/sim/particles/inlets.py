"""Particles that come in: in a box, at a rate, where there is space; and whether any are where they go out."""

import warnings
from typing import TYPE_CHECKING

import numpy as np

from gori.model.particles.clearance import Obstacle, balls_around, clear_of, corners_of
from gori.model.particles.container import container_of
from gori.model.particles.inlets import fresh_memory, generator_of, inlet_memory
from gori.model.particles.packing import draw_radii
from gori.model.particles.start import walls_of
from gori.model.particles.tables import InletTable, OutletTable, velocity_at
from gori.spec import Region

if TYPE_CHECKING:
    from gori.sim.particles.particles import Particles


TRIES, GIVEN_UP = 20, 5
"""positions that a particle tries in a step, and particles without one after which all others wait for the next step"""
LATE = 0.1
"""seconds by which particles come late before there is a warning"""


class InletFlow:
    """An inlet at work.

    made      particles so far
    waiting   particles that were due and found no space yet
    """

    def __init__(self, table: InletTable):
        self.table, self._warned = table, False
        self._meshes: dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]] | None = None
        self.recall(fresh_memory(table))

    def memory(self) -> np.ndarray:
        """What must be kept to go on."""
        return inlet_memory(self.made, self.waiting, self._rng)

    def recall(self, memory: np.ndarray) -> None:
        """Go on from what was kept."""
        self.made, self.waiting = int(memory[0]), int(memory[1])
        self._rng = generator_of(memory)

    def let_in(self, particles: "Particles", time: float) -> None:
        """So many particles as the rate asks for by this time; what finds no space waits."""
        part, poses = self.table, particles.poses()
        until = time if part.stop is None else min(time, part.stop)
        wanted = int(np.floor(max(0.0, until - part.start) * part.rate + 1e-9)) - self.made
        if part.number is not None:
            wanted = min(wanted, part.number - self.made)
        self.waiting = max(0, wanted)
        if wanted <= 0:
            return
        R, p = particles.tables.pose_of(part.box.body, poses)
        container = container_of(part.box, f"the inlet {part.name!r}", R.T @ particles.tables.gravity)
        _, taken, _ = particles.engine.snapshot()
        if len(taken):
            taken = taken[in_box(part.box, taken[:, :3], (R, p), margin=2.0 * particles.setup.radius)]
        walls = self._walls(particles, R @ part.box.pose()[1] + p)
        found, failed = [], 0
        while len(found) + failed < wanted and failed < GIVEN_UP:
            radius = float(draw_radii(part.radius, 1, self._rng)[0])
            for _ in range(TRIES):
                local = self._rng.uniform(container.low + radius, container.high - radius)
                point = R @ container.to_body(local[None])[0] + p
                near = np.linalg.norm(taken[:, :3] - point, axis=1) < taken[:, 3] + radius
                if not near.any() and clear_of(walls, point[None], radius, shells=True)[0]:
                    found.append([*point, radius])
                    taken = np.vstack([taken, [[*point, radius]]])
                    break
            else:
                failed += 1
        self.waiting -= len(found)
        self._warn(time)
        if found:
            rows = np.array(found)
            velocity = velocity_at(particles.tables.motion_of(part.box.body, poses), rows[:, :3]) + part.velocity
            particles.put(rows, part.material, velocity, group=part.group)
            self.made += len(found)

    def _walls(self, particles: "Particles", middle: np.ndarray) -> list[Obstacle]:
        """Walls as they stand now; of meshes the triangles near the box, of which the middle is given."""
        walls = walls_of(particles.tables, particles.pose_of, particles.gone_walls)
        if self._meshes is None:  # files are read once
            found = {name: corners_of(wall.shape) for name, wall in walls.items()}
            self._meshes = {name: (one, *balls_around(one)) for name, one in found.items() if one is not None}
        far = 0.5 * float(np.linalg.norm(self.table.box.size)) + particles.setup.radius
        for name in self._meshes.keys() & walls.keys():
            corners, centres, radii = self._meshes[name]
            away = centres - walls[name].R.T @ (middle - walls[name].p)
            near = np.einsum("ij,ij->i", away, away) <= (radii + far) ** 2
            walls[name] = walls[name]._replace(corners=corners[near])
        return list(walls.values())

    def _warn(self, time: float) -> None:
        """Once, if particles come late."""
        if not self._warned and self.waiting > max(GIVEN_UP, LATE * self.table.rate):
            self._warned = True
            warnings.warn(
                f"the inlet {self.table.name!r} has no free space: {self.waiting} particles are waiting at t = "
                f"{time:.6g} s, and are inserted later. Use a larger box, a lower rate or a higher velocity",
                stacklevel=2,
            )


def drains(outlets: tuple[OutletTable, ...], particles: "Particles") -> bool:
    """Whether any particle is in an outlet now."""
    position, inside = particles.position, False
    for outlet in outlets:
        if outlet.box is not None:
            inside |= bool(in_box(outlet.box, position, particles.pose_of(outlet.box.body)).any())
        elif outlet.below is not None:
            R, p = particles.pose_of(outlet.body)
            inside |= bool(((position - p) @ R[:, 2] <= outlet.below).any())
    return inside


def in_box(box: Region, position: np.ndarray, pose: tuple[np.ndarray, np.ndarray], margin: float = 0.0) -> np.ndarray:
    """Which positions (n, 3) are in a box that is fixed to a body of this pose."""
    R, p = pose
    R_S, p_S = box.pose()
    local = ((position - p) @ R - p_S) @ R_S
    return np.all(np.abs(local) <= 0.5 * np.array(box.size) + margin, axis=1)
