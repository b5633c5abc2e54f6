"""Where can the tool go, and how well can it move there? A hundred thousand random poses in one call.

The measure is Yoshikawa's manipulability of the tool's position, sqrt(det(J J')): zero where a direction is lost.
"""

import time
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import gori

model = gori.compile(gori.load(Path(__file__).parent / "arm.yaml"))
q = model.random(0, 100_000)
model.forward_kinematics(q[:8]), model.jacobian(q[:8], "tool")  # compiles on the first run

start = time.perf_counter()
points = model.forward_kinematics(q)["tool"][:, :3, 3]
J = model.jacobian(q, "tool")[:, 3:]
seconds = time.perf_counter() - start
measure = np.sqrt(np.linalg.det(J @ J.transpose(0, 2, 1)).clip(0.0))
reach = np.linalg.norm(points - [0, 0, 0.38], axis=1).max()
print(f"{len(q)} poses and Jacobians in {seconds:.2f} s, reach {reach:.3f} m")

radius = np.hypot(points[:, 0], points[:, 1])
figure, ax = plt.subplots(figsize=(6, 6))
dots = ax.scatter(radius[::10], points[::10, 2], c=measure[::10], s=2)
figure.colorbar(dots, label="manipulability")
ax.set(xlabel="distance from the axis [m]", ylabel="height [m]", title="Workspace of the arm", aspect="equal")
out = Path("out") / "examples"
out.mkdir(parents=True, exist_ok=True)
figure.savefig(out / "workspace.png", dpi=110)

# the arm is 0.42 + 0.37 + 0.10 + 0.12 m long from the shoulder: nothing lies beyond, and a stretched arm is singular
assert reach <= 1.01 + 1e-12
stretched = model.jacobian(model.neutral(), "tool")[3:]
assert np.sqrt(np.linalg.det(stretched @ stretched.T).clip(0.0)) < 1e-8 < measure.max()
