"""Rigid-body physics of a machine as UsdPhysics: gravity, masses, joints with their limits, shapes that collide."""

from typing import Any

import numpy as np

from gori.errors import FormatWarning
from gori.model import Model
from gori.model.connections import Connected
from gori.spec import GROUND
from gori.spec.base import quaternion, rotation_to
from gori.spec.explain import warn
from gori.web.contents import Contents
from gori.web.usd.carriers import Carriers, is_full
from gori.web.usd.package import Gf, Path, Prim, Stage, UsdGeom, UsdPhysics
from gori.web.usd.prims import child

LOCKED = {
    "cylindrical": ("transX", "transY", "rotX", "rotY"),
    "universal": ("transX", "transY", "transZ", "rotY"),
    "planar": ("transZ", "rotX", "rotY"),
}
"""what joints without a class of their own hold, in a frame with z along their axis, and x along the second one"""


def add_physics(
    stage: Stage,
    root: Path,
    contents: Contents,
    carriers: Carriers,
    bodies: dict[str, Prim],
    shapes: dict[str, Prim],
) -> None:
    """UsdPhysics on the prims of bodies and shapes, by their names."""
    model = contents.model
    gravity = np.array(model.spec.gravity)
    strength = float(np.linalg.norm(gravity))
    down = gravity / strength if strength else np.array([0.0, 0.0, -1.0])
    scene = child(stage, UsdPhysics.Scene, root, "physics")
    scene.CreateGravityDirectionAttr(Gf.Vec3f(*down.tolist()))
    scene.CreateGravityMagnitudeAttr(strength)
    moving = [name for name in model.body_names if model.tables.frame_i[model.frame(name)] != 0]
    rigid = [name for name in moving if carriers.of[name] == name]
    for name in rigid:
        UsdPhysics.RigidBodyAPI.Apply(bodies[name].GetPrim())
        _weigh(bodies[name].GetPrim(), *carriers.inertial(model, name))
    joints = child(stage, UsdGeom.Scope, root, "joints").GetPath()
    for joint in model.connections:
        if joint.parent in moving or joint.child in moving:
            _join(stage, joints, model, joint, carriers, bodies)
    for body in contents.bodies:
        for shape in body.shapes:
            if _collides(model, body.name, shape.name):
                _collide(shapes[shape.name], hull=body.name in moving)
    prims = bodies | shapes  # a pair may be of both, and of the terrain
    for one, other in model.spec.no_contact:
        if one in prims and other in prims:
            api = UsdPhysics.FilteredPairsAPI.Apply(prims[one].GetPrim())
            api.CreateFilteredPairsRel().AddTarget(prims[other].GetPath())
    if stage.GetPrimAtPath(joints).GetChildren():
        UsdPhysics.ArticulationRootAPI.Apply(stage.GetPrimAtPath(root))
    _warn_of_rest(model, rigid)


def _weigh(prim: Prim, mass: float, com: np.ndarray, inertia: np.ndarray) -> None:
    """Mass, centre of mass, and inertia about it by its principal axes; UsdPhysics takes zeros for not given."""
    if mass == 0.0:
        return
    api = UsdPhysics.MassAPI.Apply(prim)
    api.CreateMassAttr(float(mass))
    api.CreateCenterOfMassAttr(Gf.Vec3f(*com.tolist()))
    moments, axes = np.linalg.eigh(inertia)
    if is_full((mass, com, inertia)):
        axes[:, 2] *= np.sign(np.linalg.det(axes))
        api.CreateDiagonalInertiaAttr(Gf.Vec3f(*moments.tolist()))
        api.CreatePrincipalAxesAttr(_quatf(axes))


def _join(
    stage: Stage, parent: Path, model: Model, joint: Connected, carriers: Carriers, bodies: dict[str, Prim]
) -> None:
    """A joint between a frame on each body, with z along its axis."""
    ends = [carriers.of.get(name, name) for name in (joint.parent, joint.child)]
    kinds = {
        "fixed": UsdPhysics.FixedJoint, "revolute": UsdPhysics.RevoluteJoint, "prismatic": UsdPhysics.PrismaticJoint,
        "spherical": UsdPhysics.SphericalJoint,
    }  # fmt: skip
    if (joint.type not in kinds and joint.type not in LOCKED) or ends[0] == ends[1]:
        return
    found = child(stage, kinds.get(joint.type, UsdPhysics.Joint), parent, joint.name)
    found.CreateBody0Rel().SetTargets([bodies[ends[0]].GetPath()])
    found.CreateBody1Rel().SetTargets([bodies[ends[1]].GetPath()])
    turn = frame_of(joint)
    for (R, p), position, rotation in (
        (carriers.carried(joint.parent, joint.on_parent), found.CreateLocalPos0Attr, found.CreateLocalRot0Attr),
        (carriers.carried(joint.child, joint.on_child), found.CreateLocalPos1Attr, found.CreateLocalRot1Attr),
    ):
        position(Gf.Vec3f(*np.asarray(p, float).tolist()))
        rotation(_quatf(R @ turn))
    for axis in LOCKED.get(joint.type, ()):
        limit = UsdPhysics.LimitAPI.Apply(found.GetPrim(), axis)
        limit.CreateLowAttr(1.0)  # above the high one: the axis is locked
        limit.CreateHighAttr(-1.0)
    written = model.spec.cuts[joint.name] if joint.cut else model.spec.joints[joint.name]
    if written.contact:
        found.CreateCollisionEnabledAttr(True)
    if joint.cut:
        found.CreateExcludeFromArticulationAttr(True)
    if joint.type in ("revolute", "prismatic"):
        found.CreateAxisAttr(UsdGeom.Tokens.z)
        if not joint.cut:
            unit, place = np.degrees(1.0) if joint.type == "revolute" else 1.0, model.joint(joint.name).v.start
            found.CreateLowerLimitAttr(unit * float(model.lower[place]))
            found.CreateUpperLimitAttr(unit * float(model.upper[place]))


def frame_of(joint: Connected) -> np.ndarray:
    """Rotation (3, 3) from the frame of a joint to one with z along its axis; x along the second of a universal one."""
    if joint.type != "universal":
        return rotation_to(joint.axis)
    return np.column_stack([joint.axis2, np.cross(joint.axis, joint.axis2), joint.axis])


def _collides(model: Model, body: str, shape: str) -> bool:
    spec = model.spec.bodies.get(body)
    found = None if spec is None else spec.shapes.get(shape.removeprefix(f"{body}."))
    return found is not None and found.collide


def _collide(gprim: Prim, hull: bool) -> None:
    """Let a shape collide; a mesh on a body that moves as its convex hull."""
    UsdPhysics.CollisionAPI.Apply(gprim.GetPrim())
    if gprim.GetPrim().IsA(UsdGeom.Mesh):
        api = UsdPhysics.MeshCollisionAPI.Apply(gprim.GetPrim())
        api.CreateApproximationAttr(UsdPhysics.Tokens.convexHull if hull else UsdPhysics.Tokens.none)


def _warn_of_rest(model: Model, rigid: list[str]) -> None:
    """A warning that lists by name what UsdPhysics does not hold."""
    spec = model.spec
    weights = {name: spec.bodies[name].inertial() for name in rigid if name != GROUND}
    joints = {name: joint for name, joint in spec.joints.items() if joint.type != "fixed"}
    rest: dict[str, Any] = {
        "bodies without mass": [name for name, (mass, _, _) in weights.items() if mass == 0.0],
        "bodies whose inertia is zero about some axis": [
            name for name, inertial in weights.items() if inertial[0] and not is_full(inertial)
        ],
        "helical joints": [joint.name for joint in model.connections if joint.type == "helical"],
        "mimic joints": [name for name, joint in joints.items() if joint.mimic is not None],
    }
    for field in ("stiffness", "damping", "friction", "armature"):
        rest[f"{field} of joints"] = [name for name, joint in joints.items() if any(getattr(joint, field))]
    if any(shape.collide for body in spec.bodies.values() for shape in body.shapes.values()):
        rest["friction and restitution of contacts"] = list(spec.contacts)
    for field in ("gears", "motions", "forces", "wheels", "steering", "drivetrains", "drag", "controls"):
        rest[field] = list(getattr(spec, field))
    if words := "; ".join(f"{what}: {', '.join(names)}" for what, names in rest.items() if names):
        warn(f"UsdPhysics leaves out {words}", FormatWarning)


def _quatf(R: np.ndarray) -> Any:
    return Gf.Quatf(*(float(part) for part in quaternion(R)))
