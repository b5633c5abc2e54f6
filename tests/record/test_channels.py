"""Channels against direct computation."""

import matplotlib
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import gori
from gori.record import Recording
from gori.record import channels as channels_module
from gori.spec import GROUND
from tests.checks import close

matplotlib.use("Agg")
from tests.record.runs import recording, swing


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("small_cache", [False, True])
def test_channels_of_frames(seed, small_cache, monkeypatch):
    if small_cache:  # the way of long recordings: batches, and only the frame that is asked for
        monkeypatch.setattr(channels_module, "_CACHE_BYTES", 0)
        monkeypatch.setattr(channels_module, "_BATCH_NUMBERS", 300)
    rec = recording(seed)
    for frame in rec.model.frame_names:
        if frame == GROUND:
            assert f"{frame}.position" not in rec
            continue
        for k in range(len(rec)):
            T = rec.model.forward_kinematics(rec.q[k])[frame]
            close(rec[f"{frame}.pose"][k], T, 1e-14)
            close(rec[f"{frame}.position"][k], T[:3, 3], 1e-14)
            close(rec[f"{frame}.rotation"][k], T[:3, :3], 1e-14)
            close([rec[f"{frame}.{axis}"][k] for axis in "xyz"], T[:3, 3], 1e-14)
            w, *xyz = rec[f"{frame}.quaternion"][k]
            close(Rotation.from_quat([*xyz, w]).as_matrix(), T[:3, :3], 1e-12)
            close(rec[f"{frame}.velocity"][k], rec.model.jacobian(rec.q[k], frame) @ rec.v[k], 1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_channels_of_joints_and_totals(seed):
    rec = recording(seed)
    for info in rec.model.joints:
        one = info.nv == 1
        assert np.array_equal(rec[f"{info.name}.q"], rec.q[:, info.q.start] if one else rec.q[:, info.q])
        assert np.array_equal(rec[f"{info.name}.v"], rec.v[:, info.v.start] if one else rec.v[:, info.v])
        assert len(rec.units(f"{info.name}.q")) == info.nq and len(rec.units(f"{info.name}.v")) == info.nv
    for name in ("time", "q", "v", "z"):
        assert np.array_equal(rec[name], getattr(rec, name))
    for k in range(len(rec)):
        kinetic, potential = rec.model.energy(rec.q[k], rec.v[k])
        close(rec["energy.kinetic"][k], kinetic, 1e-13)
        close(rec["energy.potential"][k], potential, 1e-13)
        close(rec["energy.total"][k], kinetic + potential, 1e-13)
        close(rec["momentum"][k], rec.model.momentum(rec.q[k], rec.v[k]), 1e-13)
        close(rec["center_of_mass"][k], rec.model.center_of_mass(rec.q[k]), 1e-13)


def test_velocity_is_the_rate_of_position():
    rec = swing(5001)
    rate = np.gradient(rec["tool.position"], rec.time, axis=0)
    close(rec["tool.velocity"][1:-1, 3:], rate[1:-1], 1e-5)


def test_quaternions_do_not_jump():
    quat = swing()["lower.quaternion"]
    assert quat[0, 0] > 0.0 and quat[:, 0].min() < -0.5
    assert np.abs(np.diff(quat, axis=0)).max() < 0.1


def test_quaternions_of_no_samples_and_of_half_turns():
    assert channels_module.quaternions(np.zeros((0, 3, 3))).shape == (0, 4)
    turns = Rotation.from_rotvec(np.linspace(0.1, 6.2, 30)[:, None] * [0.0, 0.0, 1.0]).as_matrix()
    found = channels_module.quaternions(turns)
    half = np.linspace(0.05, 3.1, 30)
    close(found, np.column_stack([np.cos(half), 0 * half, 0 * half, np.sin(half)]), 1e-12)


def test_units():
    model = gori.compile(
        gori.Spec(
            bodies={"a": {"mass": 1.0}, "b": {"mass": 1.0}, "c": {"mass": 1.0}},
            joints={
                "a": {"type": "free", "parent": GROUND, "child": "a"},
                "b": {"type": "cylindrical", "parent": "a", "child": "b"},
                "c": {"type": "spherical", "parent": "b", "child": "c"},
            },
        )
    )
    rec = Recording(model, [0.0], [model.q0], [model.v0])
    assert rec.units("a.q") == ("", "", "", "", "m", "m", "m")
    assert rec.units("a.v") == ("rad/s",) * 3 + ("m/s",) * 3  # joint and body of one name: the suffix tells
    assert rec.units("a.velocity") == ("rad/s",) * 3 + ("m/s",) * 3
    assert rec.units("b.q") == ("rad", "m") and rec.units("b.v") == ("rad/s", "m/s")
    assert rec.units("c.v") == ("rad/s",) * 3
    assert rec.units("q") == rec.units("a.q") + rec.units("b.q") + rec.units("c.q")
    assert set(channels_module.builtin_channels(rec)) <= set(rec.channels())
    for name in rec.channels():
        assert len(rec.units(name)) == rec[name][0].size, name
