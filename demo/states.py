"""Demo of States and subsystems: saved half-way and taken up again; a program of one's own beside the bodies."""

import matplotlib.pyplot as plt
import numpy as np

import gori
from demo.report import Case, Report


class Leash:
    """A spring and damper in sub-steps of its own, from the ground to a body's origin: a subsystem in Python."""

    name, bodies, step, outputs = "leash", ("block",), 2e-4, {"leash.length": "m"}

    def __init__(self):
        self.length = 0.0

    def start(self, motion, time):
        return self._wrench(motion, 0)

    def advance(self, motion, step, time):
        return np.mean([self._wrench(motion, k) for k in range(1, len(motion.position))], axis=0)

    def _wrench(self, motion, k):
        x, v = motion.position[k, 0], motion.velocity[k, 0]
        self.length = float(np.linalg.norm(x))
        return np.array([[0.0, 0.0, 0.0, *(-40.0 * x - 2.0 * v)]])

    def state(self):
        return {"length": self.length}

    def load(self, saved):
        self.length = float(saved["length"])

    def output_values(self):
        return (self.length,)


def resumed(case: Case, report: Report) -> None:
    """A State is all that must be kept.

    A block on a leash, which is a subsystem with a rate of its own, runs for four seconds; and again, saved to a file
    after two and taken up by another Simulation. The States at the end must have the same digest, and the swing must be
    that of the damped oscillator, to the first order of the exchange.
    """
    spec = gori.Spec(
        bodies={"block": {"mass": 1.0, "inertia": [1.0, 1.0, 1.0]}},
        joints={"rail": {"type": "prismatic", "parent": "ground", "child": "block", "axis": [1, 0, 0], "q": 0.1}},
    )
    model, method = gori.compile(spec), gori.RK4(step=1e-3)
    whole = gori.Simulation(model, method, subsystems=[Leash()])
    rec = whole.run(2.0, sample=0.01, progress=False)
    whole.state.save(report.folder / "half.npz")
    other = gori.Simulation(model, method, subsystems=[Leash()], state=gori.State.load(report.folder / "half.npz"))
    for simulation in (whole, other):
        simulation.run(2.0, sample=0.01, progress=False)
    case.check("digests that differ", float(whole.state.digest() != other.state.digest()), 0.5)
    omega = np.sqrt(40.0 - 1.0)
    exact = 0.1 * np.exp(-rec.time) * (np.cos(omega * rec.time) + np.sin(omega * rec.time) / omega)
    case.check("against the oscillator", float(np.abs(rec["rail.q"] - exact).max()), 1.5e-3, " m")
    figure, ax = plt.subplots(figsize=(8, 3))
    ax.plot(rec.time, rec["rail.q"], label="block")
    ax.plot(rec.time, exact, "--", label="damped oscillator")
    ax.set(xlabel="time [s]", ylabel="position [m]")
    ax.legend()
    report.picture(case, "states.png", figure)


CASES = (resumed,)
