"""Exudyn beside Gori: a chain of revolute joints with springs, run by Exudyn's implicit generalized-alpha.

Link k runs along x and turns about z if k is even, about y if odd; all start straight, along x, at rest. Two forms:
"tree", Exudyn's ObjectKinematicTree in the joint angles: the fastest to some 50 links, and the same numbers as Gori's;
its Jacobian is dense and numeric, and at 400 links it takes 3 times (planar motion) to 10 times as long as the other.
"bodies", a rigid body with Euler parameters per link, RevoluteZ joints and torsional springs: sparse, linear in links.

Exudyn's generalized-alpha takes constraints on positions only (index 3); index 2 goes with Newmark alone. Modified
Newton, the build without range checks, nothing written or shown. Newton's tolerances are loose, but leave the error
in the angles at a step of 1 ms as it is. Tried, and no faster: full Newton, a Jacobian per step, GenericJoint,
numeric derivatives, trees of 2 to 40 links joined by RevoluteZ (planar only). Rotation vectors in place of Euler
parameters: about as fast in planar motion, a third slower in space.
"""

import contextlib
import io
import sys
import time
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

try:
    sys.exudynFast = True  # the build without range checks; read when exudyn is first imported
    with contextlib.redirect_stdout(io.StringIO()):
        import exudyn
        from exudyn import itemInterface as items
except ImportError as error:
    raise SystemExit("this needs Exudyn: pip install exudyn") from error

_TOLERANCE = {"tree": 1e-6, "bodies": 1e-4}
_SOLVER = {"tree": "EigenDense", "bodies": "EigenSparse"}


@dataclass
class Chain:
    """An assembled system of Exudyn, and what is needed to read it."""

    container: Any
    mbs: Any
    form: str
    bodies: int
    length: float

    def state(self) -> tuple[np.ndarray, np.ndarray]:
        """Joint angles (bodies,) and the position of the tip (3,)."""
        if self.form == "tree":
            q = np.array(self.mbs.systemData.GetODE2Coordinates())
            R, tip = np.eye(3), np.zeros(3)
            for k, angle in enumerate(q):
                R = R @ _turn(k, angle)
                tip += self.length * R[:, 0]
            return q, tip
        R, q = np.eye(3), np.zeros(self.bodies)
        for k in range(self.bodies):
            here = self._node(k, "RotationMatrix").reshape(3, 3)
            x = R.T @ here[:, 0]
            q[k] = np.arctan2(x[1], x[0]) if k % 2 == 0 else np.arctan2(-x[2], x[0])
            R = here
        return q, self._node(self.bodies - 1, "Position") + 0.5 * self.length * R[:, 0]

    def _node(self, k: int, what: str) -> np.ndarray:
        return np.array(self.mbs.GetNodeOutput(k, getattr(exudyn.OutputVariableType, what)))


class Run(NamedTuple):
    seconds: float  # per step
    angles: np.ndarray  # at the end [rad]
    tip: np.ndarray  # at the end [m]
    iterations: float  # of Newton, per step
    jacobians: int  # in all


def fastest(bodies: int) -> str:
    """The faster form for that many links."""
    return "tree" if bodies <= 50 else "bodies"


def chain(
    bodies: int,
    form: str | None = None,
    *,
    length: float = 0.1,
    mass: float = 0.1,
    width: float = 0.01,
    inertia: tuple[float, float, float] | None = None,
    stiffness: float = 1.0,
    damping: float = 0.01,
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81),
) -> Chain:
    """The chain, assembled; inertia about the centre of mass (x, y, z), by default of a cuboid of that width."""
    form = form or fastest(bodies)
    container = exudyn.SystemContainer()
    mbs = container.AddSystem()
    if inertia is None:
        across = mass * (length**2 + width**2) / 12
        inertia = (mass * width**2 / 6, across, across)
    add = {"tree": _add_tree, "bodies": _add_bodies}[form]
    add(mbs, bodies, length, mass, inertia, stiffness, damping, list(gravity))
    mbs.Assemble()
    return Chain(container, mbs, form, bodies, length)


def _add_tree(mbs, n, length, mass, inertia, stiffness, damping, gravity) -> None:
    node = mbs.AddNode(
        items.NodeGenericODE2(
            referenceCoordinates=[0.0] * n,
            initialCoordinates=[0.0] * n,
            initialCoordinates_t=[0.0] * n,
            numberOfODE2Coordinates=n,
        )
    )
    types = (exudyn.JointType.RevoluteZ, exudyn.JointType.RevoluteY)
    mbs.AddObject(
        items.ObjectKinematicTree(
            nodeNumber=node,
            gravity=gravity,
            jointTypes=[types[k % 2] for k in range(n)],
            linkParents=list(range(-1, n - 1)),
            jointTransformations=exudyn.Matrix3DList([np.eye(3)] * n),
            jointOffsets=exudyn.Vector3DList([[length if k else 0.0, 0.0, 0.0] for k in range(n)]),
            linkInertiasCOM=exudyn.Matrix3DList([np.diag(inertia)] * n),
            linkCOMs=exudyn.Vector3DList([[length / 2, 0.0, 0.0]] * n),
            linkMasses=[mass] * n,
            jointPControlVector=[stiffness] * n,
            jointDControlVector=[damping] * n,
            jointPositionOffsetVector=[0.0] * n,
            jointVelocityOffsetVector=[0.0] * n,
        )
    )


def _add_bodies(mbs, n, length, mass, inertia, stiffness, damping, gravity) -> None:
    """Body frames at the centres of mass, which Exudyn has shorter formulas for."""
    parent, end = mbs.AddObject(items.ObjectGround()), 0.0
    for k in range(n):
        node = mbs.AddNode(items.NodeRigidBodyEP(referenceCoordinates=[(k + 0.5) * length, 0, 0, 1, 0, 0, 0]))
        body = mbs.AddObject(items.ObjectRigidBody(mass=mass, inertia=[*inertia, 0, 0, 0], nodeNumber=node))
        at, child_at = _frame(k, end), _frame(k, -length / 2)
        ends = [
            mbs.AddMarker(items.MarkerBodyRigid(bodyNumber=parent, localHT=at)),
            mbs.AddMarker(items.MarkerBodyRigid(bodyNumber=body, localHT=child_at)),
        ]
        mbs.AddObject(items.ObjectJointRevoluteZ(markerNumbers=ends))
        spring = items.ObjectConnectorTorsionalSpringDamper(markerNumbers=ends, stiffness=stiffness, damping=damping)
        mbs.AddObject(spring)
        centre = mbs.AddMarker(items.MarkerBodyMass(bodyNumber=body))
        mbs.AddLoad(items.LoadMassProportional(markerNumber=centre, loadVector=gravity))
        parent, end = body, length / 2


def _frame(k: int, x: float) -> np.ndarray:
    """A frame at x whose z is the axis of joint k."""
    H = np.eye(4)
    H[0, 3] = x
    if k % 2:
        H[:3, :3] = [[1, 0, 0], [0, 0, 1], [0, -1, 0]]
    return H


def _turn(k: int, angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]] if k % 2 == 0 else [[c, 0, s], [0, 1, 0], [-s, 0, c]])


def settings(form: str, h: float, steps: int, rho_inf: float = 0.8, rtol: float | None = None, threads: int = 1):
    """Exudyn's settings for speed; rtol is how far Newton brings the first residual of a step down."""
    s = exudyn.SimulationSettings()
    integration, newton = s.timeIntegration, s.timeIntegration.newton
    integration.numberOfSteps, integration.endTime = steps, h * steps
    integration.adaptiveStep = False  # a step that fails is an error, not a smaller step
    integration.verboseMode = 0
    integration.generalizedAlpha.spectralRadius = rho_inf
    newton.useModifiedNewton = True
    newton.relativeTolerance = _TOLERANCE[form] if rtol is None else rtol
    s.linearSolver.solverType = getattr(exudyn.LinearSolverType, _SOLVER[form])
    s.linearSolver.reuseAnalyzedPattern = True
    s.parallel.numberOfThreads = threads
    s.solution.file.write = s.solution.sensors.active = s.show.globalTimers = False
    return s


def time_per_step(
    bodies: int,
    h: float = 1e-3,
    steps: int = 200,
    form: str | None = None,
    *,
    rho_inf: float = 0.8,
    rtol: float | None = None,
    threads: int = 1,
    rounds: int = 1,
    **parts,
) -> Run:
    """The steps from the start, timed without assembling and starting the solver; the best of the rounds counts.

    `parts` are keywords of `chain`.
    """
    best = None
    for _ in range(rounds):
        system = chain(bodies, form, **parts)
        options = settings(system.form, h, steps, rho_inf, rtol, threads)
        solver = exudyn.MainSolverImplicitSecondOrder()
        if not solver.InitializeSolver(system.mbs, options):
            raise RuntimeError(f"Exudyn: the solver did not start: {solver.GetErrorString()}")
        start = time.perf_counter()
        done = solver.SolveSteps(system.mbs, options)
        seconds = (time.perf_counter() - start) / steps
        if not done:
            raise RuntimeError(f"Exudyn: no convergence: {solver.GetErrorString()}")
        counts = solver.it.newtonStepsCount / steps, solver.it.newtonJacobiCount
        solver.FinalizeSolver(system.mbs, options)
        if best is None or seconds < best.seconds:
            best = Run(seconds, *system.state(), *counts)
    return best


def main() -> None:
    for n in (10, 100, 400):
        for form in ("tree", "bodies"):
            run = time_per_step(n, steps=100, form=form)
            print(f"{n:4d} {form:7s} {1e6 * run.seconds:8.0f} us  {run.iterations:.1f} iterations  tip {run.tip}")


if __name__ == "__main__":
    main()
