"""Subsystems and machines for the tests of couplings."""

import numpy as np

import gori
from gori.sim import BaseSubsystem

STIFFNESS, MASS, STEP = 400.0, 2.0, 1e-3


class Spring:
    """A spring from the ground to a body's origin along x, in sub-steps."""

    def __init__(self, body="block", name="spring", fail_at=np.inf, stiffness=STIFFNESS, damping=0.0):
        self.name, self.bodies, self.step, self.outputs = name, (body,), 3e-4, {f"{name}.travel": "m"}
        self.travel, self.calls, self.fail_at = 0.0, 0, fail_at
        self.stiffness, self.damping, self.error = stiffness, damping, ValueError("valve stuck")

    def start(self, motion, time):
        self.travel = float(motion.position[0, 0, 0])

    def advance(self, motion, step, time):
        self.calls += 1
        if time > self.fail_at:
            raise self.error
        x, v = motion.position[1:, 0, 0].mean(), motion.velocity[1:, 0, 0].mean()
        self.travel = float(motion.position[-1, 0, 0])
        return np.array([[0.0, 0.0, 0.0, -self.stiffness * x - self.damping * v, 0.0, 0.0]])

    def state(self):
        return {"travel": self.travel, "calls": self.calls}

    def load(self, saved):
        self.travel, self.calls = float(saved["travel"]), int(saved["calls"])

    def output_values(self):
        return (self.travel,)


class Constant(BaseSubsystem):
    """The same wrench on each body, always; keeps the motion that it was given last."""

    def __init__(self, bodies, wrench, name="constant", step=STEP):
        self.name, self.bodies, self.step = name, tuple(bodies), step
        self.wrench, self.motions = np.tile(wrench, (len(self.bodies), 1)), []

    def start(self, motion, time):
        self.motions = [motion]
        return self.wrench

    def advance(self, motion, step, time):
        self.motions.append(motion)
        return self.wrench


def slider(**joint):
    return gori.compile(
        gori.Spec(
            bodies={"block": {"mass": MASS, "inertia": [1.0, 1.0, 1.0]}},
            joints={
                "rail": {
                    "type": "prismatic", "parent": "ground", "child": "block", "axis": [1, 0, 0], "q": 0.1, **joint
                }
            },
        )
    )  # fmt: skip


def simulate(*subsystems, step=STEP, **options):
    return gori.Simulation(slider(), gori.RK4(step=step), subsystems=subsystems, **options)
