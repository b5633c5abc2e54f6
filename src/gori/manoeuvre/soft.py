"""Go or no-go on soft soil: how far it comes, how deep it sinks, and what it could still pull."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from gori.errors import InputError
from gori.manoeuvre import courses
from gori.manoeuvre.dimensions import dimensions
from gori.manoeuvre.drivers import DriverSchedule, Follow, Together
from gori.manoeuvre.result import Figure, Panel, PlotLine, Result
from gori.manoeuvre.setup import GRAVITY, NAME, ManoeuvreSetup, crossing, holder, motion, rolling
from gori.model import State

GOING = 0.2
"""speed of a vehicle that gets on [m/s]"""
BIN = 0.02
"""of slip, over which the drawbar pull is a mean"""
DUG_IN = 0.8
"""sinkage of a wheel that digs itself in, by its radius: the axle is at the ground, and the run ends"""


def soft_soil(
    soil: Any = "lete_sand",
    speed: float = 2.5,
    length: float = 30.0,
    grade: float = 0.0,
    drawbar: bool = True,
    longest: float = 25.0,
    transfer: str = "low",
    **setup: Any,
) -> Result:
    """From rest over a strip of soft soil: whether it gets through. Then, if asked for, it is held back by a growing
    force at its rear: the drawbar pull that it bears, against slip.

    soil       name in the library, or a file;  speed that the driver tries to keep [m/s]
    length     of the strip [m];  grade: its rise
    drawbar    measure the pull, in a second run
    """
    if soil is None:
        raise InputError("name a soil: soil='lete_sand'; gori wheel-rig --soils lists all")
    how = ManoeuvreSetup(soil=soil, **setup)
    course = courses.soft_strip(soil, length, cell=how.cell, grade=grade)
    assert course.path is not None
    model = how.place(course)
    state = rolling(model, 0.0)

    wheels = dimensions(model, NAME, state.q).wheels
    deep = DUG_IN * min(model.spec.wheels[name].tyre.radius for name in wheels)

    def through(run: Any) -> bool:
        return run.q[4] > length or run.q[4] < -3.0 or _deepest(run, wheels) > deep

    lever = DriverSchedule(transfer=transfer, brake=0.0)
    driver = Together(lever, holder(speed), Follow(course.path), through)
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
    go = not dug_in and bool(m.position[-1, 0] >= length or m.speed[late].mean() > GOING)
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
        pull, at_slip, held = _drawbar(how, course, model.mass, state, speed, transfer, length)
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
    return Result("soft_soil", about, tuple(figures), rec, tuple(panels), (), curves)


def _deepest(run: Any, wheels: tuple[str, ...]) -> float:
    """Largest sinkage now [m]."""
    return max(run.channel(f"{name}.sinkage") for name in wheels)


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


def _drawbar(
    how: ManoeuvreSetup, course: courses.Course, mass: float, state: State, speed: float, transfer: str, length: float
) -> tuple[np.ndarray, np.ndarray, bool]:
    """Pull (n,) [N] that holds the vehicle back, mean over bins of its slip (n,), and whether it stops in the end."""
    settle, rise = 4.0, 12.0
    heavy, pace = 0.8 * GRAVITY * mass, min(speed, 1.5)
    hitch = {
        "type": "wrench",
        "body": f"{NAME}.chassis",
        "force": [[[0.0, 0.0], [settle, 0.0], [settle + rise, -heavy]], 0.0, 0.0],
    }
    model = how.place(course, {f"{NAME}.hitch": hitch})
    state = state.replace(model=model.fingerprint)  # the same vehicle, with one force more
    assert course.path is not None

    wheels = [name for name in model.spec.wheels if name.startswith(f"{NAME}.")]
    deep = DUG_IN * min(model.spec.wheels[name].tyre.radius for name in wheels)

    def stopped(run: Any) -> bool:
        slow = run.time > settle and run.v[3] < 0.1 * pace
        return run.q[4] > length or slow or _deepest(run, tuple(wheels)) > deep

    driver = Together(
        DriverSchedule(transfer=transfer, brake=0.0), holder(pace, brakes=False, gain=0.5), Follow(course.path), stopped
    )
    rec, _ = how.run(model, state, driver, settle + rise, 0.02)
    m = motion(rec)
    force = np.interp(rec.time, [0.0, settle, settle + rise], [0.0, 0.0, heavy])
    # what the ground gives, less what slows the vehicle down
    pull = force + model.mass * np.gradient(m.speed, rec.time)
    pulling = rec.time > settle - 0.5
    slip = m.wheels("slip").mean(axis=1)[pulling]
    # the driver's corrections go up and down the curve: the mean at each slip
    bins = np.clip((slip - BIN * np.floor(slip.min() / BIN)) / BIN, 0, None).astype(int)
    found = np.unique(bins)
    means = [(slip[bins == k].mean(), pull[pulling][bins == k].mean()) for k in found]
    at_slip, force = np.array(means).T
    return force, at_slip, bool(m.speed[-1] < 0.2 * pace)
