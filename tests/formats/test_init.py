"""Files by their extension."""

import pytest

import gori
from gori.errors import FileError, InputError
from gori.formats import load, read_urdf, read_yaml, save
from gori.spec import Spec
from tests.checks import arm
from tests.cli.files import ARM


@pytest.mark.filterwarnings("ignore::gori.errors.SpecWarning")
def test_extensions_choose_the_reader(tmp_path):
    """In capitals too, and options go to the reader."""
    save(arm(), tmp_path / "arm.yml")
    (tmp_path / "ARM.YAML").write_text((tmp_path / "arm.yml").read_text())
    assert load(tmp_path / "arm.yml") == load(tmp_path / "ARM.YAML") == read_yaml(tmp_path / "arm.yml") == arm()
    (tmp_path / "arm.urdf").write_text(ARM)
    assert load(str(tmp_path / "arm.urdf"), base="free") == read_urdf(tmp_path / "arm.urdf", base="free")
    assert load(tmp_path / "arm.urdf") != load(tmp_path / "arm.urdf", base="free")


def test_load_goes_by_extension(tmp_path):
    with pytest.raises(
        FileError,
        match=r"\.step is not one of the formats \.yaml, \.yml, \.urdf, \.xacro, \.mjcf, \.sdf, \.world, \.xml",
    ):
        load("machine.step")
    with pytest.raises(FileError, match="no extension is not one of"):
        load("machine")
    with pytest.raises(FileError, match="run xacro on it first"):
        load("robot.urdf.xacro")
    with pytest.raises(InputError, match="take no option base; known: strict"):
        load("machine.yaml", base="free")
    with pytest.raises(FileError, match=r"saved as \.yaml"):
        save(Spec(), tmp_path / "machine.step")
    with pytest.raises(FileError, match="cannot be written"):
        save(Spec(), tmp_path / "none" / "machine.yaml")


def test_they_are_the_names_of_gori():
    assert gori.load is load and gori.save is save
