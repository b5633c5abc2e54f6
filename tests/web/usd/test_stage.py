"""A stage of USD: axes and units, motion over time, walls that vanish, files."""

import numpy as np
import pytest

pytest.importorskip("pxr")
from pxr import UsdGeom

import gori
from gori.errors import RecordError
from gori.web.poses import rotations
from gori.web.usd.stage import RATE, saved
from tests.web.usd.checks import MACHINE, findings, machine, opened, staged


def test_units_and_axes(tmp_path):
    stage = staged(machine(tmp_path))
    assert UsdGeom.GetStageUpAxis(stage) == "Z" and UsdGeom.GetStageMetersPerUnit(stage) == 1.0
    assert stage.GetDefaultPrim().GetPath() == "/machine" and findings(stage) == []
    assert not any(attr.GetNumTimeSamples() for prim in stage.Traverse() for attr in prim.GetAttributes())


@pytest.mark.filterwarnings("ignore:3 of 11 samples")
def test_what_moves_has_time_samples(tmp_path):
    rec = gori.Simulation(machine(tmp_path), gori.RK4(1e-3)).run(1.0, sample=0.1, progress=False)
    stage = staged(rec)
    samples = {
        prim.GetName(): [prim.GetAttribute(f"xformOp:{name}").GetNumTimeSamples() for name in ("translate", "orient")]
        for prim in stage.GetDefaultPrim().GetChildren()
        if prim.IsA(UsdGeom.Xform)
    }
    assert samples == {"ground": [0, 0], "ball": [11, 11], "rod_1": [0, 11], "rod_1_1": [0, 0]}
    assert (stage.GetStartTimeCode(), stage.GetEndTimeCode()) == (0.0, pytest.approx(RATE))
    stage = staged(rec, frames=3)
    few = stage.GetPrimAtPath("/machine/ball").GetAttribute("xformOp:translate")
    assert few.GetTimeSamples() == pytest.approx([0.0, 0.5 * RATE, RATE])


def test_quaternions_keep_all_digits(tmp_path):
    rec = gori.Simulation(machine(tmp_path), gori.RK4(1e-3)).run(0.3, sample=0.1, progress=False)
    stage = staged(rec)
    orient = stage.GetPrimAtPath("/machine/ball").GetAttribute("xformOp:orient")
    for k, code in enumerate(orient.GetTimeSamples()):
        turn = orient.Get(code)
        R = rec.model.forward_kinematics(rec.q[k])["ball"][:3, :3]
        np.testing.assert_allclose(rotations(np.array([turn.GetReal(), *turn.GetImaginary()])), R, atol=1e-15)


def test_between_samples_bodies_turn_the_short_way(tmp_path):
    """Of a body that turns at a constant rate the pose is exact between two samples, too."""
    rec = gori.Simulation(machine(tmp_path), gori.RK4(1e-3)).run(4.0, sample=0.1, progress=False)
    stage = staged(rec)
    prim = UsdGeom.Xformable(stage.GetPrimAtPath("/machine/rod_1"))
    for time in (0.05, 1.234, 3.77):
        R = np.array(prim.ComputeLocalToWorldTransform(RATE * time)).T
        angle = np.radians(30.0) + 5.0 * time
        np.testing.assert_allclose(R[:2, 0], [np.cos(angle), np.sin(angle)], atol=1e-9)


def test_a_gate_vanishes(tmp_path):
    text = MACHINE.replace("floor: {type: plane}", "gate: {type: box, size: [1, 1, 1], material: steel, until: 0.45}")
    text += "materials: {steel: {E: 2.0e+11, nu: 0.3}}\n"
    rec = gori.Simulation(machine(tmp_path, text), gori.RK4(1e-3)).run(1.0, sample=0.1, progress=False)
    stage = staged(rec)
    gate = UsdGeom.Imageable(stage.GetPrimAtPath("/machine/ground/gate"))
    seen = [gate.ComputeVisibility(RATE * time) for time in (0.0, 0.44, 0.46, 1.0)]
    assert seen == ["inherited", "inherited", "invisible", "invisible"]


def test_a_file_is_there_whole_or_not_at_all(tmp_path):
    stage = staged(machine(tmp_path))
    for suffix in (".usda", ".usdz"):
        saved(stage, tmp_path / f"m{suffix}")
        assert findings(opened(tmp_path / f"m{suffix}")) == []
    with pytest.raises(RecordError, match=r"m\.usdc cannot be written"):
        saved(stage, tmp_path / "m.usda" / "m.usdc")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m.usda", "m.usdz", "m.yaml"]
