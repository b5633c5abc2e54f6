"""Names that no file can have, and rows of files that include each other."""

import pytest

import gori
from tests.formats.hostile import refused, strange_places

INCLUDE = "<model name='m'><include><uri>{}</uri></include></model>"


@pytest.mark.parametrize(
    ("uri", "words"),
    [
        ("a" * 300 + ".sdf", "the model 'aaaa"),
        ("ring.sdf", "does not exist"),
        ("pipe.sdf", "a pipe or a device"),
        ("zero.sdf", "is outside of the folder"),
        ("folder.sdf", "has no model.config"),
        ("../none.sdf", "is outside of the folder"),
    ],
)
def test_files_that_cannot_be_included(sdf, tmp_path, uri, words):
    strange_places(tmp_path, ".sdf")
    assert words in refused(gori.load, sdf(INCLUDE.format(uri)))


def test_files_in_a_row(sdf):
    for k in range(1, 200):
        sdf(INCLUDE.format(f"f{k + 1}.sdf"), name=f"f{k}.sdf")
    assert "more than 32 models are within each other" in refused(gori.load, sdf(INCLUDE.format("f1.sdf")))
