"""Files and helpers that tests of several commands share."""

import json
import subprocess
import sys

FOUR_BAR = """gori: 1
bodies:
  crank: {mass: 1, inertia: [1, 1, 1]}
  coupler: {mass: 2, inertia: [1, 1, 1]}
  rocker: {mass: 3, inertia: [1, 1, 1]}
  rod: {mass: 4, inertia: [1, 1, 1]}
joints:
  A: {type: revolute, parent: ground, child: crank, limits_deg: [-30, 90]}
  B: {type: spherical, parent: crank, at: [0.2, 0, 0], child: coupler}
  C: {type: revolute, parent: ground, at: [0.5, 0, 0], child: rocker, mimic: {joint: A, ratio: 2, offset: 0.5}}
  E: {type: fixed, parent: ground, child: rod}
cuts:
  D: {type: revolute, parent: coupler, child: rocker}
frames:
  tip: {body: coupler, at: [0.5, 0, 0]}
"""
ARM = """<robot name="arm">
  <link name="a"/>
  <link name="b"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="9" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="slide" type="prismatic">
    <parent link="a"/><child link="b"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" velocity="2" effort="3"/>
  </joint>
</robot>
"""


def shell(*words, **options):
    return subprocess.Popen(
        [sys.executable, "-m", "gori.cli", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options
    )


def chain(count: int, ribs: bool = False) -> str:
    data = {"gori": 1, "bodies": {}, "joints": {}}
    for i in range(count):
        parent = f"b{i - 1}" if i else "ground"
        data["bodies"][f"b{i}"] = {"mass": 1}
        data["joints"][f"j{i}"] = {"type": "revolute", "parent": parent, "child": f"b{i}"}
        if ribs:
            data["bodies"][f"r{i}"] = {}
            data["joints"][f"s{i}"] = {"type": "fixed", "parent": f"b{i}", "child": f"r{i}"}
    return json.dumps(data)
