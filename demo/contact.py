"""Demo of contact: impacts to the last digit, a loop at a stop by the penalty law, a ball that rolls, a heap."""

import matplotlib.pyplot as plt
import numpy as np
from scipy.spatial import ConvexHull

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
    ax.plot(rec.time, rec["ball.z"] - 0.1, label="Gori")
    ax.plot(expected, np.zeros(20), "k|", markersize=12, label="impacts in closed form")
    ax.set(xlabel="t [s]", ylabel="height [m]")
    ax.legend()
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
    ax.plot(rec.time, speed, label="Gori, impulses")
    ax.plot(rec.time, np.maximum(v0 - mu * 9.81 * rec.time, 5.0 / 7.0 * v0), "--", label="closed form")
    ax.set(xlabel="t [s]", ylabel="speed [m/s]")
    ax.legend()
    report.picture(case, "rolls.png", figure)


def pile(case: Case, report: Report) -> None:
    """A heap of 40 boxes and balls comes to rest.

    With steps of 5 ms; no energy is made.
    """
    model = gori.compile(heap(40))
    simulation = gori.Simulation(model, gori.TimeStepping(step=5e-3))
    rec = simulation.run(1.5, sample=0.01, progress=False)  # then balls roll away
    rest = simulation.run(4.5, sample=0.05, progress=False)
    clock, energy, points = (
        np.concatenate([part[name] if name else part.time for part in (rec, rest)])
        for name in ("", "energy.total", "contact.points")
    )
    case.check("energy above the start", float(max(0.0, energy.max() / energy[0] - 1.0)), 1e-9)
    deepest = max((-point.gap for point in model.contacts(simulation.q)), default=0.0)
    case.check("deepest contact at rest", deepest, 1e-4, " m")
    case.check("fastest box at rest", float(np.abs(simulation.v.reshape(-1, 6)[::2]).max()), 1e-3, " m/s")
    still, places = plt.subplots(1, 2, figsize=(8, 3.6))
    for place, row, words in zip(places, (rec.q[0], rest.q[-1]), ("at the start", "after 6 s")):
        _draw(place, model, row)
        place.set(title=words, xlabel="x [m]", xlim=(-0.35, 0.65), ylim=(0, 0.8), aspect="equal")
    report.film(case, "pile", rec, still, at=0.45, channels=["energy.total", "contact.points"])
    figure, ax = plt.subplots(figsize=(7, 3))
    ax.plot(clock, energy, label="energy [J]")
    ax.plot(clock, points, label="contact points")
    ax.set(xlabel="t [s]")
    ax.legend()
    report.picture(case, "pile.png", figure)


def _draw(ax, model: gori.Model, q: np.ndarray) -> None:
    """Boxes and balls of a heap from the side, the farthest first."""
    poses = model.forward_kinematics(q)
    names = sorted((name for name in poses if name.startswith("body")), key=lambda name: -poses[name][1, 3])
    for name in names:
        shape, pose, color = model.spec.bodies[name].shapes["solid"], poses[name], f"C{int(name[5:]) % 10}"
        if shape.type == "sphere":
            ax.add_patch(plt.Circle((pose[0, 3], pose[2, 3]), shape.radius, facecolor=color, edgecolor="k"))
            continue
        signs = np.array(np.meshgrid(*[[-0.5, 0.5]] * 3)).reshape(3, -1)
        corners = (pose[:3, :3] @ (signs * np.array(shape.size)[:, None]) + pose[:3, 3:])[[0, 2]].T
        outline = corners[ConvexHull(corners).vertices]
        ax.fill(*outline.T, facecolor=color, edgecolor="k")


def stop(case: Case, report: Report) -> None:
    """A four-bar falls against a stop, by the penalty law.

    The force of the blow is resolved in time, the loop stays closed, and the account of energy with it.
    """
    model = gori.compile(_four_bar())
    rec = gori.Simulation(model, gori.RK4(step=1e-4)).run(2.0, sample=2e-4, progress=False)
    case.check("open energy balance", float(np.abs(rec["energy.balance"]).max()), 1e-3, " J")
    case.check("depth at most", -float(np.nanmin(rec["contact.gap"])), 5e-3, " m")
    force = np.linalg.norm(rec["right.contact"], axis=1)
    hits = np.flatnonzero((force[1:] > 0.0) & (force[:-1] == 0.0))
    case.note("blows", f"{len(hits)}, the hardest with {force.max():.0f} N")
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3))
    left.plot(rec.time, np.degrees(rec.q[:, 0]), label="angle of the crank")
    left.axhline(np.degrees(1.0), color="k", linestyle=":", label="stop")
    left.set(xlabel="t [s]", ylabel="[deg]")
    left.legend()
    first = rec.time[hits[0]]
    right.plot(1e3 * (rec.time - first), force)
    right.set(xlabel="ms since the first blow", ylabel="contact force [N]", xlim=(-2, 12))
    report.picture(case, "stop.png", figure)


def _four_bar() -> gori.Spec:
    """A parallelogram of bars of 1 m; a ball on its right bar meets one of the ground where the bars lean by 1 rad."""

    def ball(at) -> dict:
        return {"type": "sphere", "radius": 0.05, "at": list(map(float, at)), **STEEL}

    upright = {"mass": 1.0, "com": [0, 0, 0.5], "inertia": [0.1, 0.1, 0.01]}
    level = {"mass": 1.0, "com": [0.5, 0, 0], "inertia": [0.01, 0.1, 0.1]}
    meeting = np.array([1 + 0.7 * np.sin(1), 0, 0.7 * np.cos(1)]) + 0.1 * np.array([np.cos(1), 0, -np.sin(1)])
    hinge = {"type": "revolute", "axis": [0, 1, 0]}
    return gori.Spec(
        materials={"steel": {"rigid": True}},
        contacts={"steel/steel": {"friction": 0.3, "restitution": 0.5, "stiffness": 1e7}},
        bodies={
            "ground": {"shapes": {"stop": ball(meeting)}}, "left": upright, "coupler": level,
            "right": upright | {"shapes": {"ball": ball([0, 0, 0.7])}},
        },
        joints={
            "a": hinge | {"parent": "ground", "child": "left", "q": 0.3},
            "b": hinge | {"parent": "left", "child": "coupler", "at": [0, 0, 1], "q": -0.3},
            "d": hinge | {"parent": "ground", "child": "right", "at": [1, 0, 0], "q": 0.3},
        },
        cuts={"c": hinge | {"parent": "coupler", "child": "right", "at": [1, 0, 0], "child_at": [0, 0, 1]}},
    )  # fmt: skip


CASES = (pile, bounces, stop, rolls)
