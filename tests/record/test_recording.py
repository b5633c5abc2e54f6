"""Channels against direct computation, files, tables and plots."""

import csv

import matplotlib
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import gori
from gori.errors import FileError, InputError, RecordError
from gori.record import Recording
from gori.record import channels as channels_module
from gori.spec import GROUND
from tests.checks import arm, close, machine, states

matplotlib.use("Agg")


def recording(seed=0, count=19, **options):
    model, tree = machine(seed, **options)
    batch = states(tree, count, seed)
    return Recording(model, np.linspace(0.0, 2.0, count), batch["q"], batch["v"], info={"seed": seed})


def swing(count=200, **options):
    """An arm that turns several times around."""
    time = np.linspace(0.0, 5.0, count)
    q = np.stack([3.0 * time, np.sin(time)], axis=1)
    v = np.stack([np.full(count, 3.0), np.cos(time)], axis=1)
    return Recording(gori.compile(arm()), time, q, v, **options)


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
    for name in rec.channels():
        assert len(rec.units(name)) == rec[name][0].size, name


def test_wrong_names_and_shapes():
    rec = swing()
    with pytest.raises(InputError, match=r"no channel 'elbw\.q'; did you mean 'elbow\.q'\?"):
        rec["elbw.q"]
    with pytest.raises(InputError, match="no channel is like"):
        rec.select("wheel_*")
    with pytest.raises(InputError, match="there is no sample 200"):
        rec.state(200)
    with pytest.raises(InputError, match="already"):
        rec.add_source(["elbow.q"], lambda rec, name: rec.time)
    with pytest.raises(InputError, match=r"q must be 200 rows of 2 numbers, not \(200, 1\)"):
        Recording(rec.model, rec.time, rec.q[:, :1], rec.v)
    with pytest.raises(InputError, match="v must be 200 rows"):
        Recording(rec.model, rec.time, rec.q, rec.v[1:])
    with pytest.raises(InputError, match="never goes back"):
        Recording(rec.model, rec.time[::-1], rec.q, rec.v)
    with pytest.raises(InputError, match="must have 200 rows"):
        Recording(rec.model, rec.time, rec.q, rec.v, extra={"a": [1.0]})
    with pytest.raises(InputError, match="already"):
        Recording(rec.model, rec.time, rec.q, rec.v, extra={"momentum": rec.time})


def test_names_states_and_selection():
    rec = swing(extra={"note": np.arange(200)}, z=np.arange(200.0)[:, None])
    names = rec.channels()
    assert {"elbow.q", "shoulder.v", "upper.position", "tool.x", "energy.total", "momentum", "note"} <= set(names)
    assert len(names) == len(set(names)) and all(name in rec for name in names)
    assert list(rec.select("*.position")) == ["upper.position", "lower.position", "tool.position"]
    assert list(rec.select("elbow.?", "*.q")) == ["elbow.q", "elbow.v", "shoulder.q"]
    time, q, v, z = rec.state(-1)
    assert time == 5.0 and np.array_equal(q, rec.q[-1]) and np.array_equal(v, rec.v[-1]) and z == [199.0]
    assert len(rec) == 200 and repr(rec) == "<gori.Recording: 200 samples, 0 to 5 s>"
    with pytest.raises(ValueError, match="read-only"):
        rec["elbow.q"][0] = 1.0


def test_sources():
    rec, calls = swing(), []

    def force(recording, name):
        calls.append(name)
        return np.outer(recording.time, [1.0, 2.0])

    rec.add_source(["spring.force", "damper.force"], force, "N")
    assert "spring.force" in rec and not calls
    assert rec["spring.force"].shape == (200, 2) and rec["spring.force"] is rec["spring.force"]
    assert calls == ["spring.force"] and rec.units("spring.force") == ("N", "N")
    rec.add_source(["bad"], lambda rec, name: np.zeros(3))
    with pytest.raises(InputError, match="source of channel 'bad'"):
        rec["bad"]


@pytest.mark.parametrize("seed", range(3))
def test_files(seed, tmp_path):
    rec = recording(seed)
    extra = {"event": np.arange(19), "matrix": np.ones((19, 2, 3)), "flag": np.arange(19) > 3}
    rec = Recording(rec.model, rec.time, rec.q, rec.v, rec.q[:, :2], extra, {"a": [1, 2], "b": {"c": None}})
    path = tmp_path / "run.h5"
    rec.save(path)
    rec.save(path)
    assert [file.name for file in tmp_path.iterdir()] == ["run.h5"]
    back = Recording.load(path)
    assert back.info == rec.info | {"complete": True}
    assert back.model.spec == rec.model.spec
    assert back.channels() == rec.channels()
    for name in rec.channels():
        assert np.array_equal(back[name], rec[name]) and back[name].dtype == rec[name].dtype, name


def test_files_of_open_loops_and_odd_sizes(tmp_path):
    spec = arm()
    cut = {"type": "spherical", "parent": "lower", "child": GROUND}
    closed = gori.Spec(bodies=spec.bodies, joints=spec.joints, cuts={"cut": cut})
    for open_loops in (True, False):
        model = gori.compile(closed, open_loops=open_loops)
        Recording(model, [0.0], [model.q0], [model.v0]).save(tmp_path / "a.h5")
        assert Recording.load(tmp_path / "a.h5").model.open_loops is open_loops
    still = gori.compile(
        gori.Spec(bodies={"a": {"mass": 1.0}}, joints={"j": {"type": "fixed", "parent": GROUND, "child": "a"}})
    )
    for model, count in ((still, 4), (still, 0), (gori.compile(spec), 0)):
        Recording(model, np.zeros(count), np.zeros((count, model.nq)), np.zeros((count, model.nv))).save(
            tmp_path / "b.h5"
        )
        back = Recording.load(tmp_path / "b.h5")
        assert len(back) == count and all(len(back[name]) == count for name in back.channels())


def test_a_failed_save_leaves_the_file_that_was_there(tmp_path, monkeypatch):
    rec, path = swing(), tmp_path / "run.h5"
    rec.save(path)
    before = path.read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("gori.record.rows.RowFile.write", full)
    with pytest.raises(RecordError, match="No space left on device"):
        rec.save(path)
    assert path.read_bytes() == before and [file.name for file in tmp_path.iterdir()] == ["run.h5"]
    with pytest.raises(RecordError, match="No such file"):
        rec.save(tmp_path / "nowhere" / "run.h5")


def test_tables(tmp_path):
    rec = swing(3)
    table = rec.table("elbow.q", "tool.position", "tool.rotation")
    assert list(table)[:5] == ["elbow.q", "tool.position.0", "tool.position.1", "tool.position.2", "tool.rotation.0.0"]
    assert np.array_equal(table["tool.rotation.2.1"], rec["tool.rotation"][:, 2, 1])

    rec.to_csv(tmp_path / "a.csv", "elbow.q", "tool.position")
    with open(tmp_path / "a.csv", newline="") as file:
        head, *lines = csv.reader(file)
    assert head == ["time", "elbow.q", "tool.position.0", "tool.position.1", "tool.position.2"]
    numbers = np.array(lines, float)
    assert np.array_equal(numbers[:, 1], rec["elbow.q"]) and np.array_equal(numbers[:, 2:], rec["tool.position"])

    rec.to_csv(tmp_path / "b.csv")
    assert (tmp_path / "b.csv").read_text().splitlines()[0] == "time,q.0,q.1,v.0,v.1"
    with pytest.raises(FileError, match="cannot be written"):
        rec.to_csv(tmp_path / "nowhere" / "a.csv", "elbow.q")


def test_plots(tmp_path):
    rec = swing(extra={"note": np.arange(200)})
    figure = rec.plot("elbow.q", "tool.position", "tool.velocity", "energy.total", "note", path=tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes()[:4] == b"\x89PNG"
    labels = [axes.get_ylabel() for axes in figure.axes]
    assert labels == ["angle [rad]", "length [m]", "angular velocity [rad/s]", "velocity [m/s]", "energy [J]", "[-]"]
    assert figure.axes[-1].get_xlabel() == "time [s]"
    assert [text.get_text() for text in figure.axes[1].get_legend().get_texts()] == [
        f"tool.position.{k}" for k in range(3)
    ]
    rec.plot("momentum", path=tmp_path / "a.svg")
    assert (tmp_path / "a.svg").stat().st_size > 1000
    for names, words in (((), "say what to plot"), (("z",), "no columns"), (("elbow.p",), "did you mean")):
        with pytest.raises(InputError, match=words):
            rec.plot(*names)
    with pytest.raises(FileError, match="cannot be written"):
        rec.plot("elbow.q", path=tmp_path / "a.nonsense")
