"""Closed machines that touch something, for tests of time stepping."""

import math

import gori

STEEL = {"material": "steel", "collide": True}


def _spec(bodies, joints, friction=0.5, gravity=(0, 0, -9.81), **more) -> gori.Spec:
    law = {"friction": friction, "restitution": 0.0, **more}
    return gori.Spec.model_validate(
        {
            "gori": 1, "gravity": gravity, "materials": {"steel": {"E": 2e11}}, "contacts": {"steel/steel": law},
            "bodies": bodies, "joints": joints,
        }
    )  # fmt: skip


def _bar(length, **shape):
    return {"shapes": {"bar": {"type": "capsule", "length": length, "radius": 0.02, "density": 7800, **shape}}}


def ring(friction=0.5, tilt=0.3, **more) -> gori.Spec:
    """Four bars in a ring, free, standing tilted over the floor: it falls, and folds up."""
    c, s = math.cos(tilt / 2), math.sin(tilt / 2)
    bodies = {"ground": {"shapes": {"floor": {"type": "plane", **STEEL}}}}
    bodies |= {name: _bar(length, **STEEL) for name, length in zip("abcd", (0.3, 0.4, 0.3, 0.4))}
    hinge = {"type": "revolute", "axis": [0, 1, 0]}
    joints = {
        "free": {"type": "free", "parent": "ground", "child": "a", "q": [c, 0, -s, 0, 0, 0, 0.1]},
        "A": {**hinge, "parent": "a", "at": [0.3, 0, 0], "child": "b", "q_deg": -80},
        "B": {**hinge, "parent": "b", "at": [0.4, 0, 0], "child": "c", "guess_deg": -100},
        "C": {**hinge, "parent": "c", "at": [0.3, 0, 0], "child": "d", "guess_deg": -80},
        "D": {**hinge, "parent": "d", "at": [0.4, 0, 0], "child": "a"},
    }
    return _spec(bodies, joints, friction, **more)


def four_bar(stop=None, speed=0.0, motion=None, law=None, **joint) -> gori.Spec:
    """A crank-rocker in the x-y plane. The rocker hits a block of the ground whose right face is at x = stop.

    joint   of three of them;  law: more of the contact
    """
    ground = {} if stop is None else {"stop": {"type": "box", "size": [0.2, 0.1, 0.2], "at": [stop - 0.1, 0.3, 0]}}
    hinge = {"type": "revolute", **joint}
    spec = _spec(
        {
            "ground": {"shapes": {name: {**shape, **STEEL} for name, shape in ground.items()}},
            "crank": _bar(0.2), "coupler": _bar(0.5), "rocker": _bar(0.4, **STEEL),
        },
        {
            "A": {**hinge, "parent": "ground", "child": "crank", "q_deg": 60, "v": speed},
            "B": {**hinge, "parent": "crank", "at": [0.2, 0, 0], "child": "coupler"},
            "C": {
                "type": "revolute", "parent": "coupler", "at": [0.5, 0, 0], "child": "rocker", "child_at": [0.4, 0, 0]
            },
            "D": {**hinge, "parent": "ground", "at": [0.6, 0, 0], "child": "rocker", "guess_deg": 100},
        },
        0.0, gravity=(0, -9.81, 0), **(law or {}),
    )  # fmt: skip
    if motion is None:
        return spec
    return gori.Spec.model_validate(spec.model_dump(exclude_unset=True) | {"motions": {"motor": motion}})
