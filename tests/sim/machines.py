"""Small machines for tests of the simulation, and the long run that a child process makes to be killed.

python -m tests.sim.machines PATH METHOD     runs until it is killed or done
"""

import sys

import gori
from gori.sim import Event, Simulation
from gori.spec import GROUND, Spec

LONG = {
    # method: settings, duration [s]: some seconds of wall clock
    "rk4": ({"type": "rk4", "step": 1e-5}, 12.0),
    "dopri5": ({"type": "dopri5", "rtol": 1e-12, "atol": 1e-13}, 1000.0),
    "generalized_alpha": ({"type": "generalized_alpha", "step": 1e-4}, 30.0),
}


def falling(**joint) -> Spec:
    """A mass of 1 kg on a vertical rail, at q = 1 m."""
    rail = {"type": "prismatic", "parent": GROUND, "child": "mass", "axis": [0, 0, 1], "q": 1.0}
    return Spec(bodies={"mass": {"mass": 1.0}}, joints={"rail": rail | joint})


def hinge(**joint) -> Spec:
    """A wheel of inertia 1 about a vertical axis: nothing but what acts on it moves it."""
    axle = {"type": "revolute", "parent": GROUND, "child": "wheel"}
    return Spec(bodies={"wheel": {"mass": 1.0, "inertia": [1, 1, 1]}}, joints={"axle": axle | joint})


def with_forces(spec: Spec, **forces) -> Spec:
    return Spec(**spec.model_dump(exclude_unset=True), forces=forces)


def busy() -> Spec:
    """A pendulum and a ball joint with friction, springs, a motor and a force that changes with time."""
    bar = {"mass": 1.0, "com": [0.0, 0.0, -0.5], "inertia": [0.09, 0.08, 0.02]}
    return Spec(
        bodies={"a": bar, "b": bar, "c": bar},
        joints={
            "ja": {"type": "revolute", "parent": GROUND, "child": "a", "axis": [0, 1, 0], "q": 0.8, "friction": 0.01,
                   "stick_stiffness": 5.0},
            "jb": {"type": "spherical", "parent": "a", "child": "b", "at": [0, 0, -1], "stiffness": 2.0,
                   "v": [0, 1, 2]},
            "jc": {"type": "revolute", "parent": "a", "child": "c", "at": [0, 0, -1], "axis": [1, 0, 0],
                   "damping": 0.01},
        },
        forces={
            "drive": {"type": "motor", "joint": "jc", "kp": 5.0, "kd": 0.1, "target": "0.5*sin(2*t)"},
            "gust": {"type": "wrench", "body": "b", "force": ["0.5*sin(3*t)", 0.0, 0.1]},
        },
    )  # fmt: skip


def long_run(method: str) -> tuple[Simulation, float]:
    """The Simulation of the run that is killed, and its duration."""
    settings, duration = LONG[method]
    return Simulation(gori.compile(busy()), settings, events=EVENTS), duration


EVENTS = {"down": Event("ja.q", when="falling")}

if __name__ == "__main__":
    simulation, duration = long_run(sys.argv[2])
    simulation.run(duration, sample=duration / 3000, path=sys.argv[1])
