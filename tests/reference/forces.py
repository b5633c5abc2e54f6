"""Every force of a Spec in textbook NumPy: joint forces, wrenches on bodies, and rates of the internal states.

tau is (nv,); wrenches are {body: (6,)}, moment and force at the body's origin, world axes, as `dynamics.aba` has them;
z are the states of friction, one for each degree of freedom that has some, in the order of the tree.
"""

import numpy as np

from gori.spec import GROUND
from gori.spec.base import rotation
from gori.spec.expression import parse, value
from tests.reference.dynamics import crba, jacobian, poses
from tests.reference.spatial import quaternion_log, quaternion_product, so3_log

CONJUGATE = np.array([1.0, -1.0, -1.0, -1.0])
STICK = 1e-3
"""deflection at which friction breaks away, where no stick_stiffness is given [rad, m]"""


def signal(tree, x, t, q, v):
    """A Value of the Spec: a number, a table over time, or an expression."""
    if isinstance(x, str):
        names = {"t": t}
        for joint, at in tree.q_slice.items():
            names |= {f"{joint}.q": q[at][0], f"{joint}.v": v[tree.v_slice[joint]][0]}
        return value(parse(x), names)
    if isinstance(x, (tuple, list)):
        times, values = np.array(x).T
        return np.interp(t, times, values)
    return x


def moving(tree):
    return [link for link in tree.links if link.v.stop > link.v.start]


def state_count(tree):
    return sum(
        np.count_nonzero(np.broadcast_to(link.joint.friction, len(tree.armature[link.v]))) for link in moving(tree)
    )


def passive(joint, q, v):
    """What a joint does by itself, without friction: tau of its degrees of freedom."""
    k, d = (np.broadcast_to(x, len(v)) for x in (joint.stiffness, joint.damping))
    tau = -d * v
    if joint.type == "spherical":
        rest = np.array(joint.rest if joint.rest is not None else (1.0, 0.0, 0.0, 0.0))
        tau -= k * quaternion_log(quaternion_product(CONJUGATE * rest / np.linalg.norm(rest), q))
    elif k.any():
        rest = np.radians(joint.rest_deg) if joint.rest_deg is not None else np.array(joint.rest or np.zeros(len(q)))
        tau -= k * (q - rest)
    if joint.limit_stiffness is not None:
        low, high = joint.limits if joint.limits is not None else np.radians(joint.limits_deg)
        stop = joint.limit_damping or 0.0
        if q[0] < low:
            tau += max(joint.limit_stiffness * (low - q[0]) - stop * v[0], 0.0)
        if q[0] > high:
            tau -= max(joint.limit_stiffness * (q[0] - high) + stop * v[0], 0.0)
    return tau


def dahl(F, s, d, v, z):
    """Friction with bristles of stiffness s and damping d, which break away at the force F (Dahl 1968, Canudas de Wit
    1995): force, and rate of z.
    """
    rate = v - s * np.abs(v) * z / F
    return -s * z - d * rate, rate


def on_joint(tree, force, q, v, x):
    """(dof, tau) of a force on a joint, where x are its signals."""
    dof, at = tree.v_slice[force.joint].start + force.dof, tree.q_slice[force.joint].start + force.dof
    match force.type:
        case "torque" | "force":
            return dof, x["value"]
        case "torsion":
            rest = np.radians(force.rest_deg) if force.rest_deg is not None else force.rest or 0.0
            return dof, force.preload - force.stiffness * (q[at] - rest) - force.damping * v[dof]
        case "motor":
            wish = force.kp * (x["target"] - q[at]) + force.kd * (x["target_velocity"] - v[dof])
            return dof, wish if force.limit is None else np.clip(wish, -force.limit, force.limit)


class Bodies:
    """Points and frames of bodies at one state, and the sum of what pushes them."""

    def __init__(self, tree, q, v):
        self.tree, self.where = tree, poses(tree, q)
        self.twist = {name: jacobian(tree, q, name) @ v for name in self.where}
        self.wrenches = {name: np.zeros(6) for name in tree.body_names}

    def point(self, name, at):
        return (self.where[name] @ [*at, 1.0])[:3]

    def velocity(self, name, p):
        """Velocity of the point of a body that is at p in the world."""
        w, u = np.split(self.twist[name], 2)
        return u + np.cross(w, p - self.where[name][:3, 3])

    def push(self, name, p, force, moment=(0.0, 0.0, 0.0)):
        body = self.tree.spec.frames[name].body if name in self.tree.spec.frames else name
        if body != GROUND:
            arm = p - self.where[body][:3, 3]
            self.wrenches[body] += np.concatenate([moment + np.cross(arm, force), force])


def spring(force, bodies, start):
    a, b = bodies.point(force.parent, force.at), bodies.point(force.child, force.child_at)
    length = force.length
    if length is None:
        length = np.linalg.norm(start.point(force.child, force.child_at) - start.point(force.parent, force.at))
    distance = np.linalg.norm(b - a)
    along = (b - a) / distance
    rate = (bodies.velocity(force.child, b) - bodies.velocity(force.parent, a)) @ along
    pull = (force.stiffness * (distance - length) + force.damping * rate) * along
    bodies.push(force.parent, a, pull)
    bodies.push(force.child, b, -pull)


def strut(force, bodies, start):
    a, b = bodies.point(force.parent, force.at), bodies.point(force.child, force.child_at)
    length = force.length
    if length is None:
        length = np.linalg.norm(start.point(force.child, force.child_at) - start.point(force.parent, force.at))
    distance = np.linalg.norm(b - a)
    along = (b - a) / distance
    rate = (bodies.velocity(force.child, b) - bodies.velocity(force.parent, a)) @ along
    pull = (force.stiffness * (distance - length) + strut_damper(force, distance, rate)) * along
    if force.longest is not None:
        pull += stop(force.stop, distance - force.longest) * along
    if force.shortest is not None:
        pull -= stop(force.stop, force.shortest - distance) * along
    bodies.push(force.parent, a, pull)
    bodies.push(force.child, b, -pull)


def strut_damper(force, x, rate):
    """Four rates, by direction and by where in the stroke."""
    middle, end = (force.compression, force.end_compression) if rate < 0.0 else (force.rebound, force.end_rebound)
    if force.midstroke is None or end is None:
        return middle * rate
    low, high = force.midstroke
    return rate * np.interp(x, [low - force.blend, low, high, high + force.blend], [end, middle, middle, end])


def stop(table, pressed):
    """Force of a stop: a table from (0, 0) on, with one more row far out on its last slope."""
    x, f = np.vstack([(0.0, 0.0), table]).T
    slope = (f[-1] - f[-2]) / (x[-1] - x[-2])
    return np.interp(pressed, [*x, x[-1] + 10.0], [*f, f[-1] + 10.0 * slope])


def bushing(force, bodies):
    """Deflection and turn of the child's frame as seen from the parent's, and their rates; it pushes at the child's."""
    A = bodies.where[force.parent][:3, :3] @ rotation(force.rpy_deg, force.quat)
    B = bodies.where[force.child][:3, :3] @ rotation(force.child_rpy_deg, force.child_quat)
    a, b = bodies.point(force.parent, force.at), bodies.point(force.child, force.child_at)
    deflection = np.concatenate([so3_log(A.T @ B), A.T @ (b - a)])
    turning = bodies.twist[force.child][:3] - bodies.twist[force.parent][:3]
    moving = bodies.velocity(force.child, b) - bodies.velocity(force.parent, b)
    rate = np.concatenate([A.T @ turning, A.T @ moving])
    load = -np.array(force.stiffness) * deflection - np.array(force.damping) * rate
    moment, push = A @ load[:3], A @ load[3:]
    bodies.push(force.child, b, push, moment)
    bodies.push(force.parent, b, -push, -moment)


def wrench(force, bodies, moment, push):
    R = bodies.where[force.body][:3, :3] if force.axes == "body" else np.eye(3)
    bodies.push(force.body, bodies.point(force.body, force.at), R @ push, R @ moment)


def forces(tree, t, q, v, z, q0):
    """tau (nv,), wrenches {body: (6,)} and rates of z at a state; q0 is the start pose, which sets free lengths."""
    tau, zdot, k = np.zeros(tree.nv), np.zeros(len(z)), 0
    for link in moving(tree):
        joint = link.joint
        tau[link.v] += passive(joint, q[link.q], v[link.v])
        friction = np.broadcast_to(joint.friction, link.v.stop - link.v.start)
        for dof, F in zip(range(link.v.start, link.v.stop), friction):
            if F > 0.0:
                s = F / STICK if joint.stick_stiffness is None else joint.stick_stiffness
                d = 2.0 * np.sqrt(s * crba(tree, q0)[dof, dof])
                push, zdot[k] = dahl(F, s, d, v[dof], z[k])
                tau[dof] += push
                k += 1
    bodies, start = Bodies(tree, q, v), Bodies(tree, q0, np.zeros(tree.nv))
    for force in tree.spec.forces.values():
        match force.type:
            case "spring":
                spring(force, bodies, start)
            case "strut":
                strut(force, bodies, start)
            case "bushing":
                bushing(force, bodies)
            case "wrench":
                wrench(
                    force, bodies, *([signal(tree, x, t, q, v) for x in part] for part in (force.moment, force.force))
                )
            case _:
                names = [name for name in ("value", "target", "target_velocity") if name in type(force).model_fields]
                given = {name: signal(tree, getattr(force, name), t, q, v) for name in names}
                if force.type == "motor" and force.target is None:
                    given["target"] = q0[tree.q_slice[force.joint].start + force.dof]
                dof, push = on_joint(tree, force, q, v, given)
                tau[dof] += push
    return tau, bodies.wrenches, zdot
