"""Columns of damaged files: what is whole is read, and what is missing is told."""

import warnings

import h5py
import numpy as np
import pytest

import gori
from gori.errors import DamageWarning, FileError
from gori.record import Recorder, Recording, read_checkpoint
from gori.record.rows import open_file
from gori.record.stored import read_columns
from tests.checks import arm

COUNT = 20_000


@pytest.fixture
def path(tmp_path):
    rng, time = np.random.default_rng(0), np.arange(COUNT) * 1e-3
    with Recorder(tmp_path / "run.h5", gori.compile(arm())) as recorder:
        q = rng.normal(size=(COUNT, 2))
        recorder.append(time, q, -q, extra={"a": time, "table": rng.normal(size=(COUNT, 3))})
        recorder.checkpoint(gori.State(1.0, [0.0], [0.0]))
    return tmp_path / "run.h5"


def broken(path, name, row):
    """Damage the block of a column that holds a row."""
    with h5py.File(path) as file:
        block = file[name].id.get_chunk_info_by_coord((row, 0))
    data = bytearray(path.read_bytes())
    for k in range(50):
        data[block.byte_offset + block.size // 2 + k] ^= 255
    path.write_bytes(data)


def rows_of(path):
    file = open_file(path)
    return read_columns(file)


def test_slices_indices_and_columns(path):
    stored = rows_of(path)
    assert stored.count == COUNT and stored.end == "complete" and not stored.missing
    table, q = stored.columns["extra/table"], stored.columns["q"]
    assert table.packed and table.nbytes == 24 * COUNT
    assert np.array_equal(table.read(slice(5, 9), slice(1, 3)), table.read()[5:9, 1:3])
    assert np.array_equal(q.read(np.array([3, 4000, 19_999])), q.read()[[3, 4000, 19_999]])
    assert q.read(np.array([], int)).shape == (0, 2) and stored.first(7).columns["q"].shape == (7, 2)


def test_a_damaged_further_column_leaves_the_others(path):
    """It was an OSError of the library without the name of the file, and nothing was read."""
    broken(path, "extra/table", 9000)
    stored = rows_of(path)
    assert stored.columns["extra/table"].whole() == 8192
    with pytest.raises(FileError, match=r"run\.h5: is damaged: table cannot be read"):
        stored.columns["extra/table"].read()
    with pytest.warns(DamageWarning, match="table cannot be read"):
        rec = Recording.load(path)
    assert len(rec) == COUNT and "table" not in rec and rec["a"][-1] == rec.time[-1] and rec.q.shape == (COUNT, 2)


def test_samples_before_the_damage_are_read(path, monkeypatch):
    broken(path, "q", 9000)
    with pytest.warns(DamageWarning, match="samples from 8192 on are left out"):
        rec = Recording.load(path)
    assert len(rec) == len(rec.q) == 8192 and rec["table"].shape == (8192, 3)
    monkeypatch.setattr("gori.record.columns.AT_ONCE", 0)  # of a large file
    rec = Recording.load(path)
    assert len(rec) == COUNT and rec.v.shape == (COUNT, 2)
    with pytest.raises(FileError, match=r"run\.h5: is damaged: q cannot be read"):
        rec["q"]
    first = Recording.load(path, samples=8192)
    assert first["elbow.q"].shape == (8192,) and np.array_equal(first.q, -rec.v[:8192])


def test_a_status_and_a_time_that_cannot_be(path):
    with h5py.File(path) as file:
        place = file["status"].id.get_offset()
    whole = path.read_bytes()
    data = bytearray(whole)
    data[place + 6] = 255
    path.write_bytes(data)
    with pytest.warns(DamageWarning, match="count of samples cannot be read"):
        assert len(Recording.load(path)) == COUNT
    path.write_bytes(whole)
    stored = rows_of(path)
    with pytest.raises(FileError, match=r"cannot be continued: nothing"):
        stored.missing.append("nothing")
        stored.require_all()


def test_a_growing_file_of_which_the_status_is_damaged(tmp_path):
    """Samples end where time does."""
    recorder = Recorder(tmp_path / "run.h5", gori.compile(arm()), flush_seconds=0.0)
    recorder.append(np.arange(1, 51) * 0.1, np.ones((50, 2)), np.ones((50, 2)))
    with h5py.File(tmp_path / "run.h5", locking=False) as file:
        place = file["status"].id.get_offset()
    with open(tmp_path / "run.h5", "r+b") as file:
        file.seek(place)
        file.write(b"\xff" * 8)
    with pytest.warns(DamageWarning, match="there may be fewer samples"):
        assert len(Recording.load(tmp_path / "run.h5")) == 50


def test_notes_that_are_damaged(path):
    data = bytearray(path.read_bytes())
    at = data.find(b"{}")  # info
    data[at : at + 2] = b"}{"
    path.write_bytes(data)
    with pytest.warns(DamageWarning, match="other notes are missing"):
        rec = Recording.load(path)
    assert rec.info == {"end": "complete", "complete": True} and len(rec) == COUNT
    with pytest.raises(FileError, match=r"what it says of the run \(info\) cannot be read"):
        Recorder.resume(path, rec.model)


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_a_file_that_is_cut_off(path, share):
    """Nothing of it was read."""
    before, data = Recording.load(path), path.read_bytes()
    path.write_bytes(data[: int(share * len(data))])
    with pytest.warns(DamageWarning, match=f"of {COUNT} samples the first"):
        rec = Recording.load(path)
    print(f"\ncut at {share:.0%}: {len(rec)} of {COUNT} samples")
    assert len(rec) > (share - 0.25) * COUNT and list(rec.extra) == ["a", "table"]
    for name in ("time", "q", "v", "table"):
        np.testing.assert_array_equal(rec[name], before[name][: len(rec)])
    with pytest.warns(DamageWarning, match="is cut off"):
        saved = read_checkpoint(path)
    assert saved is not None and saved.time == 1.0
    with pytest.raises(FileError, match="cannot be continued"), pytest.warns(DamageWarning):
        Recorder.resume(path, before.model)


def test_a_file_that_grows_and_is_cut_off(tmp_path):
    """Its columns stand one behind the other: further ones are lost first."""
    path, model, time = tmp_path / "run.h5", gori.compile(arm()), np.arange(COUNT) * 1e-3
    q = np.random.default_rng(0).normal(size=(COUNT, 2))
    recorder = Recorder(path, model)
    recorder.append(time, q, -q, extra={"a": time})
    recorder.close("interrupted", pack=False)
    data = path.read_bytes()
    for share, least, extra in ((0.9, COUNT, []), (0.6, 1000, []), (0.3, 0, [])):
        path.write_bytes(data[: int(share * len(data))])
        if not least:
            with pytest.raises(FileError, match="no sample is whole"), pytest.warns(DamageWarning):
                Recording.load(path)
            continue
        with pytest.warns(DamageWarning, match="without.* a$"):
            rec = Recording.load(path)
        assert len(rec) >= least and list(rec.extra) == extra and rec.info["end"] == "interrupted"
        np.testing.assert_array_equal(rec.v, -q[: len(rec)])


def test_a_file_of_which_the_structure_is_gone(path):
    data = path.read_bytes()
    for size in (10, 90, 700, 3000, 6000):
        path.write_bytes(data[:size])
        with warnings.catch_warnings(), pytest.raises(FileError, match=r"run\.h5: "):
            warnings.simplefilter("ignore", DamageWarning)
            Recording.load(path)


def test_a_changed_number_in_a_small_column(tmp_path):
    """It went unnoticed."""
    path, time = tmp_path / "run.h5", np.arange(50) * 1e-3
    with Recorder(path, gori.compile(arm())) as recorder:
        recorder.append(time, np.ones((50, 2)), np.ones((50, 2)), extra={"a": time})
        recorder.checkpoint(gori.State(0.04, [0.0], [0.0]))
    whole = path.read_bytes()
    assert not rows_of(path).missing
    for name, word in (("q", "q"), ("extra/a", "a")):
        with h5py.File(path) as file:
            place = file[name].id.get_offset()
        data = bytearray(whole)
        data[place + 130] ^= 1
        path.write_bytes(data)
        with pytest.warns(DamageWarning, match=f"numbers in {word} are not those that were written"):
            assert len(Recording.load(path)) == 50
        with pytest.raises(FileError, match="cannot be continued"):
            rows_of(path).require_all()
        path.write_bytes(whole)


def test_a_checksum_that_is_no_number_does_not_fit(path):
    """An array in its place was compared number by number, and the comparison raised."""
    with h5py.File(path, "r+") as file:
        names = [name for name in ("extra/a", "time", "q", "z") if "crc32" in file[name].attrs]
        for name in names:
            file[name].attrs["crc32"] = np.zeros(3)
    assert names
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert any("are not those that were written" in words for words in rows_of(path).missing)
    assert caught
