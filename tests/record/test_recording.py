"""Recordings: names, selection, files."""

import copy
import pickle
import subprocess
import sys
import time
from pathlib import Path

import h5py
import matplotlib
import numpy as np
import pytest

import gori
from gori.errors import FileError, InputError, RecordError
from gori.record import Recording
from gori.record.seal import MARK
from gori.spec import GROUND
from tests.checks import arm

matplotlib.use("Agg")
from tests.record.runs import recording, swing


def test_wrong_names_and_shapes():
    rec = swing()
    with pytest.raises(InputError, match=r"no channel 'elbw\.q'; did you mean 'elbow\.q'\?"):
        rec["elbw.q"]
    with pytest.raises(InputError, match="no channel matches"):
        rec.select("wheel_*")
    with pytest.raises(InputError, match="there is no sample 200"):
        rec.state(200)
    with pytest.raises(InputError, match="already"):
        rec.add_source(["elbow.q"], lambda rec, name: rec.time)
    with pytest.raises(InputError, match=r"q must be 200 rows of 2 numbers, not \(200, 1\)"):
        Recording(rec.model, rec.time, rec.q[:, :1], rec.v)
    with pytest.raises(InputError, match="v must be 200 rows"):
        Recording(rec.model, rec.time, rec.q, rec.v[1:])
    with pytest.raises(InputError, match="does not decrease"):
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
    assert back.info == rec.info | {"end": "complete", "complete": True}
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

    monkeypatch.setattr("shutil.disk_usage", full)
    with pytest.raises(RecordError, match="No space left on device"):
        rec.save(path)
    assert path.read_bytes() == before and [file.name for file in tmp_path.iterdir()] == ["run.h5"]
    with pytest.raises(RecordError, match="No such file"):
        rec.save(tmp_path / "nowhere" / "run.h5")


def twice(rec, _):
    return 2.0 * rec.time


def same(one, other):
    assert one.channels() == other.channels() and one.info == other.info and one.info is not other.info
    for name in one.channels():
        assert np.array_equal(one[name], other[name]), name


def test_copies_and_pickles():
    """Channels hold functions, which are made again; those of the user come as functions of a module or as numbers."""
    rec = swing(extra={"note": np.arange(200)}, info={"a": [1]})
    rec.add_source(["twice"], twice, "s")
    rec.add_source(["thrice"], lambda rec, _: 3.0 * rec.time)
    for other in (copy.deepcopy(rec), copy.copy(rec), pickle.loads(pickle.dumps(rec))):
        same(rec, other)
        assert other.units("twice") == ("s",) and not other.q.flags.writeable
        other.info["a"].append(2)
        assert rec.info == {"a": [1]}
    same(copy.deepcopy(rec.part(slice(5, 9))), rec.part(slice(5, 9)))


def test_a_large_file_is_pickled_by_its_name(tmp_path, monkeypatch):
    monkeypatch.setattr("gori.record.columns.AT_ONCE", 0)
    swing().save(tmp_path / "run.h5")
    rec = Recording.load(tmp_path / "run.h5")
    data = pickle.dumps(rec)
    program = "import pickle, sys; rec = pickle.load(sys.stdin.buffer); print(rec['tool.z'].sum(), len(rec))"
    done = subprocess.run(
        [sys.executable, "-c", program], input=data, capture_output=True, cwd=Path(__file__).parents[2]
    )
    assert done.stdout.split() == [str(rec["tool.z"].sum()).encode(), b"200"], done.stderr
    same(rec, copy.deepcopy(rec))
    (tmp_path / "run.h5").unlink()
    same(rec, copy.deepcopy(rec))
    with pytest.raises(FileError, match=r"run\.h5: is gone"):
        pickle.loads(data)


@pytest.mark.parametrize("seed", range(2))
def test_channels_in_blocks(seed, monkeypatch):
    """As those of all samples at once."""
    monkeypatch.setattr("gori.record.recording.MANY", 5)
    monkeypatch.setattr(Recording.blocks, "__defaults__", (4,))
    few = {name: recording(seed)[name] for name in recording(seed).channels()}
    monkeypatch.undo()
    whole = recording(seed)
    for name in whole.channels():
        np.testing.assert_allclose(few[name], whole[name], rtol=1e-13, atol=1e-13, err_msg=name)
    assert [len(part) for _, part in whole.blocks(8)] == [8, 8, 3]
    assert np.array_equal(whole.part(np.array([2, 7])).q, whole.q[[2, 7]])


def test_a_recording_of_a_large_height_field_opens_at_once(tmp_path):
    """As text in the file, 300 x 300 heights took six seconds."""
    heights = np.random.default_rng(0).normal(size=(300, 300))
    spec = arm().set("terrain", {"field": {"cell": 0.1, "heights": heights.tolist()}})
    model = gori.compile(spec)
    begun = time.process_time()
    Recording(model, [0.0], [model.q0], [model.v0]).save(tmp_path / "a.h5")
    back = Recording.load(tmp_path / "a.h5")
    assert time.process_time() - begun < 2.0
    assert back.model.spec == spec


def test_files_of_version_1_are_read(tmp_path):
    """Whose Spec is all text, and which have no seal."""
    rec = swing()
    rec.save(tmp_path / "a.h5")
    with h5py.File(tmp_path / "a.h5", "r+") as file:
        del file["seal"]
        file.attrs["version"] = 1
    data = (tmp_path / "a.h5").read_bytes()
    (tmp_path / "a.h5").write_bytes(data.replace(MARK, bytes(len(MARK))))
    assert np.array_equal(Recording.load(tmp_path / "a.h5").q, rec.q)
