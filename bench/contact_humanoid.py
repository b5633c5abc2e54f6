"""Talos, standing: the humanoid of example-robot-data with convex hulls of its collision shapes, held by its drives.

Links that are fixed to each other are one body. Joint friction and limits are left out; drives have the inertia of
their rotors. Bodies whose hulls overlap at the start never touch: the shells of neighbours interlock.
"""

import tempfile
import warnings
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import trimesh
from scipy.optimize import linprog

import gori
from bench.contact_scenes import MOMENTS, Body, Joint, Motor, Scene
from bench.machines import humanoid_path
from gori.model.graph import compose, invert
from gori.spec import GROUND
from gori.spec.base import rotation_to
from gori.spec.body import combine

ROTOR = 0.1
"""inertia of a drive [kg m2]: 1e-5 at a reduction of 100, as in the robot's SRDF"""
GAINS = {"leg": (5000.0, 150.0), "torso": (5000.0, 150.0), "arm": (1000.0, 40.0), "": (200.0, 8.0)}
"""kp [N m/rad] and kd [N m s/rad] by the beginning of the joint's name"""
FOOT = 0.2
"""length of a foot [m]"""


def stance() -> dict[str, float]:
    """Angles of the half sitting pose [rad]."""
    srdf = humanoid_path().parent.parent / "srdf" / "talos.srdf"
    state = ElementTree.parse(srdf).find("group_state[@name='half_sitting']")
    if state is None:
        raise SystemExit(f"{srdf} has no pose half_sitting")
    words = {joint.get("name", ""): joint.get("value", "") for joint in state.iter("joint")}
    return {name: float(value) for name, value in words.items() if name != "root_joint"}


def hull(shape) -> np.ndarray:
    """Vertices of the convex hull of a shape, in the frame of its body."""
    match shape.type:
        case "mesh":
            mesh = trimesh.load_mesh(shape.file)
            mesh.apply_scale(shape.scale)
        case "box":
            mesh = trimesh.creation.box(shape.size)
        case _:
            mesh = trimesh.creation.cylinder(shape.radius, shape.length, 32)
            mesh.apply_translation([0.0, 0.0, shape.length / 2.0])
            mesh.apply_transform(_matrix(rotation_to(shape.axis)))
    R, p = shape.pose()
    return np.asarray(mesh.convex_hull.vertices) @ R.T + p


def overlap(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether the hulls of two sets of points have a point in common: a convex combination of each."""
    if (a.max(0) < b.min(0)).any() or (b.max(0) < a.min(0)).any():
        return False
    n, m = len(a), len(b)
    sums = np.block([[np.ones(n), np.zeros(m)], [np.zeros(n), np.ones(m)]])
    equations = np.vstack([np.hstack([a.T, -b.T]), sums])
    return linprog(np.zeros(n + m), A_eq=equations, b_eq=[0, 0, 0, 1, 1]).status == 0


@cache
def humanoid() -> Scene:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        spec = gori.load(humanoid_path(), base="free", meshes=True)
    angles = stance()
    folder = Path(tempfile.mkdtemp(prefix="talos_hulls_"))
    carrier: dict[str, tuple[str, tuple]] = {}  # link -> the body it belongs to, and its pose there
    masses: dict[str, list] = {}
    points: dict[str, list[np.ndarray]] = {}
    joints: dict[str, Joint] = {}
    world: dict[str, tuple] = {GROUND: (np.eye(3), np.zeros(3))}
    for name, joint in _from_the_root(spec):
        link = spec.bodies[joint.child]
        home, (R, p) = carrier.get(joint.parent, (GROUND, (np.eye(3), np.zeros(3))))
        R, p = compose((R, p), compose(joint.pose(), invert(joint.child_pose())))
        if joint.type == "fixed":
            carrier[joint.child] = home, (R, p)
        else:
            angle = angles.get(name, 0.0)
            q = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0] if joint.type == "free" else [angle]
            armature = 0.0 if joint.type == "free" else ROTOR
            joints[name] = Joint(joint.type, home, joint.child, p, _quaternion(R), joint.axis, q, armature=armature)
            turned = trimesh.transformations.rotation_matrix(angle, joint.axis)[:3, :3]
            world[joint.child] = compose(world[home], (R @ turned, p))
            home, (R, p) = carrier[joint.child] = joint.child, (np.eye(3), np.zeros(3))
        mass, com, J = link.inertial()
        masses.setdefault(home, []).append((mass, R @ com + p, R @ J @ R.T))
        points.setdefault(home, []).extend(hull(shape) @ R.T + p for shape in link.shapes.values() if not shape.visual)
    bodies = {name: _body(folder, name, masses[name], points[name]) for name in masses}
    stand = {name: [x @ world[name][0].T + world[name][1] for x in points[name]] for name in masses}
    lowest = min(x[:, 2].min() for xs in stand.values() for x in xs)
    root = next(name for name, joint in joints.items() if joint.type == "free")
    joints[root].q[6] = -lowest  # pyright: ignore
    motors = {}
    for name, joint in joints.items():
        if joint.type != "free":
            kp, kd = next(gains for start, gains in GAINS.items() if name.startswith(start))
            motors[f"drive_{name}"] = Motor(name, kp, kd, joint.q[0])
    names = list(bodies)
    excluded = [
        (a, b) for k, a in enumerate(names) for b in names[k + 1 :]
        if any(overlap(x, y) for x in stand[a] for y in stand[b])
    ]  # fmt: skip
    return Scene("humanoid", 10.0, 8.0, FOOT, 6, bodies, joints, motors, excluded=excluded, upright=("base_link", 0.8))


def _from_the_root(spec: gori.Spec):
    """The joints of a tree, each after that of its parent."""
    known, waiting = {GROUND}, dict(spec.joints)
    while waiting:
        name = next(name for name, joint in waiting.items() if joint.parent in known)
        joint = waiting.pop(name)
        known.add(joint.child)
        yield name, joint


def _body(folder: Path, name: str, masses: list, hulls: list[np.ndarray]) -> Body:
    shapes = {}
    for k, vertices in enumerate(hulls):
        file = folder / f"{name}_{k}.obj"
        trimesh.convex.convex_hull(vertices).export(file)
        shapes[f"hull_{k}"] = {"type": "mesh", "file": str(file)}
    mass, com, J = combine(masses)
    return Body(shapes, float(mass), com.tolist(), [float(J[i, j]) for i, j in MOMENTS])


def _quaternion(R: np.ndarray) -> list[float]:
    return trimesh.transformations.quaternion_from_matrix(_matrix(R)).tolist()


def _matrix(R: np.ndarray) -> np.ndarray:
    return np.block([[R, np.zeros((3, 1))], [np.zeros(3), 1.0]])
