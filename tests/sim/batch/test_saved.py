"""Files of batches: whole or not at all, and of the batch that takes them."""

import os

import numpy as np
import pytest

from gori.errors import FileError
from gori.sim.batch.saved import FORMAT, load_kept, save_kept

KEPT = {"rows": np.arange(40, dtype=np.uint8).reshape(4, 10), "data.codes": np.zeros(4, np.int64)}


def test_what_is_saved_is_loaded(tmp_path):
    file = tmp_path / "batch"  # nothing is added to its name
    save_kept(file, "tag", KEPT)
    found = load_kept(file, "tag")
    assert found.keys() == KEPT.keys()
    assert all(np.array_equal(found[name], KEPT[name]) and found[name].dtype == KEPT[name].dtype for name in KEPT)
    assert os.listdir(tmp_path) == ["batch"]


def test_a_file_is_replaced_when_the_new_one_is_complete(tmp_path, monkeypatch):
    file = tmp_path / "batch.npz"
    save_kept(file, "tag", KEPT)
    savez = np.savez

    def torn(out, **arrays):
        savez(out, **arrays)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez", torn)
    with pytest.raises(FileError, match=r"batch\.npz: cannot be written: No space left"):
        save_kept(file, "tag", {"rows": np.zeros(3)})
    assert load_kept(file, "tag").keys() == KEPT.keys() and os.listdir(tmp_path) == ["batch.npz"]
    with pytest.raises(FileError, match="No such file or directory"):
        save_kept(tmp_path / "nowhere" / "batch.npz", "tag", KEPT)


def test_files_of_others_are_refused(tmp_path):
    file = tmp_path / "batch.npz"
    save_kept(file, "tag", KEPT)
    with pytest.raises(FileError, match="another batch: Model, method, device, number of machines"):
        load_kept(file, "another")
    np.savez(file, format=np.array(FORMAT + 1), tag=np.array("tag"))
    with pytest.raises(FileError, match="another batch"):
        load_kept(file, "tag")


@pytest.mark.parametrize(
    "members",
    [{}, {"format": np.zeros(2), "tag": np.zeros(2)}, {"format": np.array(FORMAT)}],
    ids=lambda x: "-".join(x),
)
def test_what_is_no_batch(tmp_path, members):
    np.savez(tmp_path / "x.npz", **members)
    with pytest.raises(FileError, match="holds no batch of Gori, or is damaged"):
        load_kept(tmp_path / "x.npz", "tag")


def test_damage_is_found(tmp_path):
    file = tmp_path / "batch.npz"
    save_kept(file, "tag", KEPT)
    whole = file.read_bytes()
    at = whole.index(KEPT["rows"].tobytes())
    for content in (whole[:-30], b"", b"text", whole[: at + 5] + b"\xff" + whole[at + 6 :]):
        file.write_bytes(content)
        with pytest.raises(FileError, match="holds no batch of Gori, or is damaged"):
            load_kept(file, "tag")
    with pytest.raises(FileError, match="there is no such file"):
        load_kept(tmp_path / "none.npz", "tag")
    with pytest.raises(FileError, match="it is a folder"):
        load_kept(tmp_path, "tag")
