"""Full throttle from rest, and back to a stop: times, top speed, braking distance.

Checks: published figures of a vehicle of 3 t with this engine (0 to 60 mph in 17.3 s), the speed at which the governor
ends third gear, and the stopping distance against the mean deceleration.
"""

from gori import manoeuvre

MPH = 0.44704

result = manoeuvre.acceleration(set={"payload.mass": 432})
print(result)
assert abs(result.recording.model.mass - 3009) < 1
assert abs(result["0 to 60 mph"] / 17.3 - 1) < 0.1

third = manoeuvre.acceleration(gear=3)
print(third)
assert abs(third["top speed"] - 72.8) < 1.5

stop = manoeuvre.braking(speed=60 * MPH, pedal=0.5)
print(stop)
assert stop["stopped"] and stop["lateral deviation"] < 0.01
assert abs(stop["stopping distance"] - (60 * MPH) ** 2 / (2 * stop["mean deceleration"])) < 0.2
