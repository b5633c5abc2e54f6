import pytest

from gori.cli.options import BaseKind, read
from gori.errors import InputError
from tests.cli.files import ARM, FOUR_BAR

pytestmark = pytest.mark.filterwarnings("ignore:.*inertia violates")


def test_values_are_changed_in_any_format(tmp_path):
    (tmp_path / "a.yaml").write_text(FOUR_BAR)
    (tmp_path / "a.urdf").write_text(ARM)
    assert read(tmp_path / "a.yaml", None, False, changes=[("crank.mass", 7)]).bodies["crank"].mass == 7.0
    assert read(tmp_path / "a.urdf", None, False, changes=[("b.mass", 7)]).bodies["b"].mass == 7.0


def test_options_of_one_format_only(tmp_path):
    (tmp_path / "a.yaml").write_text(FOUR_BAR)
    (tmp_path / "a.urdf").write_text(ARM)
    assert "free" in {joint.type for joint in read(tmp_path / "a.urdf", BaseKind.free, False).joints.values()}
    with pytest.raises(InputError):
        read(tmp_path / "a.yaml", BaseKind.free, False)
