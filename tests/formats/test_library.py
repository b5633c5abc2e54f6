import numpy as np
import pytest

from gori.errors import FileError
from gori.formats.library import fetch
from gori.formats.soils import soil_names, soil_of
from gori.text.yaml import Place


def test_names_become_data(tmp_path):
    soil = soil_names()[0]
    np.savetxt(tmp_path / "hill.csv", [[0.0, 1.0], [2.0, 3.0]], delimiter=",")
    data = {"terrain": {"soft": {"soil": soil}, "field": {"heights": "hill.csv"}}}
    fetch(data, "m.yaml", tmp_path, Place(1))
    assert data["terrain"]["soft"]["soil"] == soil_of(soil).model_dump(exclude_unset=True)
    assert np.array_equal(data["terrain"]["field"]["heights"], [[0.0, 1.0], [2.0, 3.0]])


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"terrain": "course.yaml"}, "terrain: there is no file 'course.yaml'"),
        ({"wheels": {"w": {"tyre": "a.txt"}}}, r"wheels.w.tyre: a.txt is neither a .yaml nor a .tir file"),
        ({"terrain": {"field": {"heights": "a.txt"}}}, "a.txt contains no rows of numbers"),
        ({"drivetrains": {"d": {"use": "lorry"}}}, "drivetrains.d.use: there is no drive train"),
    ],
)
def test_mistakes_name_the_file_and_the_place(data, words, tmp_path):
    (tmp_path / "a.txt").write_text("none")
    with pytest.raises(FileError, match=words) as raised:
        fetch(data, "m.yaml", tmp_path, Place(4))
    assert raised.value.file == "m.yaml" and raised.value.line == 4
