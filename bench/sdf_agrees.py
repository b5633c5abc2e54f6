"""SDFormat files beside Drake: poses, mass matrix, bias force, gravity, inverse and forward dynamics at random states.

Drake: a free body has q = quaternion w x y z, position and v = angular, linear, both along the axes of the world; a
ball joint has v = angular velocity along the axes of its frame on the parent. v of Drake = A v of Gori.
"""

import logging
import tempfile
import warnings
from collections.abc import Container, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from lxml import etree

import gori
from bench.sdf_machines import MACHINES, bent, write
from gori.errors import GoriError
from gori.formats.plain import free_name, inertial_of
from gori.formats.sdf.document import declared

try:
    from pydrake.math import RollPitchYaw, RotationMatrix
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.multibody.tree import BodyIndex, JointIndex
except ImportError as error:
    raise SystemExit("this needs Drake: pip install drake") from error

logging.getLogger("drake").setLevel(logging.ERROR)
BOUND = 1e-9
STATES = 5
STEP = 1e-3


def plant_of(path: Path, folder: Path | None = None, gravity: Any = (0.0, 0.0, -9.81)) -> MultibodyPlant:
    """Drake's plant of a file; what it names lies in the folder."""
    plant = MultibodyPlant(0.0)
    parser = Parser(plant)
    if folder is not None:
        parser.package_map().PopulateFromFolder(str(folder))
        for inner in folder.iterdir():
            if inner.is_dir() and not parser.package_map().Contains(inner.name):
                parser.package_map().Add(inner.name, str(inner))
    parser.AddModels(str(path))
    plant.mutable_gravity_field().set_gravity_vector(np.array(gravity, float))
    plant.Finalize()
    return plant


class Peer:
    """A plant of the file that a Gori Model was loaded from."""

    def __init__(self, model: gori.Model, plant: MultibodyPlant, world: bool):
        self.gori, self.plant = model, plant
        self.context = plant.CreateDefaultContext()
        skip = 0 if world else 1  # names in a file with one model leave its own out
        bodies = (plant.get_body(BodyIndex(k)) for k in range(1, plant.num_bodies()))
        self.bodies = {_short(plant, body, skip): body for body in bodies}
        joints = (plant.get_joint(JointIndex(k)) for k in plant.GetJointIndices())
        # Drake counts a joint among those of its child's model
        self.joints = {(_short(plant, joint.child_body(), skip), joint.name()): joint for joint in joints}

    def pairs(self) -> Iterator[tuple[Any, Any, int, int]]:
        """A joint of Gori, the joint or free body of Drake, and where its q and v begin there."""
        for info in self.gori.joints:
            if info.type == "fixed":
                continue
            if info.type == "free":
                body = self.bodies[info.name.removesuffix(".free")]
                yield info, body, body.floating_positions_start(), body.floating_velocities_start_in_v()
            else:
                made = self.gori.spec.joints[info.name]
                end = made.parent if made.reversed else made.child
                own = (name for body, name in self.joints if body == end and f".{info.name}".endswith(f".{name}"))
                joint = self.joints[end, max(own, key=len)]
                yield info, joint, joint.position_start(), joint.velocity_start()

    def set_state(self, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Put Drake where Gori is; A (nv, nv), and the part of Drake's accelerations that is due to v alone."""
        nv = self.gori.nv
        out, A, extra = np.zeros(self.plant.num_positions()), np.zeros((nv, nv)), np.zeros(nv)
        poses = self.gori.forward_kinematics(q)
        for info, drake, at, dof in self.pairs():
            rows = slice(dof, dof + info.v.stop - info.v.start)
            if info.type == "free":
                R = poses[info.name.removesuffix(".free")][:3, :3]
                out[at : at + 7] = q[info.q]
                A[rows, info.v] = np.kron(np.eye(2), R)
                extra[dof + 3 : dof + 6] = R @ np.cross(v[info.v][:3], v[info.v][3:])
            elif info.type == "spherical":
                F = drake.frame_on_parent().GetFixedPoseInBodyFrame().rotation().matrix()
                M = drake.frame_on_child().GetFixedPoseInBodyFrame().rotation().matrix()
                R_PC = self._pose(poses, drake.parent_body())[:3, :3].T @ self._pose(poses, drake.child_body())[:3, :3]
                out[at : at + 3] = RollPitchYaw(RotationMatrix(F.T @ R_PC @ M)).vector()
                A[rows, info.v] = F.T @ R_PC
            else:
                out[at : at + info.q.stop - info.q.start] = q[info.q]
                A[rows, info.v] = np.eye(info.v.stop - info.v.start)
        self.plant.SetPositions(self.context, out)
        self.plant.SetVelocities(self.context, A @ v)
        return A, extra

    def _pose(self, poses: dict[str, np.ndarray], body: Any) -> np.ndarray:
        name = next((name for name, other in self.bodies.items() if other.index() == body.index()), None)
        return np.eye(4) if name is None else poses[name]


def _short(plant: MultibodyPlant, part: Any, skip: int) -> str:
    """The name that the Spec has for it."""
    instance = plant.GetModelInstanceName(part.model_instance())
    scopes = [] if instance == "WorldModelInstance" else instance.split("::")[skip:]
    return ".".join([*scopes, part.name()]).replace("::", ".").replace(" ", "_")


def errors(peer: Peer, seed: int = 0) -> dict[str, float]:
    """Largest differences of what both compute, by the size of the largest number."""
    model, plant, context = peer.gori, peer.plant, peer.context
    worst: dict[str, float] = {}

    def note(name: str, ours: Any, theirs: Any, least: float = 0.0) -> None:
        size = max(np.abs(theirs).max(initial=0.0), least) or 1.0
        worst[name] = max(worst.get(name, 0.0), float(np.abs(ours - theirs).max(initial=0.0)) / size)

    def places(q: np.ndarray, name: str) -> None:
        poses = model.forward_kinematics(q)
        for body, drake in peer.bodies.items():
            note(name, poses[body], plant.EvalBodyPoseInWorld(context, drake).GetAsMatrix4(), 1.0)

    if plant.num_velocities() != model.nv or {*peer.bodies} > {*model.body_names}:
        return {"degrees of freedom": float("inf")}
    places(model.q0, "start")
    rng = np.random.default_rng(seed)
    for q in np.atleast_2d(model.random(seed, STATES)) if model.nv else ():
        v, a = rng.normal(size=(2, model.nv))
        A, extra = peer.set_state(q, v)
        places(q, "poses")
        M, C = plant.CalcMassMatrix(context), plant.CalcBiasTerm(context)
        g = plant.CalcGravityGeneralizedForces(context)
        size = np.abs(M).max()
        note("mass matrix", model.mass_matrix(q), A.T @ M @ A)
        note("gravity", model.gravity_force(q), -A.T @ g, size)
        note("bias", model.bias(q, v), A.T @ (M @ extra + C - g), size)
        note("inverse", model.inverse_dynamics(q, v, a), A.T @ (M @ (A @ a + extra) + C - g), size)
        if np.linalg.cond(M) < 1e8:
            theirs = np.linalg.solve(A, np.linalg.solve(M, np.linalg.solve(A.T, a) + g - C) - extra)
            note("forward", model.forward_dynamics(q, v, a), theirs)
            note("all forces", *_accelerations(peer, q, 0.1 * v), least=1.0)
    return worst


def _accelerations(peer: Peer, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """With springs and dampers; a step of semi-implicit Euler shows Gori's, as (v after - v before) / step.

    Drake has no friction in joints, and its limits are springs: both are left out.
    """
    model = peer.gori
    data = model.spec.model_dump(exclude_unset=True)
    for joint in data.get("joints", {}).values():
        for key in ("friction", "limits", "limit_stiffness", "limit_damping"):
            joint.pop(key, None)
    model = gori.compile(gori.Spec(**data), open_loops=True)
    simulation = gori.Simulation(model, gori.SemiImplicit(step=STEP), state=model.state(q, v))
    ours = (simulation.step(1).v - v) / STEP
    A, extra = peer.set_state(q, v)
    theirs = peer.plant.get_generalized_acceleration_output_port().Eval(peer.context)
    return ours, np.linalg.solve(A, theirs - extra)


def judged(path: Path, folder: Path | None = None) -> tuple[str, str]:
    """What becomes of a file: "agrees", "differs", "refused", "Drake refuses" or "read alone", and words."""
    packages = [folder] if folder is not None else []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            spec = gori.load(path, packages=packages)
            model = gori.compile(spec, open_loops=True)
    except GoriError as error:
        return "refused", str(error).removeprefix(str(path))
    remark = ""
    try:
        plant = plant_of(path, folder, spec.gravity)
    except (RuntimeError, ValueError):
        try:
            with tempfile.TemporaryDirectory() as scratch:
                plant, remark = (
                    plant_of(plain(path, Path(scratch), model.spec.cuts), folder, spec.gravity),
                    "; Drake: without loops, gearboxes and what is not SDFormat",
                )
        except (RuntimeError, ValueError) as error:
            return "Drake refuses", str(error).strip().splitlines()[0].rpartition("error: ")[2]
    peer = Peer(model, plant, b"<world" in path.read_bytes())
    if other := replaced(spec, peer):
        remark += f"; Drake's own mass and inertia of {', '.join(other)} on both sides"
        data = spec.model_dump(exclude_unset=True)
        for name, inertial in other.items():
            shapes = data["bodies"][name].get("shapes")
            data["bodies"][name] = inertial | ({"shapes": shapes} if shapes else {})
        peer.gori = model = gori.compile(gori.Spec(**data), open_loops=True)
    found = errors(peer)
    name = max(found, key=found.__getitem__)
    words = f"{model.nv} degrees of freedom, {name} differs by {found[name]:.0e}{remark}"
    return "agrees" if found[name] <= BOUND else "differs", words


def replaced(spec: gori.Spec, peer: Peer) -> dict[str, dict[str, Any]]:
    """Bodies whose mass or inertia Drake takes as impossible and replaces by others, and those."""
    found = {}
    for name, body in peer.bodies.items():
        mass, com, J = spec.bodies[name].inertial()
        own = body.default_spatial_inertia()
        central = own.Shift(own.get_com()).CalcRotationalInertia().CopyToFullMatrix3()
        same = np.isclose(own.get_mass(), mass, rtol=1e-9) and np.allclose(own.get_com(), com, rtol=1e-9)
        if not (same and np.allclose(central, J, rtol=1e-6, atol=1e-9 * np.trace(J))):
            found[name] = inertial_of(own.get_mass(), own.get_com(), central)[0]
    return found


def plain(path: Path, scratch: Path, cuts: Container[str] = ()) -> Path:
    """A copy for Drake: without what other programs added to SDFormat, names given twice, gearboxes, and joints that
    close loops.
    """
    tree = etree.ElementTree(etree.fromstring(declared(path.read_bytes().lstrip())))
    for element in list(tree.iter("contact", "material", "link")):
        above = element.getparent()
        foreign = {"contact": above.tag == "link", "material": above.tag == "collision", "link": False}[element.tag]
        if foreign or (element.tag == "link" and element.get("name") == "world" and not len(element)):
            above.remove(element)
    for joint in list(tree.iter("joint")):
        if joint.get("type") == "gearbox" or joint.get("name") in cuts:
            joint.getparent().remove(joint)
    for above in tree.iter("link", "world"):
        taken: set[str] = set()
        for part in above.iterchildren("collision", "visual", "model"):
            part.set("name", free_name(part.get("name"), taken))
            taken.add(part.get("name"))
    for collision in tree.iter("collision"):
        for key in set(collision.attrib) - {"name"}:
            del collision.attrib[key]
    tree.write(str(scratch / path.name))
    return scratch / path.name


def kept(peer: Peer) -> tuple[float, float, float]:
    """Numbers of Drake that do not depend on its conventions: trace and log of the determinant of the mass matrix, and
    the length of the gravity forces, at the pose `bent`.
    """
    peer.set_state(bent(peer.gori), np.zeros(peer.gori.nv))
    M, g = peer.plant.CalcMassMatrix(peer.context), peer.plant.CalcGravityGeneralizedForces(peer.context)
    return float(np.trace(M)), float(np.linalg.slogdet(M)[1]), float(np.linalg.norm(g))


def main() -> None:
    for name in MACHINES:
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            path = write(name, folder)
            verdict, words = judged(path, folder)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                spec = gori.load(path, packages=[folder])
            numbers = kept(Peer(gori.compile(spec), plant_of(path, folder, spec.gravity), name == "a world"))
        print(f"{name!r}: {numbers},  # {verdict}: {words}")


if __name__ == "__main__":
    main()
