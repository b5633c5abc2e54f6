"""A Stewart platform: which lengths and forces of six legs make the platform move as wanted?

Inverse kinematics: the platform's position and angles are given over time, and the lengths of the legs follow. Inverse
dynamics: the legs are given those lengths, and their forces follow. Forward dynamics: with these forces alone, the
platform moves as wanted. Data are chosen: base joints on a circle of 0.5 m, those of the platform on 0.3 m, 20 kg;
each leg is a cylinder of 2 kg and a rod of 1 kg on a universal and a ball joint.

The platform hangs on six joints without any mass between them (x, y, z, yaw, pitch, roll): its coordinates. They bear
nothing. The six ball joints become cuts: 24 coordinates, 18 equations, 6 degrees of freedom.
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import gori

COORDINATES = ("x", "y", "z", "yaw", "pitch", "roll")
LEGS = [f"leg{k}" for k in range(6)]
HEIGHT = 0.6  # m


def circle(radius: float, degrees: float) -> np.ndarray:
    return radius * np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees)), 0.0])


BASE = [circle(0.5, 120 * (k // 2) + (15 if k % 2 == 0 else -15)) for k in range(6)]
PLATFORM = [circle(0.3, 120 * (k // 2) + (45 if k % 2 == 0 else -45)) for k in range(6)]


def spec(forces: dict | None = None) -> gori.Spec:
    """The platform level at its height; forces along the legs."""

    def bar(mass: float, end: float, width: float) -> gori.spec.Body:
        across = mass * (end**2 / 12 + width**2 / 12)
        return gori.spec.Body(mass=mass, com=(0, 0, end / 2), inertia=(across, across, mass * width**2 / 6))

    bodies, joints, parent = {}, {}, "ground"
    axes = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1), "yaw": (0, 0, 1), "pitch": (0, 1, 0), "roll": (1, 0, 0)}
    for name, axis in axes.items():
        child = "platform" if name == "roll" else f"after_{name}"
        bodies[child] = gori.spec.Body(mass=20.0, inertia=(0.45, 0.45, 0.9)) if name == "roll" else gori.spec.Body()
        kind = "prismatic" if len(name) == 1 else "revolute"
        joints[name] = gori.spec.Joint(
            type=kind, parent=parent, child=child, axis=axis, q=HEIGHT if name == "z" else 0.0
        )
        parent = child
    for name, low, high in zip(LEGS, BASE, PLATFORM):
        along = high + np.array([0, 0, HEIGHT]) - low
        length = np.linalg.norm(along)
        # turned about x by a and then about its y by b, z becomes (sin b, -sin a cos b, cos a cos b)
        angles = np.arctan2(-along[1], along[2]), np.arcsin(along[0] / length)
        bodies[f"{name}_cylinder"], bodies[f"{name}_rod"] = bar(2.0, 0.35, 0.04), bar(1.0, -0.35, 0.03)
        joints[f"{name}_foot"] = gori.spec.Joint(
            type="universal",
            parent="ground",
            child=f"{name}_cylinder",
            at=low,
            axis=(1, 0, 0),
            axis2=(0, 1, 0),
            q=angles,
        )
        joints[name] = gori.spec.Joint(type="prismatic", parent=f"{name}_cylinder", child=f"{name}_rod", q=length)
        joints[f"{name}_ball"] = gori.spec.Joint(
            type="spherical", parent=f"{name}_rod", child="platform", child_at=high
        )
    return gori.Spec(bodies=bodies, joints=joints, forces=forces or {})


model = gori.compile(spec())
about = model.mobility()
print(f"{about.coordinates} coordinates, {about.equations} equations, {about.freedom} degrees of freedom")
assert (about.coordinates, about.rank, about.freedom) == (24, 18, 6)

# ---- inverse kinematics: to and fro within a second, from rest to rest

there = "(1 - cos(2*pi*t))/2"
wanted = {
    "x": f"0.05*{there}",
    "y": f"-0.04*{there}",
    "z": f"{HEIGHT} + 0.08*{there}",
    "yaw": f"0.2*{there}",
    "pitch": f"0.15*{there}",
    "roll": f"-0.1*{there}",
}
longer = np.linspace(0, 1.1, 441)  # tables end at rest: these end after the second that counts
moved = gori.inverse_dynamics(model, longer, wanted)
lengths = np.array([moved[f"{leg}.q"] for leg in LEGS])
tops = np.einsum("nij,kj->kni", moved["platform.rotation"], PLATFORM) + moved["platform.position"]
by_hand = np.linalg.norm(tops - np.array(BASE)[:, None], axis=2)
error = np.abs(lengths - by_hand).max()
print(f"legs {lengths.min():.3f} to {lengths.max():.3f} m, within {error:.0e} m of the distances between their joints")
assert error < 1e-12

# ---- inverse dynamics: forces along the legs

times = longer[:401]
tables = {leg: np.column_stack([longer, q]) for leg, q in zip(LEGS, lengths)}
along_legs = gori.inverse_dynamics(model, times, tables)
forces = np.array([along_legs[f"{leg}.drive"] for leg in LEGS])
print(f"forces {forces.min():.1f} to {forces.max():.1f} N")
# the same forces by virtual work: what the platform's own coordinates would need is J' f, J the rates of the legs
needed = np.array([moved[f"{name}.drive"] for name in COORDINATES])
columns = [model.joint(name).v.start for name in COORDINATES]
rows = [model.joint(leg).v.start for leg in LEGS]
for k in range(0, len(times), 50):
    rates = model.loop_system.terms(moved.q[k]).J
    others = [i for i in range(model.nv) if i not in columns]
    follow = -np.linalg.solve(rates[:, others], rates[:, columns])  # velocities that the platform's lead to
    J = follow[[others.index(i) for i in rows]]
    off = np.abs(np.linalg.solve(J.T, needed[:, k]) - forces[:, k]).max()
    assert off < 2e-3, "the legs follow splines through 441 lengths"

# ---- forward dynamics: with these forces alone

pushed = gori.compile(
    spec({f"push{k}": {"type": "force", "joint": leg, "value": np.column_stack([times, forces[k]])}
          for k, leg in enumerate(LEGS)})
)  # fmt: skip
for loops in ("multipliers", "partition"):
    back = gori.Simulation(pushed, gori.RK4(step=1.25e-3), loops=loops).run(1.0, sample=0.0025)
    sought = np.interp(back.time, longer, moved["platform.z"])
    off = np.abs(back["platform.z"] - sought).max()
    print(f"pushed by these forces, with {loops}: within {off:.1e} m of the wanted height")
    assert off < 1e-5

out = Path(sys.argv[1]) if len(sys.argv) > 1 else Path("out") / "examples" / "stewart"
out.mkdir(parents=True, exist_ok=True)
figure, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
for leg, q, f in zip(LEGS, lengths, forces):
    axes[0].plot(longer, q, label=leg)
    axes[1].plot(times, f)
axes[0].set(xlabel="t [s]", ylabel="length [m]")
axes[1].set(xlabel="t [s]", ylabel="force [N]")
axes[0].legend(fontsize="small")
figure.savefig(out / "legs.png", dpi=80)
gori.view.animate(moved, out / "stewart.gif", every=0.05, fps=20, size=4)
