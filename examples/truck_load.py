"""A truck full of gravel that starts suddenly: 6.3 t of it in the bed of a truck of 3.7 t, vehicle and grains together.

    python examples/truck_load.py                                  few large grains, in seconds
    python examples/truck_load.py --count 53000 --device cuda      the case as published: 53,000 spheres of 4.5 cm, 5 s

The truck is `vehicles/ten_tonne.yaml`: the topology of the HMMWV-like template (27 coordinates, 16 equations) with
masses, springs, tyres and engine of a truck. The gravel is limestone (2e10 Pa, 2500 kg/m3), and so a particle step of
8.6e-6 s is suggested, about that of the published case. Fewer grains are larger, of the same mass in all, and softer.

Checks: at rest the wheels carry truck and load; driving off, the load's force is what its mass takes; the load settles
backwards, the rear axle is loaded more, and the truck is slower than without the load.
"""

import argparse
import time
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import gori
from gori import vehicle
from gori.analysis.granular import center_of_mass
from gori.view.particles import picture

TRUCK = Path(__file__).parent / "vehicles" / "ten_tonne.yaml"
COUNT, RADIUS, DENSITY = 53_000, 0.0225, 2500.0
"""of the published case; the density is ours"""
BED = {"type": "box", "size": [3.6, 2.1, 0.8], "at": [-0.55, 0.0, 1.15], "hollow": True, "open": ["z+"]}
"""inside of the bed, in the chassis frame [m]"""
STEP = 1e-3
"""of the bodies [s]"""
METHOD = gori.RK4(step=STEP)


def truck(load: dict | None = None) -> gori.Spec:
    """The truck with a bed; empty, or with a rigid `load`: the payload of its template."""
    spec = vehicle.spec(TRUCK, set={f"payload.{name}": value for name, value in (load or {}).items()})
    assert len(spec.cuts) == 8 and "truck.chassis" in spec.bodies
    return spec


def loaded(count: int = COUNT, modulus: float = 2e10) -> gori.Spec:
    """The truck with `count` grains of the same mass in all, poured into its bed; modulus of their material [Pa]."""
    data = truck().model_dump(exclude_unset=True)
    data["bodies"]["truck.chassis"]["shapes"] = {"bed": {**BED, "material": "steel"}}
    data |= {
        "materials": {"steel": {"E": 2.1e11, "nu": 0.3}, "stone": {"E": modulus, "nu": 0.25, "density": DENSITY}},
        "contacts": {
            "stone/stone": {"restitution": 0.5, "friction": 0.3},
            "stone/steel": {"restitution": 0.5, "friction": 0.3},
        },
        "particles": {
            "load": {
                "material": "stone",
                "radius": RADIUS * (COUNT / count) ** (1.0 / 3.0),
                "fill": {"shape": "truck.chassis.bed", "count": count, "packing": "poured", "seed": 1},
            }
        },
    }
    return gori.Spec(**data)


class Drive(NamedTuple):
    """What a start was like.

    ahead   acceleration of the chassis, mean over 20 ms [m/s2];  axles: front and rear load [N]
    """

    recording: gori.Recording
    ahead: np.ndarray
    axles: np.ndarray
    wall: float


def drive_off(model: gori.Model, state: gori.State, seconds: float, device: str = "cpu") -> Drive:
    """Full throttle from rest."""
    simulation = gori.Simulation(model, METHOD, state=state, loops="frozen_explicit", device=device)
    simulation.inputs["truck.throttle"], simulation.inputs["truck.selector"] = 1.0, "D"
    began = time.perf_counter()
    rec = simulation.run(seconds, sample=5 * STEP, frames=0.05)
    wall = time.perf_counter() - began
    window = np.ones(5) / 5.0
    ahead = np.convolve(np.gradient(rec["truck.v"][:, 3], rec.time), window, mode="same")
    loads = {corner: rec[f"truck.wheel_{corner}.load"] for corner in vehicle.CORNERS}
    axles = np.column_stack([loads["fl"] + loads["fr"], loads["rl"] + loads["rr"]])
    return Drive(rec, ahead, axles, wall)


def place_of_load(frames) -> tuple[np.ndarray, np.ndarray]:
    """Times (n,) and centre of mass of the load (n, 3) in the chassis frame [m]."""
    rows = []
    for frame in frames:
        pose = frame.poses["truck.chassis"]
        rows.append(pose[:3, :3].T @ (center_of_mass(frame) - pose[:3, 3]))
    return np.array([frame.time for frame in frames]), np.array(rows)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--count", type=int, default=250, help="grains: 53000 is the published case")
    arguments.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    arguments.add_argument("--seconds", type=float, help="of driving; default: 5, and 2 with less than 10,000 grains")
    arguments.add_argument("--modulus", type=float, help="of the grains [Pa]; default: 2e10, and 2e8 likewise")
    given = arguments.parse_args()
    few = given.count < 10_000
    seconds = given.seconds or (2.0 if few else 5.0)
    spec = loaded(given.count, given.modulus or (2e8 if few else 2e10))
    model = gori.compile(spec)
    assert model.nv == 27 and model.mobility().equations == 16

    # at rest, brakes on
    began = time.perf_counter()
    state = gori.at_rest(model, loops="frozen_explicit", device=given.device)
    standing = gori.Simulation(model, METHOD, state=state, loops="frozen_explicit", device=given.device)
    standing.inputs["truck.brake"] = 1.0
    mass = float(standing.particles.mass.sum())
    weight = 9.81 * (model.mass + mass)
    rest = standing.run(0.1, sample=STEP)
    carried = sum(rest[f"truck.wheel_{corner}.load"].mean() for corner in vehicle.CORNERS)
    print(f"{given.count} grains of radius {1e3 * standing.particles.radius[0]:.1f} mm, {mass:.0f} kg; step", end=" ")
    print(f"{standing.particles.step:.3g} s, {standing.particles.substeps} in one of the bodies; {given.device}")
    print(f"at rest after {time.perf_counter() - began:.1f} s of wall time: wheels carry {carried:.0f} N,", end=" ")
    print(f"truck and load weigh {weight:.0f} N ({100.0 * (carried / weight - 1.0):+.3f} %)")
    assert abs(carried / weight - 1.0) < 0.005

    # driving off: with the load, empty, and with a rigid load of the same mass and place
    _, first = place_of_load([standing.particles.frame()])
    block = {"mass": mass, "at": first[0].tolist(), "size": [3.6, 2.1, 2.0 * (first[0][2] - 0.75)]}
    runs = {"grains": drive_off(model, state, seconds, given.device)}
    for name, load in (("empty", None), ("rigid load", block)):
        other = gori.compile(truck(load))
        runs[name] = drive_off(other, gori.at_rest(other), seconds)
    gravel = runs["grains"]
    print(f"{seconds:g} s of driving took {gravel.wall:.1f} s of wall time")
    for name, run in runs.items():
        print(f"{name:10}: largest acceleration {run.ahead.max():.2f} m/s2, {run.recording['truck.v'][-1, 3]:.2f} m/s")

    times, centres = place_of_load(gravel.recording.frames)
    shift = centres - centres[0]
    front, rear = (gravel.axles[0], gravel.axles[:, 1].max())
    print(f"the load's centre moves by {1e3 * shift[:, 0].min():.1f} mm along and {1e3 * shift[-1, 2]:.1f} mm up")
    print(f"axle loads: {front[0]:.0f} and {front[1]:.0f} N at rest; rear at most {rear:.0f} N")

    # m a of the load is what the bed gives it
    force = -gravel.recording["truck.chassis.wrench_from.load"][:, 3].mean()
    grains_end = gravel.recording.frames[-1]
    gained = float(grains_end.mass @ grains_end.velocity[:, 0])
    assert abs(gained / (force * seconds) - 1.0) < 0.02
    assert gravel.ahead.max() < 0.75 * runs["empty"].ahead.max()
    assert abs(gravel.recording["truck.v"][-1, 3] / runs["rigid load"].recording["truck.v"][-1, 3] - 1.0) < 0.05
    assert shift[:, 0].min() < 0.0 and rear > 1.02 * front[1]

    Path("out").mkdir(exist_ok=True)
    show(runs, times, shift)
    # coloured by the speed against the truck
    frame = gravel.recording.frames[-1]
    against = replace(frame, velocity=frame.velocity - [gravel.recording["truck.v"][-1, 3], 0.0, 0.0])
    picture(against, "out/truck_load.png", walls=model, view=(-60, 20), limits=(0.0, 0.5))


def show(runs: dict[str, Drive], times: np.ndarray, shift: np.ndarray) -> None:
    """Acceleration, axle loads and the load's centre over time, into one picture."""
    figure, axes = plt.subplots(1, 3, figsize=(13, 3.8))
    for name, run in runs.items():
        axes[0].plot(run.recording.time, run.ahead, label=name)
        axes[1].plot(run.recording.time, run.axles[:, 1] / 1e3, label=f"rear, {name}")
    for k, name in ((0, "ahead"), (2, "up")):
        axes[2].plot(times, 1e3 * shift[:, k], label=name)
    titles = ("acceleration of the chassis [m/s2]", "axle load [kN]", "shift of the load's centre [mm]")
    for ax, title in zip(axes, titles):
        ax.set(xlabel="t [s]", title=title)
        ax.legend()
        ax.grid(True, alpha=0.3)
    figure.tight_layout()
    figure.savefig("out/truck_start.png", dpi=110)


if __name__ == "__main__":
    main()
