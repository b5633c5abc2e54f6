"""Names and names of files: what is no text is refused, whatever it is."""

import os
from pathlib import Path

import numpy as np
import pytest

from gori.errors import InputError
from gori.text.arguments import file_of, is_one_of, names_of, path_of


def test_paths():
    assert path_of("a/b.h5") == path_of(Path("a/b.h5")) == Path("a/b.h5")
    for path in (None, 3, b"a.h5", "a\0b", ["a"], {1}, np.zeros(2), ...):
        with pytest.raises(InputError, match="the name of a file must be text"):
            path_of(path)


def test_long_names():
    assert path_of("a/" * 300 + "b").name == "b"
    with pytest.raises(InputError, match="too long for the name of a file"):
        path_of("a" * 5000)


def test_files_to_write():
    assert file_of("run.h5") == Path("run.h5")
    for path in ("", ".", "/"):
        with pytest.raises(InputError, match="is not the name of a file"):
            file_of(path)


def test_lists_of_names():
    assert names_of(("a", "b"), "hold") == names_of({"a": 1, "b": 2}, "hold") == ["a", "b"]
    for names in (None, "a", 5, [1], [None, "a"]):
        with pytest.raises(InputError, match="hold must be a list of names"):
            names_of(names, "hold")


def test_names():
    assert is_one_of("a", {"a": 1}) and not is_one_of("b", {"a": 1})
    for name in (None, {1}, ["a"], np.array("a"), 5):
        assert not is_one_of(name, {"a": 1})


def test_an_array_of_things_is_no_list_of_names():
    """An array of objects was added, and its shape did not fit."""
    with pytest.raises(InputError, match="must be a list of names, not None"):
        names_of(np.array([None, 1.0], dtype=object), "independent")
    assert names_of(np.array(["a", "b"]), "independent") == ["a", "b"]


def test_files_to_write_are_no_devices_and_links_lead_on(tmp_path):
    (tmp_path / "real.npz").write_bytes(b"")
    (tmp_path / "link.npz").symlink_to(tmp_path / "real.npz")
    assert file_of(tmp_path / "link.npz") == (tmp_path / "real.npz").resolve()
    assert file_of(tmp_path / "new.npz") == tmp_path / "new.npz"
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="a device or a pipe"):
        file_of(tmp_path / "pipe")
