"""Particles in USD: each where it is in its frame, the same ones at all times, those that are away invisible."""

import numpy as np
import pytest

pytest.importorskip("pxr")
from pxr import Usd, UsdGeom

import gori
from gori.errors import FormatWarning
from gori.record import ParticleFrame
from gori.web.usd.grains import all_grains
from tests.web.usd.checks import findings, machine, staged


def frame(time, ids):
    ids = np.array(ids)
    at = np.column_stack([ids, time + 0.0 * ids, 0.0 * ids])
    none = np.zeros(len(ids))
    return ParticleFrame(
        time, ids, at, 0.1 + 0.01 * ids, 0 * at, 0 * at, none, none, ids % 2, {}, ("m",), ("even", "odd")
    )


@pytest.fixture
def recording(tmp_path):
    rec = gori.Simulation(machine(tmp_path), gori.RK4(1e-3)).run(0.2, sample=0.1, progress=False)
    rec.frames = [frame(0.0, [0, 1, 2]), frame(0.1, [1, 2, 7]), frame(0.2, [2, 7])]
    return rec


def test_each_grain_is_where_it_is(recording):
    stage = staged(recording)
    instancer = UsdGeom.PointInstancer(stage.GetPrimAtPath("/machine/particles"))
    for found in recording.frames:
        code = Usd.TimeCode(found.time * stage.GetTimeCodesPerSecond())
        seen = np.array(instancer.ComputeMaskAtTime(code) or [True] * 4)
        ids = np.array(instancer.GetIdsAttr().Get())
        np.testing.assert_array_equal(ids[seen], found.id)
        poses = np.array(instancer.ComputeInstanceTransformsAtTime(code, code, applyMask=instancer.ApplyMask))
        np.testing.assert_allclose(poses[:, 3, :3], found.position, atol=1e-6)
        np.testing.assert_allclose(poses[:, 0, 0], found.radius, rtol=1e-6)
        low, high = instancer.GetExtentAttr().Get(code)
        assert np.all(low <= found.position - found.radius[:, None] + 1e-6)
        assert np.all(high >= found.position + found.radius[:, None] - 1e-6)
    np.testing.assert_array_equal(instancer.GetProtoIndicesAttr().Get(), [0, 1, 0, 1])
    assert [path.name for path in instancer.GetPrototypesRel().GetTargets()] == ["even", "odd"]
    assert findings(stage) == []


def test_a_grain_moves_between_its_frames(recording):
    stage = staged(recording)
    instancer = UsdGeom.PointInstancer(stage.GetPrimAtPath("/machine/particles"))
    between = np.array(instancer.GetPositionsAttr().Get(3.0))  # 0.05 s
    np.testing.assert_allclose(between, [[0, 0, 0], [1, 0.05, 0], [2, 0.05, 0], [7, 0.1, 0]], atol=1e-6)


def test_too_many_are_thinned(recording):
    with pytest.warns(FormatWarning, match="2 of 4 particles are written"):
        stage = staged(recording, grains=2)
    ids = UsdGeom.PointInstancer(stage.GetPrimAtPath("/machine/particles")).GetIdsAttr().Get()
    assert len(ids) == 2 and set(ids) <= {0, 1, 2, 7} and findings(stage) == []
    stage = staged(recording, grains=0)
    assert not stage.GetPrimAtPath("/machine/particles")


def test_all_grains_are_listed_once(recording):
    ids, group, radius = all_grains(recording.frames)
    np.testing.assert_array_equal(ids, [0, 1, 2, 7])
    np.testing.assert_array_equal(group, [0, 1, 0, 1])
    np.testing.assert_allclose(radius, 0.1 + 0.01 * ids)


@pytest.mark.parametrize("motion", [False, True])
def test_particles_without_frames_are_listed(motion, tmp_path):
    text = """gori: 1
materials: {m: {E: 1.0e+7, nu: 0.3, density: 1000}}
contacts: {m/m: {restitution: 0.5, friction: 0.5}}
bodies: {ground: {shapes: {floor: {type: plane, material: m}}}, b: {mass: 1}}
joints: {j: {type: prismatic, parent: ground, child: b}}
particles: {sand: {material: m, radius: 0.1, positions: [[0, 0, 1]]}}
"""
    model = machine(tmp_path, text)
    what = gori.Simulation(model, gori.RK4(1e-3)).run(0.01, progress=False) if motion else model
    with pytest.warns(FormatWarning, match="USD leaves out particles, of which there are no frames: sand"):
        staged(what)
