"""Runs with contact: a heap by impulses, boxes by the penalty law with an adaptive method, impacts by events.

Each has contacts that stick, slide, part and come to rest, so that a State must hold all that contact remembers.
"""

from typing import Any

import gori

SOLID = {"material": "steel", "collide": True}
TURN = [0.8, 0.36, 0.48, 0.0]


def spec(shapes: list[dict[str, Any]], restitution: float, **law: float) -> gori.Spec:
    """Free bodies one above the other, each turned, over an inclined floor with a wall at its foot."""
    wall = {"type": "plane", "normal": [-1.0, 0.0, 0.0], "at": [0.6, 0.0, 0.0]}
    bodies: dict[str, Any] = {"ground": {"shapes": {"floor": {"type": "plane", **SOLID}, "wall": {**wall, **SOLID}}}}
    joints: dict[str, Any] = {}
    for k, shape in enumerate(shapes):
        bodies[f"body_{k}"] = {"shapes": {"solid": {"density": 1000.0, **shape, **SOLID}}}
        q = [*TURN, 0.05 * (k % 3), 0.04 * (k % 2), 0.2 + 0.25 * k]
        joints[f"free_{k}"] = {"type": "free", "parent": "ground", "child": f"body_{k}", "q": q}
    contacts = {"steel/steel": {"friction": 0.4, "restitution": restitution, **law}}
    return gori.Spec(
        gravity=[1.5, 0.0, -9.6], materials={"steel": {"E": 2e11}}, contacts=contacts, bodies=bodies, joints=joints
    )


BALL, BOX = {"type": "sphere", "radius": 0.08}, {"type": "box", "size": [0.2, 0.15, 0.1]}
ROD = {"type": "capsule", "axis": [1.0, 0.0, 0.0], "length": 0.2, "radius": 0.05}


def impulses() -> gori.Simulation:
    """A heap that falls and comes to rest."""
    from examples.pile import heap

    return gori.Simulation(gori.compile(heap(20)), gori.TimeStepping(step=1e-3))


def penalty() -> gori.Simulation:
    """With steps chosen by the error."""
    made = spec([BOX, BALL, ROD], 0.3, stiffness=1e6, rolling_friction=0.01, torsional_friction=0.01)
    return gori.Simulation(gori.compile(made), gori.Dopri5(rtol=1e-6))


def impacts() -> gori.Simulation:
    """Balls that hit each other and the wall, roll, and come to rest."""
    return gori.Simulation(gori.compile(spec([BALL, BALL], 0.3)), gori.Dopri5(rtol=1e-8), impacts=gori.Impacts())
