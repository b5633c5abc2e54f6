"""A statically determinate frame: the three-hinged arch, its reactions by hand.

Two straight bars of equal weight W rise from hinges A (0, 0) and B (2 l, 0) to a common hinge C (l, h); a load P pulls
C down. Moments about the hinges of each bar give

    A_z = B_z = W + P/2,     thrust A_x = -B_x = (W/2 + P/2) l/h

and at C the bars push each other with the thrust, and with P/2 up on each to carry the load that hangs there.
"""

from collections.abc import Iterator

import numpy as np

import gori
from validation.check import Check, compare

CASE = "three-hinged arch"
LENGTH, HEIGHT, MASS, LOAD, G = 1.5, 2.0, 12.0, 350.0, 9.81


def spec() -> gori.Spec:
    bar = float(np.hypot(LENGTH, HEIGHT))
    body = gori.spec.Body(mass=MASS, com=(bar / 2, 0, 0), inertia=(1e-3, MASS * bar**2 / 12, MASS * bar**2 / 12))
    left = np.arctan2(HEIGHT, LENGTH)
    y = (0.0, -1.0, 0.0)
    return gori.Spec(
        gravity=(0.0, 0.0, -G),
        bodies={"left": body, "right": body},
        joints={
            "A": {"type": "revolute", "parent": "ground", "child": "left", "axis": y, "q": left},
            "B": {
                "type": "revolute",
                "parent": "ground",
                "at": (2 * LENGTH, 0, 0),
                "child": "right",
                "axis": y,
                "q": np.pi - left,
            },
        },
        cuts={
            "C": {"type": "revolute", "parent": "left", "at": (bar, 0, 0), "child": "right", "child_at": (bar, 0, 0),
                  "axis": y},
        },
        forces={"load": {"type": "wrench", "body": "left", "at": (bar, 0, 0), "force": (0, 0, -LOAD)}},
    )  # fmt: skip


def checks(long: bool = False) -> Iterator[Check]:
    model = gori.compile(spec())
    weight = MASS * G
    thrust = 0.5 * (weight + LOAD) * LENGTH / HEIGHT
    hand = {
        "A, x": thrust,
        "A, z": weight + 0.5 * LOAD,
        "B, x": -thrust,
        "B, z": weight + 0.5 * LOAD,
        "C on the right bar, x": thrust,
        "C on the right bar, z": -0.5 * LOAD,
    }
    q = gori.assemble(model)
    rest = gori.Recording(model, [0.0], q[None], np.zeros((1, model.nv)))
    trace = gori.Trace(rest)
    found = {
        f"{words}, {axis}": float(trace.reaction(name)[0, 3 + k])
        for name, words in (("A", "A"), ("B", "B"), ("C", "C on the right bar"))
        for axis, k in (("x", 0), ("z", 2))
    }
    yield compare(CASE, "reactions [N]", "gori.Trace", hand, found, 1e-9, source="exact")
