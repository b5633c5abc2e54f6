"""Demo of contact: impacts to the last digit, a ball that begins to roll, a heap that comes to rest."""

import matplotlib.pyplot as plt
import numpy as np

import gori
from demo.report import Case, Report
from examples.pile import heap

STEEL = {"material": "steel", "collide": True}


def _ball(restitution: float, friction: float, height: float, speed: float) -> gori.Model:
    """A ball of radius 0.1 m with its centre at a height [m], over a floor."""
    ball = {"type": "sphere", "radius": 0.1, "density": 1000.0, **STEEL}
    start = {"q": [1, 0, 0, 0, 0, 0, height], "v": [0, 0, 0, speed, 0, 0]}
    spec = {
        "gori": 1, "gravity": [0, 0, -9.81], "materials": {"steel": {"E": 2e11}},
        "contacts": {"steel/steel": {"friction": friction, "restitution": restitution}},
        "bodies": {"ground": {"shapes": {"floor": {"type": "plane", **STEEL}}}, "ball": {"shapes": {"solid": ball}}},
        "joints": {"free": {"type": "free", "parent": "ground", "child": "ball", **start}},
    }  # fmt: skip
    return gori.compile(gori.Spec.model_validate(spec))


def bounces(case: Case, report: Report) -> None:
    """A bouncing ball, by events.

    Its first 20 impacts are compared with their closed form.
    """
    e, height = 0.8, 1.0
    model = _ball(e, 0.0, 0.1 + height, 0.0)
    rec = gori.Simulation(model, gori.Dopri5(rtol=1e-10), impacts=gori.Impacts()).run(4.5, progress=False)
    found = np.array([hit["time"] for hit in rec.info["impacts"]][:20])
    first = np.sqrt(2.0 * height / 9.81)
    expected = first + 2.0 * first * np.concatenate([[0.0], np.cumsum(e ** np.arange(1.0, 20.0))])
    case.check("largest error of an impact's time", float(np.abs(found - expected).max()), 1e-9, " s")
    case.check("missing impacts", float(20 - len(found)), 0.5)
    figure, ax = plt.subplots(figsize=(7, 3))
    ax.plot(rec.time, rec["ball.z"] - 0.1)
    ax.set(xlabel="t [s]", ylabel="height [m]")
    report.picture(case, "bounces.png", figure)


def rolls(case: Case, report: Report) -> None:
    """A ball that begins to roll.

    Thrown without spin it slides, then rolls at 5/7 of its speed; by impulses at velocity level.
    """
    v0, mu = 2.0, 0.3
    rec = gori.Simulation(_ball(0.0, mu, 0.1, v0), gori.TimeStepping(step=1e-3)).run(0.5, sample=1e-3, progress=False)
    speed = np.gradient(rec["ball.x"], rec.time)
    case.check("speed while rolling, error", abs(speed[-2] / (5.0 / 7.0 * v0) - 1.0), 2e-3)
    figure, ax = plt.subplots(figsize=(7, 3))
    ax.plot(rec.time, speed)
    ax.plot(rec.time, np.maximum(v0 - mu * 9.81 * rec.time, 5.0 / 7.0 * v0), "--")
    ax.set(xlabel="t [s]", ylabel="speed [m/s]")
    report.picture(case, "rolls.png", figure)


def pile(case: Case, report: Report) -> None:
    """A heap of 40 boxes and balls comes to rest.

    With steps of 10 ms; no energy is made.
    """
    model = gori.compile(heap(40))
    simulation = gori.Simulation(model, gori.TimeStepping(step=1e-2))
    rec = simulation.run(6.0, sample=0.05, progress=False)
    energy = rec["energy.total"]
    case.check("energy above the start", float(max(0.0, energy.max() / energy[0] - 1.0)), 1e-9)
    deepest = max((-point.gap for point in model.contacts(simulation.q)), default=0.0)
    case.check("deepest contact at rest", deepest, 1e-4, " m")
    case.check("fastest box at rest", float(np.abs(simulation.v.reshape(-1, 6)[::2]).max()), 1e-3, " m/s")
    figure, ax = plt.subplots(figsize=(7, 3))
    ax.plot(rec.time, energy)
    ax.plot(rec.time, rec["contact.points"])
    ax.set(xlabel="t [s]", ylabel="energy [J], contact points")
    report.picture(case, "pile.png", figure)


CASES = (bounces, rolls, pile)
"""cases of the demo"""
