"""Bodies without mass stand below those that they are fixed to, where they are, and joints at them hold those."""

import warnings

import numpy as np
import pytest

pytest.importorskip("pxr")
from pxr import UsdPhysics

import gori
from gori.web.contents import Contents
from gori.web.usd.carriers import SMALLEST, carried_by, carriers_of, is_full
from tests.web.usd.checks import findings, machine, staged
from tests.web.usd.test_init import poses_in
from tests.web.usd.test_physics import between

MACHINE = """gori: 1
bodies:
  base: {}
  arm: {mass: 1, inertia: [1, 1, 1]}
  camera: {}
  lens: {}
  hand: {mass: 1, inertia: [1, 1, 1]}
  alone: {}
joints:
  a: {type: free, parent: ground, child: base, q: [0.5, 0.5, -0.5, 0.5, 1, 2, 3], v: [1, 2, 3, 4, 5, 6]}
  b: {type: fixed, parent: base, child: arm, at: [1, 0, 0], rpy_deg: [10, 20, 30]}
  c: {type: fixed, parent: arm, child: camera, at: [0, 1, 0], rpy_deg: [30, 20, 10]}
  d: {type: fixed, parent: camera, child: lens, at: [0, 0, 1]}
  e: {type: revolute, parent: lens, child: hand, at: [0, 0, 2], axis: [1, 1, 0], q: 0.5, v: 1}
  f: {type: fixed, parent: ground, child: alone}
"""


def test_who_carries_whom(tmp_path):
    model = machine(tmp_path, MACHINE)
    of = {"base": "arm", "arm": "arm", "camera": "arm", "lens": "arm", "hand": "hand", "alone": "alone"}
    assert {name: carrier for name, carrier in carried_by(model).items() if name != "ground"} == of
    carriers, poses = carriers_of(Contents(model, 2)), model.forward_kinematics(model.q0)
    R, p = carriers.carried("lens", (np.eye(3), np.array([1.0, 2.0, 3.0])))
    there = poses["arm"] @ [*p, 1.0]
    np.testing.assert_allclose(there, poses["lens"] @ [1.0, 2.0, 3.0, 1.0], atol=1e-12)
    np.testing.assert_allclose(poses["arm"][:3, :3] @ R, poses["lens"][:3, :3], atol=1e-12)


def test_what_is_carried_is_part_of_the_mass(tmp_path):
    """A point on an arm: mass, centre and inertia are those of both."""
    text = """gori: 1
bodies: {arm: {mass: 1, inertia: [1, 2, 2.5]}, point: {mass: 2, com: [0, 0, 1]}}
joints:
  i: {type: prismatic, parent: ground, child: arm}
  j: {type: fixed, parent: arm, child: point, at: [1, 0, 0], rpy_deg: [90, 0, 0]}
"""
    model = machine(tmp_path, text)
    mass, com, inertia = carriers_of(Contents(model, 2)).inertial(model, "arm")
    point = np.array([1.0, -1.0, 0.0])
    np.testing.assert_allclose(com, 2.0 / 3.0 * point, atol=1e-12)
    reduced = 1.0 * 2.0 / 3.0 * (point @ point * np.eye(3) - np.outer(point, point))
    np.testing.assert_allclose(inertia, np.diag([1, 2, 2.5]) + reduced, atol=1e-12)
    stage = staged(model, physics=True)
    assert mass == UsdPhysics.MassAPI(stage.GetPrimAtPath("/machine/arm")).GetMassAttr().Get() == 3.0


def test_what_is_full():
    assert is_full((1.0, np.zeros(3), 1e-20 * np.eye(3))) and not is_full((1.0, np.zeros(3), np.zeros((3, 3))))
    assert not is_full((0.0, np.zeros(3), np.eye(3)))
    assert not is_full((1.0, np.zeros(3), np.diag([1.0, 1.0, 0.1 * SMALLEST])))


def test_what_is_carried_hangs_together(tmp_path):
    """Two bodies with a mass and some without, all fixed to each other: one joint is left, between the two."""
    text = (
        "gori: 1\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {}, c: {mass: 1, inertia: [1, 1, 1]}, d: {}, e: {}}\n"
    )
    text += "joints:\n  i: {type: prismatic, parent: ground, child: a}\n"
    text += "".join(f"  {p}{c}: {{type: fixed, parent: {p}, child: {c}}}\n" for p, c in ("ab", "bc", "cd", "de"))
    stage = staged(machine(tmp_path, text), physics=True)
    ends = {}
    for prim in stage.GetPrimAtPath("/machine/joints").GetChildren():
        joint = UsdPhysics.Joint(prim)
        ends[prim.GetName()] = [rel.GetTargets()[0].name for rel in (joint.GetBody0Rel(), joint.GetBody1Rel())]
    assert ends == {"i": ["ground", "a"], "ab": ["a", "c"]}
    assert stage.GetPrimAtPath("/machine/c/b") and stage.GetPrimAtPath("/machine/c/e")


def test_bodies_stand_where_they_do(tmp_path):
    rec = gori.Simulation(machine(tmp_path, MACHINE), gori.RK4(1e-3)).run(0.2, sample=0.1, progress=False)
    stage = staged(rec)
    assert all(stage.GetPrimAtPath(f"/machine/arm/{name}") for name in ("base", "camera", "lens"))
    assert findings(stage) == []
    for k, time in enumerate(rec.time):
        found, true = poses_in(stage, stage.GetTimeCodesPerSecond() * time), rec.model.forward_kinematics(rec.q[k])
        for body in rec.model.body_names:
            np.testing.assert_allclose(found[body], true[body], atol=1e-7)


def test_no_rigid_body_is_without_mass(tmp_path):
    model = machine(tmp_path, MACHINE)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        stage = staged(model, physics=True)
    rigid = {prim.GetName() for prim in stage.Traverse() if prim.HasAPI(UsdPhysics.RigidBodyAPI)}
    assert rigid == {"arm", "hand"} and findings(stage) == []
    assert [prim.GetName() for prim in stage.GetPrimAtPath("/machine/joints").GetChildren()] == ["e"]
    T = between(stage, "/machine/joints/e")
    np.testing.assert_allclose(T[:3, 3], 0.0, atol=1e-6)
    np.testing.assert_allclose(T[:2, 0], [np.cos(0.5), np.sin(0.5)], atol=1e-6)
