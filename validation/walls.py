"""Vehicles against walls: no energy comes out of a step or a ditch, and rims stay out of walls.

The HMMWV-like vehicle drives at steps of 0.05 to 2 m, off edges and into ditches, at 1 to 40 m/s and 0 to 45 degrees
from straight on, with steps of 1 and 0.25 ms, on hard ground and on sand; then at blocks, kerbs and posts of some
width, at the long sides of blocks, and at flanks that lean. Of each run are told

    gain   largest of (kinetic, potential and elastic energy - work of the engine) / (that at the start) - 1
    gap    smallest distance of a rim from a wall [m], while its axle is below the top of the wall

Elastic are springs and stops of the suspension, tyres, and the servo of the steering; potential energy is zero on the
ground in front of the obstacle. `python -m validation.walls` runs all of them, in about twenty minutes;
`--part 20` every twentieth. The exit code is 1 if energy was gained, a rim met a wall or a run failed.
"""

import argparse
import itertools
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import numpy as np

import gori
from gori import vehicle
from gori.model.vehicle.drivetrain import train_tables
from gori.spec.strut import Strut
from gori.vehicle import CORNERS

AT = 6.0
"""x of the edge of an obstacle [m]"""
SOIL, GRID = "lete_sand", {"at": [-8.0, -30.0], "size": [70.0, 60.0], "cell": 0.1}
SPEEDS, ANGLES, STEPS = (1.0, 3.0, 6.0, 10.0, 15.0, 25.0, 40.0), (0.0, 15.0, 30.0, 45.0), (1e-3, 2.5e-4)
MOST_GAIN = 1e-3
BELOW = 0.05
"""how far below the top of a wall an axle must be for the gap to count [m]"""


class Obstacle(NamedTuple):
    """A step of this height [m]; down if it is negative, and up again after a length [m], if that is not 0.

    width   across the way [m], 0: no end
    run     of its flanks [m], 0: they are sheer
    aside   of its middle, to the left [m]
    """

    height: float
    length: float = 0.0
    width: float = 0.0
    run: float = 0.0
    aside: float = 0.0

    def feature(self, angle: float) -> dict:
        shape = {"type": "step", "at": [AT, self.aside], "height": self.height, "yaw_deg": angle}
        if self.run:
            shape |= {"type": "trapezoid", "length": self.length + 2.0 * self.run, "top": self.length}
        elif self.length:
            shape["length"] = self.length
        return shape | ({"width": self.width} if self.width else {})

    def __str__(self) -> str:
        kind = "step" if self.height > 0.0 else "ditch" if self.length else "edge"
        flank = f", flanks of {np.degrees(np.arctan2(abs(self.height), self.run)):.0f} deg" if self.run else ""
        across = f", {self.width:g} m across" if self.width else ""
        return f"{kind} {abs(self.height):g} m" + (f", {self.length:g} m wide" if self.length else "") + across + flank


OBSTACLES = (
    *(Obstacle(height) for height in (0.05, 0.1, 0.15, 0.2, 0.3, 0.45, 0.6, 1.0, 2.0)),
    *(Obstacle(-depth, width) for depth, width in ((0.15, 0.6), (0.5, 1.0), (1.0, 2.0), (2.0, 4.0))),
    Obstacle(-2.0),
)


TRACK = 0.91
"""y of the left wheels [m]"""
BLOCKS = (
    Obstacle(1.0, 0.0, 6.0),
    Obstacle(1.0, 0.0, 2.0, 0.0, TRACK),
    Obstacle(0.3, 0.0, 0.6, 0.0, TRACK),
    Obstacle(0.3, 0.0, 2.0, 0.0, TRACK),
    Obstacle(1.0, 0.3, 0.3, 0.0, TRACK),
    Obstacle(1.0, 0.15, 0.0, 0.075),
    Obstacle(1.0, 0.5, 0.0, 0.25),
    Obstacle(0.6, 0.25, 0.0, 0.125),
    Obstacle(1.0, 1.0, 2.0, 0.4, TRACK),
)
SIDES, SIDEWAYS = Obstacle(1.0, 20.0, 2.0), (90.0, -90.0, 75.0, -60.0)
"""a long block, and how it lies: the way leads to its sides"""


class WallCase(NamedTuple):
    """One run: speed [m/s], angle from straight on [deg], step [s]."""

    obstacle: Obstacle
    speed: float
    angle: float
    step: float = 1e-3
    soft: bool = False

    @property
    def terrain(self) -> dict:
        return {"features": {"obstacle": self.obstacle.feature(self.angle)}} | (ground() if self.soft else {})

    def run(self) -> tuple[gori.Recording, str]:
        """What was recorded, and why it ended early, if it did."""
        model = gori.compile(vehicle.spec("hmmwv", terrain=self.terrain))
        state = rest(self.soft, self.speed).replace(model=model.fingerprint)
        sim = gori.Simulation(model, gori.Adams(step=self.step, order=2), state=state)
        slow = self.speed < 5.0
        sim.inputs["truck.selector"], sim.inputs["truck.throttle"] = ("D", 0.3) if slow else ("N", 0.0)
        try:
            return sim.run(min(8.0, AT / self.speed + 2.0), sample=1e-3, progress=False), ""
        except gori.errors.SimulationError as error:
            return error.recording, str(error)

    def __str__(self) -> str:
        ground = "sand" if self.soft else "hard"
        return f"{self.obstacle}, {self.speed:g} m/s, {self.angle:g} deg, {1e3 * self.step:g} ms, {ground}"


class WallFound(NamedTuple):
    """What a run shows; ended: why, if it ended early."""

    gain: float
    gap: float
    ended: str

    @property
    def good(self) -> bool:
        left = "leaves the grid" in self.ended or "has sunk" in self.ended  # of soft soil: the run is over
        return self.gain <= MOST_GAIN and self.gap >= 0.0 and (not self.ended or left)


@cache
def ground() -> dict:
    return {"soft": {"soil": gori.soil(SOIL), **GRID}}


@cache
def standing(soft: bool) -> tuple[gori.Model, gori.State]:
    model = gori.compile(vehicle.spec("hmmwv", terrain=ground() if soft else None))
    return model, gori.at_rest(model)


@cache
def rest(soft: bool, speed: float) -> gori.State:
    """Rolling on level ground."""
    model, state = standing(soft)
    return gori.at_rest(model, speed=speed, standing=state)


# ---- what a run shows


def energy(rec: gori.Recording) -> np.ndarray:
    """Kinetic, potential and elastic energy of the vehicle `truck` (N,) [J]."""
    spec = rec.model.spec
    total = rec["energy.kinetic"] + rec["energy.potential"] + turning(rec)
    for force in spec.forces.values():
        if isinstance(force, Strut):
            total = total + strut_energy(rec, force)
    servo = spec.steering["truck.steering"]
    total = total + 0.5 * servo.stiffness * (rec["truck.rack.q"] - servo.travel * rec["truck.steering.steer"]) ** 2
    return total + sum(rec[f"truck.wheel_{corner}.elastic"] for corner in CORNERS)


def turning(rec: gori.Recording) -> np.ndarray:
    """Kinetic energy of wheels and drive train (N,) [J]: `train_energy` for all samples."""
    spec = rec.model.spec
    train = spec.drivetrains["truck.drivetrain"]
    tables = train_tables(train, [spec.wheels[name].inertia for name in train.wheels])
    row, axle = tables.train[0], tables.axle
    speed = np.column_stack([rec[f"{name}.speed"] for name in train.wheels])
    carrier = speed.reshape(len(rec), -1, 2).mean(axis=2) @ axle["share"]
    engine, turbine = (rec[f"truck.drivetrain.{part}_speed"] for part in ("engine", "turbine"))
    shafts = row["engine_inertia"] * engine**2 + row["turbine_inertia"] * turbine**2 + row["prop_inertia"] * carrier**2
    return 0.5 * (shafts + speed**2 @ axle["inertia"].ravel())


def strut_energy(rec: gori.Recording, strut: Strut) -> np.ndarray:
    """Energy of the spring and the stops of a strut (N,) [J]."""
    ends = [
        rec[f"{body}.position"] + rec[f"{body}.rotation"] @ np.array(at)
        for body, at in ((strut.parent, strut.at), (strut.child, strut.child_at))
    ]
    length = np.linalg.norm(ends[1] - ends[0], axis=1)
    total = 0.5 * strut.stiffness * (length - (strut.length or 0.0)) ** 2
    if strut.stop is None:
        return total
    x, force = np.vstack([(0.0, 0.0), *strut.stop]).T
    until = np.concatenate([[0.0], np.cumsum(0.5 * np.diff(x) * (force[1:] + force[:-1]))])
    for pressed in ((strut.shortest or 0.0) - length, length - (strut.longest or np.inf)):
        pressed = np.maximum(pressed, 0.0)
        k = np.clip(np.searchsorted(x, pressed, "right") - 1, 0, len(x) - 2)
        d, slope = pressed - x[k], (force[k + 1] - force[k]) / (x[k + 1] - x[k])
        total = total + until[k] + force[k] * d + 0.5 * slope * d * d
    return total


def gap(rec: gori.Recording, case: WallCase) -> float:
    """Smallest distance of a rim from the walls of an obstacle [m]: a disc with an edge that is rounded by a quarter of
    the width of the tyre. From a block it is that in the direction in which it is the largest.
    """
    height, length, width, run, aside = case.obstacle
    n = np.array([np.cos(np.radians(case.angle)), np.sin(np.radians(case.angle))])
    face = np.arctan2(run, height)
    top, smallest = max(0.0, height) - BELOW, np.inf
    for corner in CORNERS:
        wheel = rec.model.spec.wheels[f"truck.wheel_{corner}"]
        edge, rim = 0.25 * wheel.tyre.width, wheel.tyre.rim
        centre, axis = rec[f"{wheel.body}.position"], rec[f"{wheel.body}.rotation"][:, :, 1]
        reach, beside = (
            (rim - edge) * np.sqrt(1.0 - np.minimum(1.0, (axis[:, :2] @ m) ** 2)) + edge for m in (n, [-n[1], n[0]])
        )
        along, across = (centre[:, :2] - [AT, aside]) @ n, (centre[:, :2] - [AT, aside]) @ [-n[1], n[0]]
        low = centre[:, 2] < top
        if height > 0.0:
            ways = [run - along] + ([along - run - length] if length else [])
            down = (centre[:, 2] - height) * np.sin(face)
            ways = [way * np.cos(face) + down - reach for way in ways]
            ways += [abs(across) - 0.5 * width - beside] if width else []
            walls = [np.max(ways, axis=0)]
        else:
            low &= (along > 0.0) & (along < (length or np.inf))
            walls = [along - reach, length - along - reach] if length else [along - reach]
        smallest = min([smallest, *(float(wall[low].min(initial=np.inf)) for wall in walls)])
    return smallest


def judge(case: WallCase) -> WallFound:
    rec, ended = case.run()
    total, engine = energy(rec), rec["truck.drivetrain.engine_work"]
    given = total[0] + engine - engine[0]
    return WallFound(float((total / given - 1.0).max()), gap(rec, case), ended)


def cases() -> Iterator[WallCase]:
    """All of them; those that follow each other differ in all that counts."""
    for soft, step in itertools.product((False, True), STEPS):
        for obstacle, speed, angle in itertools.product(OBSTACLES, SPEEDS, ANGLES):
            yield WallCase(obstacle, speed, angle, step, soft)
    for (soft, step), speed in itertools.product(
        ((False, STEPS[0]), (False, STEPS[1]), (True, STEPS[0])), SPEEDS[1::2]
    ):
        for obstacle, angle in itertools.product(BLOCKS, ANGLES):
            yield WallCase(obstacle, speed, angle, step, soft)
        for angle in SIDEWAYS:
            yield WallCase(SIDES._replace(aside=-10.0 * np.sin(np.radians(angle))), speed, angle, step, soft)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m validation.walls", description=__doc__)
    parser.add_argument("--part", type=int, default=1, metavar="N", help="run every N-th case only")
    parser.add_argument("--ground", choices=("hard", "sand"), help="run on this ground only")
    given = parser.parse_args()
    chosen = [case for case in cases() if given.ground is None or case.soft == (given.ground == "sand")]
    chosen = chosen[:: given.part]
    failed, worst, closest, ended = 0, -np.inf, np.inf, 0
    for case in chosen:
        found = judge(case)
        worst, closest, ended = max(worst, found.gain), min(closest, found.gap), ended + bool(found.ended)
        if not found.good:
            failed += 1
            print(f"{case}: gain {100.0 * found.gain:.3g} %, gap {found.gap:.4f} m {found.ended[:100]}", flush=True)
    print(f"{len(chosen)} runs, {failed} bad; {ended} ended early; largest gain {100.0 * worst:.3g} %, smallest gap "
          f"{1e3 * closest:.2f} mm")  # fmt: skip
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
