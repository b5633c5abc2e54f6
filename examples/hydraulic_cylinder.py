"""A subsystem of your own: a hydraulic cylinder, with the pressure of its oil at a rate of its own, lifts a boom.

    beta: bulk modulus of the oil,  A: area of the piston,  x: length of the cylinder from pin to pin

    V(x) p' / beta = Q - A x',   V = dead volume + A (x - x_0),   F = p A    along the line between the pins

A pump delivers Q = 0.2 l/s from 1 s to 3 s; before and after the valve is closed. Assumed: one chamber without leaks,
oil and hoses together with a bulk modulus of 0.2 GPa, friction of the seals as damping of the pin. The bodies take
steps of 0.5 ms: the boom on the oil swings at about 8 Hz, and a lag of a step is small against that. Checked: the
closed cylinder bears the boom's weight; while the pump runs the piston moves by Q / A; the oil that was pumped in is
what the piston has swept and what was compressed; the boom described by other axes and another origin moves alike; a
run that was saved half-way and taken up again ends with the same bits.
"""

import numpy as np

import gori

BULK, AREA, DEAD, FLOW, REST = 2e8, 2e-3, 2e-4, 2e-4, 0.8


class Cylinder:
    """Oil between two points of two bodies. The members that Gori asks for are those of `gori.Subsystem`."""

    def __init__(self, name: str, bodies: tuple[str, str], points: tuple[list[float], list[float]], pressure: float):
        self.name, self.bodies, self.step = name, bodies, 1e-4
        self.outputs = {f"{name}.pressure": "Pa", f"{name}.length": "m"}
        self.points, self.pressure, self.length = np.array(points), pressure, 0.0

    def start(self, motion, time):
        self.length = float(np.linalg.norm(self._line(motion, 0)[2]))
        return self._wrench(motion, 0)

    def advance(self, motion, step, time):
        wrench, steps = np.zeros((2, 6)), len(motion.position) - 1
        for k in range(1, steps + 1):
            _, velocities, line = self._line(motion, k)
            self.length = float(np.linalg.norm(line))
            along = line / self.length
            rate = float((velocities[1] - velocities[0]) @ along)
            now = time - (steps - k) * step
            flow = FLOW if 1.0 < now <= 3.0 else 0.0
            self.pressure += step * BULK / (DEAD + AREA * (self.length - REST)) * (flow - AREA * rate)
            wrench += self._wrench(motion, k) / steps
        return wrench

    def _wrench(self, motion, k):
        """Moment about its origin and force on each of the two bodies."""
        arms, _, line = self._line(motion, k)
        force = self.pressure * AREA * line / np.linalg.norm(line)
        return np.array([[*np.cross(arm, side * force), *(side * force)] for arm, side in zip(arms, (-1.0, 1.0))])

    def _line(self, motion, k):
        """Arms from the bodies' origins to the pins, velocities of the pins, and the line from pin to pin."""
        arms = np.einsum("bij,bj->bi", motion.rotation[k], self.points)
        velocities = motion.velocity[k] + np.cross(motion.angular_velocity[k], arms)
        pins = motion.position[k] + arms
        return arms, velocities, pins[1] - pins[0]

    def state(self):
        return {"pressure": self.pressure, "length": self.length}

    def load(self, saved):
        self.pressure, self.length = float(saved["pressure"]), float(saved["length"])

    def output_values(self):
        return self.pressure, self.length


# the boom along x from the pin on; and, described otherwise, along z with its origin in the centre of mass
BOOMS = {
    "along x": ({"com": [1.0, 0, 0], "inertia": [1.0, 70.0, 70.0]}, {}, [0.8, 0.0, 0.0]),
    "along z": (
        {"com": [0, 0, 0], "inertia": [70.0, 70.0, 1.0]},
        {"rpy_deg": [0, 90, 0], "child_at": [0, 0, -1.0]},
        [0.0, 0.0, -0.2],
    ),
}
foot, lever = [0.3, 0.0, -0.8], 0.8 * 0.8 / np.hypot(0.5, 0.8)
pressure = 200.0 * 9.81 * 1.0 / (lever * AREA)


def simulation(boom: str, **options) -> gori.Simulation:
    body, placed, head = BOOMS[boom]
    spec = gori.Spec(
        bodies={"boom": {"mass": 200.0, **body}},
        joints={
            "pin": {
                "type": "revolute", "parent": "ground", "child": "boom", "axis": [0, -1, 0], "damping": 1000.0, **placed
            }
        },
    )  # fmt: skip
    cylinder = Cylinder("lift", ("ground", "boom"), (foot, head), pressure)
    return gori.Simulation(gori.compile(spec), gori.RK4(step=5e-4), subsystems=[cylinder], **options)


recordings = {}
for boom in BOOMS:
    rec = recordings[boom] = simulation(boom).run(4.0, sample=0.01)
    x, p = rec["lift.length"], rec["lift.pressure"]
    held, lifted = rec.time < 0.95, (rec.time > 1.5) & (rec.time < 2.9)
    speed = np.polyfit(rec.time[lifted], x[lifted], 1)[0]
    print(f"boom {boom}: held at {p[held].mean() / 1e5:.2f} bar (statics {pressure / 1e5:.2f}), {1e3 * speed:.2f} mm/s")
    volume = DEAD + AREA * (x - REST)
    swept, pressed = AREA * (x[-1] - x[0]), np.sum(0.5 * (volume[1:] + volume[:-1]) * np.diff(p)) / BULK
    print(f"oil pumped {2e3 * FLOW:.4f} l; swept {1e3 * swept:.4f} l, compressed {1e3 * pressed:.4f} l")
    assert np.abs(p[held] / pressure - 1.0).max() < 2e-3
    assert abs(speed / (FLOW / AREA) - 1.0) < 5e-3
    assert abs((swept + pressed) / (2.0 * FLOW) - 1.0) < 1e-3
first, other = recordings.values()
apart = np.abs(first["pin.q"] - other["pin.q"]).max()
print(f"the two booms are {apart:.1e} rad apart")
assert apart < 1e-5

first = simulation("along z")
first.run(1.2)
second = simulation("along z", state=first.state)
second.run(0.8)
first.run(0.8)
assert first.state.digest() == second.state.digest()
print("saved half-way and taken up again: the same bits")
