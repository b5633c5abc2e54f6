"""Machines that touch, for runs: a ball and a box on a plane, a four-bar that hits a stop."""

import numpy as np

import gori
from gori.spec import GROUND

G = 9.81
RADIUS, HEIGHT = 0.1, 0.1


def solid(kind, **fields):
    return {"type": kind, "material": "a", "collide": True, **fields}


def spec_of(body, contact, gravity=(0.0, 0.0, -G), name="body", height=0.0, floor=None):
    """One free body above a plane, or another floor."""
    return gori.Spec(
        gravity=list(gravity),
        materials={"a": {"rigid": True}},
        contacts={"a/a": {"friction": 0.5, "restitution": 0.0, "stiffness": 1e7} | contact},
        bodies={
            GROUND: {"shapes": {"floor": solid("plane") if floor is None else floor}},
            name: {"shapes": {"s": body}},
        },
        joints={"free": {"type": "free", "parent": GROUND, "child": name, "q": [1, 0, 0, 0, 0, 0, height]}},
    )


def on_slope(slope, gravity=G):
    """Gravity as on a slope [rad] down along x."""
    return gravity * np.sin(slope), 0.0, -gravity * np.cos(slope)


def ball(slope=0.0, gravity=G, radius=RADIUS, floor=None, **contact):
    """A ball of 1 kg that just touches a plane."""
    shape = solid("sphere", radius=radius, density=1.0 / (4 / 3 * np.pi * radius**3))
    return spec_of(shape, contact, on_slope(slope, gravity), "ball", radius, floor)


def box(slope=0.0, **contact):
    """A box of 1 kg, 0.2 x 0.2 x 0.1 m, that just touches a plane."""
    shape = solid("box", size=[0.2, 0.2, HEIGHT], density=250.0)
    return spec_of(shape, contact, on_slope(slope), "box", HEIGHT / 2)


def four_bar(**contact):
    """A parallelogram of bars of 1 m in a vertical plane. Falling to one side, a ball on its right bar hits one of the
    ground at 1 rad; both have a radius of 0.05 m.
    """

    def bar(axis):
        com = [0, 0, 0.5] if axis == "z" else [0.5, 0, 0]
        inertia = [0.1, 0.1, 0.01] if axis == "z" else [0.01, 0.1, 0.1]
        return {"mass": 1.0, "com": com, "inertia": inertia}

    lean, turning = 0.3, {"axis": [0, 1, 0]}
    hitting = np.array([1 + 0.7 * np.sin(1), 0, 0.7 * np.cos(1)])
    stop = solid("sphere", radius=0.05, at=list(hitting + 0.1 * np.array([np.cos(1), 0, -np.sin(1)])))
    return gori.Spec(
        materials={"a": {"rigid": True}},
        contacts={"a/a": {"friction": 0.3, "restitution": 0.5, "stiffness": 1e7} | contact},
        bodies={
            GROUND: {"shapes": {"stop": stop}},
            "left": bar("z"),
            "right": bar("z") | {"shapes": {"ball": solid("sphere", radius=0.05, at=[0, 0, 0.7])}},
            "coupler": bar("x"),
        },
        joints={
            "a": {"type": "revolute", "parent": GROUND, "child": "left", "q": lean} | turning,
            "b": {"type": "revolute", "parent": "left", "child": "coupler", "at": [0, 0, 1], "q": -lean} | turning,
            "d": {"type": "revolute", "parent": GROUND, "child": "right", "at": [1, 0, 0], "q": lean} | turning,
        },
        cuts={
            "c": {"type": "revolute", "parent": "coupler", "child": "right", "at": [1, 0, 0], "child_at": [0, 0, 1]}
            | turning
        },
    )
