"""Exudyn beside Gori: the mechanisms of `bench/mechanisms.py`, run implicitly.

Two forms: "plane", RigidBody2D and Revolute2D joints; "trees", an ObjectKinematicTree in joint coordinates for each
branch that stands on the ground, closed by joints between their links. A body that a ball joint carries is a rigid body
with Euler parameters. Each case has the form, the equations of the loops (index 3 with generalized-alpha, or index 2
with the trapezoidal rule), the linear solver and the Newton iteration that take the least time for the error asked for.

Tried, and slower: rigid bodies with Euler parameters for all, joined by RevoluteZ, PrismaticX and universal joints (1.5
times on the platform, twice in Bricard's mechanism, more in the plane); 2D bodies for the rows of squares (about 4:
the error is larger, so the step is smaller); one tree for a whole mechanism; other linear solvers; spectral radius 0.6
and 1; Newton tolerances from 1e-2 to 1e-8. Index 2 fails in Bricard's mechanism at large steps.
"""

import time
from typing import Any, NamedTuple

import numpy as np

import gori
from bench.exudyn_peer import exudyn, items
from bench.mechanisms import CASES, planar
from gori.spec.base import quaternion, rotation_to
from gori.spec.joint import GROUND

_TREE_JOINTS = ("revolute", "prismatic", "universal")
_KINDS = {
    "revolute": [exudyn.JointType.RevoluteX, exudyn.JointType.RevoluteY, exudyn.JointType.RevoluteZ],
    "prismatic": [exudyn.JointType.PrismaticX, exudyn.JointType.PrismaticY, exudyn.JointType.PrismaticZ],
}


class Choice(NamedTuple):
    """What Exudyn is fastest with."""

    form: str
    solver: str
    index2: bool
    jacobian_each_step: bool  # and then one iteration mostly does; otherwise it is kept while Newton converges well


CHOICES = {
    "four_bar": Choice("trees", "EigenDense", False, True),
    "n_four_bar_40": Choice("trees", "EigenSparse", False, True),
    "andrews": Choice("plane", "EigenSparse", True, True),
    "bricard": Choice("trees", "EigenDense", False, False),
    "stewart": Choice("trees", "EigenDense", False, True),
}


def run(name: str, step: float) -> tuple[np.ndarray, float]:
    """Position (3,) of the case's point at the end, not finite if a step failed; seconds of the steps alone."""
    case = CASES[name]
    system = System(case.make(), CHOICES[name].form)
    options = settings(name, step, round(case.duration / step))
    solver = exudyn.MainSolverImplicitSecondOrder()
    if not solver.InitializeSolver(system.mbs, options):
        raise RuntimeError(f"Exudyn: the solver did not start: {solver.GetErrorString()}")
    start = time.perf_counter()
    done = solver.SolveSteps(system.mbs, options)
    seconds = time.perf_counter() - start
    point = system.point(case.point) if done else np.full(3, np.nan)
    solver.FinalizeSolver(system.mbs, options)
    return point, seconds


def settings(name: str, step: float, steps: int):
    """Exudyn's settings for speed."""
    s, choice = exudyn.SimulationSettings(), CHOICES[name]
    integration, newton = s.timeIntegration, s.timeIntegration.newton
    integration.numberOfSteps, integration.endTime = steps, step * steps
    integration.adaptiveStep = False  # a step that fails is an error, not a smaller step
    integration.verboseMode = 0
    alpha = integration.generalizedAlpha
    alpha.spectralRadius = 0.9
    alpha.useIndex2Constraints = alpha.useNewmark = choice.index2
    newton.useModifiedNewton = True
    newton.modifiedNewtonJacUpdatePerStep = choice.jacobian_each_step
    newton.relativeTolerance = 1e-3
    s.linearSolver.solverType = getattr(exudyn.LinearSolverType, choice.solver)
    s.linearSolver.ignoreSingularJacobian = name == "bricard"  # one of its equations follows from the others
    s.linearSolver.reuseAnalyzedPattern = True
    s.parallel.numberOfThreads = 1
    s.solution.file.write = s.solution.sensors.active = s.show.globalTimers = False
    return s


class System:
    """A Spec as a system of Exudyn."""

    def __init__(self, spec: gori.Spec, form: str):
        self.spec, self.form = spec, form
        self.model = gori.compile(spec, open_loops=True)
        self.poses = self.model.forward_kinematics(self.model.q0)
        self.container = exudyn.SystemContainer()
        self.mbs = self.container.AddSystem()
        self.ground = self.mbs.AddObject(items.ObjectGround())
        self.bodies: dict[str, int] = {}
        self.links: dict[str, tuple[int, int]] = {}  # object and link of the bodies that belong to a tree
        if form == "trees":
            self._add_trees()
        alone = [name for name in spec.bodies if name not in self.links]
        for name in alone:
            self._add_body(name)
        for joint in [*(joint for joint in spec.joints.values() if joint.child in alone), *spec.cuts.values()]:
            self._join(joint)
        self._add_forces()
        self.mbs.Assemble()

    # ---- bodies

    def _add_body(self, name: str) -> None:
        """Body frames at the centres of mass, which Exudyn has shorter formulas for."""
        mass, com, J = self.spec.bodies[name].inertial()
        T, twist = self.poses[name], self.model.jacobian(self.model.q0, name) @ self.model.v0
        R, p, w = T[:3, :3], T[:3, 3] + T[:3, :3] @ com, twist[:3]
        u = twist[3:] + np.cross(w, R @ com)
        if self.form == "plane":
            place = [p[0], p[1], np.arctan2(R[1, 0], R[0, 0])]
            node = items.NodeRigidBody2D(referenceCoordinates=place, initialVelocities=[u[0], u[1], w[2]])
            body = items.ObjectRigidBody2D(mass=mass, inertia=J[2, 2], nodeNumber=self.mbs.AddNode(node))
        else:
            a, x, y, z = quat = quaternion(R)
            rate = 0.5 * np.array([[-x, -y, -z], [a, -z, y], [z, a, -x], [-y, x, a]]) @ R.T @ w
            node = items.NodeRigidBodyEP(referenceCoordinates=[*p, *quat], initialVelocities=[*u, *rate])
            inertia = [J[0, 0], J[1, 1], J[2, 2], J[1, 2], J[0, 2], J[0, 1]]
            body = items.ObjectRigidBody(mass=mass, inertia=inertia, nodeNumber=self.mbs.AddNode(node))
        self.bodies[name] = self.mbs.AddObject(body)
        if any(self.spec.gravity):
            marker = self.mbs.AddMarker(items.MarkerBodyMass(bodyNumber=self.bodies[name]))
            self.mbs.AddLoad(items.LoadMassProportional(markerNumber=marker, loadVector=list(self.spec.gravity)))

    def _add_trees(self) -> None:
        """What stands on the ground, and all it carries by revolute, prismatic and universal joints, as one tree."""
        branches: dict[str, list] = {}
        root: dict[str, str] = {}
        for info in self.model.joints:
            joint = self.spec.joints[info.name]
            if joint.type in _TREE_JOINTS and (joint.parent == GROUND or joint.parent in root):
                root[joint.child] = root.get(joint.parent, joint.child)
                branches.setdefault(root[joint.child], []).append(info)
        for branch in branches.values():
            self._add_tree(branch)

    def _add_tree(self, branch: list) -> None:
        number: dict[str, int] = {GROUND: -1}
        links = []
        for info in branch:
            joint = self.spec.joints[info.name]
            mass, com, J = self.spec.bodies[joint.child].inertial()
            axes = [joint.axis] if joint.axis2 is None else [joint.axis, joint.axis2]
            kinds = _KINDS["prismatic" if joint.type == "prismatic" else "revolute"]
            torque = sum(f.value for f in self.spec.forces.values() if f.type == "torque" and f.joint == info.name)
            for k, axis in enumerate(axes):
                q, v = info.q.start + k, info.v.start + k
                whole = k == len(axes) - 1  # of a universal joint: the first link has no mass
                link = {
                    "type": kinds[int(np.argmax(axis))],
                    "parent": number[joint.parent] if k == 0 else len(links) - 1,
                    "at": list(joint.at) if k == 0 else [0.0] * 3,
                    "mass": mass if whole else 0.0,
                    "com": list(com) if whole else [0.0] * 3,
                    "J": J if whole else np.zeros((3, 3)),
                    "q": float(self.model.q0[q]),
                    "v": float(self.model.v0[v]),
                    "torque": torque,
                    "stiffness": float(self.model.stiffness[v]),
                    "damping": float(self.model.damping[v]),
                    "rest": float(self.model.rest[q]),
                }
                links.append(link)
            number[joint.child] = len(links) - 1
        column = {key: [link[key] for link in links] for key in links[0]}
        n = len(links)
        node = items.NodeGenericODE2(
            referenceCoordinates=[0.0] * n,
            initialCoordinates=column["q"],
            initialCoordinates_t=column["v"],
            numberOfODE2Coordinates=n,
        )
        passive = {}
        if any(column["stiffness"]) or any(column["damping"]):
            passive = {
                "jointPControlVector": column["stiffness"],
                "jointDControlVector": column["damping"],
                "jointPositionOffsetVector": column["rest"],
                "jointVelocityOffsetVector": [0.0] * n,
            }
        tree = self.mbs.AddObject(
            items.ObjectKinematicTree(
                nodeNumber=self.mbs.AddNode(node),
                gravity=list(self.spec.gravity),
                jointTypes=column["type"],
                linkParents=column["parent"],
                jointTransformations=exudyn.Matrix3DList([np.eye(3)] * n),
                jointOffsets=exudyn.Vector3DList(column["at"]),
                linkInertiasCOM=exudyn.Matrix3DList(column["J"]),
                linkCOMs=exudyn.Vector3DList(column["com"]),
                linkMasses=column["mass"],
                jointForceVector=column["torque"] if any(column["torque"]) else [],
                **passive,
            )
        )
        self.links |= {body: (tree, link) for body, link in number.items() if body != GROUND}

    # ---- joints and forces

    def _marker(self, body: str, at: Any) -> int:
        if body in self.links:
            tree, link = self.links[body]
            marker = items.MarkerKinematicTreeRigid(objectNumber=tree, linkNumber=link, localPosition=list(at))
        elif body == GROUND:
            marker = items.MarkerBodyRigid(bodyNumber=self.ground, localPosition=list(at))
        else:
            at = np.array(at) - self.spec.bodies[body].inertial()[1]
            marker = items.MarkerBodyRigid(bodyNumber=self.bodies[body], localPosition=list(at))
        return self.mbs.AddMarker(marker)

    def _join(self, joint: Any) -> None:
        ends = [self._marker(joint.parent, joint.at), self._marker(joint.child, joint.child_at)]
        z = rotation_to(joint.axis)
        match joint.type:
            case "revolute" if self.form == "plane":
                part = items.ObjectJointRevolute2D(markerNumbers=ends)
            case "revolute" if planar(self.spec):  # the trees keep to the plane
                part = items.ObjectJointSpherical(markerNumbers=ends, constrainedAxes=[1, 1, 0])
            case "revolute":
                part = items.ObjectJointRevoluteZ(markerNumbers=ends, rotationMarker0=z, rotationMarker1=z)
            case "spherical":
                part = items.ObjectJointSpherical(markerNumbers=ends)
            case _:
                raise NotImplementedError(joint.type)
        self.mbs.AddObject(part)

    def _add_forces(self) -> None:
        for force in self.spec.forces.values():
            if force.type == "spring":
                ends = [self._marker(force.parent, force.at), self._marker(force.child, force.child_at)]
                self.mbs.AddObject(
                    items.ObjectConnectorSpringDamper(
                        markerNumbers=ends,
                        stiffness=force.stiffness,
                        damping=force.damping,
                        referenceLength=force.length,
                    )
                )
            elif (joint := self.spec.joints[force.joint]).child not in self.links:
                load = [force.value * x for x in joint.axis]  # on a body that the ground carries
                self.mbs.AddLoad(
                    items.LoadTorqueVector(markerNumber=self._marker(joint.child, joint.child_at), loadVector=load)
                )

    def point(self, frame: str) -> np.ndarray:
        """Position (3,) of a frame now."""
        part = self.spec.frames[frame]
        if part.body in self.links:  # then all coordinates are those of the trees, in the order of the Spec
            q = np.array(self.mbs.systemData.GetODE2Coordinates())
            return self.model.forward_kinematics(q)[frame][:3, 3]
        at = np.array(part.at) - self.spec.bodies[part.body].inertial()[1]
        position = exudyn.OutputVariableType.Position
        return np.array(self.mbs.GetObjectOutputBody(self.bodies[part.body], position, list(at)))
