"""Demo of vehicles: over a bump, through the gears, and a wheel on soft soil."""

import time

import matplotlib.pyplot as plt
import numpy as np

import gori
from demo.report import Case, Report
from gori import vehicle
from gori.analysis.wheel_rig import RigWheel, rig
from gori.manoeuvre import DriverSchedule
from gori.web.serve.drive.truck import DriveOptions, driven

REAL_TIME = gori.loops.RealTime()
DING = {  # J. Terramechanics 48 (2011) 27, smooth wheel, 80 N: slip, drawbar pull [N], sinkage [mm]
    "slip": (0.0, 0.1, 0.2, 0.3, 0.4, 0.6),
    "pull": (-6.5, 11.0, 14.5, 15.0, 15.0, 15.0),
    "sinkage": (5.0, 5.5, 7.5, 10.0, 12.5, 17.5),
}


def in_the_dunes() -> gori.Simulation:
    """A truck at rest in the sand pit, and a driver who turns the wheel to and fro."""
    model = driven(DriveOptions(course="sand")).model
    turns = [[0, 0.0], [2, 0.3], [5, 0.3], [6, -0.45], [10, -0.45], [11, 0.35], [14, 0.35]]
    driver = DriverSchedule(throttle=0.6, brake=0.0, selector="D", steer=turns)
    method = gori.Adams(step=1e-3, order=2)
    return gori.Simulation(model, method, state=gori.at_rest(model), loops=REAL_TIME, driver=driver)


def sand(case: Case, report: Report) -> None:
    """A truck in the dunes: soft soil that remembers where wheels have been.

    Half throttle, and the wheel turned to and fro. 27 coordinates and 16 equations, on 2.2 million cells of dry sand
    that wheels press, bulldoze and loosen. At rest the soil carries the weight.
    """
    simulation = in_the_dunes()
    model = simulation.model
    weight = 9.81 * sum(body.inertial()[0] for body in model.spec.bodies.values())
    carried = sum(simulation.channel(f"truck.wheel_{corner}.load") for corner in vehicle.CORNERS)
    case.check("wheel loads against the weight", abs(carried / weight - 1.0), 2e-3)
    start = time.perf_counter()
    rec = simulation.run(14.0, sample=0.02, progress=False)
    wall = time.perf_counter() - start
    depth = 1e3 * np.array([rec[f"truck.wheel_{corner}.sinkage"] for corner in vehicle.CORNERS])
    away = float(np.linalg.norm(rec["truck.chassis.position"][-1, :2]))
    case.check_above("distance from the start after 14 s", away, 40.0, " m")
    case.note("deepest sinkage", f"{depth.max():.0f} mm")
    case.note("faster than real time, with recording", f"{14.0 / wall:.0f} times")
    figure, axes = plt.subplots(1, 2, figsize=(10, 3.6))
    axes[0].plot(rec.time, 3.6 * rec["truck.v"][:, 3])
    for corner, line in zip(vehicle.CORNERS, depth):
        axes[1].plot(rec.time, line, label=corner, linewidth=1.0)
    for ax, words in zip(axes, ("speed [km/h]", "sinkage of the wheels [mm]")):
        ax.set(xlabel="time [s]", title=words)
    axes[1].legend(ncols=4, fontsize="small")
    channels = ["truck.wheel_fl.sinkage", "truck.wheel_rl.sinkage", "truck.wheel_fl.slip", "truck.wheel_rl.slip"]
    options = {"camera": "chase", "channels": channels, "state": simulation.state}
    report.film(case, "sand", rec, gori.view.ruts(model, simulation.state).figure, at=9.0, **options)
    report.picture(case, "sand_sinkage.png", figure)


def bump(case: Case, report: Report) -> None:
    """A vehicle like the HMMWV at 81 km/h over a bump of 60 cm x 8 cm.

    27 coordinates, 16 equations. At rest the wheels carry the weight; over the bump the knuckles' peak accelerations
    with frozen factors, at a step of 1 ms, against factors made anew and a step of 0.25 ms.
    """
    bump = {"features": {"bump": {"type": "trapezoid", "at": [10.0, 0.0]}}}
    model = gori.compile(vehicle.spec("hmmwv", terrain=bump))
    state = gori.at_rest(model)
    weight = 9.81 * sum(body.inertial()[0] for body in model.spec.bodies.values())
    still = gori.Simulation(model, gori.Adams(step=1e-3, order=2), state=state)
    carried = sum(still.channel(f"truck.wheel_{corner}.load") for corner in vehicle.CORNERS)
    case.check("wheel loads against the weight", abs(carried / weight - 1.0), 1e-3)

    state, recordings = gori.at_rest(model, speed=81.0 / 3.6), []
    for step, loops in ((1e-3, REAL_TIME), (2.5e-4, "multipliers")):
        simulation = gori.Simulation(model, gori.Adams(step=step, order=2), state=state, loops=loops)
        simulation.inputs["truck.selector"] = "N"
        recordings.append(simulation.run(1.5, sample=1e-3, progress=False))
    figure, axes = plt.subplots(1, 2, figsize=(10, 3.6), sharey=True)
    for ax, corner, words in zip(axes, ("fl", "rl"), ("front knuckle", "rear knuckle")):
        fast, fine = (rec[f"truck.knuckle_{corner}.acceleration"][:, 5] for rec in recordings)
        case.check(f"{words}, peak, frozen at 1 ms", abs(fast.max() / fine.max() - 1.0), 0.02)
        for rec, line, style in zip(recordings, (fast, fine), ("-", "--")):
            ax.plot(rec.time, line, style, label="frozen, 1 ms" if style == "-" else "anew, 0.25 ms")
        ax.set(xlabel="time [s]", title=f"{words}: vertical acceleration [m/s2]")
        ax.legend()
        ax.grid(True, alpha=0.3)
    report.picture(case, "bump.png", figure)


def gears(case: Case, report: Report) -> None:
    """Full throttle from rest: engine, converter and gearbox in steps of their own.

    At 3.0 t, as a civilian one of 195 bhp that took 17.3 s to 60 mph; and how much faster than real time it runs.
    """
    empty = sum(body.mass for body in vehicle.spec("hmmwv").bodies.values())
    model = gori.compile(vehicle.spec("hmmwv", set={"payload.mass": 3009.0 - empty}))
    state = gori.at_rest(model)
    simulation = gori.Simulation(model, gori.Adams(step=1e-3, order=2), state=state, loops=REAL_TIME)
    simulation.inputs["truck.throttle"], simulation.inputs["truck.selector"] = 1.0, "D"
    start = time.perf_counter()
    rec = simulation.run(25.0, sample=0.02, progress=False)
    wall = time.perf_counter() - start
    speed = rec["truck.v"][:, 3] / 0.44704
    times = {mph: float(np.interp(mph, speed, rec.time)) for mph in (30, 50, 60)}
    case.check("0-60 mph against 17.3 s", abs(times[60] / 17.3 - 1.0), 0.15)
    case.note("0-30, 0-50, 0-60 mph", ", ".join(f"{value:.1f} s" for value in times.values()))
    case.note("faster than real time, with recording", f"{25.0 / wall:.0f} times")
    figure, axes = plt.subplots(1, 2, figsize=(10, 3.6))
    axes[0].plot(rec.time, speed)
    axes[0].set(xlabel="time [s]", title="speed [mph]")
    axes[1].plot(rec.time, rec["truck.drivetrain.engine_speed"] * 30.0 / np.pi)
    axes[1].set(xlabel="time [s]", title="engine [rev/min]")
    for ax in axes:
        ax.grid(True, alpha=0.3)
    report.picture(case, "gears.png", figure)


def soil(case: Case, report: Report) -> None:
    """A smooth wheel on soft soil, against the tests of Ding et al. 2011.

    Drawbar pull and sinkage by slip: it sinks three times as deep when it slips, which laws without slip sinkage miss.
    The soil's constants are fitted to the same tests (docs/soil.md).
    """
    wheel = RigWheel(radius=0.15735, width=0.165)
    table = rig(wheel, "ding_2011", 80.0, DING["slip"], cell=0.005)
    case.check("drawbar pull, largest error", float(np.abs(table.pull - DING["pull"]).max()), 4.5, " N")
    case.check("sinkage, largest error", float(np.abs(1e3 * table.sinkage - DING["sinkage"]).max()), 1.2, " mm")
    figure, axes = plt.subplots(1, 2, figsize=(10, 3.6))
    for ax, name, values in ((axes[0], "pull", table.pull), (axes[1], "sinkage", 1e3 * table.sinkage)):
        ax.plot(DING["slip"], DING[name], "o", label="measured")
        ax.plot(table.slip, values, label="computed")
        ax.set(xlabel="slip", title="drawbar pull [N]" if name == "pull" else "sinkage [mm]")
        ax.legend()
        ax.grid(True, alpha=0.3)
    report.picture(case, "soil.png", figure)


CASES = (sand, bump, gears, soil)
