"""Grains that come in: in a box, at a rate, where there is room."""

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from gori.model.particles.clearance import Obstacle, balls_around, clear_of, corners_of
from gori.model.particles.container import room_of
from gori.model.particles.packing import draw_radii
from gori.model.particles.start import walls_of
from gori.spec import Inlet as InletSpec
from gori.spec import Region

if TYPE_CHECKING:
    from gori.sim.particles.particles import Grains


TRIES, FULL = 20, 5
"""places that a grain tries in a step, and grains without one after which all others wait for the next step"""
LATE = 0.1
"""seconds by which grains come late before it is told"""


class Inlet:
    """An inlet of the Spec at work; its grains are of the group of this index.

    waiting   grains that were due and found no room yet
    """

    def __init__(self, name: str, part: InletSpec, group: int):
        self.name, self.part, self.group, self.made, self.waiting, self._told = name, part, group, 0, 0, False
        self._rng = np.random.default_rng(part.seed)
        self._meshes: dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]] | None = None

    def memory(self) -> list[int]:
        """Grains made so far, and the state of what draws them, in words of 32 bits."""
        state: Any = self._rng.bit_generator.state
        inner = state["state"]
        mask = (1 << 32) - 1
        words = [(number >> shift) & mask for number in (inner["state"], inner["inc"]) for shift in (0, 32, 64, 96)]
        return [self.made, *words, state["has_uint32"], state["uinteger"]]

    def recall(self, saved: Any) -> None:
        made, *words = (int(word) for word in saved)
        self.made, state = made, self._rng.bit_generator.state
        numbers = [sum(word << shift for word, shift in zip(words[k : k + 4], (0, 32, 64, 96))) for k in (0, 4)]
        state["state"] = {"state": numbers[0], "inc": numbers[1]}  # type: ignore[index]
        state["has_uint32"], state["uinteger"] = words[8], words[9]  # type: ignore[index]
        self._rng.bit_generator.state = state

    def let_in(self, grains: "Grains", time: float) -> None:
        """So many grains as the rate asks for by this time; what finds no room waits."""
        part = self.part
        until = time if part.stop is None else min(time, part.stop)
        wanted = int(np.floor(max(0.0, until - part.start) * part.rate + 1e-9)) - self.made
        if part.count is not None:
            wanted = min(wanted, part.count - self.made)
        self.waiting = max(0, wanted)
        if wanted <= 0:
            return
        R, p = grains.pose_of(part.box.body)
        room = room_of(part.box, f"the inlet {self.name!r}", R.T @ np.array(grains.model.spec.gravity))
        ident, place, _ = grains.bed.look()
        taken = place[in_box(part.box, place[:, :3], (R, p), margin=2.0 * grains.setup.radius)] if len(ident) else place
        walls = self._walls(grains, R @ part.box.pose()[1] + p)
        found, failed = [], 0
        while len(found) + failed < wanted and failed < FULL:
            radius = float(draw_radii(part.radius, 1, self._rng)[0])
            for _ in range(TRIES):
                local = self._rng.uniform(room.low + radius, room.high - radius)
                point = R @ room.to_body(local[None])[0] + p
                near = np.linalg.norm(taken[:, :3] - point, axis=1) < taken[:, 3] + radius
                if not near.any() and clear_of(walls, point[None], radius, shells=True)[0]:
                    found.append([*point, radius])
                    taken = np.vstack([taken, [[*point, radius]]])
                    break
            else:
                failed += 1
        self.waiting -= len(found)
        self._tell(time)
        if found:
            rows = np.array(found)
            velocity = velocity_at(grains.motion_of(part.box.body, grains.poses()), rows[:, :3]) + part.velocity
            grains.put(rows, part.material, velocity, group=self.group)
            self.made += len(found)

    def _walls(self, grains: "Grains", middle: np.ndarray) -> list[Obstacle]:
        """Walls as they stand now; of meshes the triangles near the box, of which the middle is given."""
        walls = walls_of(grains.model.spec, grains.pose_of)
        if self._meshes is None:  # files are read once
            found = {name: corners_of(wall.shape) for name, wall in walls.items()}
            self._meshes = {name: (one, *balls_around(one)) for name, one in found.items() if one is not None}
        far = 0.5 * float(np.linalg.norm(self.part.box.size)) + grains.setup.radius
        for name, (corners, centres, radii) in self._meshes.items():
            away = centres - walls[name].R.T @ (middle - walls[name].p)
            near = np.einsum("ij,ij->i", away, away) <= (radii + far) ** 2
            walls[name] = walls[name]._replace(corners=corners[near])
        return list(walls.values())

    def _tell(self, time: float) -> None:
        """Once, that grains come late."""
        if not self._told and self.waiting > max(FULL, LATE * self.part.rate):
            self._told = True
            warnings.warn(
                f"the inlet {self.name!r} has no room: {self.waiting} grains wait at t = {time:.6g} s, and come when "
                "there is some. A larger box, a lower rate or a higher velocity makes room",
                stacklevel=2,
            )


def in_box(box: Region, place: np.ndarray, pose: tuple[np.ndarray, np.ndarray], margin: float = 0.0) -> np.ndarray:
    """Which places (n, 3) are in a box that is fixed to a body of this pose."""
    R, p = pose
    R_S, p_S = box.pose()
    local = ((place - p) @ R - p_S) @ R_S
    return np.all(np.abs(local) <= 0.5 * np.array(box.size) + margin, axis=1)


def velocity_at(motion: tuple[np.ndarray, np.ndarray, np.ndarray], points: np.ndarray) -> np.ndarray:
    """Velocities (n, 3) of points of a body, of which velocity, spin and origin are given."""
    velocity, spin, origin = motion
    return velocity + np.cross(spin, points - origin)
