"""Where the energy of a vehicle goes: all works over a recorded run on a level plane, each found by itself.

Bodies move by forces at the ends of steps, spins by those of sub-steps in between: what the ground takes from the one
and gives to the other meets only as the steps become small. The audit tells how far it does not.
"""

import numpy as np

import gori
from gori.kernels.layout import Record
from gori.kernels.vehicle.state import TRAIN_OUTPUT, TRAIN_STATE, WHEEL_STATE
from gori.model.vehicle.drivetrain import train_energy, train_tables
from gori.vehicle import CORNERS

LOSSES = ("converter_loss", "clutch_loss", "gear_loss")


def audit(rec: gori.Recording) -> dict[str, float]:
    """Works [J] of the vehicle `truck`; those that are taken from the motion are positive.

    engine      what the engine has given
    kinetic     gain of bodies, spins and drive train; gravity     gain of height; springs   gain
    losses      in the drive train;  brakes, dampers, drag, steering (its servo)
    slip        in the contacts, rolling resistance, and the vertical work of the tyres: springs and dampers
    moments     of the ground about the wheels' centres, across their axes: aligning, and of loads under a leaning wheel
    reactions   what hub gears and half shafts take from bodies that pitch: the drive train counts its speeds from the
                ground, not from the chassis, and so neither gives nor gets this work
    open        what is left of: engine = all others
    bodies      error of the books of the bodies alone: energy = works of the forces on them
    train       error of the books of the drive train alone
    """
    works: dict[str, float] = {}
    spec = rec.model.spec
    wheels = [f"truck.wheel_{corner}" for corner in CORNERS]
    tables = train_tables(spec.drivetrains["truck.drivetrain"], [spec.wheels[name].inertia for name in wheels])

    def change(values: np.ndarray) -> float:
        return float(values[-1] - values[0])

    def work(power: np.ndarray) -> float:
        return float(np.trapezoid(power, rec.time))

    def train(name: str) -> float:
        return change(rec[f"truck.drivetrain.{name}"])

    def turning(row: int) -> float:
        """Kinetic energy of spins and drive train."""
        s = {name: _field(rec, TRAIN_STATE, 0, name)[row] for name in ("engine", "turbine")}
        return train_energy(tables, s, np.array([rec[f"{name}.speed"][row] for name in wheels]))

    spins = turning(-1) - turning(0)
    works["engine"] = train("engine_work")
    works["kinetic"] = change(rec["energy.kinetic"]) + spins
    works["gravity"] = change(rec["energy.potential"])
    rack = spec.steering["truck.steering"]
    springs = sum(work(rec[f"truck.spring_{corner}.power"]) for corner in CORNERS)
    dampers = sum(work(rec[f"truck.damper_{corner}.power"]) for corner in CORNERS)
    target = rack.travel * rec["truck.steering.steer"]
    servo = rack.stiffness * (target - rec["truck.rack.q"]) - rack.damping * rec["truck.rack.v"]
    steering = work(servo * rec["truck.rack.v"])
    works["springs"], works["dampers"], works["steering"] = -springs, -dampers, -steering
    works["losses"], works["brakes"] = sum(map(train, LOSSES)), train("brake_work")
    works["drag"] = -work(_drag(rec))

    taken = {"slip": 0.0, "rolling": 0.0, "tyres": 0.0, "moments": 0.0, "brakes": works["brakes"], "reactions": 0.0}
    for corner in CORNERS:
        powers = contact_powers(rec, corner)
        for name in taken:
            taken[name] -= work(powers[name])
    reaction = work(_reaction(rec))
    works |= taken
    works["reactions"] -= reaction

    works["open"] = works["engine"] - sum(value for name, value in works.items() if name != "engine")
    hubs = sum(change(rec[f"{name}.work"]) for name in wheels)
    mechanical = works["kinetic"] - spins + works["gravity"]
    works["bodies"] = mechanical - hubs - reaction + works["drag"] - springs - dampers - steering
    books = works["engine"] + train("ground_work") - train("brake_work") - works["losses"]
    works["train"] = spins - books
    return works


def contact_powers(rec: gori.Recording, corner: str) -> dict[str, np.ndarray]:
    """What the level ground does to a wheel and its knuckle [W], part by part, out of the geometry of the wheel."""
    wheel = rec.model.spec.wheels[f"truck.wheel_{corner}"]
    tyre, name = wheel.tyre, f"truck.wheel_{corner}"
    assert tyre.type == "fiala"
    R, w, v = rec[f"truck.knuckle_{corner}.rotation"], *np.split(rec[f"truck.knuckle_{corner}.velocity"], 2, axis=1)
    a, n = R[:, :, 1], np.array([0.0, 0.0, 1.0])
    upright = np.sqrt(1.0 - a[:, 2] ** 2)
    reach = rec[f"truck.knuckle_{corner}.position"][:, 2] / upright
    x = np.cross(a, n) / upright[:, None]
    y = np.cross(n, x)
    r = -(reach / upright)[:, None] * (n - a[:, 2:] * a)
    N, Fx, Fy, Mz, spin = (rec[f"{name}.{part}"] for part in ("load", "fx", "fy", "mz", "speed"))
    radius = tyre.radius - tyre.rolling_deflection * np.maximum(0.0, tyre.radius - reach)

    def dot(p, q):
        return np.einsum("ij,ij->i", p, q)

    forward = dot(v, x)
    across = dot(v + np.cross(w, r), y)
    force = N[:, None] * n + Fx[:, None] * x + Fy[:, None] * y
    moment = np.cross(r, force) + Mz[:, None] * n
    moment -= dot(moment, a)[:, None] * a
    roll = np.clip(spin * radius / 0.2, -1.0, 1.0)
    shaft = _field(rec, WHEEL_STATE, CORNERS.index(corner), "shaft_torque")
    total = dot(force, v) + dot(moment, w)
    slip = Fx * (forward - spin * radius) + Fy * across
    up = N * v[:, 2]
    return {
        "slip": slip,
        "rolling": -tyre.rolling_resistance * N * tyre.radius * roll * spin,
        "tyres": up,
        "moments": total - Fx * spin * radius - slip - up,
        # brakes and hub gears hold on to knuckles that turn a little themselves
        "brakes": -rec[f"{name}.brake_torque"] * dot(a, w),
        "reactions": (shaft - rec[f"{name}.drive_torque"]) * dot(a, w),
    }


def _field(rec: gori.Recording, part: Record, row: int, name: str) -> np.ndarray:
    """A field of what vehicles keep or give out, over the run."""
    return rec.extra["outputs"][:, rec.model.vehicle.column(part, row, name)]


def _drag(rec: gori.Recording) -> np.ndarray:
    """Power of the air on the chassis [W]."""
    drag = rec.model.spec.drag["truck.drag"]
    w, v = np.split(rec["truck.chassis.velocity"], 2, axis=1)
    v = v + np.cross(w, rec["truck.chassis.rotation"] @ np.array(drag.at))
    return -0.5 * drag.density * drag.area_cd * np.linalg.norm(v, axis=1) ** 3


def _reaction(rec: gori.Recording) -> np.ndarray:
    """Power of the half shafts' reaction on the chassis [W]."""
    first, w = rec.model.vehicle.column(TRAIN_OUTPUT, 0, "reaction"), rec["truck.chassis.velocity"][:, :3]
    moment = rec.extra["outputs"][:, first : first + 3]
    return np.einsum("ij,ij->i", moment, w)
