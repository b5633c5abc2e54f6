"""How a vehicle answers the steering: ISO 4138 constant radius, ISO 7401 step steer."""

import math
from typing import Any

import numpy as np

from gori.errors import InputError
from gori.manoeuvre import courses
from gori.manoeuvre.drivers import DriverSchedule, Follow, HoldSpeed, Together
from gori.manoeuvre.result import Figure, Panel, PlotLine, Result, track
from gori.manoeuvre.setup import GRAVITY, ChassisMotion, ManoeuvreSetup, holder, motion, rolling, size_of, understeer

DEG = 180.0 / math.pi


def circle(radius: float = 100.0, left: bool = True, lateral: float = 6.0, growth: float = 0.2, **setup: Any) -> Result:
    """ISO 4138, constant radius: the speed grows slowly, and the driver keeps to the circle. Steering against lateral
    acceleration, and the understeer gradient: how its slope differs from that of a neutral vehicle.

    radius    [m];  lateral: acceleration at which it ends [m/s2], if the circle is not left before
    growth    of the speed [m/s2]
    """
    how = ManoeuvreSetup(**setup)
    course = courses.circle(radius, left)
    assert course.path is not None
    model = how.place(course)
    slow, fast = math.sqrt(0.3 * radius), math.sqrt(lateral * radius)
    if not slow < fast:
        raise InputError(f"lateral must be more than 0.3 m/s2, not {lateral!r}")
    more = understeer(how, model, min(fast, max(10.0, 2.0 * slow)))
    name = size_of(model).vehicle
    hold = HoldSpeed([[0.0, slow], [4.0, slow], [4.0 + (fast - slow) / growth, fast]], bias=0.1, vehicle=name)
    steer = Follow(course.path, understeer=more, vehicle=name)

    def left_it(run: Any) -> bool:
        return abs(steer.aside) > 0.03 * radius and run.time > 4.0

    longest = 4.0 + (fast - slow) / growth + 1.0
    rec, _ = how.run(model, rolling(model, slow), Together(hold, steer, left_it), longest, 0.05)
    m, side = motion(rec), 1.0 if left else -1.0
    calm = np.ones(41) / 41.0  # two seconds: gear shifts and small corrections are not steady state

    def steady(row: np.ndarray) -> np.ndarray:
        return np.convolve(row, calm, "valid")

    begin = int(np.searchsorted(rec.time, 4.0))
    rate, ahead = steady(side * m.yaw_rate[begin:]), steady(np.hypot(*_flat(m)[begin:].T))
    ay = rate * ahead
    steering = steady(side * m.steering[begin:])
    wheels = steady(side * m.wheel_angle[begin:])
    neutral = m.size.wheelbase * rate / ahead
    linear = (ay > 0.5) & (ay < 0.6 * ay.max())
    if linear.sum() < 10:
        raise InputError("too little of the circle was driven for a gradient: use a larger radius or lateral")
    gradient, by_wheels = (np.polyfit(ay[linear], (row - neutral)[linear], 1)[0] for row in (steering, wheels))
    stiff, masses, trail = _axles(m, begin, linear, calm)
    expected = masses[0] / stiff[0] - masses[1] / stiff[1]
    aligning = sum(masses) * trail / m.size.wheelbase * (1.0 / stiff[0] + 1.0 / stiff[1])
    roll = np.polyfit(ay[linear], steady(side * m.roll[begin:])[linear], 1)[0]
    figures = (
        Figure("understeer gradient", gradient * DEG * GRAVITY, "deg/g"),
        Figure("understeer gradient, at the wheels", by_wheels * DEG * GRAVITY, "deg/g"),
        Figure("understeer gradient, linear formula", (expected + aligning) * DEG * GRAVITY, "deg/g"),
        Figure("contribution of axle loads", expected * DEG * GRAVITY, "deg/g"),
        Figure("contribution of aligning moments", aligning * DEG * GRAVITY, "deg/g"),
        Figure("largest lateral acceleration", float(ay.max()), "m/s2"),
        Figure("largest speed", float(ahead.max()) * 3.6, "km/h"),
        Figure("steering at the start", float(steering[0]) * DEG, "deg"),
        Figure("wheelbase over radius", float(neutral[0]) * DEG, "deg"),
        Figure("roll gradient", float(roll) * DEG * GRAVITY, "deg/g"),
        Figure(
            "deviation from the circle",
            float(np.abs(np.hypot(m.position[:, 0], m.position[:, 1] - side * radius) - radius).max()),
            "m",
        ),
        Figure("cornering stiffness, front axle", float(stiff[0]), "N/rad"),
        Figure("cornering stiffness, rear axle", float(stiff[1]), "N/rad"),
        Figure("yaw rate against v/R", float(np.mean(rate * radius / ahead)), ""),
    )
    g = ay / GRAVITY
    angles = [
        PlotLine("steering", g, steering * DEG),
        PlotLine("wheels", g, wheels * DEG),
        PlotLine("wheelbase / radius", g, neutral * DEG, "--"),
    ]
    panels = (
        Panel("steering", "lateral acceleration [g]", "[deg]", angles),
        Panel("roll", "lateral acceleration [g]", "[deg]", [PlotLine("", g, steady(side * m.roll[begin:]) * DEG)]),
        Panel("path", "x [m]", "y [m]", [track("", m.position), track("circle", course.path.points, "--")], True),
        Panel("speed", "t [s]", "[km/h]", [PlotLine("", rec.time, 3.6 * m.speed)]),
    )
    notes = (
        "steering: travel that the driver asks for, as the angle of the wheels that it gives where nothing yields",
        "at the wheels: front less rear wheels, without what the steering yields",
        "linear formula: m_f/C_f - m_r/C_r + m t/L (1/C_f + 1/C_r), t the trail; without roll and load shift",
    )
    about = f"circle of {radius:g} m, {'left' if left else 'right'} ({how.words})"
    curves = {
        "lateral": ay,
        "steering": steering,
        "wheels": wheels,
        "neutral": neutral,
        "speed": ahead,
        "yaw_rate": rate,
    }
    return Result("circle", about, figures, rec, panels, notes, curves)


def _flat(m: ChassisMotion) -> np.ndarray:
    """Velocity of the chassis ahead and to the left (n, 2) [m/s]."""
    return m.recording.v[:, m.size.joint_v][:, 3:5]


def _axles(
    m: ChassisMotion, begin: int, linear: np.ndarray, calm: np.ndarray
) -> tuple[list[float], list[float], float]:
    """Cornering stiffness [N/rad] and mass [kg] of the front axle and the rear one, and the trail of the tyres [m]:
    slopes of side force by slip angle, and of moment by force.
    """

    def slope(x: np.ndarray, y: np.ndarray) -> float:
        x, y = (np.convolve(row, calm, "valid")[linear] for row in (x, y))
        return float(np.polyfit(x, y, 1)[0])

    ahead = [k for k, name in enumerate(m.size.wheels) if name in m.size.steered]
    force, angle, moment = (m.wheels(channel)[begin:] for channel in ("fy", "slip_angle", "mz"))
    rear = [k for k in range(len(m.size.wheels)) if k not in ahead]
    stiff = [-slope(angle[:, axle].mean(axis=1), force[:, axle].sum(axis=1)) for axle in (ahead, rear)]
    rec, mass = m.recording, m.recording.model.mass
    arm = rec[f"{m.size.chassis}.rotation"][0].T @ (rec["center_of_mass"][0] - rec[f"{m.size.chassis}.position"][0])
    share = (float(arm[0]) - m.size.rear) / m.size.wheelbase
    return stiff, [mass * share, mass * (1.0 - share)], -slope(force.sum(axis=1), moment.sum(axis=1))


def step_steer(
    speed: float = 80.0 / 3.6, lateral: float = 4.0, rise: float = 0.1, left: bool = True, **setup: Any
) -> Result:
    """ISO 7401, step input: straight ahead, then the steering goes over at once and stays. How fast the vehicle
    follows, and by how much too far.

    speed     [m/s]; the throttle stays where it is
    lateral   acceleration to come to in the end [m/s2]: the step is as large as that takes
    rise      time of the step [s]
    """
    how = ManoeuvreSetup(**setup)
    if how.soil is not None:
        raise InputError("a step steer runs on hard ground: remove soil")
    model = how.place(courses.Course())
    state, begin, side = rolling(model, speed), 2.0, 1.0 if left else -1.0
    size = size_of(model, state.q)
    if size.lock == 0.0:
        raise InputError(f"vehicle {size.vehicle!r} has no steering")

    def drive(step: float, sample: float) -> ChassisMotion:
        hold = holder(speed, vehicle=size.vehicle)
        rows = [[0.0, 0.0], [begin, 0.0], [begin + rise, side * step]]
        steer = DriverSchedule(steer=rows, vehicle=size.vehicle)

        def pedals(run: Any) -> None:
            if run.time < begin:
                hold(run)

        return motion(how.run(model, state, Together(pedals, steer), begin + 5.0, sample)[0])

    step = 0.5 * lateral * (size.wheelbase / speed**2 + understeer(how, model, speed)) / size.lock
    low, high, lock = (0.0, 0.0), (math.inf, math.inf), size.lock
    for _ in range(8):  # tyres are not linear: from step to step by what comes out
        if step > 1.0:
            raise InputError(f"{lateral:g} m/s2 at {speed:g} m/s require more steering than available")
        m = drive(step, 2e-3)
        reached = _late(m.time, side * m.yaw_rate) * _late(m.time, m.speed)
        if abs(reached / lateral - 1.0) < 0.02:
            break
        low, high = ((step, reached), high) if reached < lateral else (low, (step, reached))
        ahead = (lateral - low[1]) / (high[1] - low[1]) if math.isfinite(high[1]) else 0.0
        # within what is known, but not too near to its ends; beyond, by proportion
        if math.isfinite(high[0]):
            step = low[0] + min(0.8, max(0.2, ahead)) * (high[0] - low[0])
        else:
            step *= min(1.4, lateral / reached)
    else:
        raise InputError(
            f"no steering step leads to a steady {lateral:g} m/s2 at {speed:g} m/s: reduce lateral or speed"
        )
    t0 = begin + 0.5 * rise  # ISO: when half of the step is done
    after = m.time >= begin - 1e-9
    t, rate, ay = m.time[after] - t0, side * m.yaw_rate[after], side * m.acceleration[after, 1]
    figures = [Figure("step of the steering", step * lock * DEG, "deg")]
    for name, row, unit in (("yaw rate", rate * DEG, "deg/s"), ("lateral acceleration", ay, "m/s2")):
        end = _late(t, row)
        top = int(np.argmax(row))
        figures += [
            Figure(f"{name}, steady", end, unit),
            Figure(f"{name}, response time", _reaches(t, row, 0.9 * end), "s"),
            Figure(f"{name}, peak", float(row[top]), unit),
            Figure(f"{name}, peak time", float(t[top]), "s"),
            Figure(f"{name}, overshoot", 100.0 * max(0.0, float(row[top]) / end - 1.0), "%"),
        ]
    gain = _late(t, rate) / (step * lock)
    figures += [
        Figure("yaw rate gain", gain, "1/s"),
        Figure("yaw rate against v/R", _late(t, rate) / (_late(t, m.speed[after]) / _radius(m, side)), ""),
        Figure("speed at the end", float(m.speed[-1]) * 3.6, "km/h"),
        Figure("roll, steady", _late(t, np.abs(m.roll[after])) * DEG, "deg"),
    ]
    steer = [
        PlotLine("steering", t, side * m.steering[after] * DEG),
        PlotLine("wheels", t, side * m.wheel_angle[after] * DEG),
    ]
    panels = (
        Panel("steering", "t [s]", "[deg]", steer),
        Panel("yaw rate", "t [s]", "[deg/s]", [PlotLine("", t, rate * DEG)]),
        Panel("lateral acceleration", "t [s]", "[m/s2]", [PlotLine("", t, ay)]),
        Panel("roll", "t [s]", "[deg]", [PlotLine("", t, side * m.roll[after] * DEG)]),
    )  # fmt: skip
    about = f"step steer to the {'left' if left else 'right'} at {3.6 * speed:.4g} km/h, {lateral:g} m/s2 ({how.words})"
    return Result("step_steer", about, tuple(figures), m.recording, panels)


def _late(t: np.ndarray, row: np.ndarray) -> float:
    """Mean of the last second."""
    return float(row[t > t[-1] - 1.0].mean())


def _reaches(t: np.ndarray, row: np.ndarray, level: float) -> float:
    k = int(np.argmax(row >= level))
    return float(np.interp(level, row[k - 1 : k + 1], t[k - 1 : k + 1])) if k else math.nan


def _radius(m: ChassisMotion, side: float) -> float:
    """Of the circle through the places of the last second and a half [m]: the curvature by least squares."""
    x, y = m.position[m.time > m.time[-1] - 1.5].T
    rows = np.column_stack([x, y, np.ones(len(x))])
    a, b, c = np.linalg.lstsq(rows, x * x + y * y, rcond=None)[0]
    return math.sqrt(c + 0.25 * (a * a + b * b))
