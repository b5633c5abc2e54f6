"""The HMMWV-like vehicle: acceptance figures of its sources, the bump of the paper, energy, rest, straight running.

Bump: a trapezoid of 60 cm x 8 cm, crossed at 81 km/h, judged by the vertical acceleration of the left front knuckle.
"""

import math
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec

import numpy as np

import gori
from gori import vehicle
from gori.analysis.suspension import axle_loads, bump_curves
from gori.analysis.wheel_rig import rig
from gori.vehicle import CORNERS
from validation.balance import noted
from validation.check import Check, attempt, compare, small
from validation.solvers import Solver
from validation.vehicle_energy import audit

CASE = "vehicle"
MPH = 0.44704
SPEED = 81.0 / 3.6
EDGE = 8.0
BUMP = {"features": {"bump": {"type": "trapezoid", "at": [EDGE, 0.0]}}}
DURATION = 0.31
"""until the front wheels are over the bump [s]"""


def adams(step: float, loops: str = "multipliers") -> Solver:
    return Solver(gori.Adams(step=step, order=2), loops)


@cache
def level() -> gori.Model:
    return gori.compile(vehicle.spec("hmmwv"))


@cache
def bump_state() -> tuple[gori.Model, gori.State]:
    model = gori.compile(vehicle.spec("hmmwv", terrain=BUMP))
    return model, gori.at_rest(model, speed=SPEED)


@cache
def knuckle(solver: Solver) -> tuple[np.ndarray, np.ndarray]:
    """Time and vertical acceleration of the front knuckle, every step."""
    model, state = bump_state()
    rec = solver.run(model, DURATION, sample=solver.method.settings()["step"], state=state)
    return rec.time, rec["truck.knuckle_fl.acceleration"][:, 5]


def peer_run(step: float, duration: float) -> tuple[dict[str, np.ndarray], gori.Recording]:
    """MuJoCo and Gori over the bump from the same rest, without drive train and drag."""
    from bench import vehicle_mujoco as peer

    spec = vehicle.spec("hmmwv", terrain=BUMP)
    data = {name: getattr(spec, name) for name in spec.model_fields_set if name not in ("drivetrains", "drag")}
    model = gori.compile(gori.Spec(**data))
    state = gori.at_rest(model, speed=SPEED)
    rec = adams(step).run(model, duration, sample=step, state=state)
    found = model.forward_kinematics(state.q)
    poses = {name.removeprefix("truck.").replace("_arm", ""): found[name] for name in model.spec.bodies}
    spins = np.array([rec[f"truck.wheel_{corner}.speed"][0] for corner in CORNERS])
    damping = spec.wheels["truck.wheel_fl"].tyre.damping
    one, other = (peer.Vehicle(poses, SPEED, peer.Wheels(spins, damping), EDGE, step) for _ in range(2))
    return other.run(duration) | {"start": one.advance()[2].copy()}, rec


def apart(ours: np.ndarray, theirs: np.ndarray) -> float:
    """Difference of two signals at the same times, rms over rms."""
    return math.sqrt(np.mean((ours - theirs) ** 2) / np.mean(theirs**2))


# ---- rows


def checks(long: bool = False) -> Iterator[Check]:
    for work in (geometry, loads, gearing, acceleration, bump, steps, peer, energy, straight, parked, smooth_wheel):
        yield from attempt(CASE, work.__name__, lambda _, work=work: work())


def geometry() -> Iterator[Check]:
    """Of the suspension, at the design position."""
    words = "published hardpoints"
    curves_of = {"front": bump_curves(axle="front", travel=[0.0]), "rear": bump_curves(axle="rear", travel=[0.0])}
    for (axle, curves), ratio, rate in zip(curves_of.items(), (0.452, 0.439), (34.1e3, 71.2e3)):
        yield compare(CASE, f"spring motion ratio, {axle}", words, ratio, curves["spring_ratio"][0], 1e-3)
        yield compare(CASE, f"wheel rate, {axle} [N/m]", words, rate, curves["wheel_rate"][0], 2e-3, relative=True)


def loads() -> Iterator[Check]:
    """The published ones are those of a level chassis; unladen it stands with its tail up by a degree."""
    published = {"front": 13043.0, "rear": 12237.0}
    ours = dict(zip(published, axle_loads()))
    yield compare(CASE, "axle loads in the design position [N]", "statics", published, ours, 1e-3, relative=True)
    state = gori.at_rest(level())
    rec = adams(1e-3).run(level(), 1e-3, state=state)
    axles = {axle: sum(rec[f"truck.wheel_{axle[0]}{s}.load"][0] for s in "lr") for axle in ("front", "rear")}
    yield compare(CASE, "axle loads as it stands [N]", "at rest", published, axles, 3e-3, relative=True)
    yield compare(CASE, "both together [N]", "at rest", 2576.92 * 9.81, sum(axles.values()), 1e-4, relative=True)


def gearing() -> Iterator[Check]:
    train = level().spec.drivetrains["truck.drivetrain"]
    turn = 3600 * math.pi / 30.0
    speeds = {f"gear {g}": 0.457 * turn / train.overall_ratio(g) / MPH for g in (1, 2, 3, 4)}
    published = dict(zip(speeds, (29.4, 49.2, 72.8, 97.1)))
    yield compare(CASE, "road speed at 3600 rev/min [mph]", "ratios", published, speeds, 0.06)


def sprint(model: gori.Model, duration: float, **inputs: float | str) -> gori.Recording:
    """Full throttle from rest."""
    sim = adams(1e-3).simulation(model, state=gori.at_rest(model))
    for name, value in ({"selector": "D", "throttle": 1.0} | inputs).items():
        sim.inputs[f"truck.{name}"] = value
    return noted(sim.run(duration, sample=0.02, progress=False), adams(1e-3))


def acceleration() -> Iterator[Check]:
    """The public times are of a civilian one and of an armoured one; nobody says how they were driven: 15 %."""
    for mass, time in ((3009.0, 17.3), (6532.0, 43.0)):
        model = gori.compile(vehicle.spec("hmmwv", set={"payload.mass": mass - 2576.92, "payload.at": [0.0, 0.0, 0.4]}))
        rec = sprint(model, 60.0)
        speed = rec["truck.chassis.velocity"][:, 3]
        ours = float(np.interp(60.0 * MPH, speed, rec.time))
        yield compare(CASE, f"0 - 60 mph at {mass:g} kg [s]", adams(1e-3), time, ours, 0.15, relative=True)
    held = sprint(level(), 90.0, selector=3)["truck.chassis.velocity"][-1, 3] / MPH
    yield compare(CASE, "top speed, third gear held [mph]", adams(1e-3), 72.8, float(held), 1.5)


def bump() -> Iterator[Check]:
    """Ways to keep the loops closed, at the same step, against full matrices."""
    for step in (1e-3, 1e-4):
        full = knuckle(adams(step))[1]
        for loops in ("frozen_explicit", "partition"):
            ours = knuckle(adams(step, loops))[1]
            words = "bump, peak of the knuckle's acceleration [m/s2]"
            yield compare(CASE, words, adams(step, loops), full.max(), ours.max(), 2e-4, relative=True)
            words = "bump, rms difference to full matrices, over rms"
            yield small(CASE, words, adams(step, loops), apart(ours, full), 2e-3)
    implicit, explicit = knuckle(Solver(gori.GeneralizedAlpha(step=2.5e-5)))[1], knuckle(adams(2.5e-5))[1]
    words = "bump, peak, against the explicit one"
    yield compare(CASE, words, "GeneralizedAlpha 2.5e-05 s", explicit.max(), implicit.max(), 2e-3, relative=True)
    words = "bump, rms difference to the explicit one, over rms"
    yield small(CASE, words, "GeneralizedAlpha 2.5e-05 s", apart(implicit, explicit), 3e-3)


def steps() -> Iterator[Check]:
    """The damper's load jumps where the wheel meets the flank, and a step sees that up to a step late: 0.4 % at 1 ms at
    worst, for full and frozen matrices alike.
    """
    best = knuckle(adams(2.5e-5))[1].max()
    for step in (1e-3, 2e-4, 1e-4):
        solver = adams(step, "frozen_explicit")
        ours = knuckle(solver)[1].max()
        words = "bump, peak against 0.025 ms, full matrices"
        yield compare(CASE, words, solver, best, ours, 6.0 * step, relative=True)


def peer() -> Iterator[Check]:
    if find_spec("mujoco") is None:
        return
    other, rec = peer_run(5e-5, 0.46)
    for k, corner in ((0, "fl"), (2, "rl")):
        ours = rec[f"truck.knuckle_{corner}.acceleration"][: len(other["time"]), 5]
        theirs = other["acceleration"][:, k]
        words = f"bump, peak of the knuckle {corner}, MuJoCo as reference [m/s2]"
        yield compare(CASE, words, adams(5e-5), theirs.max(), ours.max(), 2e-3, relative=True)
        words = f"bump, rms difference of the knuckle {corner} to MuJoCo, over rms"
        yield small(CASE, words, adams(5e-5), apart(ours, theirs), 2e-3)


def energy() -> Iterator[Check]:
    """What the books leave open, over the largest of the works."""
    runs = {
        "coasting": (20.0, 5.0, {"selector": "N"}),
        "accelerating": (0.0, 8.0, {"selector": "D", "throttle": 1.0}),
        "braking": (20.0, 1.5, {"selector": "N", "brake": 0.5}),
        "turning": (15.0, 5.0, {"selector": "D", "throttle": 0.4, "steer": 0.5}),
    }
    for name, (speed, duration, inputs) in runs.items():
        sim = adams(1e-3).simulation(level(), state=gori.at_rest(level(), speed=speed))
        for port, value in inputs.items():
            sim.inputs[f"truck.{port}"] = value
        works = audit(noted(sim.run(duration, sample=1e-3, progress=False), adams(1e-3)))
        turnover = max(map(abs, works.values()))
        words = f"energy left open, {name}, over the largest work"
        yield small(CASE, words, adams(1e-3), works["open"] / turnover, 2e-4)


def straight() -> Iterator[Check]:
    solver = adams(1e-3, "frozen_explicit")
    sim = solver.simulation(level(), state=gori.at_rest(level(), speed=80.0 / 3.6))
    sim.inputs["truck.selector"], sim.inputs["truck.throttle"] = "D", 0.2
    rec = noted(sim.run(20.0, sample=0.1, progress=False), solver)
    off = np.abs(rec["truck.chassis.position"][:, 1]).max()
    yield small(CASE, "lateral deviation in 20 s at 80 km/h [m]", solver, off, 1e-6)


def parked() -> Iterator[Check]:
    model = gori.compile(vehicle.spec("hmmwv", terrain={"grade": [0.2, 0.0]}))
    sim = adams(1e-3).simulation(model, state=gori.at_rest(model))
    sim.inputs["truck.brake"] = 1.0
    rec = noted(sim.run(600.0, sample=10.0, progress=False), adams(1e-3))
    place = rec["truck.chassis.position"]
    moved = float(np.linalg.norm(place[-1] - place[1]))
    yield small(CASE, "moved in 10 minutes, braked on a slope of 20 % [m]", adams(1e-3), moved, 1e-6)


def smooth_wheel() -> Iterator[Check]:
    """Ding et al. 2011, digitised: R 0.15735 m, width 0.165 m, 80 N. The soil's slip sinkage was fitted to this table,
    so the rows tell how well the laws can follow it, not how well they foretell.
    """
    slips = (0.0, 0.1, 0.2, 0.3, 0.4, 0.6)
    measured = {
        "drawbar pull [N]": ((-6.5, 11.0, 14.5, 15.0, 15.0, 15.0), 1.0, 4.5),
        "torque [N m]": ((0.0, 3.0, 4.2, 4.8, 5.0, 5.3), 1.0, 0.6),
        "sinkage [mm]": ((5.0, 5.5, 7.5, 10.0, 12.5, 17.5), 1e3, 1.2),
    }
    table = rig({"radius": 0.15735, "width": 0.165}, "ding_2011", 80.0, slips, cell=0.005)
    columns = (table.pull, table.torque, table.sinkage)
    for (name, (values, scale, bound)), column in zip(measured.items(), columns):
        reference = {f"slip {slip:g}": value for slip, value in zip(slips, values)}
        ours = {f"slip {slip:g}": scale * value for slip, value in zip(slips, column)}
        yield compare(CASE, f"smooth wheel of Ding 2011, {name}", "rig, cells of 5 mm", reference, ours, bound)
