"""Every force of a Spec in textbook NumPy: joint forces, wrenches on bodies, rates of internal states, energies.

tau is (nv,); wrenches are {body: (6,)}, moment and force at the body's origin, world axes, as `dynamics.aba` has them;
z are the states of friction, one for each degree of freedom that has some, in the order of the tree.
"""

import numpy as np

from gori.spec import GROUND
from gori.spec.base import rotation
from gori.spec.expression import parse, value
from tests.reference.dynamics import crba, derivative, integrate, jacobian, poses
from tests.reference.spatial import quaternion_log, quaternion_product, so3_log

CONJUGATE = np.array([1.0, -1.0, -1.0, -1.0])
STICK, SOFTEST, FASTEST = 1e-3, 1e-2, 500.0
"""deflection at which friction breaks away, where no stick_stiffness is given, and its most for joints that would stick
faster than the last [rad, m; rad/s]"""


def signal(tree, x, t, q, v):
    """A Value of the Spec: a number, a table over time, or an expression."""
    if isinstance(x, str):
        names = {"t": t}
        for joint, at in tree.q_slice.items():
            names |= {f"{joint}.q": q[at][0], f"{joint}.v": v[tree.v_slice[joint]][0]}
        for body, T in poses(tree, q).items():
            if any(str(name).startswith(f"{body}.") for operation, name in parse(x) if operation == "name"):
                w, u = np.split(jacobian(tree, q, body) @ v, 2)
                for k, axis in enumerate("xyz"):
                    names |= {f"{body}.{axis}": T[k, 3], f"{body}.v{axis}": u[k], f"{body}.w{axis}": w[k]}
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


def bristle(tree, joint, dof, F, q0):
    """Stiffness and critical damping of friction that sticks, for a tree without loops.

    The inertia is the share of M that is left where all joints with friction move against each other: the largest
    multiple of J = 1 / diag(M^-1) that is nowhere above M, by the largest eigenvalue of M^-1 J.
    """
    rubs = np.zeros(tree.nv, bool)
    for link in moving(tree):
        rubs[link.v] = np.broadcast_to(link.joint.friction, link.v.stop - link.v.start) > 0.0
    mobility = np.linalg.inv(crba(tree, q0))[np.ix_(rubs, rubs)]
    J = 1.0 / np.diag(mobility)
    inertia = (J / np.linalg.eigvals(mobility * J).real.max())[np.count_nonzero(rubs[:dof])]
    s = joint.stick_stiffness
    if s is None:
        s = np.clip(inertia * FASTEST**2, F / SOFTEST, F / STICK)
    return s, 2.0 * np.sqrt(s * inertia)


def stick_slip(F, s, d, v, z):
    """Friction with a bristle of stiffness s and damping d that slips at the force F: force, and rate of z."""
    carried = s * z + d * v
    if np.abs(carried) <= F:
        return -carried, v
    return -np.sign(carried) * F, np.clip((np.sign(carried) * F - s * z) / d, -np.abs(v), np.abs(v))


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


def deflection(force, bodies):
    """Rotation vector and deflection of the child's frame of a bushing, as seen from the parent's, and its axes."""
    A = bodies.where[force.parent][:3, :3] @ rotation(force.rpy_deg, force.quat)
    B = bodies.where[force.child][:3, :3] @ rotation(force.child_rpy_deg, force.child_quat)
    a, b = bodies.point(force.parent, force.at), bodies.point(force.child, force.child_at)
    return so3_log(A.T @ B), A.T @ (b - a), A, b


def left_jacobian(r):
    """J of R = exp(r) with R' = [J r'] R, by its series."""
    X = np.array([[0.0, -r[2], r[1]], [r[2], 0.0, -r[0]], [-r[1], r[0], 0.0]])
    J, term = np.eye(3), np.eye(3)
    for k in range(2, 40):
        term = term @ X / k
        J = J + term
    return J


def bushing(force, bodies):
    """The gradient of its potential, and dampers; it pushes at the child's frame."""
    r, d, A, b = deflection(force, bodies)
    K, D = np.split(np.array(force.stiffness), 2), np.split(np.array(force.damping), 2)
    turning = bodies.twist[force.child][:3] - bodies.twist[force.parent][:3]
    moving = bodies.velocity(force.child, b) - bodies.velocity(force.parent, b)
    moment = A @ (-np.linalg.solve(left_jacobian(r).T, K[0] * r) - D[0] * (A.T @ turning))
    push = A @ (-K[1] * d - D[1] * (A.T @ moving))
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
                push, zdot[k] = stick_slip(F, *bristle(tree, joint, dof, F, q0), v[dof], z[k])
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


# ---- energy


def stop_area(table, pressed):
    """Energy of a stop: the area under its force, from row to row."""
    x = np.array([0.0, *(row for row, _ in table if row < pressed), max(pressed, 0.0)])
    return np.trapezoid(stop(table, x), x)


def stored(tree, q, q0):
    """{name: energy [J]} of all that is elastic: forces by name, and joints."""
    bodies, start = Bodies(tree, q, np.zeros(tree.nv)), Bodies(tree, q0, np.zeros(tree.nv))
    found = {}
    for link in moving(tree):
        joint, x = link.joint, q[link.q]
        k = np.broadcast_to(joint.stiffness, link.v.stop - link.v.start)
        energy = 0.0
        if joint.type == "spherical":
            rest = np.array(joint.rest if joint.rest is not None else (1.0, 0.0, 0.0, 0.0))
            turn = quaternion_log(quaternion_product(CONJUGATE * rest / np.linalg.norm(rest), x))
            energy = 0.5 * k[0] * turn @ turn
        elif k.any():
            rest = (
                np.radians(joint.rest_deg) if joint.rest_deg is not None else np.array(joint.rest or np.zeros(len(x)))
            )
            energy = 0.5 * k @ (x - rest) ** 2
        if joint.limit_stiffness is not None:
            low, high = joint.limits if joint.limits is not None else np.radians(joint.limits_deg)
            energy += 0.5 * joint.limit_stiffness * (max(0.0, low - x[0]) + max(0.0, x[0] - high)) ** 2
        if k.any() or joint.limit_stiffness is not None:
            found[link.joint_name] = energy
    for name, force in tree.spec.forces.items():
        match force.type:
            case "torsion":
                x = q[tree.q_slice[force.joint].start + force.dof]
                turn = x - (np.radians(force.rest_deg) if force.rest_deg is not None else force.rest or 0.0)
                found[name] = 0.5 * force.stiffness * turn**2 - force.preload * turn
            case "spring" | "strut":
                ends = [
                    at.point(force.child, force.child_at) - at.point(force.parent, force.at) for at in (bodies, start)
                ]
                now, before = map(np.linalg.norm, ends)
                found[name] = 0.5 * force.stiffness * (now - (before if force.length is None else force.length)) ** 2
                if force.type == "strut" and force.longest is not None:
                    found[name] += stop_area(force.stop, now - force.longest)
                if force.type == "strut" and force.shortest is not None:
                    found[name] += stop_area(force.stop, force.shortest - now)
            case "bushing":
                r, d, _, _ = deflection(force, bodies)
                found[name] = 0.5 * np.array(force.stiffness) @ np.concatenate([r, d]) ** 2
    return found


def working_power(tree, t, q, v, z, q0):
    """Power [W] of all that has no potential: that of all forces, and what the springs take up."""
    tau, wrenches, _ = forces(tree, t, q, v, z, q0)
    acting = tau @ v + sum(wrench @ (jacobian(tree, q, body) @ v) for body, wrench in wrenches.items())
    return acting + derivative(lambda s: sum(stored(tree, integrate(tree, q, s * v), q0).values()), 1e-4)
