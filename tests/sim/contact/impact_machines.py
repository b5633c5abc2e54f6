"""Small machines that collide, for tests of impacts."""

from collections.abc import Mapping
from typing import Any

import numpy as np

import gori

STEEL = {"material": "steel", "collide": True}
G = 9.81


def machine(
    bodies: Mapping[str, Any],
    joints: Mapping[str, Any],
    friction: float = 0.0,
    restitution: float = 1.0,
    floor: bool = True,
    gravity: float = G,
    **others: Any,
) -> gori.Model:
    """Bodies of steel above a floor z = 0 of steel."""
    ground = {"shapes": {"floor": {"type": "plane", **STEEL}}} if floor else {}
    return gori.compile(
        gori.Spec.model_validate(
            {
                "gravity": [0.0, 0.0, -gravity],
                "materials": {"steel": {"density": 7800.0}},
                "contacts": {"steel/steel": {"friction": friction, "restitution": restitution}},
                "bodies": {"ground": ground} | dict(bodies),
                "joints": dict(joints),
                **others,
            }
        )
    )


def sphere(radius: float, **others: Any) -> dict[str, Any]:
    """A body of 1 kg with a ball about its origin; others: of the body."""
    moment = 0.4 * radius**2
    shapes = {"ball": {"type": "sphere", "radius": radius, **STEEL}}
    return {"mass": 1.0, "inertia": [moment, moment, moment], "shapes": shapes} | others


def ball(restitution: float, friction: float = 0.0, radius: float = 0.1) -> gori.Model:
    """A free ball above the floor."""
    joints = {"fly": {"type": "free", "parent": "ground", "child": "ball"}}
    return machine({"ball": sphere(radius)}, joints, friction, restitution)


def above(model: gori.Model, x: float, y: float, z: float, **velocity: Any) -> gori.State:
    """The only body of a Model at a position; velocity: w and v (3,)."""
    v = np.concatenate([velocity.get("w", np.zeros(3)), velocity.get("v", np.zeros(3))])
    return model.state(q=[1.0, 0.0, 0.0, 0.0, x, y, z], v=v)


def row_of_balls(count: int, restitution: float = 1.0, apart: float = 0.0) -> gori.Model:
    """Balls of radius 0.05 on sliders along x without gravity; the first 0.2 m away, the others that far apart."""
    at = [-0.2, *(0.1 * k + apart * k for k in range(count - 1))]
    bodies = {f"b{k}": sphere(0.05) for k in range(count)}
    joints = {
        f"s{k}": {"type": "prismatic", "parent": "ground", "child": f"b{k}", "axis": [1, 0, 0], "q": at[k]}
        for k in range(count)
    }
    return machine(bodies, joints, 0.0, restitution, floor=False, gravity=0.0)


def double_pendulum(friction: float, restitution: float, height: float) -> gori.Model:
    """Kane's double pendulum: two rods of 1 m and 1 kg, whose lower tip, a small ball, strikes the floor.

    The upper hinge is at this height; both angles are those of the rods to the vertical.
    """
    rod = {"mass": 1.0, "com": [0, 0, -0.5], "inertia": [1.0 / 12.0, 1.0 / 12.0, 1e-6]}
    tip = {"shapes": {"tip": {"type": "sphere", "radius": 0.01, "at": [0, 0, -1.0], **STEEL}}}
    joints = {
        "A": {"type": "revolute", "parent": "ground", "child": "upper", "axis": [0, 1, 0], "at": [0, 0, height]},
        "B": {"type": "revolute", "parent": "upper", "child": "lower", "axis": [0, 1, 0], "at": [0, 0, -1.0]},
    }
    return machine({"upper": rod, "lower": rod | tip}, joints, friction, restitution)


def block(half_width: float, half_height: float, friction: float, restitution: float = 0.0) -> gori.Model:
    """A block of 1 kg that moves in the plane y = 0."""
    moment = (half_width**2 + half_height**2) / 3.0
    size = [2.0 * half_width, 0.5, 2.0 * half_height]
    bodies = {
        "px": {},
        "pz": {},
        "block": {"mass": 1.0, "inertia": [moment] * 3, "shapes": {"box": {"type": "box", "size": size, **STEEL}}},
    }
    joints = {
        "x": {"type": "prismatic", "parent": "ground", "child": "px", "axis": [1, 0, 0]},
        "z": {"type": "prismatic", "parent": "px", "child": "pz", "axis": [0, 0, 1]},
        "turn": {"type": "revolute", "parent": "pz", "child": "block", "axis": [0, 1, 0]},
    }
    return machine(bodies, joints, friction, restitution)


def belt(speed: float, friction: float) -> gori.Model:
    """A box of 2 kg at rest on a belt whose speed is given."""
    top = {"top": {"type": "box", "size": [10, 1, 0.1], "at": [0, 0, -0.05], **STEEL}}
    box = {"box": {"type": "box", "size": [0.2, 0.2, 0.05], **STEEL}}
    bodies = {
        "belt": {"mass": 50.0, "inertia": [1, 1, 1], "shapes": top},
        "box": {"mass": 2.0, "inertia": [0.0071, 0.0071, 0.0133], "shapes": box},
    }
    joints = {
        "run": {"type": "prismatic", "parent": "ground", "child": "belt", "axis": [1, 0, 0]},
        "fly": {"type": "free", "parent": "ground", "child": "box", "q": [1, 0, 0, 0, 0, 0, 0.025]},
    }
    motions = {"drive": {"joint": "run", "speed": speed}}
    return machine(bodies, joints, friction, 0.0, floor=False, motions=motions)


def guided_on_belt(motion: Mapping[str, Any], friction: float, pad: Mapping[str, Any]) -> gori.Model:
    """A pad of 10 kg on a vertical guide, on a belt of 2 kg with a given motion: neither can move along the slip."""
    top = {"top": {"type": "box", "size": [4, 1, 0.1], "at": [0, 0, -0.05], **STEEL}}
    bodies = {
        "belt": {"mass": 2.0, "inertia": [1, 1, 1], "shapes": top},
        "pad": {"mass": 10.0, "inertia": [1, 1, 1], "shapes": {"pad": {**pad, **STEEL}}},
    }
    joints = {
        "run": {"type": "prismatic", "parent": "ground", "child": "belt", "axis": [1, 0, 0]},
        "guide": {"type": "prismatic", "parent": "ground", "child": "pad", "axis": [0, 0, 1], "q": 0.05},
    }
    return machine(bodies, joints, friction, 0.0, floor=False, motions={"drive": {"joint": "run"} | dict(motion)})


def disc_brake(press: float, friction: float, speed: float | None = 10.0) -> gori.Model:
    """A pad on a guide 0.15 m beside the axis of a disc, pressed onto it; no gravity. speed: None: the disc is free."""
    disc = {"type": "cylinder", "axis": [0, 0, 1], "at": [0, 0, -0.02], "length": 0.02, "radius": 0.2, **STEEL}
    bodies = {
        "disc": {"mass": 10.0, "inertia": [0.2, 0.2, 0.4], "shapes": {"disc": disc}},
        "pad": {
            "mass": 0.1,
            "inertia": [1e-4] * 3,
            "shapes": {"pad": {"type": "box", "size": [0.03, 0.03, 0.02], **STEEL}},
        },
    }
    joints = {
        "axle": {"type": "revolute", "parent": "ground", "child": "disc", "axis": [0, 0, 1]},
        "guide": {"type": "prismatic", "parent": "ground", "child": "pad", "at": [0.15, 0, 0], "axis": [0, 0, 1]},
    }
    joints["guide"]["q"] = 0.01
    forces = {"press": {"type": "force", "joint": "guide", "value": -press}}
    motions = {} if speed is None else {"drive": {"joint": "axle", "speed": speed}}
    return machine(bodies, joints, friction, 0.0, floor=False, gravity=0.0, motions=motions, forces=forces)


def tumbling_box(size: float, restitution: float, friction: float) -> gori.Model:
    """A box of steel of (0.2, 0.3, 0.1) times a size, thrown onto the floor; times scale with the root of the size."""
    shape = {"type": "box", "size": [0.2 * size, 0.3 * size, 0.1 * size], "density": 1000.0, **STEEL}
    q, root = np.array([0.9, 0.3, 0.3, 0.1]), float(np.sqrt(size))
    q = [*(q / np.linalg.norm(q)), 0.0, 0.0, 0.3 * size]
    v = [1.0 / root, 2.0 / root, 3.0 / root, 1.0 * root, 0.0, 0.0]
    fly = {"type": "free", "parent": "ground", "child": "box", "q": [float(x) for x in q], "v": v}
    return machine({"box": {"shapes": {"box": shape}}}, {"fly": fly}, friction, restitution)


def three_that_fall(x: float = 0.03) -> gori.Model:
    """A box, a capsule and a cylinder of 1000 kg/m3 that tumble onto the floor and each other; x: where the last one
    starts.
    """
    shapes = {
        "a": {"type": "box", "size": [0.2, 0.3, 0.1]},
        "b": {"type": "capsule", "axis": [0, 1, 0], "length": 0.2, "radius": 0.05},
        "c": {"type": "cylinder", "axis": [1, 0, 0], "length": 0.2, "radius": 0.05},
    }
    starts = {
        "a": ([0.9, 0.3, 0.3, 0.1, 0, 0, 0.2], [1, 2, 3, 0.5, 0.1, 0]),
        "b": ([1, 0, 0, 0, 0.02, 0, 0.45], [1, 0, 1, 0, 0, 0]),
        "c": ([1, 0, 0, 0, x, 0.05, 0.65], [1, 0, 1, 0, 0, 0]),
    }
    bodies = {name: {"shapes": {"s": shape | {"density": 1000.0, **STEEL}}} for name, shape in shapes.items()}
    joints = {
        f"{name}_fly": {"type": "free", "parent": "ground", "child": name, "q": q, "v": v}
        for name, (q, v) in starts.items()
    }
    return machine(bodies, joints, 0.4, 0.3)


def random_tumblers(seed: int) -> gori.Model:
    """Two to four random bodies of 100 to 10000 kg/m3 that fall on the floor and each other, with any friction."""
    rng, shapes = np.random.default_rng([7, seed, 1]), []
    for _ in range(rng.integers(2, 5)):
        kind = rng.choice(["box", "box", "sphere", "capsule", "cylinder"])
        size, edges = float(rng.uniform(0.05, 0.1)), rng.uniform(0.08, 0.3, 3).tolist()
        if kind == "box":
            shapes.append({"type": "box", "size": edges})
        elif kind == "sphere":
            shapes.append({"type": "sphere", "radius": size})
        else:
            axis = [0, 1, 0] if kind == "capsule" else [1, 0, 0]
            shapes.append({"type": str(kind), "axis": axis, "length": 2.0 * size, "radius": 0.6 * size})
    densities = 1000.0 * 10.0 ** rng.uniform(-1.0, 1.0, len(shapes))
    friction, restitution = float(rng.uniform(0.1, 1.0)), float(rng.uniform(0.0, 0.6))
    bodies, joints = {}, {}
    for name, shape, density in zip("abcd", shapes, densities.tolist()):
        bodies[name] = {"shapes": {"s": shape | {"density": density, **STEEL}}}
        turn = rng.normal(size=4)
        q = [*turn / np.linalg.norm(turn), *rng.uniform(-0.04, 0.04, 2), 0.3 + 0.35 * len(joints)]
        v = [*rng.normal(size=3), *0.3 * rng.normal(size=3)]
        fly = {"type": "free", "parent": "ground", "child": name}
        joints[f"{name}_fly"] = fly | {"q": [float(x) for x in q], "v": [float(x) for x in v]}
    return machine(bodies, joints, friction, restitution)


def arm_and_bar(speed: float) -> gori.Model:
    """An arm with a ball at its end, whose turning is given, sweeps a bar that is free to turn about the same axis."""
    ball = {"ball": {"type": "sphere", "at": [1, 0, 0], "radius": 0.05, **STEEL}}
    end = {"end": {"type": "box", "size": [0.1, 0.1, 0.1], "at": [1, 0, 0], **STEEL}}
    bodies = {
        "arm": {"mass": 1.0, "inertia": [1, 1, 1], "shapes": ball},
        "bar": {"mass": 1.0, "inertia": [0.1, 0.1, 0.1], "shapes": end},
    }
    hinge = {"type": "revolute", "parent": "ground", "axis": [0, 0, 1]}
    joints = {"A": hinge | {"child": "arm", "q_deg": -90.0}, "B": hinge | {"child": "bar"}}
    motions = {"drive": {"joint": "A", "speed": speed}}
    return machine(bodies, joints, 0.0, 0.0, floor=False, gravity=0.0, motions=motions)


def geneva() -> gori.Model:
    """A Geneva drive: a pin on a crank that turns once per second moves a wheel with four slots by a quarter turn.

    Distance of the axes root(2) a; slots are 0.3 mm wider than the pin on both sides.
    """
    a, pin, slot, bars = 0.05, 0.004, 0.0043, {}
    for k in range(4):
        for side in (1, -1):
            angle, along, across = 0.5 * np.pi * k, 0.5 * (0.018 + a), side * (slot + 0.003)
            x, y = along * np.cos(angle) - across * np.sin(angle), along * np.sin(angle) + across * np.cos(angle)
            bars[f"bar{k}{side}"] = {
                "type": "box", "size": [a - 0.018, 0.006, 0.01], "at": [float(x), float(y), 0.0],
                "rpy_deg": [0, 0, 90.0 * k], "density": 2000.0, **STEEL,
            }  # fmt: skip
    rod = {"type": "cylinder", "axis": [0, 0, 1], "at": [a, 0, -0.01], "length": 0.02, "radius": pin, **STEEL}
    hinge = {"type": "revolute", "parent": "ground", "axis": [0, 0, 1]}
    wheel = {"child": "wheel", "at": [float(a * np.sqrt(2.0)), 0, 0], "q_deg": 45.0, "friction": 0.02}
    bodies = {"crank": {"mass": 0.1, "inertia": [1e-4] * 3, "shapes": {"pin": rod}}, "wheel": {"shapes": bars}}
    joints = {"A": hinge | {"child": "crank", "q_deg": 100.0}, "B": hinge | wheel}
    motions = {"drive": {"joint": "A", "speed": float(2.0 * np.pi)}}
    return machine(bodies, joints, 0.05, 0.0, floor=False, gravity=0.0, motions=motions)


def ratchet() -> gori.Model:
    """A pawl with a spring on a wheel with twelve teeth that a torque turns, so that teeth pass below its end."""
    teeth = {}
    for k in range(12):
        x, y = (0.05 * f(np.radians(30.0 * k)) for f in (np.cos, np.sin))
        teeth[f"tooth{k}"] = {
            "type": "box", "size": [0.02, 0.004, 0.01], "at": [float(x), float(y), 0.0],
            "rpy_deg": [0, 0, 30.0 * k], "density": 2000.0, **STEEL,
        }  # fmt: skip
    pawl = {"type": "capsule", "axis": [1, 0, 0], "length": 0.058, "radius": 0.002, "density": 4000.0, **STEEL}
    hinge = {"type": "revolute", "parent": "ground", "axis": [0, 0, 1]}
    spring = {"stiffness": 0.05, "rest": -0.3, "damping": 1e-4}
    joints = {
        "A": hinge | {"child": "wheel", "q_deg": 7.0},
        "P": hinge | {"child": "pawl", "at": [0, 0.09, 0], "rpy_deg": [0, 0, -50]} | spring,
    }
    hub = {"type": "cylinder", "axis": [0, 0, 1], "at": [0, 0, -0.005], "length": 0.01, "radius": 0.042}
    bodies = {"wheel": {"shapes": teeth | {"hub": hub | {"density": 2000.0}}}, "pawl": {"shapes": {"pawl": pawl}}}
    forces = {"torque": {"type": "torque", "joint": "A", "value": -0.05}}
    return machine(bodies, joints, 0.1, 0.0, floor=False, gravity=0.0, forces=forces)


def stack(ratio: float) -> gori.Model:
    """A box on one of 1 kg, heavier by a ratio, both at rest."""
    bodies, joints = {}, {}
    for name, mass, z in (("low", 1.0, 0.05), ("high", ratio, 0.15)):
        moments = [mass * 0.0125 / 3.0, mass * 0.0125 / 3.0, mass * 0.02 / 3.0]
        shapes = {"box": {"type": "box", "size": [0.2, 0.2, 0.1], **STEEL}}
        bodies[name] = {"mass": mass, "inertia": moments, "shapes": shapes}
        joints[f"{name}_fly"] = {"type": "free", "parent": "ground", "child": name, "q": [1, 0, 0, 0, 0, 0, z]}
    return machine(bodies, joints, 0.5, 0.0)


def four_bar(restitution: float = 0.5, friction: float = 0.3) -> gori.Model:
    """A four-bar 1 m above the floor, whose coupler carries a ball on an arm that strikes the floor."""
    bar = {"mass": 1.0, "com": [0.2, 0, 0], "inertia": [0.001, 0.02, 0.02]}
    foot = {"shapes": {"foot": {"type": "sphere", "radius": 0.02, "at": [0.2, 0, -0.5], **STEEL}}}
    hinge = {"type": "revolute", "axis": [0, 1, 0]}
    joints = {
        "A": hinge | {"parent": "ground", "child": "crank", "at": [0, 0, 0.6], "q": -0.6},
        "B": hinge | {"parent": "crank", "child": "coupler", "at": [0.4, 0, 0], "q": 0.6},
        "D": hinge | {"parent": "ground", "child": "rocker", "at": [0.5, 0, 0.6], "q": -0.6},
    }
    pin = {"parent": "coupler", "child": "rocker", "axis": [0, 1, 0], "at": [0.5, 0, 0], "child_at": [0.4, 0, 0]}
    cuts = {"C": {"type": "revolute"} | pin}
    return machine({"crank": bar, "coupler": bar | foot, "rocker": bar}, joints, friction, restitution, cuts=cuts)


def sliding_rod(theta: float, friction: float, speed: float) -> tuple[gori.Model, gori.State]:
    """Painlevé's rod: 1 m and 1 kg, at an angle theta to the floor, leaning to +x; its lower end slides along x."""
    tip = {"shapes": {"tip": {"type": "sphere", "radius": 1e-6, "at": [-0.5, 0, 0], **STEEL}}}
    rod = {"mass": 1.0, "inertia": [1e-6, 1.0 / 12.0, 1.0 / 12.0]} | tip
    joints = {
        "x": {"type": "prismatic", "parent": "ground", "child": "px", "axis": [1, 0, 0]},
        "z": {"type": "prismatic", "parent": "px", "child": "pz", "axis": [0, 0, 1]},
        "turn": {"type": "revolute", "parent": "pz", "child": "rod", "axis": [0, -1, 0]},
    }
    model = machine({"px": {}, "pz": {}, "rod": rod}, joints, friction, 0.0)
    return model, model.state(q=[0.0, 0.5 * np.sin(theta) + 1e-6, theta], v=[speed, 0.0, 0.0])


def stopped_pendulum(limit: float = 0.3) -> gori.Model:
    """A double pendulum of two rods whose first joint has a stop; both start at rest on one side of it."""
    rod = {"mass": 1.0, "com": [0, 0, -0.5], "inertia": [1.0 / 12.0, 1.0 / 12.0, 1e-6]}
    limits = {"limits": [-limit, 3.0], "limit_stiffness": 1e4}
    joints = {
        "A": {"type": "revolute", "parent": "ground", "child": "upper", "axis": [0, 1, 0], "q": 1.0, **limits},
        "B": {"type": "revolute", "parent": "upper", "child": "lower", "axis": [0, 1, 0], "at": [0, 0, -1.0]},
    }
    return machine({"upper": rod, "lower": rod}, joints, floor=False)
