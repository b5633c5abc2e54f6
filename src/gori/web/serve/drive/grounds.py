"""Where one can drive: ground, cones, and how far it goes. Vehicles start at the origin and look along x."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gori.errors import InputError
from gori.formats import soil as soil_of
from gori.manoeuvre.courses import lane_change
from gori.model.vehicle.terrain import rough_road, sampled_field
from gori.spec.expression import closest

SOFT_CELL = 0.075
"""of soft soil on large courses [m]"""
TRUCK_WIDTH = 2.14
"""over the tyres of the truck that gates are made for [m]"""


@dataclass(frozen=True)
class DriveCourse:
    """Ground to drive on.

    terrain   plain data of `gori.spec.Terrain`
    low       corner with the smallest x and y that one can drive on [m]; high: the other
    cones     (n, 2) where cones stand [m]
    soil      that it has if none is named
    """

    title: str
    low: tuple[float, float]
    high: tuple[float, float]
    terrain: dict[str, Any] = field(default_factory=dict)
    cones: np.ndarray = field(default_factory=lambda: np.zeros((0, 2)))
    soil: str | None = None

    def ground(self, soil: Any = None) -> dict[str, Any]:
        """The terrain, with soft soil all over if there is any."""
        name = self.soil if soil is None else soil
        if name is None or name == "hard":
            return dict(self.terrain)
        size = [self.high[0] - self.low[0], self.high[1] - self.low[1]]
        soft = {"soil": soil_of(name), "at": list(self.low), "size": size, "cell": SOFT_CELL}
        return self.terrain | {"soft": soft}


def flat() -> DriveCourse:
    """Level ground."""
    return DriveCourse("level ground", (-40.0, -60.0), (120.0, 60.0))


def cones() -> DriveCourse:
    """The double lane change of ISO 3888-1."""
    course = lane_change(TRUCK_WIDTH, "3888-1", runup=40.0)
    places = np.concatenate([gate.cones() for gate in course.gates])
    return DriveCourse("ISO 3888-1 double lane change", (-20.0, -30.0), (220.0, 30.0), cones=places)


def rough() -> DriveCourse:
    """A rough road: class D of ISO 8608, and level ground before it."""
    road = rough_road("D", 130.0, 24.0, cell=0.25, seed=3, at=(12.0, -12.0))
    heights = np.array(road.heights)
    x = road.cell * np.arange(heights.shape[1])
    heights *= np.clip(x / 6.0, 0.0, 1.0) * np.clip((x[-1] - x) / 6.0, 0.0, 1.0)
    y = road.cell * np.arange(heights.shape[0])
    heights *= (np.clip(y / 3.0, 0.0, 1.0) * np.clip((y[-1] - y) / 3.0, 0.0, 1.0))[:, None]
    field_data = {"at": road.at, "cell": road.cell, "heights": heights}
    return DriveCourse("rough road, ISO 8608 class D", (-20.0, -30.0), (160.0, 30.0), {"field": field_data})


def hills() -> DriveCourse:
    """Three ways up to a plateau, side by side: 20, 40 and 60 %."""

    def height(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        top, ahead = 5.0, x - 18.0
        lane = np.clip((y + 5.0) / 10.0, -0.5, 1.5)  # 60 % on the right, 40 % straight on, 20 % on the left
        grade = 0.4 - 0.2 * np.clip(2.0 * (lane - 0.5), -1.0, 1.0)
        up = grade * ahead
        down = 0.25 * (90.0 - x)
        rise = np.minimum(np.minimum(up, down), top)
        return _softly(rise, 0.6)

    field_data = sampled_field(height, (-20.0, 110.0), (-30.0, 30.0), 0.5)
    data = {"at": field_data.at, "cell": field_data.cell, "heights": field_data.heights}
    return DriveCourse("hill of 20, 40 and 60 %", (-20.0, -30.0), (110.0, 30.0), {"field": data})


def _softly(rise: np.ndarray, width: float) -> np.ndarray:
    """A rise from zero on with rounded feet."""
    return np.where(rise < -width, 0.0, np.where(rise > width, rise, (rise + width) ** 2 / (4.0 * width)))


def dunes() -> DriveCourse:
    """A sand pit: level where one starts, then dunes of up to a metre."""

    def height(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        far = np.clip((np.hypot(x, 0.7 * y) - 9.0) / 14.0, 0.0, 1.0)
        waves = 0.55 * np.sin(0.26 * x + 0.6 * np.sin(0.11 * y)) * (0.6 + 0.4 * np.sin(0.13 * y + 1.0))
        waves += 0.25 * np.sin(0.17 * y - 0.08 * x + 0.5) + 0.06 * np.sin(0.55 * x + 0.4 * y)
        return far**2 * (3.0 - 2.0 * far) * waves

    field_data = sampled_field(height, (-40.0, 100.0), (-45.0, 45.0), 0.5)
    data = {"at": field_data.at, "cell": field_data.cell, "heights": field_data.heights}
    return DriveCourse("sand pit with dunes", (-40.0, -45.0), (100.0, 45.0), {"field": data}, soil="dry_sand")


def bumps() -> DriveCourse:
    """Bumps across the way: a trapezoid, waves, a kerb for one side, a ramp."""
    features: dict[str, Any] = {"bump": {"type": "trapezoid", "at": [15.0, 0.0]}}
    features |= {
        f"wave{k}": {"type": "sine", "at": [26.0 + 2.0 * k, 0.0], "length": 1.2, "height": 0.12} for k in range(5)
    }
    features |= {
        f"left{k}": {"type": "sine", "at": [44.0 + 5.0 * k, 1.2], "length": 1.6, "height": 0.18, "width": 2.0}
        for k in range(3)
    }
    features |= {
        f"right{k}": {"type": "sine", "at": [46.5 + 5.0 * k, -1.2], "length": 1.6, "height": 0.18, "width": 2.0}
        for k in range(3)
    }
    features["ramp"] = {"type": "ramp", "at": [70.0, 0.0], "length": 6.0, "height": 0.7, "top": 6.0, "down": 2.5}
    return DriveCourse("bumps", (-20.0, -30.0), (120.0, 30.0), {"features": features})


GROUNDS: dict[str, Callable[[], DriveCourse]] = {
    "flat": flat,
    "lane_change": cones,
    "rough": rough,
    "slope": hills,
    "sand": dunes,
    "bump": bumps,
}


def drive_course(name: str) -> DriveCourse:
    """A course by its name."""
    key = name.replace("-", "_")
    if key not in GROUNDS:
        raise InputError(f"there is no course {name!r}{closest(key, GROUNDS)}; courses: {', '.join(GROUNDS)}")
    return GROUNDS[key]()
