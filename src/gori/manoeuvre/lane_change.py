"""ISO 3888: the double lane change and the obstacle avoidance."""

import math
from typing import Any

import numpy as np

from gori.errors import InputError, SimulationError
from gori.manoeuvre import courses
from gori.manoeuvre.drivers import Follow, Together
from gori.manoeuvre.handling import DEG
from gori.manoeuvre.result import Figure, Panel, PlotLine, Result, track
from gori.manoeuvre.setup import ManoeuvreSetup, holder, motion, rolling, size_of, understeer


def lane_change(
    speed: float = 60.0 / 3.6,
    standard: str = "3888-1",
    width: float | None = None,
    search: bool = False,
    fastest: float = 130.0 / 3.6,
    **setup: Any,
) -> Result:
    """ISO 3888-1 double lane change, or 3888-2 obstacle avoidance (the throttle is let go at the first gate): whether
    the gates are kept.

    speed     at the first gate [m/s]; with `search`, where to begin to look for the highest that keeps all gates
    width     of the vehicle [m]; default: over its tyres
    fastest   most that is tried [m/s]
    """
    how = ManoeuvreSetup(**setup)
    if not speed > 3.0:
        raise InputError(f"a lane change needs a speed above 3 m/s, not {speed!r}")
    hard = how.place(courses.Course()) if how.soil is None else None
    wide = width

    def drive(speed: float) -> Result:
        nonlocal wide
        runup = 20.0 + 0.5 * speed
        if wide is None:
            wide = round(_width(how), 3)
        course = courses.lane_change(wide, standard, round(runup))
        model = hard if hard is not None else how.place(course)
        return _lane_change(how, model, course, speed, wide, standard)

    if not search:
        return drive(speed)
    low, high, best = 0.0, math.inf, None
    while high - low > 0.2:
        speed = 0.5 * (low + high) if math.isfinite(high) and low else speed
        try:
            trial = drive(speed)
        except SimulationError:  # over it went
            trial = None
        if trial is not None and trial["all gates passed"]:
            low, best = speed, trial
            speed = min(1.15 * speed, fastest)
            if low >= fastest:
                break
        else:
            high = speed
            speed = 0.85 * speed
            if high < 4.0:
                raise InputError(f"at no speed of 4 m/s or more does this driver pass the gates of ISO {standard}")
    assert best is not None
    figures = (Figure("highest entry speed", low * 3.6, "km/h"), *best.figures)
    return Result(best.name, best.about, figures, best.recording, best.panels, best.notes, best.curves)


def _width(how: ManoeuvreSetup) -> float:
    """Over the tyres [m], in the design position."""
    return size_of(ManoeuvreSetup(vehicle=how.vehicle, set=how.set).place(courses.Course())).width


def _lane_change(
    how: ManoeuvreSetup, model: Any, course: courses.Course, speed: float, width: float, standard: str
) -> Result:
    assert course.path is not None
    first, end = course.gates[0].start, course.length + 5.0
    size, coast = size_of(model), standard == "3888-2"
    name, hold = size.vehicle, holder(speed, vehicle=size.vehicle)
    more = understeer(how, model, speed) if how.soil is None else 0.0
    follow = Follow(course.path, understeer=more, vehicle=name)

    def pedals(run: Any) -> bool:
        if coast and size.x(run) > first:
            run.inputs[f"{name}.throttle"] = run.inputs[f"{name}.brake"] = 0.0
        else:
            hold(run)
        return size.x(run) > end

    rec, _ = how.run(model, rolling(model, speed), Together(pedals, follow), 3.0 * end / speed, 5e-3)
    m = motion(rec)
    through = courses.check_gates(course, m.size, m.position, m.yaw)
    hit, finished = sum(cones for _, cones in through), m.position[-1, 0] >= course.length
    good = finished and all(margin >= 0.0 and not cones for margin, cones in through)
    entry = float(np.interp(first, m.position[:, 0], m.speed))
    figures = [
        Figure("all gates passed", float(good), "yes/no"),
        Figure("cones hit", float(hit), ""),
        *(
            Figure(f"clearance, gate {k + 1}", margin if math.isfinite(margin) else math.nan, "m")
            for k, (margin, _) in enumerate(through)
        ),
        Figure("entry speed", entry * 3.6, "km/h"),
        Figure("speed at the end", float(m.speed[-1]) * 3.6, "km/h"),
        Figure("largest lateral acceleration", float(np.abs(m.acceleration[:, 1]).max()), "m/s2"),
        Figure("largest yaw rate", float(np.abs(m.yaw_rate).max()) * DEG, "deg/s"),
        Figure("largest roll", float(np.abs(m.roll).max()) * DEG, "deg"),
        Figure("smallest wheel load", float(m.wheels("load").min()), "N"),
        Figure("largest steering", float(np.abs(m.steering).max()) * DEG, "deg"),
    ]
    cones = np.concatenate([gate.cones() for gate in course.gates])
    way = [track("chassis", m.position), track("wanted", course.path.points, "--"), track("cones", cones, "k^")]
    steer = [PlotLine("steering", rec.time, m.steering * DEG), PlotLine("wheels", rec.time, m.wheel_angle * DEG)]
    turning = [PlotLine("yaw rate", rec.time, m.yaw_rate * DEG), PlotLine("roll", rec.time, m.roll * DEG)]
    panels = (
        Panel("path", "x [m]", "y [m]", way),
        Panel("steering", "t [s]", "[deg]", steer),
        Panel("lateral acceleration", "t [s]", "[m/s2]", [PlotLine("", rec.time, m.acceleration[:, 1])]),
        Panel("yaw rate and roll", "t [s]", "[deg/s, deg]", turning),
    )  # fmt: skip
    about = f"ISO {standard} lane change at {3.6 * speed:.4g} km/h, vehicle {width:.4g} m wide ({how.words})"
    return Result("lane_change", about, tuple(figures), rec, panels)
