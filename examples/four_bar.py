"""A crank-rocker at a steady speed: coupler curve, motor torque, and what each joint bears.

The machine is in four_bar.yaml: bars of 0.2, 0.5, 0.4 m on a base of 0.6 m. Checks: the closed form of the rocker's
angle (two circles that meet), the power of the motor against the rate of energy, and the balance of each bar: mass
times acceleration of its centre is the sum of the forces at its joints and its weight.
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import gori

A, B, C, D = 0.2, 0.5, 0.4, 0.6  # crank, coupler, rocker, base [m]
out = Path(sys.argv[1]) if len(sys.argv) > 1 else Path("out") / "examples" / "four_bar"

model = gori.compile(gori.load(Path(__file__).parent / "four_bar.yaml"))
print("cut:", ", ".join(model.spec.cuts), "of the joints A B C D")
print(model.mobility())
assert model.mobility().freedom == 0, "the motor moves it as given: no freedom is left"

times = np.linspace(0, 1, 1001)
rec = gori.inverse_dynamics(model, times)

# the rocker's angle: C lies B from the pin and C from the rocker's pivot
phi = np.radians(60) + 2 * np.pi * times
x, y = A * np.cos(phi) - D, A * np.sin(phi)
far = np.hypot(x, y)
angle = np.arctan2(y, x) - np.arccos((far**2 + C**2 - B**2) / (2 * far * C))
error = np.abs(np.angle(np.exp(1j * (rec["D.q"] - angle)))).max()
print(f"rocker within {error:.0e} rad of the formula, {np.degrees(np.ptp(rec['D.q'])):.2f} deg to and fro")
assert error < 1e-12

# the motor's torque, by power
torque = rec["motor.drive"]
power = np.gradient(rec["energy.total"], times)[1:-1]
print(f"motor {torque.min():.3f} to {torque.max():.3f} N m")
assert np.abs(power - 2 * np.pi * torque[1:-1]).max() < 2e-3 * np.abs(power).max()

# balance of each bar: a joint acts on its child as told, on its parent against it
joints = {**model.spec.joints, **model.spec.cuts}
forces = {name: rec[f"{name}.reaction"][:, 3:] for name in joints}
for body, length in (("crank", A), ("coupler", B), ("rocker", C)):
    mass = model.spec.bodies[body].inertial()[0]
    signs = {name: (joint.child == body) - (joint.parent == body) for name, joint in joints.items()}
    acts = sum(sign * forces[name] for name, sign in signs.items())
    twist, rate = rec[f"{body}.velocity"], rec[f"{body}.acceleration"]
    arm = rec[f"{body}.rotation"] @ [length / 2, 0, 0]
    w, alpha = twist[:, :3], rate[:, :3]
    a = rate[:, 3:] + np.cross(alpha, arm) + np.cross(w, np.cross(w, arm))
    left = np.abs(mass * (a - np.array(model.spec.gravity)) - acts).max()
    print(f"{body}: {mass:.3f} kg, forces balance to {left:.0e} N")
    assert left < 1e-9
for name in sorted(forces):
    print(f"joint {name} bears up to {np.linalg.norm(forces[name], axis=1).max():.1f} N")

# the other way round: driven by that torque, the free machine moves as it did
data = model.spec.model_dump(exclude_unset=True)
data.pop("motions")
data["forces"] = {"motor": {"type": "torque", "joint": "A", "value": list(zip(times, torque))}}
driven = gori.compile(gori.Spec(**data))
start = gori.State(0.0, rec.q[0], rec.v[0], np.zeros(0))
for loops in ("multipliers", "partition"):
    back = gori.Simulation(driven, gori.RK4(step=1e-3), loops=loops, state=start).run(1.0, sample=1e-3)
    off = np.abs(back["A.q"] - rec["A.q"]).max()
    print(f"driven by the torque, with {loops}: within {off:.0e} rad")
    assert off < 1e-4, "the table is linear between its rows"

out.mkdir(parents=True, exist_ok=True)
figure, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
axes[0].plot(rec["P.x"], rec["P.y"], color="tab:gray")
gori.view.draw(rec.model, rec.q[100], axes[0], color=None)
axes[0].set(title="coupler curve", xlabel="x [m]", ylabel="y [m]")
axes[1].plot(times, torque, "k", label="motor [N m]")
for name in sorted(forces):
    axes[1].plot(times, np.linalg.norm(forces[name], axis=1) / 10, label=f"{name} [10 N]")
axes[1].set(xlabel="t [s]", title="motor and reactions")
axes[1].legend(fontsize="small")
figure.savefig(out / "four_bar.png", dpi=80)
gori.view.animate(rec, out / "four_bar.gif", trails=["P"], size=4)
