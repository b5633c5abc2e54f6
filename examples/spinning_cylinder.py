"""Grains in a cylinder that spins about its vertical axis: the surface is a paraboloid, z = z0 + (w r)^2 / (2 g).

A motion drives the cylinder. Its wall is rough; the grains are slippery, so that slopes can differ from the paraboloid
only by their small angle of internal friction, about 10 degrees.

    python examples/spinning_cylinder.py           900 grains, seconds
    python examples/spinning_cylinder.py --full    25,100 grains of 4 mm at 10 rad/s, minutes
"""

import argparse
import math

import numpy as np

import gori
from gori.analysis import granular

parser = argparse.ArgumentParser()
parser.add_argument("--full", action="store_true")
full = parser.parse_args().full
count, R, d, spin, E = (25100, 0.10, 0.004, 10.0, 1e6) if full else (900, 0.05, 0.006, 14.14, 5e5)
g, duration = 9.81, 2.0 if full else 1.5

wall = {"type": "cylinder", "radius": R, "length": 3.0 * R, "axis": [0, 0, 1], "material": "rough"}
fill = {"shape": "drum.wall", "count": count, "packing": "poured"}
spec = gori.Spec(
    materials={"rough": {"rigid": True}, "grain": {"E": E, "density": 2500.0}},
    contacts={
        "grain/grain": {"restitution": 0.5, "friction": 0.05},
        "grain/rough": {"restitution": 0.5, "friction": 1.0},
    },
    bodies={
        "drum": {"mass": 1.0, "inertia": [1, 1, 1], "shapes": {"wall": wall | {"hollow": True, "open": ["top"]}}},
    },
    joints={"axle": {"type": "revolute", "parent": "ground", "child": "drum", "axis": [0, 0, 1]}},
    motions={"drive": {"joint": "axle", "speed": spin}},
    particles={"load": {"material": "grain", "radius": d / 2, "fill": fill}},
    run={"duration": duration, "subsystems": {"load": {"skin": d / 2, "frames": 0.02}}},
)

# grains that fill a body start with its motion: here, they turn with the drum
simulation = gori.Simulation(gori.compile(spec), gori.RK4(step=2e-3))
rec = simulation.run(duration)
frames = [frame for frame in rec.frames if frame.time > duration - 0.3]

# the surface in rings, mean over the last frames, and the paraboloid through the same volume
edges = np.linspace(0.0, R - 0.75 * d, 9 if full else 7)
profiles = [granular.surface_profile(frame, "r", edges) for frame in frames]
r, height = profiles[0].at, np.mean([profile.mean for profile in profiles], axis=0)
rise = (spin * r) ** 2 / (2.0 * g)
exact = rise + np.average(height - rise, weights=r)
slope, exact_slope = np.arctan(np.diff(height) / np.diff(r)), np.arctan(spin**2 * 0.5 * (r[1:] + r[:-1]) / g)

print("    r    surface  paraboloid [mm]")
for row in zip(1e3 * r, 1e3 * height, 1e3 * exact):
    print("{:6.1f} {:8.1f} {:8.1f}".format(*row))
off = np.degrees(np.abs(slope - exact_slope).max())
rim, middle = 1e3 * height[-1], 1e3 * height[0]
print(f"slopes differ by at most {off:.1f} deg; the rim stands {rim - middle:.1f} mm above the middle")
assert off < 10.0, "the angle of internal friction"
assert np.abs(height - exact).max() < 0.08 * R, "slopes off by nine degrees one way, all along"
turning = float(frames[-1].mass @ np.cross(frames[-1].position, frames[-1].velocity)[:, 2])
rigid = spin * float(frames[-1].mass @ (frames[-1].position[:, :2] ** 2).sum(axis=1))
assert math.isclose(turning, rigid, rel_tol=0.02), "grains turn with the drum"
