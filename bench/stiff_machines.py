"""Machines whose fastest motion is much faster than what is looked for: to measure adaptive and implicit methods."""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np

import gori
from bench.mechanisms import andrews


def spring_pendulum(stiffness: float = 1e8) -> gori.Spec:
    """A bob of 1 kg on a spring of 1 m, released horizontally: 10 000 rad/s along the spring, about 3 rad/s across.

    So released, the spring is stretched as slowly as the pendulum swings, and does not ring.
    """
    return gori.Spec(
        bodies={"rod": {}, "bob": {"mass": 1.0, "inertia": [1e-4, 1e-4, 1e-4]}},
        joints={
            "pin": {"type": "revolute", "parent": "ground", "child": "rod", "axis": [0, 1, 0], "q_deg": 90.0},
            "spring": {
                "type": "prismatic", "parent": "rod", "child": "bob", "at": [0, 0, -1], "axis": [0, 0, -1],
                "stiffness": stiffness, "rest": 0.0,
            },
        },
    )  # fmt: skip


def suspension(stiffness: float = 1e8) -> gori.Spec:
    """A quarter of a car on double wishbones, in the y-z plane, over a road that rises and falls by 4 cm at 2 Hz.

    The upper ball joint is a bushing, stiff as such joints are: 1e8 N/m and 1e4 N s/m, against 3e4 N/m of the spring
    and 2e5 N/m of the tyre. The car is let down at the start: the bushing rings, and is damped in a few milliseconds.
    """
    turn = {"type": "revolute", "axis": [1, 0, 0]}
    slide = {"type": "prismatic", "parent": "ground", "axis": [0, 0, 1]}
    return gori.Spec(
        bodies={
            "chassis": {"mass": 400.0, "inertia": [50.0, 50.0, 50.0]},
            "lower": {"mass": 5.0, "com": [0, 0.2, 0], "inertia": [0.08, 0.02, 0.08]},
            "upper": {"mass": 3.0, "com": [0, 0.15, 0], "inertia": [0.03, 0.01, 0.03]},
            "knuckle": {"mass": 25.0, "com": [0, 0.05, 0.13], "inertia": [0.6, 0.8, 0.6]},
            "road": {"mass": 1.0},
        },
        joints={
            "heave": slide | {"child": "chassis", "at": [0, 0, 0.5]},
            "lower_pivot": turn | {"parent": "chassis", "child": "lower", "at": [0, 0.25, -0.2]},
            "upper_pivot": turn | {"parent": "chassis", "child": "upper", "at": [0, 0.30, 0.06]},
            "lower_ball": turn | {"parent": "lower", "child": "knuckle", "at": [0, 0.40, 0]},
            "lift": slide | {"child": "road", "at": [0, 0.7, 0]},
        },
        forces={
            "upper_ball": {
                "type": "bushing", "parent": "upper", "at": [0, 0.30, 0],
                "child": "knuckle", "child_at": [0, -0.05, 0.26],
                "stiffness": [50.0, 50.0, 50.0, stiffness, stiffness, stiffness],
                "damping": [1.0, 1.0, 1.0, 1e4, 1e4, 1e4],
            },
            "strut": {
                "type": "spring", "parent": "chassis", "at": [0, 0.35, 0.3], "child": "lower", "child_at": [0, 0.3, 0],
                "stiffness": 3e4, "damping": 2e3,
            },
            "tyre": {
                "type": "spring", "parent": "road", "child": "knuckle", "child_at": [0, 0.05, 0.1],
                "stiffness": 2e5, "damping": 300.0,
            },
        },
        motions={"bumps": {"joint": "lift", "value": "0.02*(1 - cos(4*pi*t))"}},
    )  # fmt: skip


class Stiff(NamedTuple):
    make: Callable[[], gori.Spec]
    duration: float  # [s]
    size: float  # of the machine [m]
    words: str


CASES = {
    "andrews": Stiff(andrews, 0.03, 0.1, "Andrews' squeezer, 0.03 s"),
    "spring_pendulum": Stiff(spring_pendulum, 2.0, 1.0, "pendulum on a spring of 1e8 N/m, 2 s"),
    "suspension": Stiff(suspension, 1.0, 0.7, "suspension with a bushing of 1e8 N/m, 1 s"),
}
SAMPLES = 50
"""places along the way at which errors are taken"""


@cache
def model_of(name: str) -> gori.Model:
    return gori.compile(CASES[name].make())


def run(name: str, method: gori.integrate.Method) -> gori.Recording:
    duration = CASES[name].duration
    return gori.Simulation(model_of(name), method).run(duration, sample=duration / SAMPLES, progress=False)


@cache
def reference(name: str) -> gori.Recording:
    """By an explicit method, with steps that resolve all there is."""
    return run(name, gori.Dopri5(rtol=1e-12, atol=1e-14))


def error(name: str, rec: gori.Recording) -> float:
    """Largest error of a coordinate at any sample: of an angle relative to its own largest value in the run, of a
    travel relative to the size of the machine.
    """
    exact, model = reference(name), model_of(name)
    sliding = np.array([info.type == "prismatic" for info in model.joints])
    scale = np.where(sliding, CASES[name].size, np.abs(exact.q).max(axis=0))
    return float((np.abs(rec.q - exact.q) / scale).max())
