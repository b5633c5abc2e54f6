"""Pendulums on a base that moves: a load on the crane of a pitching ship, and a rod that stands upright on a shaker.

A moving base (`base` of a Spec) carries all that is joined to the ground, and is not moved by it. Hand formula for a
pendulum on a pivot (X, Z) that moves, with theta from the downward vertical and the swing towards -x positive:

    J theta'' = m l (X'' cos theta - (g + Z'') sin theta)

Ship: pitch of 0.12 rad in 8 s, heave of 0.8 m in 6.5 s; a load of 500 kg and 40 kg m2 on a rod of 4 m at the tip of a
crane, 10 m above the centre of pitching. Shaker: a uniform rod of 0.3 m; its foot goes up and down by 2 cm with
150 rad/s. Upright, it is stable if (a w)^2 > 2 g 2/3 length (Kapitza 1951).
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from scipy.integrate import solve_ivp

import gori

G = 9.81


def by_hand(arm: float, pivot, theta: float, times: np.ndarray) -> np.ndarray:
    """theta over time; arm = m l / J [1/m]; pivot(t) gives X'' and Z''."""

    def slope(t, y):
        ax, az = pivot(t)
        return y[1], arm * (ax * np.cos(y[0]) - (G + az) * np.sin(y[0]))

    return solve_ivp(slope, (0, times[-1]), (theta, 0.0), t_eval=times, rtol=1e-11, atol=1e-12).y[0]


def second(f, t: float, h: float = 1e-3) -> float:
    """Second derivative, to fourth order."""
    return (-f(t + 2 * h) + 16 * f(t + h) - 30 * f(t) + 16 * f(t - h) - f(t - 2 * h)) / (12 * h * h)


# ---- the ship

ROPE, TIP, PITCH, HEAVE = 4.0, 10.0, 2 * np.pi / 8, 2 * np.pi / 6.5  # m, m, rad/s, rad/s
LOAD, SPIN = 500.0, 40.0  # kg, kg m2
ship = gori.compile(
    gori.Spec(
        base={"position": (0, 0, f"0.8*sin({HEAVE!r}*t)"), "rpy": (0, f"0.12*sin({PITCH!r}*t)", 0)},
        bodies={"load": gori.spec.Body(mass=LOAD, com=(0, 0, -ROPE), inertia=(SPIN, SPIN, SPIN))},
        joints={
            "hook": gori.spec.Joint(
                type="revolute", parent="ground", child="load", at=(0, 0, TIP), axis=(0, 1, 0), v=-0.12 * PITCH
            )
        },
    )
)
rec = gori.Simulation(ship, gori.Dopri5(1e-9, 1e-9)).run(60.0, sample=0.1)
pitch = 0.12 * np.sin(PITCH * rec.time)
hand = by_hand(
    LOAD * ROPE / (LOAD * ROPE**2 + SPIN),
    lambda t: (
        second(lambda s: TIP * np.sin(0.12 * np.sin(PITCH * s)), t),
        second(lambda s: TIP * np.cos(0.12 * np.sin(PITCH * s)) + 0.8 * np.sin(HEAVE * s), t),
    ),
    0.0,
    rec.time,
)
swing = pitch + rec["hook.q"]  # from the vertical
error = np.abs(swing - hand).max()
print(f"ship: the load swings up to {np.degrees(np.abs(swing).max()):.1f} deg, within {error:.0e} rad of the formula")
assert error < 1e-6

# ---- the shaker

LENGTH, STROKE = 0.3, 0.02


def upright(speed: float) -> gori.Recording:
    """Let go 0.2 rad from upright, on a base that goes as STROKE cos(speed t)."""
    moment = 0.2 * LENGTH**2 / 12
    rod = gori.spec.Body(mass=0.2, com=(0, 0, -LENGTH / 2), inertia=(moment, moment, 0))
    spec = gori.Spec(
        base={"position": (0, 0, f"{STROKE}*cos({speed}*t)")},
        bodies={"rod": rod},
        joints={
            "foot": gori.spec.Joint(type="revolute", parent="ground", child="rod", axis=(0, 1, 0), q=np.pi - 0.2, v=0)
        },
    )
    return gori.Simulation(gori.compile(spec), gori.Dopri5(1e-10, 1e-10)).run(2.0, sample=0.005)


limit = np.sqrt(2 * G * 2 / 3 * LENGTH) / STROKE
shaken = {speed: upright(speed) for speed in (150.0, 0.7 * limit)}
hand = by_hand(3 / (2 * LENGTH), lambda t: (0.0, -STROKE * 150**2 * np.cos(150 * t)), np.pi - 0.2, shaken[150.0].time)
error = np.abs(shaken[150.0]["foot.q"] - hand).max()
lean = {speed: float(np.abs(run["foot.q"] - np.pi).max()) for speed, run in shaken.items()}
words = ", ".join(f"{speed:.0f} rad/s: leans {angle:.2f} rad" for speed, angle in lean.items())
print(f"shaker: stable above {limit:.0f} rad/s; {words}")
print(f"within {error:.0e} rad of the formula")
assert error < 1e-6
assert lean[150.0] < 0.3 and lean[0.7 * limit] > 1.0

out = Path(sys.argv[1]) if len(sys.argv) > 1 else Path("out") / "examples" / "moving_base"
out.mkdir(parents=True, exist_ok=True)
figure, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
axes[0].plot(rec.time, np.degrees(swing), label="load, from the vertical")
axes[0].plot(rec.time, np.degrees(pitch), label="ship")
axes[0].set(xlabel="t [s]", ylabel="[deg]")
axes[0].legend()
for speed, run in shaken.items():
    axes[1].plot(run.time, run["foot.q"] - np.pi, label=f"{speed:.0f} rad/s")
axes[1].set(xlabel="t [s]", ylabel="from upright [rad]", ylim=(-0.5, 1.5))
axes[1].legend()
figure.savefig(out / "moving_base.png", dpi=80)
