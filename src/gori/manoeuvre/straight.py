"""Manoeuvres straight ahead: over a bump, as fast as it goes, to a stop, up a hill."""

import math
from typing import Any, NamedTuple

import numpy as np

from gori.errors import InputError, SimulationError
from gori.manoeuvre import courses
from gori.manoeuvre.drivers import DriverSchedule, Together
from gori.manoeuvre.result import Figure, Panel, PlotLine, Result
from gori.manoeuvre.setup import (
    GRAVITY,
    MPH,
    ChassisMotion,
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
from gori.record import Recording

QUARTER_MILE = 402.336
"""[m]"""
LOCKED = 0.95
"""slip of a wheel that counts as locked"""
THROTTLES, SPINNING = (1.0, 0.5, 0.3, 0.2), 0.5
"""with which a climb is tried, one after the other; slip of wheels that spin, so that less may do more"""


def bump(speed: float = 81.0 / 3.6, height: float = 0.08, length: float = 0.6, **setup: Any) -> Result:
    """Over a trapezoid across the road: what the wheel carriers, the wheels and the chassis feel.

    speed            [m/s];  height, length of the bump [m]
    """
    how = ManoeuvreSetup(**setup)
    if not speed > 0.0:
        raise InputError(f"bump needs a positive speed, not {speed!r} m/s")
    at = 4.0 + 2.0 * speed  # time for the driver to find his pedal
    course = courses.bump(at, length, None, height)
    model = how.place(course)
    end = at + length + 4.0 + 1.2 * speed
    size = size_of(model)
    drivers: list[Any] = [holder(speed, gain=2.0, vehicle=size.vehicle), lambda run: size.x(run) > end]
    if how.soil is not None:
        assert course.path is not None
        drivers += follower(course.path, size)
    rec, _ = how.run(model, rolling(model, speed), Together(*drivers), 2.0 * end / speed + 1.0, 1e-3)
    m = motion(rec)
    carriers = {name: model.spec.wheels[name].body for name in m.size.wheels}
    up = {name: rec[f"{body}.acceleration"][:, 5] for name, body in carriers.items()}
    loads, chassis = m.wheels("load"), rec[f"{m.size.chassis}.acceleration"][:, 5]
    pitch = -np.degrees(np.arcsin(rec[f"{m.size.chassis}.rotation"][:, 2, 0]))
    figures = []
    for axle, name in (("front", m.size.wheels[0]), ("rear", m.size.wheels[-2])):
        figures += [
            Figure(f"{axle} knuckle, largest upward", float(up[name].max()), "m/s2"),
            Figure(f"{axle} knuckle, largest downward", float(-up[name].min()), "m/s2"),
        ]
    figures += [
        Figure("chassis, largest upward", float(chassis.max()), "m/s2"),
        Figure("chassis, largest downward", float(-chassis.min()), "m/s2"),
        Figure("largest wheel load", float(loads.max()), "N"),
        Figure("longest time airborne", float((loads <= 0.0).sum(axis=0).max() * (rec.time[1] - rec.time[0])), "s"),
        Figure("pitch, peak to peak", float(np.ptp(pitch)), "deg"),
        Figure("speed at the bump", float(np.interp(at - m.size.front, m.position[:, 0], m.speed)) * 3.6, "km/h"),
        Figure("speed at the end", float(m.speed[-1]) * 3.6, "km/h"),
    ]
    panels = [
        Panel(f"{body}, vertical", "t [s]", "acceleration [m/s2]", [PlotLine("", rec.time, up[name])])
        for name, body in ((name, carriers[name]) for name in (m.size.wheels[0], m.size.wheels[-2]))
    ]
    panels += [
        Panel(
            "wheel loads",
            "t [s]",
            "load [kN]",
            [PlotLine(n, rec.time, loads[:, k] / 1e3) for k, n in enumerate(m.size.wheels)],
        ),
        Panel("chassis, vertical", "t [s]", "acceleration [m/s2]", [PlotLine("", rec.time, chassis)]),
    ]
    about = f"bump {height:g} m high and {length:g} m long at {3.6 * speed:.4g} km/h ({how.words})"
    return Result("bump", about, tuple(figures), rec, tuple(panels))


def acceleration(
    gear: int | None = None,
    throttle: float = 1.0,
    longest: float = 150.0,
    length: float | None = None,
    transfer: str = "high",
    **setup: Any,
) -> Result:
    """From rest, as fast as it goes: times to 30, 50 and 60 mph, the quarter mile, and the top speed.

    gear      to hold; None: the gearbox shifts by itself
    longest   time after which it ends [s], as it does when the speed has not grown for five seconds, or after `length`
              [m]: of soft soil there are 200 m, if nothing is said, and of a road as much as it takes
    """
    how = ManoeuvreSetup(**setup)
    length = length or (200.0 if how.soil is not None else 20_000.0)
    course = courses.road(length)
    model = how.place(course)
    best, size = [-1.0, 0.0], size_of(model)

    def done(run: Any) -> bool:
        """Whether the speed grows no more."""
        if size.speed(run) > best[0] + 0.02:
            best[:] = [size.speed(run), run.time]
        return run.time - best[1] > 5.0 or size.x(run) > length

    selector = "D" if gear is None else gear
    assert course.path is not None
    levers = {"selector": selector, "transfer": transfer}
    pedals = DriverSchedule(throttle=throttle, brake=0.0, **levers, vehicle=size.vehicle)
    driver = Together(pedals, *follower(course.path, size), done)
    rec, _ = how.run(model, rolling(model, 0.0), driver, longest, 0.02)
    m, train = motion(rec), next(iter(model.spec.drivetrains))
    figures = [Figure(f"0 to {goal} mph", crossing(rec.time, m.speed, goal * MPH), "s") for goal in (30, 50, 60)]
    quarter = crossing(rec.time, m.way, QUARTER_MILE)
    top = int(np.argmax(m.speed))
    figures += [
        Figure("quarter mile", quarter, "s"),
        Figure("speed at the quarter mile", float(np.interp(quarter, rec.time, m.speed)) / MPH, "mph"),
        Figure("top speed", float(m.speed[top]) / MPH, "mph"),
        Figure("top speed, metric", float(m.speed[top]) * 3.6, "km/h"),
        Figure("gear at top speed", float(rec[f"{train}.gear"][top]), ""),
        Figure("engine at top speed", float(rec[f"{train}.engine_speed"][top]) * 30.0 / math.pi, "rev/min"),
        Figure("largest acceleration", float(np.gradient(m.speed, rec.time).max()), "m/s2"),
    ]
    still_faster = rec.time[-1] - best[1] < 4.9
    panels = (
        Panel("speed", "t [s]", "[mph]", [PlotLine("", rec.time, m.speed / MPH)]),
        Panel("engine and turbine", "t [s]", "[rev/min]", [
            PlotLine(name, rec.time, rec[f"{train}.{name}_speed"] * 30.0 / math.pi) for name in ("engine", "turbine")]),
        Panel("gear", "t [s]", "", [PlotLine("", rec.time, rec[f"{train}.gear"])]),
        Panel("way", "t [s]", "[m]", [PlotLine("", rec.time, m.way)]),
    )  # fmt: skip
    held = "" if gear is None else f", gear {gear} held"
    notes = ("the vehicle was still accelerating when the run ended: the top speed is higher",) if still_faster else ()
    about = f"{'full' if throttle == 1.0 else f'{throttle:g}'} throttle from rest{held} ({how.words})"
    return Result("acceleration", about, tuple(figures), rec, panels, notes)


def braking(speed: float = 60.0 * MPH, pedal: float = 0.5, selector: str | int = "N", **setup: Any) -> Result:
    """From a speed [m/s] to a stop with the pedal held, steering straight: way, deceleration, and whether it stays
    straight. There is no anti-lock device: wheels whose brake is stronger than the ground lock.

    pedal   0 to 1, reached in 0.1 s
    """
    how = ManoeuvreSetup(**setup)
    if not speed > 0.0:
        raise InputError(f"braking needs a positive speed, not {speed!r} m/s")
    model = how.place(courses.road(30.0 + speed**2))
    begin, size = math.inf, size_of(model)
    name = size.vehicle

    def drive(run: Any) -> bool:
        nonlocal begin
        if size.speed(run) <= speed:  # it came a little faster, and rolled out
            begin = min(begin, run.time)
        run.inputs[f"{name}.selector"] = selector
        run.inputs[f"{name}.brake"] = pedal * min(1.0, max(0.0, run.time - begin) / 0.1)
        return size.speed(run) < 0.02

    rec, _ = how.run(model, rolling(model, speed + 0.1), drive, 10.0 + speed / 0.3, 5e-3)
    m = motion(rec)
    if not begin < rec.time[-1]:
        raise InputError(f"the vehicle did not slow down to {speed:g} m/s within {rec.time[-1]:.3g} s")
    first = int(np.searchsorted(rec.time, begin - 1e-9))
    stopped = m.speed[-1] < 0.05
    way, entry = float(m.way[-1] - m.way[first]), float(m.speed[first])
    rolled = m.speed[first:, None] > 1.0
    locked = (m.wheels("slip")[first:] < -LOCKED) & rolled
    back, ahead = m.wheels("load")[first:].min(axis=0), m.acceleration[first:, 0]
    figures = [
        Figure("stopped", float(stopped), "yes/no"),
        Figure("initial speed", entry * 3.6, "km/h"),
        Figure("stopping distance", way if stopped else math.nan, "m"),
        Figure("stopping time", float(rec.time[-1] - rec.time[first]) if stopped else math.nan, "s"),
        Figure("mean deceleration", (entry**2 - float(m.speed[-1]) ** 2) / (2.0 * way), "m/s2"),
        Figure("largest deceleration", float(-ahead.min()), "m/s2"),
        Figure("lateral deviation", float(np.abs(m.position[:, 1]).max()), "m"),
        Figure("turned", float(np.degrees(np.abs(m.yaw).max())), "deg"),
        Figure("share of time with locked wheels", float(locked.any(axis=1).sum() / max(1, rolled.sum())), ""),
        Figure("smallest wheel load", float(back.min()), "N"),
    ]
    lines = [PlotLine(name, rec.time, m.wheels("slip")[:, k]) for k, name in enumerate(m.size.wheels)]
    panels = (
        Panel("speed", "t [s]", "[km/h]", [PlotLine("", rec.time, 3.6 * m.speed)]),
        Panel("deceleration", "t [s]", "[m/s2]", [PlotLine("", rec.time, -m.acceleration[:, 0])]),
        Panel("slip of the wheels", "t [s]", "", lines),
        Panel("wheel loads", "t [s]", "[kN]", [
            PlotLine(name, rec.time, m.wheels("load")[:, k] / 1e3) for k, name in enumerate(m.size.wheels)]),
    )  # fmt: skip
    about = f"braking from {3.6 * speed:.4g} km/h, pedal {pedal:g} ({how.words})"
    return Result("braking", about, tuple(figures), rec, panels)


class Climb(NamedTuple):
    """One try to climb a slope.

    along      distance up the slope (n,) [m];  climbing: samples (n,) in which it drives
    """

    throttle: float
    recording: Recording
    motion: ChassisMotion
    along: np.ndarray
    climbing: np.ndarray
    dug_in: bool

    @property
    def speed(self) -> float:
        """In the last second [m/s]."""
        time = self.recording.time
        return float(self.motion.speed[self.climbing & (time > time[-1] - 1.0)].mean())

    @property
    def climbs(self) -> bool:
        return not self.dug_in and self.speed > 0.2

    @property
    def slip(self) -> np.ndarray:
        return self.motion.wheels("slip")

    @property
    def spins(self) -> bool:
        return bool(self.slip[self.climbing].max() > SPINNING)


def slope(
    grade: float = 0.6,
    hold: float = 5.0,
    throttle: float | None = None,
    transfer: str = "low",
    gear: int | None = 1,
    climb: float = 20.0,
    **setup: Any,
) -> Result:
    """Parked on a grade with the brakes on, then off and up: whether it stands, starts, and how fast it climbs. On soft
    soil it ends where a wheel digs itself in.

    grade      rise for each metre along x: 0.6 for 60 %
    hold       time that it stands [s];  climb: time to drive [s]
    throttle   0 to 1; None: full, and where it does not climb with wheels that spin, less and less (THROTTLES)
    gear       to hold; None: the gearbox shifts by itself
    """
    how = ManoeuvreSetup(**setup)
    if not 0.0 <= grade <= 1.5:
        raise InputError(f"grade must be 0 to 1.5, not {grade!r}")
    if throttle is not None and not 0.0 <= throttle <= 1.0:
        raise InputError(f"throttle must be 0 to 1, not {throttle!r}")
    length = 30.0 + 12.0 * climb
    model = how.place(courses.slope(grade, length if how.soil is None else min(length, 150.0)))
    end = (length if how.soil is None else 150.0) - 10.0
    try:
        state = rolling(model, 0.0)
    except SimulationError as error:
        raise InputError(f"the vehicle does not stand on a grade of {100.0 * grade:g} %: {error}") from error
    size = size_of(model, state.q)
    name, x0, deep = size.vehicle, float(state.q[size.joint_q][4]), too_deep(model, size)
    selector = "D" if gear is None else gear

    uphill = math.sqrt(1.0 + grade * grade)

    def attempt(pedal: float) -> Climb:
        def drive(run: Any) -> bool:
            parked = run.time < hold - 1e-9
            run.inputs[f"{name}.brake"] = 1.0 if run.time < hold + 0.5 else 0.0
            run.inputs[f"{name}.throttle"] = 0.0 if parked else pedal
            if not parked:
                run.inputs[f"{name}.transfer"], run.inputs[f"{name}.selector"] = transfer, selector
            return size.x(run) > end or size.x(run) < x0 - 5.0 or deepest(run, size.wheels) > deep

        rec, _ = how.run(model, state.copy(), drive, hold + climb, 0.02)
        m = motion(rec)
        dug_in = float(m.wheels("sinkage")[-1].max()) > 0.95 * deep
        return Climb(pedal, rec, m, (m.position[:, 0] - m.position[0, 0]) * uphill, rec.time > hold, dug_in)

    attempts: list[Climb] = []
    for pedal in THROTTLES if throttle is None else (throttle,):
        attempts.append(attempt(pedal))
        if attempts[-1].climbs or not attempts[-1].spins:
            break
    up = attempts[-1]
    rec, m, along, climbing, slip = up.recording, up.motion, up.along, up.climbing, up.slip
    spun, notes = ", ".join(f"{one.throttle:g}" for one in attempts if one.spins and not one.climbs), ()
    if up.climbs and spun:
        notes = (f"with throttle {spun} its wheels spin, and it does not climb",)
    elif len(attempts) > 1 and up.spins:
        notes = (f"its wheels spin with every throttle that was tried: {spun}",)
    notes += ("a wheel has dug itself in, and the run ended there",) if up.dug_in else ()
    figures = [
        Figure("moved while parked", float(np.abs(along[~climbing]).max() * 1e3), "mm"),
        Figure("rolled back at the start", float(max(0.0, -along[climbing].min()) if climbing.any() else 0.0), "m"),
        Figure("climbs", float(up.climbs), "yes/no"),
        Figure("throttle", up.throttle, ""),
        Figure("dug in", float(up.dug_in), "yes/no"),
        Figure("distance climbed", float(along[-1]), "m"),
        Figure("speed at the end", up.speed * 3.6, "km/h"),
        Figure("time for 10 m", crossing(rec.time, along, 10.0) - hold, "s"),
        Figure("largest slip", float(slip[climbing].max()), ""),
        Figure("grade", 100.0 * grade, "%"),
        Figure("power up the hill", up.speed * model.mass * GRAVITY * grade / uphill / 1e3, "kW"),
    ]
    panels = (
        Panel("climb", "t [s]", "[m]", [PlotLine("", rec.time, along)]),
        Panel("speed", "t [s]", "[km/h]", [PlotLine("", rec.time, 3.6 * m.speed)]),
        Panel("slip", "t [s]", "", [PlotLine(n, rec.time, slip[:, k]) for k, n in enumerate(m.size.wheels)]),
        Panel("wheel loads", "t [s]", "[kN]", [
            PlotLine(n, rec.time, m.wheels("load")[:, k] / 1e3) for k, n in enumerate(m.size.wheels)]),
    )  # fmt: skip
    levers = f"throttle {up.throttle:g}, transfer case {transfer}, gear {selector}"
    about = f"up a grade of {100.0 * grade:g} %, {levers} ({how.words})"
    return Result("slope", about, tuple(figures), rec, panels, notes)
