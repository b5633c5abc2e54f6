"""Closed machines in absolute coordinates: each body has its own centre of mass r and quaternion, and every joint and
every cut gives equations (Haug 1989, chapters 9 and 11). A second way to what `loops` gives, with no code in common
beyond the pose and the velocity of the bodies.

Unknowns of body i: acceleration r'' of its centre of mass in world axes, and w' of its angular velocity in body axes:

[M J'; J 0] [y; lambda] = [Q; -gamma],  M = diag(m 1, I'),  Q = (m g + f, n' - w' x I' w')

Equations and coordinates of joints are made of points and axes of bodies by the product rule, so each has a value, a
row of J, and a gamma.
"""

from typing import NamedTuple

import numpy as np

from gori.spec import GROUND, Spec
from gori.spec.base import rotation_to
from tests.reference.dynamics import link_poses, poses, velocities
from tests.reference.loops import mimics, open_tree
from tests.reference.spatial import quaternion_to_rotation, rotation_to_quaternion, skew
from tests.reference.tree import unit


class Vector(NamedTuple):
    """A vector that moves: x, x', and x'' = D y + bias, each in world axes."""

    x: np.ndarray
    rate: np.ndarray
    D: np.ndarray
    bias: np.ndarray

    def __sub__(self, other):
        return Vector(*(a - b for a, b in zip(self, other)))


class Scalar(NamedTuple):
    """A number that moves: its rate, and its second derivative J y + gamma."""

    rate: float
    J: np.ndarray
    gamma: float


def dot(a: Vector, b: Vector):
    """(a.b)'' = a''.b + 2 a'.b' + a.b''."""
    return Scalar(a.rate @ b.x + a.x @ b.rate, b.x @ a.D + a.x @ b.D, b.x @ a.bias + 2 * a.rate @ b.rate + a.x @ b.bias)


class Bodies:
    """Where all bodies are and how they move, and the points and axes fixed to them."""

    def __init__(self, spec: Spec, q, v):
        tree = open_tree(spec)
        self.names, self.size, self.state = tree.body_names, 6 * len(tree.links), {}
        for link, (R, p), V in zip(tree.links, link_poses(tree, q), velocities(tree, q, v)):
            quat = rotation_to_quaternion(R)
            self.state[link.name] = p + R @ link.com, quat, R @ (V[3:] + np.cross(V[:3], link.com)), V[:3]
        self.state[GROUND] = np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]), np.zeros(3), np.zeros(3)
        self.com = {link.name: link.com for link in tree.links} | {GROUND: np.zeros(3)}

    def rotation(self, body):
        return quaternion_to_rotation(self.state[body][1])

    def _blocks(self, body, linear, angular):
        """A (3, 6 n) matrix that is zero but for one body; the ground has no unknowns."""
        D = np.zeros((3, self.size))
        if body != GROUND:
            k = 6 * self.names.index(body)
            D[:, k : k + 3], D[:, k + 3 : k + 6] = linear, angular
        return D

    def axis(self, body, a):
        """A direction fixed to a body, given in body axes: A a, A w x a, and A (w x (w x a) - a x w')."""
        A, w = self.rotation(body), self.state[body][3]
        D = self._blocks(body, np.zeros((3, 3)), -A @ skew(a))
        return Vector(A @ a, A @ np.cross(w, a), D, A @ np.cross(w, np.cross(w, a)))

    def point(self, body, p):
        """A point fixed to a body, given in the body's frame: r + A s."""
        s = p - self.com[body]
        r, _, u, _ = self.state[body]
        arm = self.axis(body, s)
        D = arm.D + self._blocks(body, np.eye(3), np.zeros((3, 3)))
        return Vector(r + arm.x, u + arm.rate, D, arm.bias)

    def spin(self, body):
        """Angular velocity of a body as x', so that D y is its rate: (A w)' = A w'. It has no x."""
        A, w = self.rotation(body), self.state[body][3]
        return Vector(np.full(3, np.nan), A @ w, self._blocks(body, np.zeros((3, 3)), A), np.zeros(3))


def turn_rate(e: Vector, spin: Vector):
    """e.spin as the rate of an angle about e: (e.spin)' = e'.spin + e.spin'."""
    return Scalar(e.x @ spin.rate, e.x @ spin.D, e.rate @ spin.rate)


class Pair:
    """A joint or cut: axes of both its frames (z is the joint's), the vector d between them, and the relative spin."""

    def __init__(self, bodies: Bodies, joint):
        turn = np.eye(3) if joint.type in ("free", "spherical") else rotation_to(joint.axis)
        (R_A, p_A), (R_B, p_B) = joint.pose(), joint.child_pose()
        self.A = [bodies.axis(joint.parent, R_A @ e) for e in turn.T]
        self.B = [bodies.axis(joint.child, R_B @ e) for e in turn.T]
        self.own = [bodies.axis(joint.child, e) for e in np.eye(3)]
        axis2 = turn[:, 0] if joint.axis2 is None else unit(joint.axis2)
        self.axis2 = bodies.axis(joint.child, R_B @ axis2)
        self.origin = bodies.point(joint.child, p_B)
        self.d = self.origin - bodies.point(joint.parent, p_A)
        self.spin = bodies.spin(joint.child) - bodies.spin(joint.parent)
        self.joint = joint

    def equations(self) -> list[Scalar]:
        """What the joint forbids."""
        (x, y, z), (_, yb, zb), d = self.A, self.B, self.d
        along = [dot(x, d), dot(y, d), dot(z, d)]
        upright = [dot(y, zb), dot(x, zb)]
        match self.joint.type:
            case "fixed":
                return [*along, *upright, dot(x, yb)]
            case "revolute":
                return [*along, *upright]
            case "prismatic":
                return [*along[:2], *upright, dot(x, yb)]
            case "helical":
                pitch, angle = self.joint.pitch / (2 * np.pi), turn_rate(z, self.spin)
                return [*along[:2], *upright, Scalar(*(a - pitch * b for a, b in zip(along[2], angle)))]
            case "cylindrical":
                return [*along[:2], *upright]
            case "universal":
                return [*along, dot(z, self.axis2)]
            case "planar":
                return [along[2], *upright]
            case "spherical":
                return along
            case "distance":
                return [dot(d, d)]
            case _:
                return []

    def coordinates(self) -> list[Scalar]:
        """Its own velocities v, as `rate`, and accelerations, of a joint of the tree."""
        (x, y, z), d = self.A, self.d
        match self.joint.type:
            case "revolute" | "helical":
                return [turn_rate(z, self.spin)]
            case "prismatic":
                return [dot(z, d)]
            case "cylindrical":
                return [turn_rate(z, self.spin), dot(z, d)]
            case "universal":
                return [turn_rate(z, self.spin), turn_rate(self.axis2, self.spin)]
            case "planar":
                return [dot(x, d), dot(y, d), turn_rate(z, self.spin)]
            case "spherical":
                return [turn_rate(e, self.spin) for e in self.own]
            case "free":
                # the velocity seen from the parent, E_A d' with E_A = (x y z)', turned to the child: u = C' (E_A d)'
                turns, travel = [turn_rate(e, self.spin) for e in self.own], [dot(e, d) for e in self.A]
                C = np.array([[a.x @ b.x for b in self.own] for a in self.A])
                rate, J, gamma = (C.T @ np.array(part) for part in zip(*travel))
                gamma = gamma - np.cross([turn.rate for turn in turns], rate)
                return [*turns, *(Scalar(*row) for row in zip(rate, J, gamma))]
            case _:
                return []


class Solution(NamedTuple):
    """Of a closed machine: accelerations of bodies {name: (6,)} as angular, then linear of the centre of mass, world
    axes; qdd (nv,); and wrenches of joints and cuts on their children as `loops.reactions` has them.
    """

    accelerations: dict
    qdd: np.ndarray
    reactions: dict


def solve(spec: Spec, q, v, tau, wrenches=None) -> Solution:
    """Accelerations and reactions at a state, multipliers of least length where equations are redundant."""
    tree, bodies = open_tree(spec), Bodies(spec, q, v)
    pairs = {name: Pair(bodies, part) for group in (spec.joints, spec.cuts) for name, part in group.items()}
    coordinates = {name: pairs[name].coordinates() for name in tree.joint_names}

    # inertia and weight
    M, Q = np.zeros((bodies.size, bodies.size)), np.zeros(bodies.size)
    for k, name in enumerate(bodies.names):
        mass, _, inertia = spec.bodies[name].inertial()
        w = bodies.state[name][3]
        at, turn = slice(6 * k, 6 * k + 3), slice(6 * k + 3, 6 * k + 6)
        M[at, at], M[turn, turn] = mass * np.eye(3), inertia
        Q[at], Q[turn] = mass * np.array(spec.gravity), -np.cross(w, inertia @ w)

    # external wrenches: their virtual work on the frame they act at
    where = poses(tree, q)
    for name, wrench in (wrenches or {}).items():
        body = spec.frames[name].body if name in spec.frames else name
        p = where[body][:3, :3].T @ (where[name][:3, 3] - where[body][:3, 3])
        Q += wrench[:3] @ bodies.spin(body).D + wrench[3:] @ bodies.point(body, p).D

    # drives: tau, less what their own inertia takes, armature (J y + gamma)
    armature = {name: tree.armature[tree.v_slice[name]] for name in coordinates}
    for name, own in coordinates.items():
        for c, inertia, push in zip(own, armature[name], tau[tree.v_slice[name]]):
            M += inertia * np.outer(c.J, c.J)
            Q += (push - inertia * c.gamma) * c.J

    # equations of joints and cuts, then of mimic joints
    rows, owner = [], []
    for name, pair in pairs.items():
        for equation in pair.equations():
            rows.append(equation)
            owner.append(name)
    for name, mimic in mimics(spec):
        mine, other = coordinates[name][0], coordinates[mimic.joint][0]
        rows.append(Scalar(*(a - mimic.ratio * b for a, b in zip(mine, other))))
    J, gamma = np.array([row.J for row in rows]).reshape(-1, bodies.size), np.array([row.gamma for row in rows])
    K = np.block([[M, J.T], [J, np.zeros((len(J), len(J)))]])
    inverse, right = np.linalg.pinv(K, rcond=1e-10, hermitian=True), np.concatenate([Q, -gamma])
    solution = inverse @ right
    solution += inverse @ (right - K @ solution)  # refined once, as in `loops.constrained`
    y, multipliers = np.split(solution, [bodies.size])

    # what each joint does to the bodies: its equations, its drive, its coupling
    qdd = np.zeros(tree.nv)
    forces = {name: np.zeros(bodies.size) for name in pairs}
    for name, row, multiplier in zip(owner, rows, multipliers):
        forces[name] -= multiplier * row.J
    for name, own in coordinates.items():
        qdd[tree.v_slice[name]] = [c.J @ y + c.gamma for c in own]
        drive = tau[tree.v_slice[name]] - armature[name] * qdd[tree.v_slice[name]]
        forces[name] += sum(push * c.J for push, c in zip(drive, own))
    for (name, mimic), multiplier in zip(mimics(spec), multipliers[len(owner) :]):
        forces[name] -= multiplier * coordinates[name][0].J
        forces[mimic.joint] += multiplier * mimic.ratio * coordinates[mimic.joint][0].J
    reactions = {name: on_child(bodies, pairs[name], force) for name, force in forces.items()}

    accelerations = {}
    for name, (linear, angular) in zip(bodies.names, y.reshape(-1, 2, 3)):
        accelerations[name] = np.concatenate([bodies.rotation(name) @ angular, linear])
    return Solution(accelerations, qdd, reactions)


def on_child(bodies, pair, force):
    """The child's part of a force on all bodies, as a wrench at the joint's origin, world axes. The ground has no part:
    where it is the child, the wrench is the opposite of the parent's.
    """
    sign, body = (-1.0, pair.joint.parent) if pair.joint.child == GROUND else (1.0, pair.joint.child)
    k = 6 * bodies.names.index(body)
    push, moment = force[k : k + 3], bodies.rotation(body) @ force[k + 3 : k + 6]
    return sign * np.concatenate([moment + np.cross(bodies.state[body][0] - pair.origin.x, push), push])
