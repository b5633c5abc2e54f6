"""Files with one dataset that grows: valid at every moment, and to be added to later."""

import h5py
import numpy as np
import pytest

from gori.errors import FileError
from gori.record.growing import GrowingFile, read_status
from gori.record.rows import Column

DTYPE = np.dtype([("id", "<i8"), ("x", "<f4", (3,))])
TABLES = {"time": Column((), np.dtype("<f8")), "span": Column((2,), np.dtype("<i8"))}


def create(path, capacity=4):
    return GrowingFile.create(path, {"format": "test"}, {"note": "hello"}, TABLES, capacity, "long", DTYPE)


def rows(first, count):
    made = np.zeros(count, DTYPE)
    made["id"] = np.arange(first, first + count)
    made["x"] = made["id"][:, None] + [0.25, 0.5, 0.75]
    return made


def seen(path):
    """What the library reads: status, ids, times."""
    with h5py.File(path, "r", locking=False) as file:
        count, complete = read_status(file)
        return count, complete, file["long"]["id"].tolist(), file["time"][:count].tolist()


def test_rows_are_there_as_soon_as_they_are_written(tmp_path):
    path = tmp_path / "a.h5"
    file = create(path)
    first = 0
    for k, count in enumerate((3, 0, 5)):
        file.extend(first, rows(first, count))
        file.put("time", k, np.float64(0.5 * k))
        file.put("span", k, np.array([first, count]))
        file.publish(k + 1, False)
        first += count
        assert seen(path)[:2] == (k + 1, False) and seen(path)[3] == [0.5 * j for j in range(k + 1)]
        assert seen(path)[2][:first] == list(range(first))
    file.publish(3, True)
    file.sync()
    file.close()
    assert seen(path) == (3, True, list(range(8)), [0.0, 0.5, 1.0])
    with h5py.File(path) as again:
        assert again["note"].asstr()[()] == "hello" and again.attrs["format"] == "test"
        assert np.array_equal(again["long"]["x"], rows(0, 8)["x"]) and again["span"][:3].tolist() == [
            [0, 3],
            [3, 0],
            [3, 5],
        ]


def test_what_is_written_again_is_overwritten_and_nothing_is_cut_off(tmp_path):
    path = tmp_path / "a.h5"
    file = create(path)
    file.extend(0, rows(0, 6))
    file.extend(2, rows(100, 2))
    file.close()
    assert seen(path)[2] == [0, 1, 100, 101, 4, 5]


def test_a_file_is_opened_to_go_on(tmp_path):
    path = tmp_path / "a.h5"
    first = create(path)
    first.extend(0, rows(0, 3))
    first.publish(1, True)
    first.close()
    file = GrowingFile.open(path, ("time", "span"), "long")
    assert file.capacity == 4 and file.tables == TABLES and file.dtype == DTYPE
    file.extend(3, rows(3, 2))
    file.publish(2, False)
    file.close()
    assert seen(path)[:3] == (2, False, [0, 1, 2, 3, 4])


def test_all_is_copied_into_a_larger_file(tmp_path):
    small, large = create(tmp_path / "a.h5", 2), create(tmp_path / "b.h5", 8)
    small.extend(0, rows(0, 7))
    for k in range(2):
        small.put("time", k, np.float64(k + 0.5))
    large.copy(small, 2, 7)
    large.publish(2, False)
    for file in (small, large):
        file.close()
    assert seen(tmp_path / "b.h5") == (2, False, list(range(7)), [0.5, 1.5])


def test_headers_of_another_kind_are_refused(tmp_path):
    """A file that the library has made with its newest format: the numbers to move stand elsewhere there."""
    create(tmp_path / "a.h5").close()
    with h5py.File(tmp_path / "b.h5", "w", libver="latest") as file:
        file["long"], file["time"], file["span"] = rows(0, 1), np.zeros(4), np.zeros((4, 2), "<i8")
        file["status"] = np.zeros(2, "<i8")
    with pytest.raises(FileError, match=r"another HDF5 version: it can be read, but not appended to"):
        GrowingFile.open(tmp_path / "b.h5", ("time", "span"), "long")
