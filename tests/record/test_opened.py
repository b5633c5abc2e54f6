"""Files that the HDF5 library does not survive are refused; those that it survives are read."""

import multiprocessing
import os
import shutil

import h5py
import numpy as np
import pytest

from gori.errors import DamageWarning, FileError
from gori.record import opened
from gori.record.opened import RawFile, open_hdf5


@pytest.fixture
def path(tmp_path):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["x"] = np.arange(1000.0)
    return tmp_path / "a.h5"


def test_a_file_stays_as_it_was_when_another_takes_its_name(path):
    with open_hdf5(path) as file:
        assert (file.path, file.size) == (os.fspath(path), path.stat().st_size)
        with h5py.File(path) as same:  # who opens it otherwise, with locks, is not disturbed
            assert same["x"][5] == 5.0
        other = path.with_name("b.h5")
        shutil.copy(path, other)
        with h5py.File(other, "r+") as changed:
            changed["x"][...] = 0.0
        os.replace(other, path)
        assert file["x"][7] == 7.0


def test_processes_of_a_fork_do_not_disturb_each_other(path):
    with RawFile(path) as raw:
        raw.seek(100)
        child = multiprocessing.get_context("fork").Process(target=raw.seek, args=(5,))
        child.start()
        child.join()
        assert raw.read(10) == path.read_bytes()[100:110] and raw.tell() == 110


def test_a_file_that_ends_a_process_is_refused(path, monkeypatch):
    """The process that tries it crashes, hangs, or takes too much memory."""
    died = path.with_name("trial.py")
    monkeypatch.setattr(opened.trial, "__file__", os.fspath(died))
    monkeypatch.setattr(opened, "TRIAL_SECONDS", 1.0)
    for program in ("import os; os.abort()", "while True: pass", "raise SystemExit(1)"):
        died.write_text(program)
        opened._survives.cache_clear()
        with pytest.raises(FileError, match=r"a\.h5: is damaged: its structure \(HDF5\) cannot be read"):
            open_hdf5(path)
    died.write_text("")
    opened._survives.cache_clear()
    open_hdf5(path).close()
    opened._survives.cache_clear()


def test_what_is_no_hdf5(tmp_path):
    for name, data, words in (("text", b"hello", "cannot be read as HDF5"), ("empty", b"", "cannot be read as HDF5")):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(FileError, match=words):
            open_hdf5(tmp_path / name)
    with pytest.raises(FileError, match="there is no such file"):
        open_hdf5(tmp_path / "nothing")
    with pytest.raises(FileError, match="cannot be read as HDF5: Is a directory"):
        open_hdf5(tmp_path)


def test_a_changed_structure_is_told(tmp_path):
    from gori.record.rows import Column, Header, RowFile, open_file

    columns = {
        name: Column(shape, np.dtype("<f8")) for name, shape in (("time", ()), ("q", (1,)), ("v", (1,)), ("z", (0,)))
    }
    RowFile.create(tmp_path / "a.h5", Header("gori: 1\n", False, {}), columns, 5, 64).close()
    with h5py.File(tmp_path / "a.h5", "r+") as file:
        file["more"] = 1.0
    with pytest.warns(DamageWarning, match="its structure is not as it was written"):
        open_file(tmp_path / "a.h5").close()


def test_a_seal_that_has_lost_its_mark_is_told(tmp_path):
    """Such a file was taken for one of an earlier version, without a seal."""
    from gori.record.rows import Column, Header, RowFile, open_file
    from gori.record.seal import MARK

    columns = {
        name: Column(shape, np.dtype("<f8")) for name, shape in (("time", ()), ("q", (1,)), ("v", (1,)), ("z", (0,)))
    }
    path = tmp_path / "a.h5"
    RowFile.create(path, Header("gori: 1\n", False, {}), columns, 5, 64).close()
    path.write_bytes(path.read_bytes().replace(MARK, bytes(len(MARK))))
    with pytest.warns(DamageWarning, match="its structure is not as it was written"):
        open_file(path).close()
