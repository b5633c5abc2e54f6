"""Machines for batches: they move, stay finite, and three of them are MuJoCo's too."""

from dataclasses import replace

import numpy as np
import pytest

import gori
from bench import batch_machines
from bench.batch import Levers, contact_of
from bench.batch_machines import (
    LYING,
    ROOM,
    SCENES,
    SHARE,
    arm,
    changed,
    four_bar,
    humanoid,
    humanoid_contacts,
    humanoid_path,
)
from bench.batch_motion import motion

WALKER = """
<mujoco>
  <option timestep="0.005"><flag eulerdamp="disable"/></option>
  <default><joint damping="0.2" armature="0.01"/><motor ctrllimited="true" ctrlrange="-1 1"/></default>
  <worldbody>
    <body name="torso" pos="0 0 1">
      <freejoint name="root"/>
      <geom size="0.1" density="1000"/>
      <body name="thigh" pos="0 0 -0.1">
        <joint name="hip" axis="0 1 0" range="-30 60" limited="true"/>
        <geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.05" density="1000"/>
        <body name="shin" pos="0 0 -0.4">
          <joint name="knee" axis="0 1 0" range="-150 2" limited="true"/>
          <geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.04" density="1000"/>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator><motor name="knee" joint="knee" gear="40"/><motor name="hip" joint="hip" gear="80"/></actuator>
</mujoco>
"""
"""like MuJoCo's humanoid, and smaller"""


@pytest.fixture
def walker(tmp_path):
    pytest.importorskip("mujoco")
    file = tmp_path / "walker.xml"
    file.write_text(WALKER)
    return humanoid(file)


@pytest.mark.parametrize("name", [name for name in SCENES if not name.startswith("humanoid")])
def test_machines_move(name):
    scene = SCENES[name]()
    found = motion(scene, 3, 0.2)
    assert found.diverged == found.at_rest == 0.0
    assert 0.1 < found.mean < found.largest < 30.0
    if name == "vehicle_soft":
        assert 0.03 < found.sinkage < 0.2


def test_a_machine_that_does_not_move_is_at_rest(walker):
    idle = dict.fromkeys(arm().inputs, (0.0, 0.0))
    assert motion(replace(arm(), inputs=idle), 1, 0.1).at_rest == 0.0  # it falls
    floating = gori.compile(changed(walker.model.spec, gravity=(0, 0, 0)))
    idle = dict.fromkeys(walker.inputs, (0.0, 0.0))
    assert motion(replace(walker, model=floating, inputs=idle), 2, 0.1).at_rest == 1.0


def test_machines_that_diverge_are_counted(walker):
    stiff = walker.model.spec.set("joints.knee.stiffness", 1e6)
    assert motion(replace(walker, model=gori.compile(stiff)), 2, 0.4).diverged == 1.0


def test_inputs_lie_between_their_bounds():
    scene = arm()
    low, high = np.array(list(scene.inputs.values())).T
    values = scene.draw(np.random.default_rng(0), 200)
    assert values.shape == (200, 7) and (values >= low).all() and (values <= high).all()
    assert (values.max(axis=0) > 0.9 * high).all() and (values.min(axis=0) < 0.9 * low).all()


def test_limits_of_the_humanoid_hold(walker):
    joint = walker.model.spec.joints["knee"]
    assert joint.limit_stiffness == 400.0 and joint.limit_damping == 2.0
    assert walker.inputs == {"knee.motor": (-16.0, 16.0), "hip.motor": (-32.0, 32.0)}
    assert motion(walker, 3, 0.5).diverged == 0.0


def test_mujoco_moves_them_alike(walker):
    pytest.importorskip("mujoco")
    from bench.batch_mujoco import difference

    assert difference(arm(), 0.1) < 1e-12
    assert difference(walker, 0.1) < 1e-12
    assert difference(replace(walker, file=None), 0.1) < 1e-12
    assert difference(four_bar(), 0.1) < 1e-3  # its equality is soft


def test_rollouts_of_mujoco():
    pytest.importorskip("mujoco")
    from bench.batch_mujoco import Twin, mujoco_rollout

    scene = arm()
    seconds, v = mujoco_rollout(scene, 4, 50)
    assert seconds > 0.0 and v.shape == (4, 7) and 0.1 < np.abs(v).mean() < 30.0
    assert len({tuple(row) for row in v}) == 4
    with pytest.raises(SystemExit, match="stewart has no twin"):
        Twin(SCENES["stewart"]())


def test_the_humanoid_of_a_package(monkeypatch):
    monkeypatch.setattr(batch_machines, "HUMANOIDS", {"numpy": "nothing.xml", "no_such_package": "nothing.xml"})
    with pytest.raises(SystemExit, match="pip install mujoco-warp"):
        humanoid_path()


def test_the_humanoid_moves():
    try:
        scene = humanoid()
    except SystemExit:
        pytest.skip("no package with MuJoCo's humanoid")
    found = motion(scene, 3, 0.3)
    assert scene.model.nv == 27 and len(scene.inputs) == 21 and found.diverged == 0.0 and 1.0 < found.mean < 10.0


def test_a_humanoid_on_the_floor(tmp_path):
    """It struggles there: it keeps touching, does not sink in, and MuJoCo's own starts where it does."""
    pytest.importorskip("mujoco")
    from bench.batch_mujoco import Twin, mujoco_contacts

    file = tmp_path / "walker.xml"
    file.write_text(WALKER.replace("<worldbody>", '<worldbody><geom name="floor" type="plane" size="0 0 1"/>'))
    scene = humanoid_contacts(file)
    assert scene.touches and not humanoid(file).touches and scene.method.kind == "time_stepping"
    assert scene.inputs["knee.motor"] == (-0.75 * 40.0 - 6.5, -0.75 * 40.0 + 6.5)
    assert scene.inputs["hip.motor"] == (-6.5, 6.5)
    assert motion(scene, 2, 0.3).diverged == 0.0
    batch = gori.batch(scene.model, 3, scene.method, state=scene.state, contacts=scene.contacts)
    batch.step(100)
    found = contact_of(scene, batch, Levers(scene, batch, "cpu"))
    assert 1.0 < found.contacts_mean <= found.contacts_solved <= found.contacts_largest < 12
    assert 0.0 <= found.penetration_mean <= found.penetration < 2e-3 and found.contacts_dropped == 0
    crowded = gori.batch(scene.model, 3, scene.method, state=scene.state, contacts=2)
    crowded.step(100)
    assert contact_of(scene, crowded, Levers(scene, crowded, "cpu")).contacts_dropped == 3
    twin = Twin(scene)
    assert twin.data.qpos[:7] == pytest.approx([0.0, 0.0, LYING, np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0])
    points, depth, deepest = mujoco_contacts(scene, 3, 0.1)
    assert 1.0 < points < 12.0 and 0.0 < depth <= deepest < 0.02


def test_the_humanoid_on_the_floor_touches_it_much():
    """At 15 points and more by both counts, and moves; its motors can do what they are told."""
    try:
        scene = humanoid_contacts()
    except SystemExit:
        pytest.skip("no package with MuJoCo's humanoid")
    from bench.batch_mujoco import mujoco_contacts

    motors = [high / SHARE for _, high in humanoid().inputs.values()]
    assert (np.abs(list(scene.inputs.values())).max(axis=1) <= motors).all()
    batch = gori.batch(scene.model, 8, scene.method, state=scene.state, contacts=scene.contacts)
    levers = Levers(scene, batch, "cpu")
    for _ in range(50):
        levers.draw()
        batch.step(scene.steps_of_hold)
    found = contact_of(scene, batch, levers)
    assert 14.0 < found.contacts_mean < found.contacts_solved <= found.contacts_largest < 0.7 * ROOM
    assert found.penetration < 2e-3 and found.contacts_dropped == 0 and mujoco_contacts(scene, 8)[0] > 14.0
    assert np.abs(np.asarray(batch.v)[:, scene.measured]).mean() > 0.3
