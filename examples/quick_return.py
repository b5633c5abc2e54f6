"""A quick-return mechanism (shaper): slow while it cuts, quick on the way back. One degree of freedom, two loops.

Kim and Kim (1993), "A study on the kinematic and dynamic analyses of spatial complex kinematic chain", section 6: their
Fig. 5 is the mechanism, Fig. 6 the slider's position, Fig. 7 the crank's speed, Table 2 the masses. A crank carries a
block that slides on a rocker; a coupler leads from the rocker's tip to the slider with the tool.

Assumptions, as the paper prints no lengths: crank pivot (0, 0), rocker pivot (0, -2), slider line y = 1.2; crank 1.5,
rocker 4, coupler 1.5 m, slider left of the rocker's tip. Centres of mass at mid-length, the crank's on its axis. The
tool is held back by 200 kN while it goes left between x = 1.2 and -4.0 m. The drive gives 165 521 N m, which is just
the work of a cut in one turn, so motion is periodic: started where a cut ends (crank at 3.23297 rad), at 4.2 rad/s.

The edges of the force are events: there a step of the method ends and the next begins.
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import gori

CRANK, ROCKER, COUPLER, PIVOT, RAIL = 1.5, 4.0, 1.5, -2.0, 1.2  # m
TORQUE, CUT, RIGHT, LEFT = 165_521.0, 200e3, 1.2, -4.0  # N m, N, m, m
START, SPEED = 3.23297, 4.2  # rad, rad/s


def bodies(inertia: float) -> dict[str, gori.spec.Body]:
    """Table 2; moments of inertia about x and y do not count in the plane. The bars are there to be seen only."""

    def body(mass: float, moment: float, length: float = 0.0, middle: bool = True) -> gori.spec.Body:
        bar = {"type": "capsule", "length": abs(length), "radius": 0.05, "axis": (np.sign(length), 0, 0)}
        box = {"type": "box", "size": (0.5, 0.3, 0.3)}
        return gori.spec.Body(
            mass=mass,
            com=(length / 2 if middle else 0.0, 0, 0),
            inertia=(moment, moment, moment),
            shapes={"bar": bar if length else box},
        )

    return {
        "crank": body(1000.0, inertia, CRANK, middle=False),
        "block": body(5.0, 0.5),
        "rocker": body(100.0, 100.0, ROCKER),
        "coupler": body(30.0, 10.0, -COUPLER),
        "slider": body(50.0, 1.5),
    }


def forces(x: str, crank: str) -> dict:
    """The cutting force on the slider, whose coordinate is x, and the drive."""
    cutting = f"{CUT}*({x}.v < 0)*({x}.q < {RIGHT})*({x}.q > {LEFT})"
    return {
        "tool": {"type": "wrench", "body": "slider", "force": (cutting, 0, 0)},
        "drive": {"type": "torque", "joint": crank, "value": TORQUE},
    }


def as_in_the_paper(inertia: float = 2000.0) -> gori.Spec:
    """One chain from the crank on, with the base cut at the rocker's pivot and at the rail.

    The pieces `pivot` and `rail` belong to the base: fixed cuts hold them, six equations each. They are at rest, so
    that their mass counts for nothing; but a link at the end of a chain must have one (but for `partition`).
    """
    at_rest = gori.spec.Body(mass=1.0, inertia=(1, 1, 1))
    angle, far, tilt, _ = by_hand(START)
    at = {  # relative angles and travels at the start: rough values would do
        "J1": START,
        "J2": angle - START,
        "J3": -far,
        "J4": -angle,
        "J5": tilt - angle,
        "J6": -tilt,
        "J7": -4.0,
    }
    turn, slide = {"type": "revolute"}, {"type": "prismatic"}
    joints = {
        "J1": {**turn, "parent": "ground", "child": "crank", "v": SPEED},
        "J2": {**turn, "parent": "crank", "child": "block", "at": (CRANK, 0, 0)},
        "J3": {**slide, "parent": "block", "child": "rocker", "axis": (1, 0, 0)},
        "J4": {**turn, "parent": "rocker", "child": "pivot"},
        "J5": {**turn, "parent": "rocker", "child": "coupler", "at": (ROCKER, 0, 0)},
        "J6": {**turn, "parent": "coupler", "child": "slider", "at": (-COUPLER, 0, 0)},
        "J7": {**slide, "parent": "slider", "child": "rail", "axis": (-1, 0, 0)},
    }
    return gori.Spec(
        gravity=(0, -9.81, 0),
        bodies={**bodies(inertia), "pivot": at_rest, "rail": at_rest},
        joints={name: gori.spec.Joint(**joint, q=at[name]) for name, joint in joints.items()},
        cuts={
            "K1": gori.spec.Cut(type="fixed", parent="ground", child="pivot", at=(0, PIVOT, 0)),
            "K2": gori.spec.Cut(type="fixed", parent="ground", child="rail", at=(0, RAIL, 0)),
        },
        forces=forces("J7", "J1"),
    )


def plain(inertia: float = 2000.0) -> gori.Spec:
    """Every joint as it is built, start angles roughly; gori.compile chooses which two joints become cuts."""
    turn, slide = {"type": "revolute"}, {"type": "prismatic", "axis": (1, 0, 0)}
    joints = {
        "drive_shaft": {**turn, "parent": "ground", "child": "crank", "q": START, "v": SPEED},
        "foot": {**turn, "parent": "ground", "child": "rocker", "at": (0, PIVOT, 0), "guess_deg": 130},
        "rail": {**slide, "parent": "ground", "child": "slider", "at": (0, RAIL, 0), "guess": -4.0},
        "pin": {**turn, "parent": "crank", "child": "block", "at": (CRANK, 0, 0)},
        "slot": {**slide, "parent": "block", "child": "rocker"},
        "tip": {**turn, "parent": "rocker", "child": "coupler", "at": (ROCKER, 0, 0), "guess_deg": -130},
        "wrist": {**turn, "parent": "coupler", "child": "slider", "at": (-COUPLER, 0, 0)},
    }
    return gori.Spec(
        gravity=(0, -9.81, 0),
        bodies=bodies(inertia),
        joints={name: gori.spec.Joint(**joint) for name, joint in joints.items()},
        forces=forces("rail", "drive_shaft"),
    )


# ---- the same by hand


def by_hand(phi):
    """Rocker angle [rad], distance of the block from its pivot [m], coupler angle [rad], slider position [m]."""
    x, y = CRANK * np.cos(phi), CRANK * np.sin(phi) - PIVOT
    angle, far = np.arctan2(y, x), np.hypot(x, y)
    tilt = np.arcsin((PIVOT + ROCKER * np.sin(angle) - RAIL) / COUPLER)
    return angle, far, tilt, ROCKER * np.cos(angle) - COUPLER * np.cos(tilt)


def cycle_by_hand(inertia: float) -> tuple[float, float]:
    """Time of a turn [s] and top speed [rad/s] from energy: J(phi) w^2/2 = E0 + torque (phi - phi0) - cut - weight."""
    phi, h = np.linspace(START, START + 2 * np.pi, 40_001), 1e-5

    def rate(f):
        return (f(phi + h) - f(phi - h)) / (2 * h)

    def rocker(phi):
        angle = by_hand(phi)[0]
        return angle, ROCKER / 2 * np.cos(angle), PIVOT + ROCKER / 2 * np.sin(angle)

    def coupler(phi):
        _, _, tilt, x = by_hand(phi)
        return tilt, x + COUPLER / 2 * np.cos(tilt), RAIL + COUPLER / 2 * np.sin(tilt)

    r, c, x = rate(lambda p: np.array(rocker(p))), rate(lambda p: np.array(coupler(p))), by_hand(phi)[3]
    J = inertia + 5 * CRANK**2 + 0.5 * r[0] ** 2  # crank and block
    J += 100 * r[0] ** 2 + 100 * (r[1] ** 2 + r[2] ** 2) + 10 * c[0] ** 2 + 30 * (c[1] ** 2 + c[2] ** 2)
    J += 50 * rate(lambda p: by_hand(p)[3]) ** 2
    weight = 9.81 * (5 * CRANK * np.sin(phi) + 100 * rocker(phi)[2] + 30 * coupler(phi)[2])
    leftwards = np.append(np.diff(x) < 0, True)
    done = np.cumsum(np.append(0, -np.diff(np.clip(x, LEFT, RIGHT)) * leftwards[:-1])) * CUT
    energy = J[0] * SPEED**2 / 2 + TORQUE * (phi - START) - done - (weight - weight[0])
    w = np.sqrt(2 * energy / J)
    return float(np.trapezoid(1 / w, phi)), float(w.max())


# ---- how it can move

paper, natural = gori.compile(as_in_the_paper()), gori.compile(plain())
print("as in the paper:", paper.mobility(), sep="\n")
print("plain, cuts:", ", ".join(natural.spec.cuts), natural.mobility(), sep="\n")
print("Table 4, quick-return       coordinates  equations")
print("absolute coordinates (Haug)          18         17")
print(f"joint coordinates                  {paper.nv:4d} {paper.mobility().rank:10d}")
assert (paper.nv, paper.mobility().equations, paper.mobility().rank) == (7, 12, 6)
assert natural.mobility().freedom == 1

# ---- Fig. 6: position of the slider

out = Path(sys.argv[1]) if len(sys.argv) > 1 else Path("out") / "examples" / "quick_return"
out.mkdir(parents=True, exist_ok=True)
times, figure = np.linspace(0, 1, 501), plt.figure(figsize=(7, 4))
for model, crank, slider in ((paper, "J1", "J7"), (natural, "drive_shaft", "rail")):
    # from the start of the Spec to the first position: the links could be put together in other ways, too
    first = gori.kinematics(model, times, {crank: f"{START} + {0.44 - START}*t"}).q[-1]
    for speed in (2 * np.pi, 4 * np.pi):
        moved = gori.kinematics(model, times, {crank: f"0.44 + {speed!r}*t"}, q=first)
        error = np.abs(moved[f"{slider}.q"] - by_hand(0.44 + speed * times)[3]).max()
        print(f"{slider} at {speed / np.pi:.0f} pi rad/s: within {error:.0e} m of the formula")
        assert error < 1e-9
        if model is natural:
            plt.plot(times, moved[f"{slider}.q"], label=f"{speed / np.pi:.0f} pi rad/s")
plt.gca().set(xlabel="t [s]", ylabel="slider [m]", title="Fig. 6: position of the slider")
plt.legend()
figure.savefig(out / "position.png", dpi=100)

# ---- Fig. 7: speed of the crank

printed = {1000.0: (0.4526, 28.56), 2000.0: (0.5528, 21.10), 3000.0: (0.6239, 17.60)}
figure = plt.figure(figsize=(7, 4))
for inertia, (period, top) in printed.items():
    by_energy = cycle_by_hand(inertia)
    for make, crank, slider in ((as_in_the_paper, "J1", "J7"), (plain, "drive_shaft", "rail")):
        model = gori.compile(make(inertia))
        q = gori.assemble(model, hold=[crank])
        events = {
            "cut begins": gori.Event(f"{slider}.q - {RIGHT}", "falling"),
            "cut ends": gori.Event(f"{slider}.q + {-LEFT}", "falling"),
            "turn": gori.Event(f"{crank}.q - {START + 2 * np.pi!r}"),
        }
        start = gori.State(0.0, q, gori.consistent_velocity(model, q), np.zeros(0))
        rec = gori.Simulation(model, gori.Dopri5(1e-10, 1e-10), events=events, state=start).run(1.5)
        turn = dict(reversed(rec.info["events"]))["turn"]
        speeds = rec[f"{crank}.v"]
        print(
            f"J = {inertia:.0f} kg m2, {slider}: a turn in {turn:.5f} s (by energy {by_energy[0]:.5f}), "
            f"{speeds.min():.2f} to {speeds.max():.2f} rad/s"
        )
        assert abs(turn - by_energy[0]) < 1e-6 and abs(speeds.max() - by_energy[1]) < 2e-3
        assert abs(turn - period) < 1e-4 and abs(speeds.max() - top) < 0.01 and abs(speeds.min() - SPEED) < 2e-3
    plt.plot(rec.time, speeds, label=f"{inertia:.0f} kg m2")
plt.gca().set(xlabel="t [s]", ylabel="crank [rad/s]", title="Fig. 7: speed of the crank", ylim=(0, None))
plt.legend(loc="lower right")
figure.savefig(out / "speed.png", dpi=100)
gori.view.pictures(rec, [0.0, 0.15, 0.3, 0.5], out / "pictures.png")
gori.view.animate(rec, out / "quick_return.gif", every=0.03, size=3.5)
