import pytest

from gori.errors import FileError
from gori.formats.drivetrain import LIBRARY, read_drivetrain


def test_the_library_and_a_copy_of_its_file_are_the_same(tmp_path):
    (tmp_path / "mine.yaml").write_text((LIBRARY / "hmmwv.yaml").read_text())
    assert read_drivetrain(tmp_path / "mine.yaml") == read_drivetrain("hmmwv")


def test_mistakes(tmp_path):
    with pytest.raises(FileError, match=r"there is no drive train 'lorry'; known: .*hmmwv"):
        read_drivetrain("lorry")
    (tmp_path / "bad.yaml").write_text("gori: 1\nengin: 3\n")
    with pytest.raises(FileError, match="line"):
        read_drivetrain(tmp_path / "bad.yaml")
