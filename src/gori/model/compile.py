"""Spec -> Model: the row tables and the name tables."""

import numpy as np

from gori.errors import InputError, SpecError
from gori.kernels.tree import columns as col
from gori.model.forces import compile_forces
from gori.model.graph import BodyTree, build, compose, inertial_about_origin
from gori.model.model import Compiled, Model
from gori.model.moving_base import with_moving_base
from gori.model.spanning import span
from gori.model.tables import JointInfo, Names, Tables
from gori.spec import GROUND, Joint, Spec
from gori.spec.contact import sinks
from gori.spec.joint import NQ, NV, QUATERNION


def compile(spec: Spec, open_loops: bool = False) -> Model:
    """Compile a Spec into a Model. Where its joints close loops, some of them become cuts: see `model.spec`.

    open_loops   leave cuts, mimic and motions out: the Model is the tree that remains, with every joint free
    """
    if isinstance(spec, Model):
        raise InputError("this is a Model already: to compile it again, compile its Spec, model.spec")
    if not isinstance(spec, Spec):
        raise InputError(f"compile takes a Spec, not {type(spec).__name__}: gori.compile(gori.load(path))")
    spec = span(with_moving_base(spec))
    tree = build(spec)
    joints = _joints(spec, tree)
    nq, nv = sum(info.nq for info in joints), sum(info.nv for info in joints)
    frames = dict(tree.bodies)
    for name, frame in spec.frames.items():
        row, pose = tree.bodies[frame.body]
        frames[name] = row, compose(pose, frame.pose())

    loops = []
    if not open_loops:
        loops = [f"cut {name!r}" for name in spec.cuts]
        loops += [f"mimic joint {name!r}" for name, joint in spec.joints.items() if joint.mimic is not None]
        loops += [f"gear {name!r}" for name in spec.gears]
        loops += [f"motion {name!r}" for name in spec.motions]
    body_i, body_f = _body_tables(tree, spec.gravity)
    if not np.isfinite(body_f).all():
        row = int(np.argwhere(~np.isfinite(body_f))[0, 0])
        name = next((name for name, (own, _) in tree.bodies.items() if own == row), "ground")
        raise SpecError(f"body {name!r}: mass, inertia or positions are beyond the range of numbers")
    tables = Tables(
        body_i,
        body_f,
        _dof_table(tree, body_i, nv),
        np.array([row for row, _ in frames.values()], np.int64),
        np.array([[*R.ravel(), *p] for _, (R, p) in frames.values()]),
    )
    bodies = tuple(name for name in tree.bodies if name != GROUND)
    names = Names(tuple(joints), bodies, tuple(frames), tuple(loops), open_loops)
    model = Model(spec, tables, names, _start(spec, joints, nq, nv) | _dof_values(spec, joints, nv))
    vehicle = particles = contact = None
    # imported where there are any: their kernels and SciPy take a third of a second
    if spec.wheels or spec.drivetrains or spec.steering or spec.drag or sinks(spec):
        from gori.model.vehicle.tables import compile_vehicle

        vehicle = compile_vehicle(model)
    if spec.particles or spec.inlets:
        from gori.model.particles.tables import compile_particles

        particles = compile_particles(model)
    if any(shape.collide for body in spec.bodies.values() for shape in body.shapes.values()):
        from gori.model.contact.tables import compile_contact

        contact = compile_contact(model)
    model.complete(Compiled(compile_forces(model), vehicle, particles, contact))
    _ = model.gears  # raises if they do not fit their axes
    return model


def _joints(spec: Spec, tree: BodyTree) -> list[JointInfo]:
    joints, q, v = [], 0, 0
    for name, rows in tree.joints.items():
        kind = spec.joints[name].type
        nq, nv = NQ[kind], NV[kind]
        joints.append(JointInfo(name, kind, slice(q, q + nq), slice(v, v + nv), tuple(rows)))
        q, v = q + nq, v + nv
    return joints


def _body_tables(tree: BodyTree, gravity: tuple) -> tuple[np.ndarray, np.ndarray]:
    n = len(tree.rows)
    body_i, body_f = np.zeros((n, col.N_BODY_I), np.int64), np.zeros((n, col.N_BODY_F))
    q = v = 0
    for i, row in enumerate(tree.rows):
        body_i[i, : col.CHILDREN] = row.parent, row.kind, q, v, row.nv, row.end
        body_i[row.parent, col.CHILDREN] += i > 0
        R, p = row.pose
        mass, com, inertia = inertial_about_origin(row)
        body_f[i, col.R_PJ : col.R_PJ + 9] = R.ravel()
        body_f[i, col.P_PJ : col.P_PJ + 3] = p if i else gravity
        body_f[i, col.MASS] = mass
        body_f[i, col.COM : col.COM + 3] = com
        body_f[i, col.INERTIA : col.INERTIA + 6] = [*np.diag(inertia), inertia[0, 1], inertia[0, 2], inertia[1, 2]]
        body_f[i, col.PITCH] = row.pitch
        body_f[i, col.ARMATURE] = row.armature
        q, v = q + row.nq, v + row.nv
    body_i[0, col.NQ] = q
    return body_i, body_f


def _dof_table(tree: BodyTree, body_i: np.ndarray, nv: int) -> np.ndarray:
    dof_i = np.zeros((nv, col.N_DOF_I), np.int64)
    starts = [*body_i[:, col.V0], nv]
    for i, row in enumerate(tree.rows):
        above = starts[row.parent] + tree.rows[row.parent].nv - 1 if row.parent else -1
        for k in range(row.nv):
            dof_i[starts[i] + k] = above if k == 0 else starts[i] + k - 1, i, starts[row.end]
    return dof_i


def _coordinates(joint: Joint, radians: tuple | None, degrees: tuple | None) -> np.ndarray:
    """Start or rest coordinates of a joint; without them zero, or no rotation."""
    if degrees is not None:
        return np.radians(degrees)
    if radians is None:
        values = np.zeros(NQ[joint.type])
        if joint.type in QUATERNION:
            values[0] = 1.0
        return values
    values = np.array(radians)
    if joint.type in QUATERNION:
        values[:4] /= np.linalg.norm(values[:4])
    return values


def _start(spec: Spec, joints: list[JointInfo], nq: int, nv: int) -> dict[str, np.ndarray]:
    """Start and rest coordinates."""
    values = {"q0": np.zeros(nq), "rest": np.zeros(nq), "v0": np.zeros(nv)}
    for info in joints:
        joint = spec.joints[info.name]
        start, degrees = (joint.guess, joint.guess_deg) if joint.guessed else (joint.q, joint.q_deg)
        values["q0"][info.q] = _coordinates(joint, start, degrees)
        values["rest"][info.q] = _coordinates(joint, joint.rest, joint.rest_deg)
        values["v0"][info.v] = joint.v or 0.0
    return values


def _dof_values(spec: Spec, joints: list[JointInfo], nv: int) -> dict[str, np.ndarray]:
    """Limits and passive properties, one number for each degree of freedom."""
    values = {name: np.zeros(nv) for name in ("damping", "friction", "stiffness", "armature")}
    values |= {name: np.full(nv, np.inf) for name in ("upper", "velocity_limit", "effort_limit")}
    values["lower"] = np.full(nv, -np.inf)
    for info in joints:
        joint = spec.joints[info.name]
        for name in ("damping", "friction", "stiffness", "armature"):
            values[name][info.v] = getattr(joint, name)
        for name in ("velocity_limit", "effort_limit"):
            if getattr(joint, name) is not None:
                values[name][info.v] = getattr(joint, name)
        limits = joint.limits if joint.limits_deg is None else np.radians(joint.limits_deg)
        if limits is not None:
            values["lower"][info.v], values["upper"][info.v] = limits
    return values
