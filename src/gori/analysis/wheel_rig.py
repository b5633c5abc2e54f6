"""A single-wheel test rig for soft soil: drawbar pull, torque and sinkage against slip and slip angle."""

import math
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from pydantic import Field

from gori.errors import InputError
from gori.formats.soils import soil_of
from gori.kernels.codes import OK
from gori.kernels.vehicle.rig import RIG, RIG_RESULT, RigWork, run_rig
from gori.kernels.vehicle.state import CONTACT, FOOTPRINT, PATCH, WHEEL_STATE
from gori.kernels.vehicle.tables import AREA, FEATURE, TERRAIN, TYRE, Ground
from gori.model.threads import threads
from gori.model.vehicle.soil import fresh_cells, soil_row
from gori.spec.base import Part, Positive

SETTLE, MEASURE, MARGIN = 4.0, 2.0, 1.5
"""radii that the wheel rolls before the measurement and during it, and the ground before and after"""
STEPS = 8
"""steps a cell"""
MOST_SLIP = 0.95
OFF_LOAD = 0.05
"""how far the soil's force may be from the load in steady motion, as a share of the load"""


class RigWheel(Part):
    """A wheel in the rig: rigid, or with a tyre."""

    radius: Positive = Field(description="[m]")
    width: Positive = Field(description="[m]")
    stiffness: Positive | None = Field(None, description="of the tyre in its radius [N/m]; none: a rigid wheel")


@dataclass(frozen=True)
class RigTable:
    """What the rig found: one row for each slip, slip angle and pass; forces are means in steady motion."""

    slip: np.ndarray
    """1 - v / (omega Re) where driven, omega Re / v - 1 where braked, shape (rows,)"""
    slip_angle_deg: np.ndarray
    """from the heading to the velocity, positive to the left"""
    turn: np.ndarray
    """1, 2, ..: how often the wheel goes over the track"""
    pull: np.ndarray
    """force of the soil on the wheel along its heading [N]: drawbar pull"""
    side: np.ndarray
    """force along the axle, to the left [N]"""
    torque: np.ndarray
    """that drives the wheel [N m]"""
    sinkage: np.ndarray
    """[m]"""
    area: np.ndarray
    """of contact [m2]"""
    aligning: np.ndarray
    """moment about the vertical through the centre [N m]"""
    ripple: np.ndarray
    """standard deviation of the pull [N]: what the cells of the grid make of it"""

    steady: np.ndarray
    """whether steady motion was found; if not, the wheel digs itself in, and the row tells how far it had come"""

    COLUMNS = (
        "slip",
        "slip_angle_deg",
        "turn",
        "pull",
        "side",
        "torque",
        "sinkage",
        "area",
        "aligning",
        "ripple",
        "steady",
    )

    def rows(self) -> np.ndarray:
        """All as one array (rows, 11), in the order of COLUMNS."""
        return np.column_stack([getattr(self, name) for name in self.COLUMNS])

    def where(self, **wanted: float) -> "RigTable":
        """The rows with given values, such as where(turn=1)."""
        mask = np.ones(len(self.slip), bool)
        for name, value in wanted.items():
            mask &= np.isclose(getattr(self, name), value)
        return RigTable(*(getattr(self, name)[mask] for name in self.COLUMNS))

    def plot(self, path: str | os.PathLike | None = None) -> Any:
        """Pull (or side force), torque and sinkage against slip (or slip angle) as one picture."""
        import matplotlib.pyplot as plt

        by_angle = len(set(self.slip)) == 1 and len(set(self.slip_angle_deg)) > 1
        x, label = (self.slip_angle_deg, "slip angle [deg]") if by_angle else (self.slip, "slip")
        first = (self.side, "side force [N]") if by_angle else (self.pull, "drawbar pull [N]")
        figure, axes = plt.subplots(1, 3, figsize=(11, 3.4), layout="constrained")
        groups = self.slip if by_angle else self.slip_angle_deg
        for axis, (y, words) in zip(axes, (first, (self.torque, "torque [N m]"), (1e3 * self.sinkage, "sinkage [mm]"))):
            for group in np.unique(groups):
                for turn in np.unique(self.turn):
                    mask = (groups == group) & (self.turn == turn)
                    name = [f"{group:g} deg"] * (len(set(groups)) > 1) + [f"pass {turn}"] * bool(self.turn.max() > 1)
                    axis.plot(x[mask], y[mask], marker="o", markersize=3, label=", ".join(name))
            axis.set(xlabel=label, ylabel=words)
            axis.grid(alpha=0.3)
        if axes[0].get_legend_handles_labels()[1]:
            axes[0].legend()
        if path is not None:
            figure.savefig(path, dpi=150)
            plt.close(figure)
        return figure


def rig(
    wheel: RigWheel | dict[str, Any],
    soil: Any,
    load: float,
    slips: Any,
    slip_angle: Any = 0.0,
    cell: float | None = None,
    passes: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> RigTable:
    """Drive a wheel over level soil, once for each slip and slip angle, and measure when it is steady.

    wheel        RigWheel, or its fields: {"radius": 0.47, "width": 0.3, "stiffness": 3e5}
    soil         name in the library, file, or a soil
    load         on the wheel [N]
    slips        1 - v / (omega Re), up to 0.95; below 0 the wheel is braked, -1 is locked
    slip_angle   angle or angles from the heading to the velocity [deg]
    cell         side of a cell of the grid [m]; default: a fortieth of the radius
    passes       how often the wheel goes over the same track
    progress     called with the number of finished runs, and of all
    """
    wheel = RigWheel(**wheel) if isinstance(wheel, dict) else wheel
    soil = soil_of(soil)
    slips, angles = _checked(slips, "slips", -1.0, MOST_SLIP), _checked(slip_angle, "slip_angle", -60.0, 60.0)
    cell = wheel.radius / 40.0 if cell is None else float(cell)
    if not 0.0 < load < math.inf:
        raise InputError(f"load must be positive, is {load!r} N")
    if not 0.0 < cell <= wheel.radius / 2.0:
        raise InputError(f"cell must be positive and at most half the radius, is {cell:g} m")
    if passes < 1:
        raise InputError(f"passes must be 1 or more, is {passes}")
    deflection = 0.0 if wheel.stiffness is None else load / wheel.stiffness
    if deflection > 0.5 * wheel.radius:
        raise InputError(f"this load deflects the tyre by {deflection:.3g} m, more than half its radius")

    cases = [(slip, angle) for angle in angles for slip in slips]
    done = 0

    def one(case: tuple[float, float]) -> np.ndarray:
        nonlocal done
        found = _run(wheel, soil, load, deflection, *case, cell, passes)
        done += 1
        if progress is not None:
            progress(done, len(cases))
        return found

    with ThreadPoolExecutor(min(threads(), len(cases))) as pool:
        results = np.concatenate(list(pool.map(one, cases)))
    given = np.repeat(np.array(cases), passes, axis=0)
    columns = ("pull", "side", "torque", "sinkage", "area", "aligning", "ripple")
    turns = np.tile(np.arange(1, passes + 1), len(cases))
    steady = (np.abs(results["load"] / load - 1.0) < OFF_LOAD) & (results["sinkage"] < wheel.radius)
    if not steady.any():
        raise InputError(f"this soil cannot carry {load:g} N on this wheel: it sinks indefinitely")
    return RigTable(*[given[:, 0], given[:, 1], turns, *(results[name] for name in columns), steady])


def _checked(values: Any, name: str, low: float, high: float) -> Sequence[float]:
    values = np.array(values, float, ndmin=1).ravel()
    if not len(values) or not np.all((values >= low) & (values <= high)):
        raise InputError(f"{name} must be numbers from {low:g} to {high:g}, not {values.tolist()}")
    return values.tolist()


def _run(
    wheel: RigWheel, soil: Any, load: float, deflection: float, slip: float, angle: float, cell: float, passes: int
) -> np.ndarray:
    """RIG_RESULT (passes,) of one slip and one slip angle."""
    R, yaw, speed = wheel.radius, math.radians(angle), 1.0
    measure = math.ceil(MEASURE * R / cell)
    settle = math.ceil(SETTLE * R / cell)
    wide = 2.0 * (0.5 * wheel.width * math.cos(yaw) + R * abs(math.sin(yaw))) + 4.0 * cell
    # whole cells on both sides of the middle, so that the cells at the wheel's edges are alike
    half = math.ceil(0.5 * wide / cell) * cell
    length = 2.0 * MARGIN * R + (settle + measure) * cell
    p = soil_row(soil, (0.0, -half), (length, 2.0 * half), cell)
    ahead = speed * math.cos(yaw)
    tyre, experiment, out = TYRE.zeros(1), RIG.zeros(1), RIG_RESULT.zeros(passes)
    tyre["radius"], tyre["width"] = R, wheel.width
    experiment["deflection"], experiment["load"] = deflection, load
    experiment["speed"], experiment["yaw"], experiment["start"] = speed, yaw, MARGIN * R
    turning = ahead / (1.0 - slip) if slip > 0.0 else ahead * (1.0 + slip)
    experiment["angular_velocity"] = turning / (R - deflection / 3.0)
    experiment["settle"], experiment["measure"] = STEPS * settle, STEPS * measure
    experiment["step"] = cell / (STEPS * speed)
    ground = Ground(TERRAIN.zeros(1), FEATURE.zeros(0), AREA.zeros(0), np.zeros(0), p, fresh_cells(p))
    work = RigWork(*(part.zeros(1) for part in (WHEEL_STATE, CONTACT, FOOTPRINT, PATCH)))
    code = run_rig(ground, tyre, experiment, work, out)
    if code != OK:
        raise InputError(
            f"the rig failed at a slip of {slip:g} and an angle of {angle:g} degrees: the wheel left its track"
        )
    return out
