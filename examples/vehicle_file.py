"""A vehicle out of a file: the same file runs with `gori run truck.yaml`, here it is changed and looked at.

Payload and soil are exchanged, three variants drive the same way, and what the wheels left behind is drawn.
"""

from pathlib import Path

import gori

FILE = Path(__file__).with_name("truck.yaml")


def drive(soil: str, payload: float) -> tuple[gori.Recording, gori.State, gori.Model]:
    """Run the file with another soil and payload [kg]."""
    spec = gori.load(FILE, set={"truck.payload.mass": payload, "terrain.soft.soil": gori.soil(soil)})
    model = gori.compile(spec)
    start = gori.at_rest(model, speed=spec.run.speed)
    simulation = gori.Simulation(model, spec.run.method, state=start)
    recording = simulation.run(spec.run.duration, sample=0.01)
    return recording, simulation.state, model


sinkage, gained = {}, {}
for soil, payload in (("lete_sand", 0.0), ("lete_sand", 1500.0), ("sandy_loam_15", 0.0)):
    rec, end, model = drive(soil, payload)
    late = rec.time > 2.0  # the bump is behind it
    mean = float(rec["truck.wheel_rl.sinkage"][late].mean())
    speed = float(rec["truck.chassis.velocity"][-1, 3])
    sinkage[soil, payload], gained[soil, payload] = mean, speed
    print(f"{soil:14} {payload:5g} kg: sinks {1e3 * mean:4.1f} mm behind, {speed:5.2f} m/s after {rec.time[-1]:g} s")
    gori.view.ruts(model, end, f"out/ruts_{soil}_{payload:g}.png")
    gori.view.pictures(rec, [0.0, 0.6, 1.2], f"out/truck_{soil}_{payload:g}.png", view="xz", follow="truck.chassis")

# a laden vehicle sinks deeper, and gains less speed
assert sinkage["lete_sand", 1500.0] > 1.2 * sinkage["lete_sand", 0.0]
assert gained["lete_sand", 1500.0] < gained["lete_sand", 0.0]
# a Spec of a vehicle is a Spec like any other: written out, it has all its parts
gori.save(model.spec, "out/whole.yaml")
assert gori.load("out/whole.yaml") == model.spec
