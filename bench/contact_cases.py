"""The scenes of the contact benchmark: a bin of spheres, a heap of boxes, a standing humanoid, a gripper, a chain.

Friction is 0.6 and restitution zero everywhere. All start at rest, and random numbers have a fixed seed.
"""

from collections.abc import Callable

import numpy as np

from bench.contact_humanoid import humanoid
from bench.contact_scenes import Body, Joint, Motor, Scene, solid
from gori.spec import GROUND

Block = list[tuple[int, int, int]]
"""places in a block of bodies, from the lowest layer up"""


def block(n: int = 5, layers: int = 4) -> Block:
    return [(i, j, k) for k in range(layers) for i in range(n) for j in range(n)]


def random_quaternion(rng: np.random.Generator, angle: float = np.pi) -> np.ndarray:
    """A turn by at most an angle [rad] about a random axis."""
    axis, half = rng.normal(size=3), rng.uniform(0.0, angle / 2.0)
    return np.array([np.cos(half), *np.sin(half) * axis / np.linalg.norm(axis)])


def free(name: str, quat, position) -> Joint:
    return Joint("free", GROUND, name, q=[*map(float, quat), *map(float, position)])


def spheres() -> Scene:
    """100 spheres in a block of 5 x 5 x 4, the lowest layer 0.5 m high, dropped into a bin of five planes."""
    radius, pitch, half = 0.05, 0.115, 0.37
    rng = np.random.default_rng(1)
    bodies: dict[str, Body] = {}
    joints: dict[str, Joint] = {}
    for i, j, k in block():
        name = f"ball_{len(bodies)}"
        bodies[name] = solid({"ball": {"type": "sphere", "radius": radius}}, 1000.0)
        x, y, z = pitch * np.array([i - 2, j - 2, k]) + rng.uniform(-0.007, 0.007, 3)
        joints[f"{name}_free"] = free(name, (1, 0, 0, 0), (x, y, z + 0.5 + radius))
    ground: dict[str, dict] = {"floor": {"type": "plane"}}
    for axis, direction in ((0, 1.0), (0, -1.0), (1, 1.0), (1, -1.0)):
        normal = [0.0, 0.0, 0.0]
        normal[axis] = direction
        ground[f"wall_{len(ground)}"] = {"type": "plane", "normal": normal, "at": [-half * x for x in normal]}
    return Scene("spheres", 5.0, 4.0, 2 * radius, 100, bodies, joints, ground=ground, extent=2.0)


def pile() -> Scene:
    """100 boxes of unequal edges about 0.1 m, turned at random, dropped from 0.5 m in a heap on the floor."""
    rng = np.random.default_rng(2)
    bodies: dict[str, Body] = {}
    joints: dict[str, Joint] = {}
    for i, j, k in block():
        name = f"box_{len(bodies)}"
        bodies[name] = solid({"box": {"type": "box", "size": rng.uniform(0.08, 0.12, 3).tolist()}}, 1000.0)
        position = np.array([0.16 * (i - 2), 0.16 * (j - 2), 0.6 + 0.2 * k]) + rng.uniform(-0.01, 0.01, 3)
        joints[f"{name}_free"] = free(name, random_quaternion(rng, 1.0), position)
    return Scene("pile", 10.0, 8.0, 0.1, 300, bodies, joints, extent=1.2)


def gripper() -> Scene:
    """Two fingers on a carriage close on a box of 1 kg with 20 N, lift it by 0.2 m from 1 s to 2 s, hold it to 7 s."""
    edge, press, kp = 0.1, 20.0, 1e4
    bodies = {
        "carriage": solid({"beam": {"type": "box", "size": [0.3, 0.05, 0.05], "at": [0.0, 0.0, 0.2]}}, 2700.0),
        "left": solid({"pad": {"type": "box", "size": [0.02, 0.04, 0.12], "at": [-0.01, 0.0, 0.0]}}, 2700.0),
        "right": solid({"pad": {"type": "box", "size": [0.02, 0.04, 0.12], "at": [0.01, 0.0, 0.0]}}, 2700.0),
        "box": solid({"box": {"type": "box", "size": [edge] * 3}}, 1.0 / edge**3),
    }
    start = edge / 2.0 + 0.01
    joints = {
        "lift": Joint("prismatic", GROUND, "carriage", at=(0.0, 0.0, 0.08), axis=(0.0, 0.0, 1.0), q=[0.0]),
        "close_left": Joint("prismatic", "carriage", "left", axis=(1.0, 0.0, 0.0), q=[-start]),
        "close_right": Joint("prismatic", "carriage", "right", axis=(-1.0, 0.0, 0.0), q=[-start]),
        "box_free": free("box", (1, 0, 0, 0), (0.0, 0.0, edge / 2.0)),
    }
    inside = -edge / 2.0 + press / kp
    motors = {
        "squeeze_left": Motor("close_left", kp, 200.0, inside),
        "squeeze_right": Motor("close_right", kp, 200.0, inside),
        "raise": Motor("lift", 5e4, 1500.0, ((0.0, 0.0), (1.0, 0.0), (2.0, 0.2), (7.0, 0.2))),
    }
    return Scene(
        "gripper", 7.0, 3.0, edge, 8, bodies, joints, motors, held=("box", "left", 1.0), slip=1e-3
    )  # fmt: skip


def chain(links: int = 50) -> Scene:
    """Capsules joined end to end by spherical joints with a little damping, in a winding line, dropped from 0.5 m."""
    length, radius = 0.1, 0.02
    rng = np.random.default_rng(3)
    body = solid({"link": {"type": "capsule", "axis": [1.0, 0.0, 0.0], "length": length, "radius": radius}}, 1000.0)
    bodies = {f"link_{k}": body for k in range(links)}
    joints = {"start": free("link_0", (1, 0, 0, 0), (0.0, 0.0, 0.5 + radius))}
    for k in range(1, links):
        bend, dip = 0.5 * np.sin(0.6 * k) + rng.uniform(-0.1, 0.1), rng.uniform(-0.05, 0.05)
        turn = np.array([np.cos(bend / 2), 0.0, np.sin(dip / 2), np.sin(bend / 2)])
        q = (turn / np.linalg.norm(turn)).tolist()
        joints[f"joint_{k}"] = Joint(
            "spherical", f"link_{k - 1}", f"link_{k}", at=(length, 0.0, 0.0), q=q, damping=0.01
        )
    return Scene("chain", 5.0, 4.0, 2 * radius, 40, bodies, joints)


CASES: dict[str, Callable[[], Scene]] = {
    "spheres": spheres, "pile": pile, "humanoid": humanoid, "gripper": gripper, "chain": chain,
}  # fmt: skip
