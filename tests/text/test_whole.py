import errno
import os
from pathlib import Path

import pytest

from gori.errors import FileError, RecordError
from gori.text.whole import whole_file, write_whole


def test_it_is_there_when_it_is_whole(tmp_path):
    path = tmp_path / "a.txt"
    with whole_file(path) as part:
        part.write_text("new")
        assert not path.exists() and part.suffix == ".txt"
    assert path.read_text() == "new" and list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left on device"), ValueError("no")])
def test_what_fails_leaves_the_old_one(tmp_path, error):
    path = tmp_path / "a.txt"
    path.write_text("old")
    expected = RecordError if isinstance(error, OSError) else ValueError
    with (
        pytest.raises(expected, match="No space left on device" if expected is RecordError else "no"),
        whole_file(path) as part,
    ):
        part.write_text("ne")
        raise error
    assert path.read_text() == "old" and list(tmp_path.iterdir()) == [path]


def test_text_is_there_whole_or_the_old_one_stays(tmp_path, monkeypatch):
    path, link = tmp_path / "a.yaml", tmp_path / "link.yaml"
    write_whole(path, "old")
    link.symlink_to(path)
    write_whole(link, "café")
    assert link.is_symlink() and path.read_text(encoding="utf-8") == "café"

    def full(*_, **__):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(FileError, match=r"a\.yaml: cannot be written: No space left on device"):
        write_whole(path, "new")
    monkeypatch.undo()
    assert path.read_text(encoding="utf-8") == "café" and {*tmp_path.iterdir()} == {path, link}


def test_text_for_what_is_no_file(tmp_path):
    with pytest.raises(FileError, match="cannot be written: No such file"):
        write_whole(tmp_path / "none" / "a.yaml", "text")
    with pytest.raises(FileError, match="cannot be written: Is a directory"):
        write_whole(tmp_path, "text")
    pipe = tmp_path / "pipe.yaml"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_whole(pipe, "text")
    assert os.read(reader, 10) == b"text"
    os.close(reader)
