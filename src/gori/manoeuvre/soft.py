"""Go or no-go on soft soil: how far it comes, how deep it sinks, and what it could still pull."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from gori.errors import InputError
from gori.manoeuvre import courses
from gori.manoeuvre.dimensions import Dimensions
from gori.manoeuvre.drivers import DriverSchedule, HoldSpeed, Together
from gori.manoeuvre.result import Figure, Panel, PlotLine, Result
from gori.manoeuvre.setup import (
    GRAVITY,
    ManoeuvreSetup,
    crossing,
    deepest,
    follower,
    holder,
    motion,
    rolling,
    size_of,
    too_deep,
)

GOING = 0.2
"""speed of a vehicle that gets on [m/s]"""
SLIPS = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6)
"""at which the drawbar pull is measured"""
PACE = 1.0
"""surface speed of the wheels while it is [m/s]"""
SETTLED = 0.6
"""share of the way at each slip after which the pull counts"""
START = 3.0
"""time to come to pace before it is held back [s]"""
GRIP = 0.01
"""time in which what holds the vehicle back has brought it to its speed [s]"""


def soft_soil(
    soil: Any = "lete_sand",
    speed: float = 2.5,
    length: float = 30.0,
    grade: float = 0.0,
    drawbar: bool = True,
    longest: float | None = None,
    transfer: str = "low",
    **setup: Any,
) -> Result:
    """From rest over a strip of soft soil: whether it gets through. Then, if asked for, its wheels turn steadily while
    it is held back to one slip after the other: the drawbar pull that it bears, against slip, each when it is steady.

    soil       name in the library, or a file;  speed that the driver tries to keep [m/s]
    length     of the strip [m];  grade: its rise
    drawbar    measure the pull, in a second run
    longest    time after which it ends [s]; None: twice as long as it takes at that speed, and ten seconds
    """
    if not speed > 0.0:
        raise InputError(f"soft_soil needs a positive speed, not {speed!r} m/s")
    longest = 2.0 * length / speed + 10.0 if longest is None else longest
    if soil is None:
        raise InputError("name a soil: soil='lete_sand'; gori wheel-rig --soils lists all")
    how = ManoeuvreSetup(soil=soil, **setup)
    course = courses.soft_strip(soil, length, cell=how.cell, grade=grade)
    assert course.path is not None
    model = how.place(course)
    state = rolling(model, 0.0)

    size = size_of(model, state.q)
    wheels, deep = size.wheels, too_deep(model, size)

    def through(run: Any) -> bool:
        return size.x(run) > length or size.x(run) < -3.0 or deepest(run, wheels) > deep

    lever = DriverSchedule(transfer=transfer, brake=0.0, vehicle=size.vehicle)
    driver = Together(lever, holder(speed, vehicle=size.vehicle), *follower(course.path, size), through)
    rec, run = how.run(model, state, driver, longest, 0.02)
    m = motion(rec)
    late, moving = rec.time > rec.time[-1] - 1.0, rec.time >= min(1.0, 0.5 * rec.time[-1])
    slip, sinkage = m.wheels("slip"), m.wheels("sinkage")
    rolling_now = moving & (np.abs(m.speed) > GOING)
    steady = rolling_now if rolling_now.any() else late
    front, rear = slice(0, 2), slice(len(m.size.wheels) - 2, None)
    x, y, depth = ruts(model, run.state.vehicle)
    passed = (x > m.size.rear + 1.0) & (x < m.position[-1, 0] + m.size.rear - 1.0)
    rut = depth[:, passed].max(axis=0) if passed.any() else np.zeros(1)
    went = float(m.position[-1, 0] - m.position[0, 0])
    dug_in = float(sinkage[-1].max()) > 0.95 * deep
    go = not dug_in and size.x(run) > length  # where the driver ended it: the last sample may be a little before
    short = not dug_in and not go and float(m.speed[late].mean()) > GOING
    notes = (f"it still got on after {longest:g} s, {m.position[-1, 0]:.1f} m of {length:g} m",) if short else ()
    figures = [
        Figure("go", float(go), "yes/no"),
        Figure("dug in", float(dug_in), "yes/no"),
        Figure("distance", went, "m"),
        Figure("speed at the end", float(m.speed[late].mean()) * 3.6, "km/h"),
        Figure("time for 10 m", crossing(rec.time, m.position[:, 0] - m.position[0, 0], 10.0), "s"),
        Figure("slip, mean", float(slip[steady].mean()), ""),
        Figure("slip, largest", float(slip[moving].max()), ""),
        Figure("sinkage at rest", float(sinkage[0].mean()) * 1e3, "mm"),
        Figure("sinkage, front", float(sinkage[steady][:, front].mean()) * 1e3, "mm"),
        Figure("sinkage, rear", float(sinkage[steady][:, rear].mean()) * 1e3, "mm"),
        Figure("sinkage, largest", float(sinkage.max()) * 1e3, "mm"),
        Figure("rut, mean depth", float(rut.mean()) * 1e3, "mm"),
        Figure("rut, largest depth", float(rut.max()) * 1e3, "mm"),
    ]
    half = depth[:, [np.searchsorted(x, 0.5 * went)]] if len(x) else depth
    panels = [
        Panel("speed", "t [s]", "[km/h]", [PlotLine("", rec.time, 3.6 * m.speed)]),
        Panel("sinkage", "t [s]", "[mm]", [PlotLine(n, rec.time, z) for n, z in zip(m.size.wheels, 1e3 * sinkage.T)]),
        Panel("slip", "t [s]", "", [PlotLine(n, rec.time, s) for n, s in zip(m.size.wheels, slip.T)]),
        Panel("ruts half way", "y [m]", "[mm]", [PlotLine("", y, -1e3 * half[:, 0])]),
    ]  # fmt: skip
    curves = {"rut_x": x, "rut_y": y, "rut_depth": depth}
    if drawbar and go:
        pull, at_slip, held = drawbar_pull(how, soil, min(speed, PACE), size.wheelbase + 1.0, transfer, grade)
        best = int(np.argmax(pull))
        weight = model.mass * GRAVITY
        figures += [
            Figure("drawbar pull, largest", float(pull[best]), "N"),
            Figure("drawbar pull / weight", float(pull[best]) / weight, ""),
            Figure("slip at the largest pull", float(at_slip[best]), ""),
            Figure("drawbar pull at 20 % slip", float(np.interp(0.2, at_slip, pull)), "N"),
            Figure("stalled by the pull", float(held), "yes/no"),
        ]
        panels.append(Panel("drawbar pull", "slip", "[kN]", [PlotLine("", at_slip, pull / 1e3)]))
        curves |= {"pull": pull, "pull_slip": at_slip}
    elif drawbar:
        figures.append(Figure("drawbar pull, largest", 0.0, "N"))
    where = f" up {100.0 * grade:g} %" if grade else ""
    about = f"{length:g} m of soft soil{where}, transfer case {transfer} ({how.words})"
    return Result("soft_soil", about, tuple(figures), rec, tuple(panels), notes, curves)


def ruts(model: Any, saved: Mapping[str, np.ndarray] | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Positions x (nx,) and y (ny,) [m] of the touched part of the soil, and the depth (ny, nx) that stays there [m].

    saved   what a State keeps of vehicles
    """
    soft = model.spec.terrain.soft
    if soft is None or saved is None or not len(saved["cells"]):
        return np.zeros(0), np.zeros(0), np.zeros((0, 0))
    nx = max(1, math.ceil(soft.size[0] / soft.cell - 1e-9))
    iy, ix = np.divmod(saved["cell_index"], nx)
    x0, y0 = ix.min(), iy.min()
    depth = np.zeros((iy.max() - y0 + 1, ix.max() - x0 + 1))
    depth[iy - y0, ix - x0] = saved["cells"]["z_max"] + saved["cells"]["z_dyn"]
    x = soft.at[0] + soft.cell * (x0 + 0.5 + np.arange(depth.shape[1]))
    return x, soft.at[1] + soft.cell * (y0 + 0.5 + np.arange(depth.shape[0])), depth


class HoldWheels(HoldSpeed):
    """Keeps the wheels turning at a surface speed [m/s], however fast the vehicle goes."""

    def speed_of(self, simulation: Any) -> float:
        size = self.dimensions
        assert size is not None
        return size.radius * sum(simulation.channel(f"{name}.speed") for name in size.wheels) / len(size.wheels)


class Hitch:
    """What holds a vehicle back, at the origin of its chassis: as much as it takes to keep to a speed, never a push.

    As a driver, it goes on to the next slip after `way` [m], and ends the run after the last, or where nothing gets on.
    """

    def __init__(self, size: Dimensions, mass: float, pace: float, slips: tuple[float, ...], way: float, deep: float):
        self._size, self._pace, self._slips, self._way, self._deep = size, pace, slips, way, deep
        self._hardness, self._most = mass / GRIP, 3.0 * mass * GRAVITY
        self._level, self._begun, self._speed = -1, 0.0, math.inf
        self._seen: list[tuple[float, float]] = []
        self.found: list[tuple[float, float]] = []
        """slip and steady pull [N] of each level"""
        self.stalled = False

    def pull(self, speed: float) -> float:
        """At a speed ahead [m/s], [N]."""
        return min(self._most, max(0.0, self._hardness * (speed - self._speed)))

    def force(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Joint forces, as a Simulation takes them."""
        tau, ahead = np.zeros(len(v)), self._size.joint_v.start + 3
        tau[ahead] = -self.pull(float(v[ahead]))
        return tau

    def __call__(self, run: Any) -> bool:
        size, x = self._size, self._size.x(run)
        gone, speed = x - self._begun, size.speed(run)
        if self._level >= 0 and gone > SETTLED * self._way:
            slip = sum(run.channel(f"{name}.slip") for name in size.wheels) / len(size.wheels)
            self._seen.append((slip, self.pull(speed)))
        if self._level < 0 and run.time < START:
            return False
        if self._level < 0 or gone > self._way:
            if self._seen:
                slip, pull = np.mean(self._seen, axis=0)
                self.found.append((float(slip), float(pull)))
            self._level, self._begun, self._seen, self._since = self._level + 1, x, [], run.time
            if self._level == len(self._slips):
                return True
            self._speed = (1.0 - self._slips[self._level]) * self._pace
        if run.time - self._since > 3.0 * self._way / self._speed:
            self.stalled = True
        return self.stalled or deepest(run, size.wheels) > self._deep


def drawbar_pull(
    how: ManoeuvreSetup,
    soil: Any,
    pace: float,
    way: float,
    transfer: str = "low",
    grade: float = 0.0,
    slips: tuple[float, ...] = SLIPS,
) -> tuple[np.ndarray, np.ndarray, bool]:
    """Steady pull (n,) [N] of a vehicle at each slip (n,), and whether it stalled on the way.

    pace   surface speed of the wheels [m/s]
    way    at each slip [m]: with a wheelbase or more, all wheels come to run where others did at that slip
    """
    course = courses.soft_strip(soil, len(slips) * way + START * pace + 5.0, cell=how.cell, grade=grade)
    model = how.place(course)
    state = rolling(model, 0.0)
    size = size_of(model, state.q)
    hitch = Hitch(size, model.mass, pace, slips, way, too_deep(model, size))
    levers = DriverSchedule(transfer=transfer, brake=0.0, vehicle=size.vehicle)
    wheels = HoldWheels(pace, gain=1.0, reset=1.0, brakes=False, vehicle=size.vehicle)
    assert course.path is not None
    driver = Together(levers, wheels, *follower(course.path, size), hitch)
    longest = START + 1.0 + 3.0 * way / pace * sum(1.0 / (1.0 - slip) for slip in slips)
    how.run(model, state, driver, longest, 0.1, hitch.force)
    if not hitch.found:
        return np.zeros(1), np.zeros(1), True
    at_slip, pull = np.array(sorted(hitch.found)).T
    return pull, at_slip, hitch.stalled
