"""A spatial slider-crank: a crank about x, a slider on the x axis, a rod between them. One degree of freedom, one loop.

Kim and Kim (1993), "A study on the kinematic and dynamic analyses of spatial complex kinematic chain", section 6: their
Fig. 8 is the mechanism, Fig. 9 the slider's acceleration for rods of three lengths, Fig. 10 pictures of the motion,
Fig. 11 the driving torque for 0.3 m, Table 3 the masses, Table 4 the size of the problem.

Assumptions: the crank's centre is at (0, 0.1, 0.12) m, its pin, 0.08 m away, at the top at t = 0 and turning towards
+y at 2 pi rad/s. The rod's centre of mass is in its middle, the crank's on its axis. One axis of the universal joint is
fixed in the slider, parallel to z; parallel to y, the lowest torque would be 0.2 % lower.
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import gori

CENTRE, RADIUS = np.array([0.0, 0.1, 0.12]), 0.08  # m
BLOCK = {"type": "box", "size": (0.04, 0.03, 0.03)}


def as_in_the_paper(rod: float) -> gori.Spec:
    """R RRR RR P: crank, ball joint, universal joint, slide; the base is cut, so that the rail hangs on the slider.

    Rows of Denavit and Hartenberg: all axes of rotation are z, and z of the base is the x of the world. The ball and
    the universal joint become three and two revolute joints with massless links between them.
    """
    pin = CENTRE + np.array([0, 0, RADIUS])
    x = np.sqrt(rod**2 - pin[1] ** 2 - pin[2] ** 2)
    heading, rise = np.arctan2(-pin[2], -pin[1]), np.arcsin(x / rod)
    stick = {"type": "capsule", "radius": 0.005}
    rows = {
        "crank": {
            "theta": np.pi,
            "mass": 0.12,
            "inertia": (1e-5, 1e-4, 1e-4),
            "shapes": {"bar": {**stick, "length": RADIUS}},
        },
        "rod": {
            "joint": "spherical",
            "a": RADIUS,
            "theta": [heading - np.pi, rise, 0.0],  # its spin about itself is wrong: the assembly finds it, and says so
            "mass": 0.5,
            "com": (0, rod / 2, 0),
            "inertia": (4e-3, 4e-4, 4e-3),
            "shapes": {"bar": {**stick, "length": rod, "axis": (0, 1, 0)}},
        },
        "slider": {
            "joint": "universal",
            "psi_deg": 90,
            "a": rod,
            "theta": [np.arccos(-pin[2] / rod), np.arctan2(x, -pin[1])],
            "mass": 2.0,
            "inertia": (1e-4, 1e-4, 1e-4),
            "shapes": {"block": {**BLOCK, "size": (0.03, 0.03, 0.04)}},
        },
        "rail": {"joint": "prismatic", "d": -x},
    }
    away = np.arctan2(-CENTRE[1], CENTRE[2])  # to the origin of the world
    section = {"on": 0, "psi": away, "a": np.hypot(*CENTRE[1:]), "theta": np.pi - away}
    base = {"at": CENTRE, "rpy_deg": (0, 90, 0)}
    return gori.dh("branched", rows, cuts=[{"C": section, "R": {"on": "rail"}}], base=base).spec(gravity=(0, 0, -9.81))


def natural(rod: float) -> gori.Spec:
    """The four joints as they are: gori.compile cuts the one with the most freedom, the ball joint."""
    stick = {"type": "capsule", "radius": 0.005}
    return gori.Spec(
        gravity=(0, 0, -9.81),
        bodies={
            "crank": gori.spec.Body(
                mass=0.12,
                inertia=(1e-4, 1e-4, 1e-5),
                shapes={"bar": {**stick, "length": RADIUS, "axis": (0, 0, 1)}},
            ),
            "rod": gori.spec.Body(
                mass=0.5,
                com=(-rod / 2, 0, 0),
                inertia=(4e-4, 4e-3, 4e-3),
                shapes={"bar": {**stick, "length": rod, "axis": (-1, 0, 0)}},
            ),
            "slider": gori.spec.Body(mass=2.0, inertia=(1e-4, 1e-4, 1e-4), shapes={"block": BLOCK}),
        },
        joints={
            "shaft": gori.spec.Joint(type="revolute", parent="ground", child="crank", at=CENTRE, axis=(1, 0, 0), q=0),
            "ball": gori.spec.Joint(
                type="spherical", parent="crank", child="rod", at=(0, 0, RADIUS), child_at=(-rod, 0, 0)
            ),
            "cross": gori.spec.Joint(
                type="universal", parent="slider", child="rod", axis=(0, 0, 1), axis2=(0, 1, 0), guess=(-0.4, 0.7)
            ),
            "slide": gori.spec.Joint(type="prismatic", parent="ground", child="slider", axis=(1, 0, 0), guess=0.2),
        },
    )


def by_hand(rod: float, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Position and acceleration of the slider: x^2 = rod^2 - r with r the pin's distance from the x axis, squared."""
    w = 2 * np.pi
    r = CENTRE @ CENTRE + RADIUS**2 + 2 * RADIUS * (CENTRE[2] * np.cos(w * t) + CENTRE[1] * np.sin(w * t))
    r1 = 2 * RADIUS * w * (CENTRE[1] * np.cos(w * t) - CENTRE[2] * np.sin(w * t))
    r2 = -2 * RADIUS * w**2 * (CENTRE[2] * np.cos(w * t) + CENTRE[1] * np.sin(w * t))
    x = np.sqrt(rod**2 - r)
    v = -r1 / 2 / x
    return x, (-r2 / 2 - v**2) / x


out = Path(sys.argv[1]) if len(sys.argv) > 1 else Path("out") / "examples" / "slider_crank"
out.mkdir(parents=True, exist_ok=True)

# ---- Table 4: how it can move

paper, plain = (gori.compile(make(0.3)) for make in (as_in_the_paper, natural))
print("Table 4, spatial slider-crank  coordinates  equations")
print("absolute coordinates (Haug)             28         27")
rows = {"joint coordinates": paper.mobility(), f"ball joint cut ({', '.join(plain.spec.cuts)})": plain.mobility()}
for words, about in rows.items():
    print(f"{words:30s} {about.coordinates:11d} {about.rank:10d}")
assert (paper.nv, paper.mobility().equations, paper.mobility().rank) == (7, 6, 6)
assert (plain.nv, plain.mobility().equations, plain.mobility().freedom) == (4, 3, 1)

# ---- Fig. 9: acceleration of the slider

times = np.linspace(0, 1, 501)
figure = plt.figure(figsize=(7, 4))
for rod in (0.24, 0.27, 0.30):
    x, a = by_hand(rod, times)
    built = gori.kinematics(gori.compile(as_in_the_paper(rod)), times, {"J_crank": "pi - 2*pi*t"})
    plainly = gori.kinematics(gori.compile(natural(rod)), times, {"shaft": "-2*pi*t"})
    errors = [np.abs(built["slider.acceleration"][:, 3] - a).max(), np.abs(plainly["slide.a"] - a).max()]
    print(f"rod {rod:.2f} m: {a.min():.4f} to {a.max():.4f} m/s2, within {max(errors):.0e} of the formula")
    assert max(errors) < 1e-9 and np.abs(plainly["slider.x"] - x).max() < 1e-12
    plt.plot(times, plainly["slide.a"], label=f"rod {rod:.2f} m")
    if rod == 0.24:  # nearly locks up
        assert abs(times[np.argmax(a)] - 0.11) < 0.002
plt.gca().set(xlabel="t [s]", ylabel="slider [m/s2]", title="Fig. 9: acceleration of the slider")
plt.legend()
figure.savefig(out / "acceleration.png", dpi=100)

# ---- Fig. 11: driving torque for the rod of 0.3 m

built = gori.inverse_dynamics(paper, times, {"J_crank": "pi - 2*pi*t"})
plainly = gori.inverse_dynamics(plain, times, {"shaft": "-2*pi*t"})
torque = -plainly["shaft.drive"]  # in the direction of turning
print(f"driving torque {torque.min():.4f} to {torque.max():.4f} N m")
assert np.abs(torque + built["J_crank.drive"]).max() < 1e-9
# power of the drive = rate of energy, whatever the joints bear
energy, h = plainly["energy.total"], times[1]
power = (energy[2:] - energy[:-2]) / (2 * h)
assert np.abs(power - 2 * np.pi * torque[1:-1]).max() < 3e-3
assert abs(torque.min() + 0.2025) < 1e-4 and abs(torque.max() - 0.2981) < 1e-4
figure = plt.figure(figsize=(7, 4))
plt.plot(times, torque)
plt.gca().set(xlabel="t [s]", ylabel="torque [N m]", title="Fig. 11: driving torque, rod 0.30 m")
figure.savefig(out / "torque.png", dpi=100)

# ---- Fig. 10: pictures, and a film

gori.view.pictures(plainly, [0.0, 0.3, 0.6, 0.8], out / "pictures.png", size=2.6)
gori.view.animate(plainly, out / "slider_crank.gif", trails=["rod"])
