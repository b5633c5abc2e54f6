"""Small machines whose bodies touch."""

import gori

MATERIALS = {"steel": {"E": 2e11, "nu": 0.3}, "rubber": {"E": 1e7, "nu": 0.5}, "stone": {"rigid": True}}
CONTACTS = {
    "steel/steel": {"friction": 0.6, "restitution": 0.0},
    "steel/rubber": {"friction": 0.9, "restitution": 0.4, "rolling_friction": 0.01, "torsional_friction": 0.02},
    "stone/steel": {"friction": 0.5, "restitution": 0.1, "stiffness": 1e8},
    "stone/stone": {"friction": 0.5, "restitution": 0.1},
}


def solid(kind, material="steel", **fields):
    """A shape that collides."""
    return {"type": kind, "material": material, "collide": True, **fields}


def machine(bodies, ground=None, joints=None, **more):
    """A Spec of bodies {name: {shape: ...}}; those without a joint are free."""
    parts = {} if ground is None else {"ground": {"shapes": ground}}
    for name, shapes in bodies.items():
        parts[name] = {"mass": 1.0, "inertia": [0.1, 0.1, 0.1], "shapes": shapes}
    carried = {joint["child"] for joint in (joints or {}).values()}
    free = {
        f"{name}_free": {"type": "free", "parent": "ground", "child": name} for name in bodies if name not in carried
    }
    return gori.Spec(
        bodies=parts, joints={**free, **(joints or {})}, **{"materials": MATERIALS, "contacts": CONTACTS} | more
    )
