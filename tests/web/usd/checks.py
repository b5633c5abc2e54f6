"""What tests of USD share: machines, the stage of a file, and what usd-core's own validators find."""

import pytest

pytest.importorskip("pxr")
from pxr import Usd, UsdValidation

import gori
from gori.web.contents import Contents
from gori.web.usd.stage import stage_of

MACHINE = """gori: 1
bodies:
  ground: {shapes: {floor: {type: plane}}}
  ball: {shapes: {s: {type: sphere, radius: 0.3, density: 1000, colour: "#ff000080"}}}
  rod.1: {shapes: {s: {type: cylinder, radius: 0.1, length: 1.0, axis: [1, 0, 0], density: 1000}}}
  rod_1: {mass: 1, inertia: [1, 1, 1], shapes: {통: {type: box, size: [1, 2, 3], hollow: true, open: [z+]}}}
joints:
  a: {type: free, parent: ground, child: ball, q: [1, 0, 0, 0, 1, 2, 3], v: [1, 2, 3, 0, 1, 0]}
  b: {type: revolute, parent: ground, child: rod.1, axis: [0, 0, 1], q_deg: 30, v: 5}
  c: {type: fixed, parent: ground, child: rod_1, at: [5, 0, 0]}
"""


def machine(tmp_path, text=MACHINE):
    (tmp_path / "m.yaml").write_text(text)
    return gori.compile(gori.load(tmp_path / "m.yaml"))


def staged(what, frames=2000, grains=100_000, physics=False):
    return stage_of(Contents(what, frames), grains, physics)


def findings(stage):
    """Sentences of all validators that come with usd-core."""
    validators = UsdValidation.ValidationRegistry().GetOrLoadAllValidators()
    assert len(validators) > 20
    return [error.GetMessage() for error in UsdValidation.ValidationContext(validators).Validate(stage)]


def opened(path):
    return Usd.Stage.Open(str(path))
