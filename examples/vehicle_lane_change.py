"""The double lane change of ISO 3888-1, with a driver of one's own: speed held, path followed, gates looked at.

The same as `gori.manoeuvre.lane_change`, from its parts. Checks: no cone is hit at 60 km/h, and the path is met within
a few decimetres.
"""

import numpy as np

import gori
from gori import vehicle
from gori.manoeuvre import Follow, HoldSpeed, Together, courses, dimensions

SPEED = 60 / 3.6

model = gori.compile(vehicle.spec("hmmwv"))
state = gori.at_rest(model, speed=SPEED)
size = dimensions(model, "truck")
course = courses.lane_change(round(size.width, 3), "3888-1")
follow = Follow(course.path, understeer=0.0105)
aside = []


def watch(run):
    aside.append(follow.aside)
    return run.q[4] > course.length + 5  # ends the run


driver = Together(HoldSpeed(SPEED, bias=0.28), follow, watch)
sim = gori.Simulation(model, gori.Adams(step=1e-3, order=2), state=state, driver=driver)
rec = sim.run(20, sample=5e-3)

x = rec["truck.chassis.rotation"][:, :, 0]
yaw = np.arctan2(x[:, 1], x[:, 0])
through = courses.check_gates(course, size, rec["truck.q"][:, 4:6], yaw)
for gate, (margin, cones) in zip(course.gates, through):
    print(f"gate from {gate.start:g} to {gate.end:g} m: {margin:.3f} m to spare, {cones} cones hit")
print(f"{rec.time[-1]:.2f} s, {max(map(abs, aside)):.2f} m off the path at most")
assert all(margin > 0 and cones == 0 for margin, cones in through)
assert max(map(abs, aside)) < 0.4
