"""Scenes with contact as plain data, and two writers: the same scene as a Spec of Gori and as MJCF text of MuJoCo.

Masses, centres of mass and inertias are numbers of the scene, so both programs receive the same ones. Shapes are
mappings in the words of a Gori file: {type: box, size: [...], at: [...]}. The scenes themselves stand in
`bench/contact_cases.py`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

import gori
from gori.spec import GROUND
from gori.spec.base import rotation_to
from gori.spec.body import combine
from gori.spec.shape import SHAPES

MATERIAL = "steel"
Pose = tuple[Sequence[float], Sequence[float]]
"""quaternion w x y z, position [m]"""


@dataclass(frozen=True)
class Body:
    """A rigid body with its shapes, all of which collide."""

    shapes: Mapping[str, Mapping[str, Any]]
    mass: float  # [kg]
    com: Sequence[float]  # centre of mass, body frame [m]
    inertia: Sequence[float]  # about it: xx yy zz xy xz yz [kg m2]


@dataclass(frozen=True)
class Joint:
    """free, fixed, revolute, prismatic or spherical; its frame on the child is the child's own."""

    type: str
    parent: str
    child: str
    at: Sequence[float] = (0.0, 0.0, 0.0)  # [m]
    quat: Sequence[float] = (1.0, 0.0, 0.0, 0.0)
    axis: Sequence[float] = (0.0, 0.0, 1.0)
    q: Sequence[float] = ()  # at the start, in the order of Gori: quaternion, then position
    damping: float = 0.0  # [N m s/rad, N s/m]
    armature: float = 0.0  # inertia of the drive [kg m2, kg]


@dataclass(frozen=True)
class Motor:
    """kp (target - q) - kd v on a revolute or prismatic joint; target: a number, or rows of time and target."""

    joint: str
    kp: float
    kd: float
    target: float | Sequence[tuple[float, float]]

    def at(self, time):
        """The target at a time, linear between rows."""
        return np.interp(time, *np.transpose(self.target)) if self.moves else np.full_like(time, self.target)

    @property
    def moves(self) -> bool:
        return not isinstance(self.target, (int, float))


@dataclass(frozen=True)
class Scene:
    name: str
    duration: float  # [s]
    settled: float  # time from which it counts as at rest [s]
    size: float  # of a body, which penetration is compared with [m]
    contacts: int  # least number of active points at rest
    bodies: Mapping[str, Body]
    joints: Mapping[str, Joint]
    motors: Mapping[str, Motor] = field(default_factory=dict)
    ground: Mapping[str, Mapping[str, Any]] = field(default_factory=lambda: {"floor": {"type": "plane"}})
    friction: float = 0.6
    excluded: Sequence[tuple[str, str]] = ()  # bodies that never touch, besides those that a joint connects
    held: tuple[str, str, float] | None = None  # a body, the one that must hold it without slip, and from when [s]
    slip: float = np.inf  # most that it may slip [m]
    extent: float = np.inf  # no body may get farther than this along x or y [m]
    upright: tuple[str, float] | None = None  # a body, and the height above which it must stay [m]


@dataclass(frozen=True)
class Options:
    """Settings of MuJoCo. solref is in steps: MuJoCo itself does not go below two."""

    step: float = 2e-3  # [s]
    integrator: str = "implicitfast"  # Euler, implicitfast, implicit, RK4, discrete
    cone: str = "elliptic"  # or pyramidal
    solver: str = "Newton"  # or CG, PGS
    solref: float = 2.0  # time constant of contacts / step, critically damped
    solimp: float = 0.99  # impedance, the same at all depths
    impratio: float = 1.0
    noslip: int = 0  # iterations
    iterations: int = 100
    tolerance: float = 1e-8
    noslip_tolerance: float = 1e-6
    jacobian: str = "auto"  # dense, sparse
    flags: str = ""  # more of them, as in XML

    def __str__(self) -> str:
        """What is not default, in words."""
        own = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "step"}
        told = [own.pop(name) for name in ("integrator", "cone", "solver")]
        told += [f"{name} {own.pop(name):g}" for name in ("solref", "solimp")]
        defaults = {f.name: f.default for f in fields(self)}
        return ", ".join([*told, *(f"{name} {value}" for name, value in own.items() if value != defaults[name])])


def solid(shapes: Mapping[str, Mapping[str, Any]], density: float) -> Body:
    """A body that is filled evenly [kg/m3]."""
    mass, com, J = combine([SHAPES[s["type"]](**s, density=density).inertial() for s in shapes.values()])
    return Body(shapes, float(mass), com.tolist(), [float(J[i, j]) for i, j in MOMENTS])


MOMENTS = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
"""xx yy zz xy xz yz"""


def description(scene: Scene) -> dict[str, Any]:
    """The scene as the mapping that a Gori file holds."""

    def colliding(shapes):
        return {name: {**shape, "material": MATERIAL, "collide": True} for name, shape in shapes.items()}

    bodies: dict[str, Any] = {GROUND: {"shapes": colliding(scene.ground)}}
    for name, body in scene.bodies.items():
        own = {"mass": body.mass, "com": list(body.com), "inertia": list(body.inertia)}
        bodies[name] = {**own, "shapes": colliding(body.shapes)}
    joints = {}
    for name, joint in scene.joints.items():
        joints[name] = {"type": joint.type, "parent": joint.parent, "child": joint.child}
        joints[name] |= {"at": list(joint.at), "quat": list(joint.quat)}
        if joint.type in ("revolute", "prismatic"):
            joints[name]["axis"] = list(joint.axis)
        if joint.type != "fixed":
            joints[name] |= {"q": list(joint.q), "damping": joint.damping, "armature": joint.armature}
    forces = {
        name: {"type": "motor", "joint": m.joint, "kp": m.kp, "kd": m.kd, "target": m.target}
        for name, m in scene.motors.items()
    }
    return {
        "materials": {MATERIAL: {"E": 2.1e11, "nu": 0.3}},
        "contacts": {f"{MATERIAL}/{MATERIAL}": {"friction": scene.friction, "restitution": 0.0}},
        "bodies": bodies, "joints": joints, "forces": forces,
        **({"no_contact": [list(pair) for pair in scene.excluded]} if scene.excluded else {}),
    }  # fmt: skip


def to_gori(scene: Scene) -> gori.Spec:
    return gori.Spec(**description(scene))


def to_mjcf(scene: Scene, options: Options) -> str:
    """The scene as MJCF text; the first keyframe is its start.

    Motors with a constant target are springs and dampers of the joint, which is the same force at the least cost; the
    others are position actuators, in the order of the scene, with the damping in the joint.
    """
    children: dict[str, list[str]] = {}
    for name, joint in scene.joints.items():
        children.setdefault(joint.parent, []).append(name)
    drives = {motor.joint: motor for motor in scene.motors.values()}
    meshes: dict[str, str] = {}
    q: list[float] = []

    def body(name: str) -> str:
        joint, own = scene.joints[name], scene.bodies[scene.joints[name].child]
        at, quat = joint.at, joint.quat
        parts = [f'<body name="{joint.child}" pos="{_words(at)}" quat="{_words(quat)}">', _joint(name, joint, drives)]
        q.extend([*joint.q[4:], *joint.q[:4]] if joint.type == "free" else joint.q)
        parts.append(f'<inertial pos="{_words(own.com)}" mass="{own.mass!r}" fullinertia="{_words(own.inertia)}"/>')
        parts += [_geom(shape, meshes) for shape in own.shapes.values()]
        parts += [body(child) for child in children.get(joint.child, ())]
        return "".join(parts) + "</body>"

    ground = "".join(_geom(shape, meshes) for shape in scene.ground.values())
    world = ground + "".join(body(name) for name in children[GROUND])
    assets = "".join(f'<mesh name="{name}" file="{file}"/>' for file, name in meshes.items())
    moving = "".join(
        f'<position name="{name}" joint="{m.joint}" kp="{m.kp!r}"/>' for name, m in scene.motors.items() if m.moves
    )
    out = "".join(f'<exclude body1="{a}" body2="{b}"/>' for a, b in scene.excluded)
    o = options
    return f"""<mujoco><compiler angle="radian" autolimits="false" balanceinertia="true"/>
<size memory="200M"/>
<option timestep="{o.step!r}" integrator="{o.integrator}" cone="{o.cone}" solver="{o.solver}" impratio="{o.impratio!r}"
 noslip_iterations="{o.noslip}" iterations="{o.iterations}" tolerance="{o.tolerance!r}"
 noslip_tolerance="{o.noslip_tolerance!r}" jacobian="{o.jacobian}"><flag {o.flags}/></option>
<default><geom condim="3" friction="{scene.friction!r} 0.005 0.0001" solref="{o.solref * o.step!r} 1"
 solimp="{o.solimp!r} {o.solimp!r} 0.001"/></default>
<asset>{assets}</asset><worldbody>{world}</worldbody><contact>{out}</contact><actuator>{moving}</actuator>
<keyframe><key qpos="{_words(q)}"/></keyframe></mujoco>"""


def _joint(name: str, joint: Joint, drives: Mapping[str, Motor]) -> str:
    match joint.type:
        case "free":
            return f'<freejoint name="{name}"/>'
        case "fixed":
            return ""
        case "spherical":
            return f'<joint name="{name}" type="ball" damping="{joint.damping!r}"/>'
    kind = {"revolute": "hinge", "prismatic": "slide"}[joint.type]
    words = f'<joint name="{name}" type="{kind}" axis="{_words(joint.axis)}"'
    damping = joint.damping
    if (motor := drives.get(name)) is not None:
        damping += motor.kd
        if not motor.moves:
            words += f' stiffness="{motor.kp!r}" springref="{motor.target!r}"'
    return f'{words} damping="{damping!r}" armature="{joint.armature!r}"/>'


def _geom(shape: Mapping[str, Any], meshes: dict[str, str]) -> str:
    at, quat = np.array(shape.get("at", (0.0, 0.0, 0.0))), shape.get("quat", (1.0, 0.0, 0.0, 0.0))
    place = f'pos="{_words(at)}" quat="{_words(quat)}"'
    match shape["type"]:
        case "sphere":
            return f'<geom type="sphere" size="{shape["radius"]!r}" {place}/>'
        case "box":
            return f'<geom type="box" size="{_words(np.array(shape["size"]) / 2.0)}" {place}/>'
        case "plane":
            x, y, _ = rotation_to(shape.get("normal", (0.0, 0.0, 1.0))).T
            return f'<geom type="plane" size="0 0 1" pos="{_words(at)}" xyaxes="{_words([*x, *y])}"/>'
        case "mesh":
            name = meshes.setdefault(shape["file"], f"mesh{len(meshes)}")
            return f'<geom type="mesh" mesh="{name}" {place}/>'
        case kind:  # a capsule or cylinder, which runs from `at` along its axis; its own rotation is none here
            end = at + np.array(shape["axis"]) / np.linalg.norm(shape["axis"]) * shape["length"]
            return f'<geom type="{kind}" size="{shape["radius"]!r}" fromto="{_words([*at, *end])}"/>'


def _words(numbers) -> str:
    return " ".join(repr(float(x)) for x in numbers)
