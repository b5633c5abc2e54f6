"""Springs in USD: a line between two points of bodies, at all times."""

import numpy as np
import pytest

pytest.importorskip("pxr")
from pxr import UsdGeom

import gori
from gori.web.contents import Contents
from gori.web.usd.springs import end_of
from tests.web.usd.checks import MACHINE, findings, machine, staged

TEXT = (
    MACHINE
    + """forces:
  pull: {type: spring, parent: ground, at: [0, 0, 5], child: ball, child_at: [0.3, 0, 0], stiffness: 1}
  prop: {type: spring, parent: ground, child: rod_1, child_at: [0, 1, 0], stiffness: 1}
"""
)


def test_a_spring_joins_its_ends(tmp_path):
    rec = gori.Simulation(machine(tmp_path, TEXT), gori.RK4(1e-3)).run(0.5, sample=0.1, progress=False)
    stage = staged(rec)
    curve = UsdGeom.BasisCurves(stage.GetPrimAtPath("/machine/springs/pull"))
    for time, q in zip(rec.time, rec.q):
        there = rec.model.forward_kinematics(q)["ball"] @ [0.3, 0.0, 0.0, 1.0]
        points = np.array(curve.GetPointsAttr().Get(time * stage.GetTimeCodesPerSecond()))
        np.testing.assert_allclose(points, [[0, 0, 5], there[:3]], atol=1e-5)
        low, high = np.array(curve.GetExtentAttr().Get(time * stage.GetTimeCodesPerSecond()))
        assert np.all(low < points) and np.all(points < high)
    still = UsdGeom.BasisCurves(stage.GetPrimAtPath("/machine/springs/prop"))
    assert not still.GetPointsAttr().GetNumTimeSamples() and findings(stage) == []
    np.testing.assert_allclose(still.GetPointsAttr().Get(), [[0, 0, 0], [5, 1, 0]])


def test_of_a_machine_without_springs_there_are_none(tmp_path):
    model = machine(tmp_path)
    stage = staged(model)
    assert not stage.GetPrimAtPath("/machine/springs")
    np.testing.assert_allclose(end_of(Contents(model, 2), {"body": 0, "at": [1, 2, 3]}), [[1, 2, 3]])
