"""Physics of a machine in USD, read back from the stage: masses, frames of joints, limits, what is left out."""

import warnings
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pxr")
from pxr import UsdGeom, UsdPhysics

import gori
from gori.errors import FormatWarning
from gori.spec.base import rotation
from gori.web.usd.physics import LOCKED, frame_of
from tests.web.usd.checks import findings, machine, staged

EXAMPLES = sorted((Path(__file__).parents[3] / "examples").glob("*.yaml"))
TURNED = ", child_rpy_deg: [40, 50, 60]"
HEAVY = "mass: 2, com: [0.1, 0.2, 0.3], inertia: [1, 2, 2.5, 0.1, 0.2, 0.3]"
JOINTS = {
    "fixed": "contact: false",
    "revolute": "axis: [1, 2, 3], q: 0.7, limits: [-1, 2]",
    "prismatic": "axis: [1, 2, 3], q: 0.7, limits: [-1, 2]",
    "cylindrical": "axis: [1, 2, 3], q: [0.7, 0.4]",
    "universal": "axis: [1, 0, 0], axis2: [0, 1, 0], q: [0.7, 0.4]",
    "planar": "axis: [1, 2, 3], q: [0.7, 0.4, 0.3]",
    "spherical": "q: [0.8, 0.2, 0.4, 0.4]",
}


def joint_machine(tmp_path, kind):
    text = f"""gori: 1
bodies: {{a: {{{HEAVY}}}, b: {{{HEAVY}}}}}
joints:
  free: {{type: free, parent: ground, child: a, q: [0.5, -0.5, 0.5, 0.5, 1, 2, 3]}}
  j: {{type: {kind}, parent: a, child: b, at: [0.1, 0.2, 0.3], rpy_deg: [10, 20, 30], child_at: [0.3, 0.2, 0.1],
       {JOINTS[kind] + TURNED * (kind != "spherical")}}}
"""
    return machine(tmp_path, text)


def quat(value):
    return rotation(None, (value.GetReal(), *value.GetImaginary()))


def between(stage, path):
    """Pose (4, 4) of the frame of a joint on its second body, seen from that on its first."""
    joint = UsdPhysics.Joint(stage.GetPrimAtPath(path))
    cache, poses = UsdGeom.XformCache(), []
    for rel, at, turn in (
        (joint.GetBody0Rel(), joint.GetLocalPos0Attr(), joint.GetLocalRot0Attr()),
        (joint.GetBody1Rel(), joint.GetLocalPos1Attr(), joint.GetLocalRot1Attr()),
    ):
        T = np.eye(4)
        T[:3, :3], T[:3, 3] = quat(turn.Get()), at.Get()
        poses.append(np.array(cache.GetLocalToWorldTransform(stage.GetPrimAtPath(rel.GetTargets()[0]))).T @ T)
    return np.linalg.inv(poses[0]) @ poses[1]


@pytest.mark.filterwarnings("ignore::gori.errors.FormatWarning")
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_are_valid(path):
    stage = staged(gori.compile(gori.load(path)), physics=True)
    assert findings(stage) == []


@pytest.mark.parametrize("kind", JOINTS)
def test_a_joint_holds_what_it_holds(kind, tmp_path):
    """Between its two frames there is the motion that the joint allows, and no other."""
    model = joint_machine(tmp_path, kind)
    stage = staged(model, physics=True)
    assert findings(stage) == []
    T = between(stage, "/machine/joints/j")
    R, p = T[:3, :3], T[:3, 3]
    point = ("transX", "transY", "transZ")
    held = {"fixed": (*point, "rotX", "rotY", "rotZ"), "spherical": point, "revolute": (*point, "rotX", "rotY"),
            "prismatic": ("transX", "transY", "rotX", "rotY", "rotZ")}.get(kind) or LOCKED[kind]  # fmt: skip
    # of a rotation about z, then x: nothing about y, R[2, 0]; about x, R[2, 1]; about z, R[1, 0]
    values = {"transX": p[0], "transY": p[1], "transZ": p[2], "rotX": R[2, 1], "rotY": R[2, 0], "rotZ": R[1, 0]}
    for way, value in values.items():
        assert (abs(value) < 1e-6) == (way in held), way
    if kind in ("revolute", "cylindrical"):
        assert np.arctan2(R[1, 0], R[0, 0]) == pytest.approx(0.7, abs=1e-6)
    if kind in ("prismatic", "cylindrical"):
        assert p[2] == pytest.approx({"prismatic": 0.7, "cylindrical": 0.4}[kind], abs=1e-6)
    if kind == "universal":
        assert np.arctan2(R[1, 0], R[0, 0]) == pytest.approx(0.7, abs=1e-6)
        assert np.arctan2(R[2, 1], R[2, 2]) == pytest.approx(0.4, abs=1e-6)
    prim = stage.GetPrimAtPath("/machine/joints/j")
    for axis in LOCKED.get(kind, ()):
        limit = UsdPhysics.LimitAPI(prim, axis)
        assert limit.GetLowAttr().Get() > limit.GetHighAttr().Get()  # locked
    if kind in ("revolute", "prismatic"):
        unit = np.degrees(1.0) if kind == "revolute" else 1.0
        limits = [prim.GetAttribute(f"physics:{end}Limit").Get() for end in ("lower", "upper")]
        assert limits == pytest.approx([-unit, 2.0 * unit]) and prim.GetAttribute("physics:axis").Get() == "Z"


def test_masses_and_gravity(tmp_path):
    model = joint_machine(tmp_path, "revolute")
    stage = staged(model, physics=True)
    api = UsdPhysics.MassAPI(stage.GetPrimAtPath("/machine/b"))
    mass, com, inertia = model.spec.bodies["b"].inertial()
    axes = quat(api.GetPrincipalAxesAttr().Get())
    assert api.GetMassAttr().Get() == pytest.approx(mass)
    np.testing.assert_allclose(api.GetCenterOfMassAttr().Get(), com, rtol=1e-6)
    found = axes @ np.diag(np.array(api.GetDiagonalInertiaAttr().Get())) @ axes.T
    np.testing.assert_allclose(found, inertia, atol=1e-6)
    scene = UsdPhysics.Scene(stage.GetPrimAtPath("/machine/physics"))
    g = scene.GetGravityMagnitudeAttr().Get() * np.array(scene.GetGravityDirectionAttr().Get())
    np.testing.assert_allclose(g, model.spec.gravity, rtol=1e-6)
    assert stage.GetDefaultPrim().HasAPI(UsdPhysics.ArticulationRootAPI)
    assert not stage.GetPrimAtPath("/machine/ground").HasAPI(UsdPhysics.RigidBodyAPI)


def test_a_loop_stays_closed():
    """Joints that close a loop are no part of the articulation; at the start their frames meet."""
    model = gori.compile(gori.load(EXAMPLES[0].parent / "four_bar.yaml"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        stage = staged(model, physics=True)
    cuts = {joint.name: joint.cut for joint in model.connections}
    assert sum(cuts.values()) == 1
    for name, cut in cuts.items():
        prim = stage.GetPrimAtPath(f"/machine/joints/{name}")
        assert bool(prim.GetAttribute("physics:excludeFromArticulation").Get()) == cut
        np.testing.assert_allclose(between(stage, prim.GetPath())[:3, 3], 0.0, atol=1e-6)


def test_shapes_that_collide(tmp_path):
    text = """gori: 1
bodies:
  ground: {shapes: {floor: {type: plane, material: rubber, collide: true}}}
  a:
    shapes:
      ball: {type: sphere, radius: 1, density: 1, material: rubber, collide: true}
      egg: {type: ellipsoid, radii: [1, 2, 3], material: rubber, collide: true}
      skin: {type: box, size: [1, 1, 1], visual: true}
  b: {mass: 1, inertia: [1, 1, 1]}
  c: {mass: 1, inertia: [1, 1, 1]}
joints:
  j: {type: free, parent: ground, child: a}
  k: {type: revolute, parent: a, child: b, contact: true}
  l: {type: revolute, parent: a, child: c}
no_contact: [[b, c], [b, a.egg]]
materials: {rubber: {E: 1.0e+7, nu: 0.3}}
contacts: {rubber/rubber: {friction: 0.5, restitution: 0}}
"""
    with pytest.warns(FormatWarning, match="friction and restitution of contacts: rubber/rubber"):
        stage = staged(machine(tmp_path, text), physics=True)
    found = {prim.GetName(): prim.GetAttribute("physics:approximation").Get()
             for prim in stage.Traverse() if prim.HasAPI(UsdPhysics.CollisionAPI)}  # fmt: skip
    assert found == {"floor": "none", "ball": None, "egg": "convexHull"} and findings(stage) == []
    enabled = [
        stage.GetPrimAtPath(f"/machine/joints/{name}").GetAttribute("physics:collisionEnabled").Get() for name in "kl"
    ]
    assert enabled == [True, False]
    pairs = UsdPhysics.FilteredPairsAPI(stage.GetPrimAtPath("/machine/b")).GetFilteredPairsRel()
    assert pairs.GetTargets() == ["/machine/c", "/machine/a/egg"]


def test_bodies_that_are_not_joined_are_no_articulation(tmp_path):
    model = machine(
        tmp_path, f"gori: 1\nbodies: {{a: {{{HEAVY}}}}}\njoints: {{j: {{type: free, parent: ground, child: a}}}}\n"
    )
    stage = staged(model, physics=True)
    assert not stage.GetDefaultPrim().HasAPI(UsdPhysics.ArticulationRootAPI) and findings(stage) == []


def test_what_is_left_out_is_listed(tmp_path):
    text = """gori: 1
bodies: {a: {mass: 1}, b: {}, c: {mass: 1, inertia: [1, 1, 1]}}
joints:
  i: {type: revolute, parent: ground, child: a, stiffness: 2, armature: 0.1}
  j: {type: helical, parent: a, child: b, pitch: 0.1}
  k: {type: revolute, parent: b, child: c, mimic: {joint: i}}
forces: {motor: {type: torque, joint: i, value: 1}}
"""
    model = machine(tmp_path, text)
    with pytest.warns(FormatWarning) as caught:
        stage = staged(model, physics=True)
    (words,) = [str(warning.message) for warning in caught if "UsdPhysics" in str(warning.message)]
    for part in ("bodies without mass: b;", "zero about some axis: a;", "helical joints: j;", "mimic joints: k;",
                 "stiffness of joints: i;", "armature of joints: i;", "forces: motor"):  # fmt: skip
        assert part in words
    assert findings(stage) == [] and not stage.GetPrimAtPath("/machine/joints/j")
    plain = staged(model)
    assert not any(prim.HasAPI(UsdPhysics.RigidBodyAPI) for prim in plain.Traverse())


def test_the_frame_of_a_joint_has_z_along_its_axis(tmp_path):
    for kind in ("revolute", "universal"):
        joint = next(joint for joint in joint_machine(tmp_path, kind).connections if joint.name == "j")
        R = frame_of(joint)
        np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-12)
        np.testing.assert_allclose(R[:, 2], joint.axis, atol=1e-12)
        assert np.linalg.det(R) == pytest.approx(1.0)
