"""Columns in memory and of files: read when asked for, in parts, and in another process."""

import json
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import gori
from gori.errors import FileError
from gori.record import Recorder, Recording
from gori.record.columns import Extra, SampleColumns, open_columns
from tests.checks import arm

ROOT = Path(__file__).parents[2]


def written(path, count):
    rng, time = np.random.default_rng(0), np.arange(count) * 1e-3
    with Recorder(path, gori.compile(arm()), overwrite=True) as recorder:
        recorder.append(
            time, rng.normal(size=(count, 2)), rng.normal(size=(count, 2)), extra={"a": time, "b": time > 1}
        )
    return path


@pytest.fixture
def large(tmp_path, monkeypatch):
    """Columns that are read when asked for."""
    monkeypatch.setattr("gori.record.columns.AT_ONCE", 0)
    return written(tmp_path / "run.h5", 5000)


def test_files_are_read_in_parts(large):
    columns, whole = open_columns(large), Recording.load(large)
    assert columns.path == str(large) and list(columns)[:4] == ["time", "q", "v", "z"] and "extra/a" in columns
    assert columns.shape("q") == (5000, 2) and columns.dtype("extra/b").kind == "b" and columns._arrays == {}
    part = columns.part(slice(10, 20), 10)
    assert np.array_equal(part.read("q", slice(2, 4), slice(1, 2)), whole.q[12:14, 1:])
    assert np.array_equal(part.whole("q"), whole.q[10:20]) and part.shape("q") == (10, 2)
    assert np.array_equal(columns.read("q", np.array([4, 4999])), whole.q[[4, 4999]])
    assert columns._arrays == {} and columns.whole("q") is columns.whole("q") and list(columns._arrays) == ["q"]
    with pytest.raises(ValueError, match="read-only"):
        columns.whole("q")[0] = 1.0
    extra = Extra(columns)
    assert list(extra) == ["a", "b"] and len(extra) == 2 and "a" in extra and "q" not in extra
    with pytest.raises(KeyError):
        extra["q"]
    assert np.array_equal(extra["a"], whole.time)


def test_few_samples_are_read_at_once_and_the_file_may_go(tmp_path):
    columns = open_columns(written(tmp_path / "run.h5", 100))
    (tmp_path / "run.h5").unlink()
    assert columns.path is None and columns.whole("q").shape == (100, 2)


def test_a_pickle_reads_from_the_file_again(large):
    columns = open_columns(large)
    data = pickle.dumps(columns)
    assert len(data) < 1000 and np.array_equal(pickle.loads(data).whole("q"), columns.whole("q"))
    written(large, 4000)
    with pytest.raises(FileError, match="is another file than the one"):
        pickle.loads(data)
    large.unlink()
    with pytest.raises(FileError, match=r"run\.h5: is gone: the Recording that was pickled reads from it"):
        pickle.loads(data)
    assert columns.whole("v").shape == (5000, 2), "what is open stays"
    memory = SampleColumns(3, {"time": np.arange(3.0)}, {})
    assert np.array_equal(pickle.loads(pickle.dumps(memory)).whole("time"), [0.0, 1.0, 2.0])


PEAK = """
import json, resource, sys
import gori
small, large, name = sys.argv[1:]
def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
def read(path):
    rec = gori.Recording.load(path)
    return rec, rec[name] if name else None
read(small)
before = peak()
rec, _ = read(large)
print(json.dumps([peak() - before, 8 * len(rec) * (1 + 2 + 2 + 1)]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no such figures")
def test_memory_of_a_million_samples(tmp_path):
    """To load them took more than twice their raw size, a channel up to six times."""
    small, large = written(tmp_path / "small.h5", 3000), written(tmp_path / "large.h5", 1_000_000)
    for name, most in (("", 0.6), ("elbow.q", 1.0), ("tool.z", 1.5), ("energy.total", 1.5)):
        command = [sys.executable, "-c", PEAK, str(small), str(large), name]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        memory, raw = json.loads(done.stdout)
        assert memory < most * raw, f"{name or 'load'}: {memory / raw:.2f} times the raw size"
