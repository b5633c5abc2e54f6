"""The program that reads a file which may end it."""

import subprocess
import sys

import h5py
import numpy as np
import pytest

from gori.record import trial
from gori.record.trial import RawFile, look_at, read_structure


@pytest.fixture
def path(tmp_path):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["x"], file["text"] = np.arange(1000.0), "hello"
        file.create_dataset("packed", data=np.zeros((5000, 3)), chunks=(100, 3), compression="gzip")
    return tmp_path / "a.h5"


def test_whole_and_damaged_files_end_it_well(path):
    assert read_structure(str(path)) == 0
    path.write_bytes(path.read_bytes()[:900])
    assert read_structure(str(path)) == 0  # the library says so: who opens it is told


def test_it_does_not_take_all_memory(path, monkeypatch):
    def greedy(_):
        raise MemoryError

    monkeypatch.setattr(trial, "look_at", greedy)
    assert read_structure(str(path)) == 1


def test_a_damaged_dataset_is_passed_over():
    class Broken:
        chunks, shape = None, ()

        def __getitem__(self, _):
            raise OSError("filter")

    look_at(Broken())


def test_as_a_program(path):
    assert subprocess.run([sys.executable, "-P", trial.__file__, str(path)]).returncode == 0


def test_a_file_that_was_cut_off_has_zeros_at_its_end(path):
    data = path.read_bytes()
    path.write_bytes(data[:5000])
    with RawFile(path) as raw:
        assert (raw.size, raw.held) == (len(data), 5000)
        raw.seek(4990)
        assert raw.read(20) == data[4990:5000] + bytes(10)
        assert raw.seek(0, 2) == len(data) and raw.read(5) == b""
    path.write_bytes(data[:40] + (10**9).to_bytes(8, "little") + data[48:5000])
    with RawFile(path) as raw:  # it was changed, not cut off: such a length is not believed
        assert raw.size == raw.held == 5000
    path.write_bytes(b"text")
    with RawFile(path) as raw:
        assert raw.size == raw.held == 4


@pytest.mark.skipif(sys.platform == "win32", reason="no limits there")
def test_it_does_not_take_for_ever(path):
    """A damaged file can keep the library busy: seconds of the processor are counted by the size of the file."""
    code = (
        "import resource, sys; from gori.record import trial; trial.limit_itself(sys.argv[1]); "
        "print(resource.getrlimit(resource.RLIMIT_CPU)[0])"
    )
    for size, seconds in ((1000, 3), (1 << 27, 19)):
        with open(path, "r+b") as file:
            file.truncate(size)
        done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
        assert int(done.stdout) == seconds
