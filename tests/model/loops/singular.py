"""Machines that are hard to start: at singular poses, where branches cross, at dead centres, and without mass."""

from gori.spec import GROUND, Spec


def bar(length, mass=1.0):
    return {"mass": mass, "com": [length / 2, 0, 0], "inertia": [1e-3, mass * length**2 / 12, mass * length**2 / 12]}


def parallelogram(angle=0.0, gravity=0.0, rocker=1.0, **v):
    """Bars of 1 m on feet 2 m apart, joined by a coupler of 2 m; flat at angle 0.

    rocker   its mass [kg]; the others have 1 kg
    v        velocities of A, B, C
    """
    joints = {
        "A": {"type": "revolute", "parent": GROUND, "child": "crank", "q": angle},
        "B": {"type": "revolute", "parent": "crank", "child": "coupler", "at": [1, 0, 0], "q": -angle},
        "C": {"type": "revolute", "parent": GROUND, "child": "rocker", "at": [2, 0, 0], "q": angle},
    }
    for name, value in v.items():
        joints[name] = joints[name] | {"v": value}
    return Spec(
        gravity=[0, -gravity, 0],
        bodies={"crank": bar(1.0), "coupler": bar(2.0), "rocker": bar(1.0, rocker)},
        joints=joints,
        cuts={
            "D": {"type": "revolute", "parent": "coupler", "child": "rocker", "at": [2, 0, 0], "child_at": [1, 0, 0]}
        },
    )


def locomotive(angle=0.0, gravity=0.0, **v):
    """Three cranks of 1 m, 2 m apart, joined by one rod: a redundant parallelogram, flat at angle 0."""
    foot = {"type": "revolute", "parent": GROUND, "q": angle}
    pin = {"type": "revolute", "parent": "rod", "child_at": [1, 0, 0]}
    joints = {
        "A": foot | {"child": "first"},
        "B": {"type": "revolute", "parent": "first", "child": "rod", "at": [1, 0, 0], "q": -angle},
        "C": foot | {"child": "second", "at": [2, 0, 0]},
        "E": foot | {"child": "third", "at": [4, 0, 0]},
    }
    for name, value in v.items():
        joints[name] = joints[name] | {"v": value}
    return Spec(
        gravity=[0, -gravity, 0],
        bodies={"first": bar(1.0), "rod": bar(4.0), "second": bar(1.0), "third": bar(1.0)},
        joints=joints,
        cuts={"D": pin | {"child": "second", "at": [2, 0, 0]}, "F": pin | {"child": "third", "at": [4, 0, 0]}},
    )


def dead_centre(gravity=0.0):
    """Two bars in one line between fixed feet: they can move only infinitesimally."""
    return Spec(
        gravity=[0, -gravity, 0],
        bodies={"one": bar(1.0), "two": bar(1.5)},
        joints={
            "A": {"type": "revolute", "parent": GROUND, "child": "one", "q": 0.0},
            "B": {"type": "revolute", "parent": "one", "child": "two", "at": [1, 0, 0], "q": 0.0},
        },
        cuts={"C": {"type": "revolute", "parent": GROUND, "child": "two", "at": [2.5, 0, 0], "child_at": [1.5, 0, 0]}},
    )


def four_bar_without_mass(massless):
    """A crank of 0.2 m, a coupler of 0.5 m and a rocker of 0.4 m on feet 0.6 m apart; some of them have no mass."""
    bodies = {"crank": bar(0.2), "coupler": bar(0.5), "rocker": bar(0.4)}
    return Spec(
        gravity=[0, -9.81, 0],
        bodies={name: {"mass": 0.0} if name in massless else body for name, body in bodies.items()},
        joints={
            "A": {"type": "revolute", "parent": GROUND, "child": "crank", "q_deg": 60, "v": 3.0},
            "B": {"type": "revolute", "parent": "crank", "child": "coupler", "at": [0.2, 0, 0]},
            "D": {"type": "revolute", "parent": GROUND, "child": "rocker", "at": [0.6, 0, 0], "guess_deg": 100},
        },
        cuts={
            "C": {
                "type": "revolute",
                "parent": "coupler",
                "child": "rocker",
                "at": [0.5, 0, 0],
                "child_at": [0.4, 0, 0],
            }
        },
    )
