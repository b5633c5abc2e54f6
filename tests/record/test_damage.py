"""Whatever goes wrong in reading names the file; sizes that cannot be are not believed."""

import json

import h5py
import numpy as np
import pytest

from gori.errors import DamageWarning, FileError, InputError
from gori.record.damage import dataset, held_rows, reading, warn_of_damage
from gori.record.opened import open_hdf5


@pytest.mark.parametrize(
    "fail",
    [
        lambda: {}["q"],
        lambda: b"\xff".decode(),
        lambda: json.loads("{"),
        lambda: np.zeros(3).reshape(2, 2),
        lambda: (_ for _ in ()).throw(OSError("filter returned failure")),
        lambda: (_ for _ in ()).throw(MemoryError()),
    ],
)
def test_errors_name_the_file_and_what_is_damaged(fail):
    with (
        pytest.raises(FileError, match=r"a\.h5: is damaged: column q cannot be read \(.+\)"),
        reading("a.h5", "column q"),
    ):
        fail()


def test_errors_of_gori_and_interrupts_pass():
    for error in (InputError("x"), KeyboardInterrupt()):
        with pytest.raises(type(error)), reading("a.h5", "column q"):
            raise error
    with pytest.raises(FileError, match="there is no such file"), reading("a.h5", "column q"):
        raise FileNotFoundError
    with pytest.warns(DamageWarning, match=r"a\.h5: q is missing"):
        warn_of_damage("a.h5", "q is missing")


def test_a_dataset_of_another_kind_or_size(tmp_path):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["x"], file["text"] = np.zeros((5, 3)), "hello"
        file.create_dataset("huge", (10**9, 1000), "f8", chunks=(1000, 1000), compression="gzip")
    with open_hdf5(tmp_path / "a.h5") as file:
        assert dataset(file, "x", "f", (None, 3)).shape == (5, 3)
        for name, kinds, shape in (
            ("x", "i", (None, 3)), ("x", "f", (None,)), ("x", "f", (4, 3)), ("text", "f", ()), ("huge", "f", None)
        ):  # fmt: skip
            with pytest.raises(ValueError):
                dataset(file, name, kinds, shape)
        with pytest.raises(KeyError):
            dataset(file, "nothing", "f", None)


def test_rows_that_a_file_holds_which_is_cut_off(tmp_path):
    path, numbers = tmp_path / "a.h5", np.random.default_rng(0).normal(size=(4000, 2))
    with h5py.File(path, "w") as file:
        file["x"] = numbers
        file.create_dataset("packed", data=numbers, chunks=(500, 1), compression="gzip")
        place = file["x"].id.get_offset()
    data = path.read_bytes()
    with open_hdf5(path) as file:
        assert held_rows(file, file["x"]) == held_rows(file, file["packed"]) == 4000
        block = file["packed"].id.get_chunk_info_by_coord((2000, 0)).byte_offset
    path.write_bytes(data[: block + 5])
    with pytest.warns(DamageWarning, match="is cut off"), open_hdf5(path) as file:
        assert held_rows(file, file["packed"]) <= 2000
    path.write_bytes(data[: place + 1000 * 16 + 3])
    with pytest.warns(DamageWarning, match="is cut off"), open_hdf5(path) as file:
        assert held_rows(file, dataset(file, "x", "f", None, part=True)) == 1000
        with pytest.raises(ValueError, match="cut off"):
            dataset(file, "x", "f", None)
