"""Whole vehicles for tests: models that are compiled once, their rest, and runs."""

from functools import cache
from typing import Any

import numpy as np

import gori
from gori import vehicle
from gori.kernels.vehicle.state import WHEEL_OUTPUT

STEP = 1e-3
WEIGHT = 2576.92 * 9.81
"""of the vehicle without payload [N]"""
BUMP = {"features": {"bump": {"type": "trapezoid", "at": [8.0, 0.0]}}}
SPEED = 81.0 / 3.6
"""over the bump [m/s]"""


def soft(soil: Any = "lete_sand", cell=0.05, at=(-4.0, -1.6), size=(24.0, 3.2)) -> dict:
    """Terrain of soft soil: a name of the library, or a Soil."""
    return {"soft": {"soil": gori.soil(soil) if isinstance(soil, str) else soil, "at": at, "size": size, "cell": cell}}


def truck(terrain=None, train=True, **given) -> gori.Model:
    """The HMMWV-like vehicle; without a drive train also without drag."""
    spec = vehicle.spec("hmmwv", set=given, terrain=terrain)
    if not train:
        data = {name: getattr(spec, name) for name in spec.model_fields_set if name not in ("drivetrains", "drag")}
        spec = gori.Spec(**data)
    return gori.compile(spec)


@cache
def level() -> gori.Model:
    return truck()


@cache
def rest(speed: float = 0.0) -> gori.State:
    """Of the vehicle on level ground."""
    return gori.at_rest(level(), speed=speed)


def adams(step: float = STEP) -> gori.Adams:
    return gori.Adams(step=step, order=2)


def simulation(model, state, step=STEP, loops="multipliers", inputs=None, method=None, **options) -> gori.Simulation:
    """inputs: what the driver holds, {throttle: 0.5, ...}."""
    sim = gori.Simulation(model, method or adams(step), state=state, loops=loops, **options)
    for name, value in (inputs or {}).items():
        sim.inputs[f"truck.{name}"] = value
    return sim


def run(model, state, duration, sample=0.01, **options) -> gori.Recording:
    return simulation(model, state, **options).run(duration, sample=sample, progress=False)


def speeds(rec) -> np.ndarray:
    return np.linalg.norm(rec.v[:, 3:6], axis=1)


def yaw(rec) -> np.ndarray:
    """[rad], through full turns"""
    w, x, y, z = rec.q[:, :4].T
    return np.unwrap(np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z)))


def upright(rec) -> np.ndarray:
    """How much the vertical of the chassis points up: 1 on its wheels, -1 on its roof."""
    return 1.0 - 2.0 * (rec.q[:, 1] ** 2 + rec.q[:, 2] ** 2)


def carried(rec) -> np.ndarray:
    """Vertical forces of the ground on the wheels (n, 4) [N]."""
    columns = [rec.model.vehicle.column(WHEEL_OUTPUT, k, "hub_force") + 2 for k in range(4)]
    return rec.extra["outputs"][:, columns]


def path(rec) -> np.ndarray:
    """Places of the chassis (n, 3) [m]."""
    return rec["truck.chassis.position"]
