import pytest

from gori.errors import FileError, InputError
from gori.formats.soils import read_soil, soil_names, soil_of


def test_every_soil_of_the_library_is_read():
    assert len(soil_names()) > 3
    for name in soil_names():
        soil = soil_of(name)
        assert soil_of(soil) is soil and soil_of(soil.model_dump(exclude_unset=True)) == soil


def test_unknown_soils_and_bad_files(tmp_path):
    name = soil_names()[0]
    with pytest.raises(InputError, match=f"did you mean '{name}'"):
        soil_of(name[:-1])
    with pytest.raises(InputError, match="a soil is a name"):
        soil_of(3)
    (tmp_path / "s.yaml").write_text("gori: 1\ntype: mud\n")
    with pytest.raises(FileError, match="'mud' is not one of") as raised:
        read_soil(tmp_path / "s.yaml")
    assert raised.value.line == 2
