"""Flags, drives and starts of a compiled model."""

from bench.mujoco_agrees import compiled
from gori.formats.mjcf.source import MjcfSource


def test_flags_equalities_and_starts(mjcf):
    path = mjcf("""<option><flag gravity='disable'/></option>
      <worldbody><body><joint name='a'/><joint name='b' axis='0 1 0'/><geom size='.1'/></body></worldbody>
      <equality><joint joint1='a' joint2='b'/></equality>
      <actuator><motor joint='a' armature='.1' gear='2' damping='1'/></actuator>
      <keyframe><key name='k' qpos='.1 .2' qvel='1 2' ctrl='3'/></keyframe>""")
    source, keyed = MjcfSource(compiled(path), path), MjcfSource(compiled(path), path, start=0)
    assert source.disabled("gravity") and not source.disabled("contact") and source.closes_loops
    assert source.drives.armature.tolist() == [0.4, 0.0] and source.drives.damping.tolist() == [4.0, 0.0]
    assert source.qpos.tolist() == [0.0, 0.0] and source.ctrl.tolist() == [0.0] and source.qvel.tolist() == [0.0, 0.0]
    assert keyed.qpos.tolist() == [0.1, 0.2] and keyed.ctrl.tolist() == [3.0] and keyed.qvel.tolist() == [1.0, 2.0]
