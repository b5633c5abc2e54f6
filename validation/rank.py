"""Haug, section 10.1.1: a slider-crank with three revolute joints and one slide, all in space.

In his coordinates 28 unknowns meet 30 equations of rank 27: 3 equations follow from the others, and one freedom
remains, though the count says -2. Here with the bodies free and every joint a cut, and as a tree with one cut.
"""

from collections.abc import Iterator

import numpy as np

import gori
from validation.check import Check, compare

CASE = "Haug's rank test"
REDUNDANT, FREEDOM = 30 - 27, 28 - 27
CRANK, ROD, ANGLE = 0.2, 0.5, 0.7
"""lengths [m] and angle [rad]: any will do"""


def spec(free: bool) -> gori.Spec:
    """Crank, rod and slider in the x-y plane: as a tree cut at the slide, or all bodies free and all joints cut."""
    tilt = -np.arcsin(CRANK * np.sin(ANGLE) / ROD)
    pin = np.array([CRANK * np.cos(ANGLE), CRANK * np.sin(ANGLE), 0.0])
    wrist = pin + ROD * np.array([np.cos(tilt), np.sin(tilt), 0.0])
    bodies = dict.fromkeys(("crank", "rod", "slider"), gori.spec.Body(mass=1, inertia=(0.1, 0.1, 0.1)))
    hinges = {
        "A": {"type": "revolute", "parent": "ground", "child": "crank"},
        "B": {"type": "revolute", "parent": "crank", "child": "rod", "at": (CRANK, 0, 0)},
        "C": {"type": "revolute", "parent": "rod", "child": "slider", "at": (ROD, 0, 0)},
    }
    slide = {"D": {"type": "prismatic", "parent": "ground", "child": "slider", "axis": (1, 0, 0)}}
    if not free:
        angles = {"A": ANGLE, "B": tilt - ANGLE, "C": -tilt}
        joints = {name: hinge | {"q": angles[name]} for name, hinge in hinges.items()}
        return gori.Spec(bodies=bodies, joints=joints, cuts=slide)
    poses = {"crank": (ANGLE, np.zeros(3)), "rod": (tilt, pin), "slider": (0.0, wrist)}
    joints = {
        f"{name}_free": {
            "type": "free",
            "parent": "ground",
            "child": name,
            "q": (np.cos(angle / 2), 0.0, 0.0, np.sin(angle / 2), *place),
        }
        for name, (angle, place) in poses.items()
    }
    return gori.Spec(bodies=bodies, joints=joints, cuts=hinges | slide)


def checks(long: bool = False) -> Iterator[Check]:
    for words, free in (("all bodies free", True), ("tree", False)):
        mobility = gori.compile(spec(free)).mobility()
        found = {
            "redundant equations": len(mobility.redundant),
            "equations less rank": mobility.equations - mobility.rank,
            "degrees of freedom": mobility.freedom,
        }
        reference = dict(zip(found, (REDUNDANT, REDUNDANT, FREEDOM), strict=True))
        yield compare(CASE, words, "model.mobility()", reference, found, 0.0, source="published")
