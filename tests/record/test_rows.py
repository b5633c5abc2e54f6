import numpy as np
import pytest

from gori.errors import DamageWarning, FileError
from gori.record.rows import Column, Header, RowFile, Slot, open_file, read_header, read_text

SHAPES = {"time": (), "q": (2,), "v": (2,), "z": (0,)}
COLUMNS = {name: Column(shape, np.dtype("<f8")) for name, shape in SHAPES.items()}


def make(path, capacity=5):
    return RowFile.create(path, Header("gori: 1", False, {"a": 1}), COLUMNS, capacity, 64)


def test_rows_are_there_when_they_are_published(tmp_path):
    rows = make(tmp_path / "a.h5")
    rows.write("time", 0, np.arange(3.0))
    rows.write("q", 0, np.arange(6.0).reshape(3, 2))
    rows.publish(3)
    with open_file(tmp_path / "a.h5") as file:  # while it is open for writing
        assert list(file["status"][:]) == [3, 0] and list(file["time"][:3]) == [0.0, 1.0, 2.0]
        assert file["q"].shape == (5, 2) and np.array_equal(file["q"][2], [4.0, 5.0])
    rows.close()
    again = RowFile.open(tmp_path / "a.h5")
    assert again.columns == COLUMNS and (again.capacity, again.slot_bytes) == (5, 64)
    again.close()


def test_checkpoints_take_turns(tmp_path):
    rows = make(tmp_path / "a.h5")
    for sequence, data in ((1, b"one"), (2, b"two"), (3, b"three")):
        rows.write_slot(Slot(sequence, data, 0))
    rows.close()
    with open_file(tmp_path / "a.h5") as file:
        assert bytes(file["checkpoint/1"][:5]) == b"three" and bytes(file["checkpoint/0"][:3]) == b"two"
        assert list(file["checkpoint/status"][:, 0]) == [2, 3]


def test_a_text_of_a_length_that_cannot_be(tmp_path):
    """The library took as much memory."""
    make(tmp_path / "a.h5").close()
    with open_file(tmp_path / "a.h5") as file:
        place, words = file["info"].id.get_offset(), read_text(file, "info")
        assert file.number_at(place) == len(words)
    with open(tmp_path / "a.h5", "r+b") as raw:
        raw.seek(place + 3)
        raw.write(b"\x70")
    with pytest.warns(DamageWarning, match="structure is not as it was written"):
        file = open_file(tmp_path / "a.h5")
    with file, pytest.raises(FileError, match=r"a\.h5: .*info\) cannot be read \(its length is damaged\)"):
        read_header(file, strict=True)


def test_bytes_of_a_row():
    assert COLUMNS["time"].row_bytes == 8 and COLUMNS["q"].row_bytes == 16
    assert Column((0,), np.dtype("<f8")).row_bytes == 0


def test_files_that_are_no_recordings(tmp_path):
    (tmp_path / "a.h5").write_text("not HDF5")
    with pytest.raises(FileError), open_file(tmp_path / "a.h5"):
        pass
