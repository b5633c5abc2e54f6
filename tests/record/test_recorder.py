"""Recording while a run lasts: blocks, checkpoints, resuming, interrupts, full disks."""

import json
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest

import gori
from gori.errors import DamageWarning, FileError, InputError, RecordError
from gori.record import Recorder, Recording, open_recording, read_checkpoint
from tests.checks import arm
from tests.record.writer import rows

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def model():
    return gori.compile(arm())


def files(folder) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


@pytest.mark.parametrize("flush_seconds", [0.0, 100.0])
def test_blocks_come_back(model, tmp_path, flush_seconds):
    path = tmp_path / "run.h5"
    with Recorder(path, model, {"driver": "me"}, flush_seconds) as recorder:
        first = 0
        for count in (1, 0, 3000, 7, 9000):  # the file must grow
            recorder.append(*rows(first, count), extra={"hit": np.arange(first, first + count) % 2 == 0})
            first += count
            assert recorder.samples == (first if flush_seconds == 0.0 else 0)
            assert len(open_recording(path)) == recorder.samples
    rec = open_recording(path)
    assert rec.info == {"driver": "me", "end": "complete", "complete": True}
    assert len(rec) == first == recorder.samples
    for actual, expected in zip((rec.time, rec.q, rec.v, rec.z), rows(0, first)):
        assert np.array_equal(actual, expected)
    assert rec["hit"].dtype == bool and np.array_equal(rec["hit"], np.arange(first) % 2 == 0)
    assert rec.model.spec == model.spec
    assert files(tmp_path) == ["run.h5"]
    with h5py.File(path) as file:  # a closed file has no padding
        assert file["time"].shape == (first,) and file["q"].shape == (first, 2) and file["extra/hit"].dtype == bool


def test_open_while_it_is_written(model, tmp_path):
    recorder = Recorder(tmp_path / "run.h5", model, flush_seconds=0.0)
    assert len(open_recording(recorder.path)) == 0
    recorder.append(*rows(0, 5))
    rec = open_recording(recorder.path)
    assert rec.info["complete"] is False and np.array_equal(rec.time, rows(0, 5)[0])
    recorder.close()
    recorder.close()
    assert open_recording(recorder.path).info["complete"] is True
    with pytest.raises(InputError, match="is closed"):
        recorder.append(*rows(5, 1))


def test_overwriting(model, tmp_path):
    path = tmp_path / "run.h5"
    path.write_text("precious")
    with pytest.raises(FileError, match="already exists"):
        Recorder(path, model)
    assert path.read_text() == "precious"
    with Recorder(path, model, overwrite=True) as recorder:
        recorder.append(*rows(0, 2))
    assert len(open_recording(path)) == 2
    with pytest.raises(RecordError, match="cannot be written: No such file"):
        Recorder(tmp_path / "nowhere" / "run.h5", model)


def test_wrong_blocks(model, tmp_path):
    with Recorder(tmp_path / "run.h5", model) as recorder:
        t, q, v, z = rows(0, 3)
        with pytest.raises(InputError, match="q must be 3 x 2"):
            recorder.append(t, q[:2], v, z)
        recorder.append(t, q, v, z, extra={"a": t})
        for changes, words in [
            ({"t": t}, "time must not decrease"),
            ({"t": t + np.nan}, "time must not decrease"),
            ({"z": None}, "z must be 3 x 1"),
            ({"extra": {}}, "same extra channels as the first; differing: a"),
            ({"extra": {"a": t, "b": t}}, "differing: b"),
            ({"extra": {"a": q}}, "a must be 3"),
            ({"extra": {"a/b": t}}, "cannot be called"),
            ({"extra": {"a": ["x", "y", "z"]}}, "must be numbers"),
            ({"extra": {"a": 3.0}}, "must have 3 rows"),
        ]:
            given = {"t": t + 1.0, "z": z, "extra": {"a": t}} | changes
            with pytest.raises(InputError, match=words):
                recorder.append(given["t"], q, v, given["z"], given["extra"])
        recorder.append(t[-1:], q[:1], v[:1], z[:1], {"a": [1.0]})  # the same time: before and after an impact
    assert len(open_recording(recorder.path)) == 4
    with pytest.raises(InputError, match="JSON"):
        Recorder(tmp_path / "other.h5", model, {"a": object()})


def state(n: int, big=(), time: float = 0.5) -> gori.State:
    """A State to keep, with a part of any size."""
    return gori.State(time, [1.0], [2.0], parts={"thing": {"n": n, "name": "고리", "big": np.array(big)}})


def test_checkpoints(model, tmp_path):
    path = tmp_path / "run.h5"
    with Recorder(path, model) as recorder:
        assert read_checkpoint(path) is None
        for k in range(5):
            saved = state(k, np.full(10**k, k))
            recorder.checkpoint(saved)
            assert read_checkpoint(path) == saved
        recorder.append(*rows(0, 5))
        recorder.checkpoint(state(9))
        assert recorder.samples == 5
    assert read_checkpoint(path) == state(9)


def test_a_torn_checkpoint_leaves_the_one_before(model, tmp_path):
    path = tmp_path / "run.h5"
    with Recorder(path, model) as recorder:
        recorder.checkpoint(state(1))
        recorder.checkpoint(state(2))
        with h5py.File(path, locking=False) as file:
            place = file["checkpoint/0"].id.get_offset()
        with open(path, "r+b") as raw:
            raw.seek(place + 50)
            raw.write(b"torn")
        with pytest.warns(DamageWarning, match="latest checkpoint is damaged; the one before it is taken"):
            assert read_checkpoint(path) == state(1)
        with open(path, "r+b") as raw, h5py.File(path, locking=False) as file:
            raw.seek(file["checkpoint/1"].id.get_offset() + 50)
            raw.write(b"torn")
        with pytest.raises(FileError, match="is damaged: no checkpoint in it is whole"):
            read_checkpoint(path)


@pytest.mark.parametrize(("now", "kept"), [(10.0, 11), (9.0, 10), (5.0, 6), (12.5, 13), (100.0, 15)])
def test_resume(model, tmp_path, now, kept):
    path = tmp_path / "run.h5"
    recorder = Recorder(path, model, {"driver": "me"}, flush_seconds=0.0)
    t, q, v, z = rows(0, 40)
    t = np.arange(40.0)
    recorder.append(t[:10], q[:10], v[:10], z[:10])
    recorder.checkpoint(state(7, time=now))
    recorder.append(t[10:15], q[10:15], v[10:15], z[10:15])
    kept = 10 if now == 10.0 else kept  # the sample at that very time came after the checkpoint
    with pytest.raises(FileError, match="is in use"):
        Recorder.resume(path, model)
    recorder._lock.release()  # as a kill would
    with Recorder.resume(path, model) as resumed:
        assert resumed.samples == kept == len(open_recording(path))
        assert read_checkpoint(path) == state(7, time=now)
        resumed.append(t[kept:], q[kept:], v[kept:], z[kept:])
        resumed.checkpoint(state(8, time=39.0))
    rec = open_recording(path)
    assert rec.info == {"driver": "me", "end": "complete", "complete": True}
    assert np.array_equal(rec.time, t) and np.array_equal(rec.q, q) and np.array_equal(rec.z, z)
    with Recorder.resume(path, model) as resumed:  # a run that was closed can go on as well
        assert resumed.samples == 40
    assert read_checkpoint(path) == state(8, time=39.0)


def test_resume_refuses(model, tmp_path):
    path = tmp_path / "run.h5"
    with Recorder(path, model) as recorder:
        recorder.append(*rows(0, 3))
    with pytest.raises(FileError, match="no checkpoint"):
        Recorder.resume(path, model)
    with Recorder(path, model, overwrite=True) as recorder:
        recorder.checkpoint(state(1))
    with pytest.raises(InputError, match="a different Spec"):
        Recorder.resume(path, gori.compile(arm(bodies__upper__mass=2.0)))
    with pytest.raises(FileError, match="no such file"):
        Recorder.resume(tmp_path / "nothing.h5", model)


@pytest.mark.parametrize("error", [KeyboardInterrupt(), ZeroDivisionError("division")])
def test_an_exception_closes_the_file(model, tmp_path, error):
    with pytest.raises(type(error)), Recorder(tmp_path / "run.h5", model, flush_seconds=100.0) as recorder:
        recorder.append(*rows(0, 3))
        raise error
    rec = open_recording(recorder.path)
    assert len(rec) == 3 and rec.info["complete"] is False
    assert rec.info["end"] == ("interrupted" if isinstance(error, KeyboardInterrupt) else "failed")
    assert rec.info["error"] == (f"{type(error).__name__}: {error}" if str(error) else "KeyboardInterrupt")


@pytest.mark.parametrize("at", ["write", "publish", "copy_rows", "sync", "after"])
def test_an_interrupt_inside_the_writing_loses_nothing(model, tmp_path, monkeypatch, at):
    """Ctrl-C may come at any place; closing the file then writes each sample once."""
    from gori.record import recorder as module

    with pytest.raises(KeyboardInterrupt), Recorder(tmp_path / "run.h5", model, flush_seconds=0.0) as recorder:
        recorder.append(*rows(0, 3))

        def interrupt(*_):
            monkeypatch.undo()
            raise KeyboardInterrupt

        if at == "after":  # all is written, and not yet noted
            publish = module.RowFile.publish
            monkeypatch.setattr(module.RowFile, "publish", lambda *given: (publish(*given), interrupt()))
        else:
            monkeypatch.setattr(module.RowFile, at, interrupt)
        recorder.append(*rows(3, 20_000))
    rec = open_recording(recorder.path)
    for actual, expected in zip((rec.time, rec.q, rec.v, rec.z), rows(0, 20_003)):
        assert np.array_equal(actual, expected)
    assert rec.info["end"] == "interrupted" and files(tmp_path) == ["run.h5"]


def test_what_is_no_recording(tmp_path):
    with pytest.raises(FileError, match="no such file"):
        open_recording(tmp_path / "nothing.h5")
    (tmp_path / "text.h5").write_text("text")
    with pytest.raises(FileError, match="cannot be read as HDF5"):
        Recording.load(tmp_path / "text.h5")
    h5py.File(tmp_path / "other.h5", "w").close()
    with pytest.raises(FileError, match="not a recording of Gori"):
        read_checkpoint(tmp_path / "other.h5")


FULL = """
import json, resource, sys
import numpy as np
import gori
from gori.errors import RecordError
from gori.record import Recorder
from tests.checks import arm
from tests.record.writer import rows

path, limit, chunk = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
model = gori.compile(arm())
if limit:
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
first = 0
try:
    with Recorder(path, model, flush_seconds=0.0) as recorder:
        recorder.checkpoint(gori.State(0.0, [1.0], [2.0]))
        while first < 10_000_000:
            recorder.append(*rows(first, chunk))
            first += chunk
except RecordError as error:
    print(json.dumps([str(error), recorder.samples]))
"""


def fill(path, limit, chunk):
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(path), str(limit), str(chunk)], cwd=ROOT, capture_output=True, text=True
    )
    assert done.stderr == "" and done.returncode == 0, done.stderr
    message, samples = json.loads(done.stdout)
    rec = open_recording(path)
    assert len(rec) == samples > 0 and f"{samples} samples are safe" in message
    for actual, expected in zip((rec.time, rec.q, rec.v, rec.z), rows(0, samples)):
        assert np.array_equal(actual, expected)
    assert read_checkpoint(path) == gori.State(0.0, [1.0], [2.0])
    assert files(path.parent) == [path.name]
    least = min(2 * chunk, 5000)  # a block that is larger than the disk is kept as far as it has room
    assert samples >= least or chunk < 100, samples
    return message


@pytest.mark.parametrize(
    ("size", "chunk"), [("1m", 1000), ("1m", 77), ("400k", 1), ("3m", 9999), ("1m", 100_000), ("3m", 1_000_000)]
)
def test_full_disk(tmp_path, size, chunk):
    folder = tmp_path / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    try:
        mounted = subprocess.run(mount, capture_output=True).returncode == 0
    except FileNotFoundError:
        mounted = False
    if not mounted:
        pytest.skip("may not mount a file system here")
    try:
        assert "No space left on device" in fill(folder / "run.h5", 0, chunk)
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.skipif(sys.platform == "win32", reason="no such limit")
@pytest.mark.parametrize("chunk", [500, 1_000_000])
def test_file_size_limit(tmp_path, chunk):
    assert "File too large" in fill(tmp_path / "run.h5", 1_000_000, chunk)


def test_what_did_not_begin_leaves_nothing(model, tmp_path):
    """A file that is put in place with its first checkpoint is not there before, and goes if none comes."""
    recorder = Recorder(tmp_path / "run.h5", model, at_checkpoint=True)
    recorder.append(*rows(0, 3))
    recorder.abandon()
    assert files(tmp_path) == []
    (tmp_path / "run.h5").write_text("an earlier one")
    Recorder(tmp_path / "run.h5", model, overwrite=True, at_checkpoint=True).abandon()
    assert (tmp_path / "run.h5").read_text() == "an earlier one"
    recorder = Recorder(tmp_path / "run.h5", model, overwrite=True)
    recorder.abandon()
    assert open_recording(tmp_path / "run.h5").info["end"] == "failed"
    with pytest.raises(InputError, match="samples must not be negative, is -1"):
        gori.Recording.load(tmp_path / "run.h5", samples=-1)
