"""What is not carried over is told once, by name."""

import warnings

import pytest

import gori
from gori.errors import FileError, FormatWarning
from gori.formats.left_out import SHOWN, LeftOut


def test_names_by_kind():
    left = LeftOut()
    assert left.message() == ""
    left.add("camera", "a", "b")
    left.add("camera", "a")
    left.add("fluid")
    left.add("light", *(str(k) for k in range(SHOWN + 3)))
    left.note("body 'x' is called 'y'")
    left.note("body 'x' is called 'y'")
    head, camera, fluid, light, note = left.message().splitlines()
    assert (head, camera, fluid, note) == ("not carried over:", "  camera: a, b", "  fluid", "body 'x' is called 'y'")
    assert light.endswith(f"{SHOWN - 1} and 3 more")


def test_one_warning_or_an_error(tmp_path):
    pytest.importorskip("mujoco")
    path = tmp_path / "model.xml"
    inside = "<light name='sun'/><camera name='top'/><geom size='1'/>"
    path.write_text(f"<mujoco><worldbody>{inside}</worldbody></mujoco>")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        gori.load(path)
    assert [w.category for w in caught] == [FormatWarning] and caught[0].filename == __file__
    assert "light: sun" in str(caught[0].message) and "camera: top" in str(caught[0].message)
    with pytest.raises(FileError, match="camera: top"):
        gori.load(path, strict=True)
    LeftOut().tell(path, strict=True)  # nothing is missing
