"""Two gears that run in grit: what the bearings feel with and without it.

The machine, its teeth and the stiffness of the grit are described in gears.yaml. Here: the reaction of the driven
gear's bearing, what each triangle of its teeth takes, and how both grow with the stiffness of the grit.

    python examples/gears.py [FOLDER] [--full] [--device cuda]

Without --full a few hundred grains around the mesh run for a tenth of a second; with it 10,296 in the whole case, 1 s.
"""

import argparse
import time
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import gori
from gori.model.particles.materials import suggested_step
from gori.view.particles import picture

words = argparse.ArgumentParser()
words.add_argument("folder", nargs="?", default="out/examples/gears")
words.add_argument("--full", action="store_true")
words.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
words.add_argument("--duration", type=float, help="[s]")
words.add_argument("--stiffness", type=float, nargs="+", help="of the grit, in that of gears.yaml")
asked = words.parse_args()
out = Path(asked.folder)
out.mkdir(parents=True, exist_ok=True)
duration = asked.duration or (1.0 if asked.full else 0.1)
TEETH = "gear2.teeth"

spec = gori.load(Path(__file__).parent / "gears.yaml")
if not asked.full:
    mesh = {"at": [0.01, 0, 0.002], "size": [0.007, 0.012, 0.004]}
    spec = spec.set("particles.grit.fill", {"box": mesh, "count": 300, "packing": "poured", "seed": 1})
assert abs(suggested_step(spec) / 5.82e-6 - 1) < 1e-3


def without_grit(spec: gori.Spec) -> gori.Spec:
    data = spec.model_dump(exclude_unset=True)
    del data["particles"], data["run"]
    return gori.Spec(**data)


def radial(recording: gori.Recording) -> np.ndarray:
    """Reaction of the driven gear's bearing, across its axis [N]."""
    return np.hypot(*recording["shaft2.reaction"][:, 3:5].T)


def run(stiffness: float) -> tuple[gori.Recording, gori.Simulation, np.ndarray]:
    """Grit so many times as stiff; the largest force on each triangle of the driven gear [N] comes with it."""
    machine = spec.set("materials.grit.E", stiffness * spec.materials["grit"].E)
    step = 1e-3 / max(1.0, np.sqrt(stiffness))  # stiffer contacts want shorter steps of the bodies, as of the grains
    most = [0.0]

    def watch(simulation):
        most[0] = np.maximum(most[0], np.linalg.norm(simulation.particles.wall_forces()[TEETH], axis=1))

    simulation = gori.Simulation(
        gori.compile(machine), gori.GeneralizedAlpha(step=step), device=asked.device, driver=watch, driver_period=step
    )
    began = time.perf_counter()
    recording = simulation.run(duration, sample=step, frames=duration)
    particles = simulation.particles
    print(
        f"E {machine.materials['grit'].E:.3g} Pa: {len(particles)} grains, {particles.step:.3g} s and {step:.2g} s "
        f"a step, {time.perf_counter() - began:.1f} s of wall time on {asked.device}"
    )
    return recording, simulation, most[0]


# ---- without grit: teeth alone
clean = gori.Simulation(gori.compile(without_grit(spec)), gori.GeneralizedAlpha(step=1e-3)).run(duration, sample=1e-3)
figure, ax = plt.subplots(figsize=(8, 4), layout="constrained")
late = clean.time > 0.5 * duration
teeth = float(radial(clean)[late].mean())
if asked.full:
    speed = clean["shaft2.v"][-1]
    assert (
        abs(teeth - 2.5e-5 * abs(speed) / 9.3969e-3) < 0.01 * teeth
    )  # load over base radius, along the line of action
    assert abs(clean["shaft1.v"][-1] + speed) < 1e-3

# ---- with grit, of several stiffnesses
table = []
for stiffness in asked.stiffness or ((1.0,) if asked.full else (1.0, 2.0, 4.0)):
    recording, simulation, most = run(stiffness)
    force, particles = radial(recording), simulation.particles
    pushed = np.hypot(*recording["gear2.wrench_from.grit"][:, 3:5].T)
    table.append((stiffness, force.max(), force[recording.time > 0.5 * duration].mean(), pushed.max(), most.max()))
    ax.plot(recording.time, 1e3 * force, lw=0.8, label=f"grit, E x {stiffness:g}")

    # nothing has left the case, and the gears still turn as one
    low, high = np.array([-0.0122, -0.0122, 0.0]), np.array([0.0322, 0.0122, 0.004])
    assert ((particles.position > low) & (particles.position < high)).all()
    assert np.abs(recording["shaft1.q"] + recording["shaft2.q"]).max() < 0.05  # not beyond the backlash
    assert most.max() > 0.0 and pushed.max() > 0.0
    if stiffness == 1.0:
        picture(recording.frames[-1], out / "gears.png", walls=simulation.model, view=(-90, 60), colour="speed")

print(f"without grit: {1e3 * teeth:.2f} mN in the second half, largest {1e3 * radial(clean).max():.2f} mN")
print(f"{'E x':>5} {'largest [mN]':>12} {'mean [mN]':>10} {'by grit [mN]':>12} {'a triangle [mN]':>15}")
for row in table:
    print(f"{row[0]:5g} {1e3 * row[1]:12.2f} {1e3 * row[2]:10.2f} {1e3 * row[3]:12.2f} {1e3 * row[4]:15.2f}")
ax.plot(clean.time, 1e3 * radial(clean), "k", label="without grit")
ax.set(xlabel="time [s]", ylabel="reaction of the driven gear's bearing [mN]")
ax.legend()
figure.savefig(out / "reaction.png", dpi=90)
