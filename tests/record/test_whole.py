import errno

import pytest

from gori.errors import RecordError
from gori.record.whole import whole_file


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
