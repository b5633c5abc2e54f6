"""Demo of closed chains: assembled, analysed, moved, and what their joints bear."""

import matplotlib.pyplot as plt
import numpy as np
from scipy.integrate import solve_ivp

import gori
from bench.mechanism_references import PUBLISHED_ANDREWS
from bench.mechanisms import andrews as squeezer
from bench.mechanisms import n_four_bar
from demo.report import Case, Report
from gori.web.serve.play.spatial import SPATIAL


def stewart(case: Case, report: Report) -> None:
    """A Stewart platform: which lengths and forces of six legs move it as wanted?

    24 coordinates, 18 equations. The lengths against the distances between the joints of each leg; over a turn that
    ends as it began the legs must do no work.
    """
    example = next(example for example in SPATIAL if example.name == "stewart")
    values = example.values()
    rec = example.compute(values)
    angles = np.radians([[120 * (k // 2) + (15, -15)[k % 2], 120 * (k // 2) + (45, -45)[k % 2]] for k in range(6)])
    low, high = (np.stack([np.cos(a), np.sin(a), 0 * a], axis=1) for a in angles.T)
    tops = np.einsum("nij,kj->kni", rec["platform.rotation"], values["top"] * high) + rec["platform.position"]
    by_hand = np.linalg.norm(tops - values["base"] * low[:, None], axis=2)
    lengths = np.array([rec[f"leg{k}.q"] for k in range(6)])
    case.check("lengths of the legs against their joints", float(np.abs(lengths - by_hand).max()), 1e-9, " m")
    power = np.sum([rec[f"leg{k}.drive"] * rec[f"leg{k}.v"] for k in range(6)], axis=0)
    moved = float(np.sum(np.abs(power)) * (rec.time[1] - rec.time[0]))
    work = float(np.sum(power[:-1]) * (rec.time[1] - rec.time[0]))
    case.check("work over a turn, by what goes in and out", abs(work) / moved, 1e-3)
    figure, axes = plt.subplots(1, 2, figsize=(10, 3.6))
    for k in range(6):
        axes[0].plot(rec.time, lengths[k], label=f"leg {k}")
        axes[1].plot(rec.time, rec[f"leg{k}.drive"])
    for ax, words in zip(axes, ("length of the legs [m]", "their forces [N]")):
        ax.set(xlabel="time [s]", title=words)
    axes[0].legend(fontsize="small", ncols=2)
    still = gori.view.draw(rec.model, rec.q[40], color=None).figure
    channels = ["leg0.drive", "leg2.drive", "leg4.drive", "platform.z"]
    report.film(case, "stewart", rec, still, at=0.8, trails=["platform"], channels=channels)
    report.picture(case, "legs.png", figure)


def _slider_crank(rod: float) -> gori.Spec:
    """Haug's spatial slider-crank: crank 0.08 m about x at (0, 0.1, 0.12), slider on the x axis."""
    return gori.Spec(
        bodies={
            "crank": {"mass": 0.12, "inertia": (1e-4, 1e-5, 1e-4)},
            "rod": {"mass": 0.5, "com": (rod / 2, 0, 0), "inertia": (4e-4, 4e-3, 4e-3)},
            "slider": {"mass": 2.0, "inertia": (1e-4, 1e-4, 1e-4)},
        },
        joints={
            "A": {"type": "revolute", "parent": "ground", "at": (0, 0.1, 0.12), "child": "crank", "axis": (1, 0, 0)},
            "S": {"type": "prismatic", "parent": "ground", "child": "slider", "axis": (1, 0, 0), "guess": 0.2},
            "U": {"type": "universal", "parent": "slider", "child": "rod", "axis": (0, 0, 1), "axis2": (0, 1, 0),
                  "guess": (2.7, 0.7)},
        },
        cuts={
            "P": {"type": "spherical", "parent": "crank", "at": (0, 0, 0.08), "child": "rod", "child_at": (rod, 0, 0)}
        },
    )  # fmt: skip


def kinematics(case: Case, report: Report) -> None:
    """Kinematic analysis and inverse dynamics of a spatial slider-crank.

    The crank turns once a second, for three lengths of the rod. Position, velocity and acceleration of the slider
    against the closed form; the torque of the drive for the longest rod, which must do no work over a turn.
    """
    times = np.linspace(0.0, 1.0, 401)
    figure, axes = plt.subplots(1, 2, figsize=(10, 3.6))
    for rod in (0.3, 0.27, 0.24):
        rec = gori.inverse_dynamics(gori.compile(_slider_crank(rod)), times, {"A": "-2*pi*t"})
        turn, w = 2 * np.pi * times, 2 * np.pi
        square = 0.0308 + 0.0192 * np.cos(turn) + 0.016 * np.sin(turn)
        first = w * (-0.0192 * np.sin(turn) + 0.016 * np.cos(turn))
        second = w * w * (-0.0192 * np.cos(turn) - 0.016 * np.sin(turn))
        x = np.sqrt(rod * rod - square)
        exact = {"q": x, "v": -first / (2 * x), "a": -second / (2 * x) - first**2 / (4 * x**3)}
        worst = max(float(np.abs(rec[f"S.{name}"] - value).max()) for name, value in exact.items())
        case.check(f"rod {rod} m, slider against the closed form", worst, 1e-9)
        axes[0].plot(times, rec["S.a"], label=f"rod {rod} m")
        axes[1].plot(times, -rec["A.drive"], label=f"rod {rod} m")
        if rod == 0.3:
            power = rec["A.drive"] * rec["A.v"]
            case.check(
                "work of the drive over a turn", abs(float(power[:-1].sum() * (times[1] - times[0]))), 1e-9, " J"
            )
    for ax, words in zip(axes, ("acceleration of the slider [m/s2]", "torque of the drive [N m]")):
        ax.set(xlabel="time [s]", title=words)
        ax.grid(True, alpha=0.3)
        ax.legend()
    report.picture(case, "slider_crank.png", figure)


def singular(case: Case, report: Report) -> None:
    """Closed chains through singular poses.

    A row of N squares of bars (IFToMM A02) falls over and turns through poses where all bars lie in one line. It has
    one degree of freedom, so its motion is known. The picture: what the foot of the first bar
    bears, for two squares.
    """
    figure, ax = plt.subplots(figsize=(7, 3.6))
    for count in (2, 40):
        rate = 9.81 * ((count + 1) / 2 + count) / ((count + 1) / 3 + count)
        exact = solve_ivp(
            lambda t, y, rate=rate: [y[1], rate * np.sin(y[0])],
            (0, 10),
            [0, 1],
            method="DOP853",
            rtol=1e-12,
            atol=1e-13,
        ).y[:, -1]
        model = gori.compile(n_four_bar(count))
        for loops in ("multipliers", "partition"):
            method = gori.Dopri5(rtol=1e-9, atol=1e-11)
            rec = gori.Simulation(model, method, loops=loops).run(10.0, sample=0.02, progress=False)
            error = abs(-rec.q[-1, 0] - exact[0])
            case.check(f"N = {count}, {loops}: angle after 10 s", error, 1e-5, " rad")
        if count < 10:  # reactions of long rows are a dense problem at each time
            ax.plot(rec.time, np.linalg.norm(rec["foot0.reaction"][:, 3:], axis=1), label=f"N = {count}")
    ax.set(xlabel="time [s]", ylabel="force in the first foot [N]", yscale="log")
    ax.legend()
    ax.grid(True, alpha=0.3)
    report.picture(case, "squares.png", figure)


def andrews(case: Case, report: Report) -> None:
    """Andrews' squeezer: seven bodies, three loops, 0.03 s.

    The angles at the end against the published ones, by each way to keep the loops closed.
    """
    model = gori.compile(squeezer())
    rec = None
    for loops in ("multipliers", "partition", "frozen_explicit"):
        method = gori.Dopri5(rtol=1e-10, atol=1e-12)
        rec = gori.Simulation(model, method, loops=loops).run(0.03)
        error = max(abs(rec[f"{name}.q"][-1] - value) for name, value in PUBLISHED_ANDREWS.items())
        case.check(f"{loops}, largest error of an angle", error, 1e-6, " rad")
    last = gori.Simulation(model, gori.GeneralizedAlpha(1e-5)).run(0.03)
    error = max(abs(last[f"{name}.q"][-1] - value) for name, value in PUBLISHED_ANDREWS.items())
    case.check("generalized-alpha, largest error of an angle", error, 1e-2, " rad")
    case.note("mobility", str(model.mobility()).replace("\n", "; "))
    assert rec is not None
    figure, ax = plt.subplots(figsize=(7, 3.6))
    for name in ("gamma", "Phi", "delta", "epsilon"):
        ax.plot(rec.time * 1e3, rec[f"{name}.q"], label=name)
    ax.set(xlabel="time [ms]", ylabel="angle [rad]")
    ax.legend()
    ax.grid(True, alpha=0.3)
    report.picture(case, "andrews.png", figure)


CASES = (stewart, kinematics, singular, andrews)
