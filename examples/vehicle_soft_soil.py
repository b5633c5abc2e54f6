"""Go or no-go: the same truck on four soils, how deep it sinks and what it could still pull.

Checks: sand bears it, wet sandy loam does not; a vehicle that follows in the ruts of another one goes deeper than that
did, but by less than the first one sank into fresh soil.
"""

import gori
from gori import manoeuvre, vehicle
from gori.manoeuvre import DriverSchedule, HoldSpeed, Together, courses

for soil, goes in (("lete_sand", True), ("dry_sand", True), ("lean_clay_32", True), ("sandy_loam_32", False)):
    result = manoeuvre.soft_soil(soil)
    words = (
        f"sinks {result['sinkage, rear']:.0f} mm, pulls {result['drawbar pull, largest']:.0f} N" if goes else "digs in"
    )
    print(f"{soil}: {'goes' if result['go'] else 'does not go'}, {words}")
    assert bool(result["go"]) is goes

# twice along the same track: the State carries the soil
model = gori.compile(vehicle.spec("hmmwv", terrain=courses.soft_strip("dry_sand").terrain))
start = gori.at_rest(model)
ruts = []
for _ in range(2):
    driver = Together(DriverSchedule(brake=0.0, transfer="low"), HoldSpeed(2.0), lambda run: run.q[4] > 15)
    sim = gori.Simulation(model, gori.Adams(step=1e-3, order=2), state=start, driver=driver)
    rec = sim.run(20, sample=0.02)
    ruts.append(float(rec["truck.wheel_fl.sinkage"][rec.time > 4].mean()))
    soil = {name: sim.state.vehicle[name] for name in ("cell_index", "cells")}
    start = start.replace(vehicle={**start.vehicle, **soil})
print(f"front wheels: {1e3 * ruts[0]:.1f} mm deep in the first pass, {1e3 * ruts[1]:.1f} mm in the second")
assert ruts[0] < ruts[1] < 2 * ruts[0], "the second goes deeper, by less than the first"
