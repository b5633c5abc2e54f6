"""A scissor lift of n stages: which force must the ram have?

Bars of length L at an angle theta: the foot is at x = L cos theta, the platform at n L sin theta. By virtual work, with
M the mass on top (platform, load and roller) and m that of a bar,

    F = dV/dx,   V = g L sin theta (n M + n^2 m)   ->   F = -g (n M + n^2 m) cot theta

In the plane each loop needs two equations, and a revolute cut gives five: three in each are redundant. The force of the
ram is unique all the same; how the bars share forces out of the plane is not.
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import gori

G, BAR, TOP = 9.81, 12.0, 205.0  # m/s2, kg, kg
two = gori.load(Path(__file__).parent / "scissor_lift.yaml")


def lift(stages: int) -> gori.Spec:
    """The lift of scissor_lift.yaml with another number of stages."""
    data = two.model_dump(exclude_unset=True)
    for group, names in (("bodies", ("a2", "b2")), ("joints", ("left1", "right1", "middle2"))):
        for name in names:
            del data[group][name]
    for k in range(2, stages + 1):
        for bar in "ab":
            data["bodies"][f"{bar}{k}"] = two.bodies[f"{bar}2"]
        below = {"a1": f"a{k - 1}", "b1": f"b{k - 1}", "a2": f"a{k}", "b2": f"b{k}"}
        for name, joint in (("left", "left1"), ("right", "right1"), ("middle", "middle2")):
            part = two.joints[joint].model_dump(exclude_unset=True)
            number = k if name == "middle" else k - 1
            data["joints"][f"{name}{number}"] = part | {side: below[part[side]] for side in ("parent", "child")}
    data["joints"]["top"]["parent"], data["joints"]["wrist"]["parent"] = f"b{stages}", f"a{stages}"
    return gori.Spec(**data)


def by_hand(x: np.ndarray, stages: int) -> np.ndarray:
    return -G * (stages * TOP + stages**2 * BAR) * x / np.sqrt(1 - x**2)


out = Path(sys.argv[1]) if len(sys.argv) > 1 else Path("out") / "examples" / "scissor_lift"
out.mkdir(parents=True, exist_ok=True)
figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for stages in (1, 2, 3, 5):
    model = gori.compile(lift(stages))
    about = model.mobility()
    loops = len(model.spec.cuts)
    print(f"{stages} stages: {about.coordinates} coordinates, {about.equations} equations of rank {about.rank}")
    assert loops == stages + 1 and about.rank == about.coordinates == 2 * stages + 3  # with that of the ram
    assert len(about.redundant) == 3 * loops

    # so slowly that only weight counts
    slow = gori.inverse_dynamics(
        gori.compile(lift(stages).set("motions.lift.value", "0.6 + 0.3*cos(pi*t/4e4)")), np.linspace(0, 4e4, 81)
    )
    force, x = slow["lift.drive"], slow["ram.q"]
    error = np.abs(force / by_hand(x, stages) - 1).max()
    print(
        f"   ram {force[0]:.0f} N at {slow['platform.z'][0]:.2f} m, {force[-1]:.0f} N at {slow['platform.z'][-1]:.2f} m"
    )
    assert error < 1e-6 and np.abs(slow["platform.z"] - stages * np.sqrt(1 - x**2)).max() < 1e-9
    ax.plot(slow["platform.z"], -force / 1e3, label=f"{stages} stages")

    # up in four seconds: the work of the ram is the gain in energy
    quick = gori.inverse_dynamics(model, np.linspace(0, 4, 401))
    power = quick["lift.drive"] * quick["ram.v"]
    work = np.append(0, np.cumsum((power[1:] + power[:-1]) / 2 * np.diff(quick.time)))
    gain = quick["energy.total"] - quick["energy.total"][0]
    assert np.abs(work - gain).max() < 1e-4 * gain.max()
    if stages == 2:
        assert model.spec == gori.compile(two).spec
    if stages == 3:
        gori.view.pictures(quick, [0.0, 1.5, 4.0], out / "pictures.png", size=2.5)
        gori.view.animate(quick, out / "scissor_lift.gif", every=0.1, fps=10, size=4)
ax.set(xlabel="height [m]", ylabel="force of the ram [kN]")
ax.legend()
figure.savefig(out / "force.png", dpi=80)
