"""What the tests of SDFormat share: a file out of what is inside <sdf>."""

from pathlib import Path

import pytest

pytest.importorskip("lxml")

from gori.formats.left_out import LeftOut
from gori.formats.sdf.document import Reader
from gori.formats.sdf.source import SdfSource


@pytest.fixture
def sdf(tmp_path):
    """A function that writes a file with what is inside <sdf>, and gives its path."""

    def write(inside: str, version: str = "1.9", name: str = "machine.sdf") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"<sdf version='{version}'>\n{inside}\n</sdf>\n")
        return path

    return write


@pytest.fixture
def source_of(sdf):
    """A function that writes such a file, and reads it up to where its parts are made."""

    def read(inside: str, version: str = "1.9", **options) -> SdfSource:
        reader = Reader(sdf(inside, version), (), LeftOut())
        return SdfSource(reader.world(), reader.files, reader.left, **options)

    return read
