"""The checksum of a file's structure: a change of any byte of it is seen, changes of samples are not."""

import numpy as np
import pytest

from gori.record.opened import RawFile
from gori.record.packed import write_packed
from gori.record.rows import Column, Header, RowFile, Slot
from gori.record.seal import END, MARK, seal_bytes, sealed, write_seal

COLUMNS = {
    name: Column(shape, np.dtype("<f8")) for name, shape in (("time", ()), ("q", (2,)), ("v", (2,)), ("z", (0,)))
}


def state(path):
    with RawFile(path) as file:
        return sealed(file, file.size)


def test_every_byte_of_the_structure_counts(tmp_path):
    path, data = tmp_path / "a", bytearray(range(256)) * 8
    path.write_bytes(data)
    write_seal(path, 300, [(700, 800), (780, 900), (2000, END)])
    assert state(path) is True and seal_bytes(3) == 32 + 4 * 16
    whole = path.read_bytes()
    for at, expected in ((0, False), (299, False), (699, False), (750, True), (899, True), (900, False), (2010, True)):
        changed = bytearray(whole)
        changed[at] ^= 1
        path.write_bytes(changed)
        assert state(path) is expected, at
    for at in range(300 + len(MARK), 300 + len(MARK) + 16 + 48):  # the seal itself
        changed = bytearray(whole)
        changed[at] ^= 64
        path.write_bytes(changed)
        assert state(path) is False, at
    path.write_bytes(whole.replace(MARK, bytes(len(MARK))))
    assert state(path) is None
    path.write_bytes(whole[:1000])
    assert state(path) is False


@pytest.mark.parametrize("packed", [False, True])
def test_recordings_are_sealed_and_stay_so_while_they_are_written(tmp_path, packed):
    path, count = tmp_path / "a.h5", 40_000
    header = Header("gori: 1\n", False, {}, [np.arange(1000.0)])
    if packed:
        rows = lambda name, first, size: np.random.default_rng(0).normal(size=(size, *COLUMNS[name].shape))  # noqa: E731
        write_packed(path, header, COLUMNS, count, rows, "complete", Slot(1, b"state", 5))
    else:
        file = RowFile.create(path, header, COLUMNS, count, 64)
        assert state(path) is True
        file.write("q", 5, np.ones((30, 2)))
        file.write_slot(Slot(1, b"state", 5))
        file.publish(35)
        file.close()
    assert state(path) is True
    data = bytearray(path.read_bytes())
    data[data.find(b"gori: 1")] ^= 1
    path.write_bytes(data)
    assert state(path) is False
