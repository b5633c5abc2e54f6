"""MuJoCo's compiler: its refusals have lines, and its warnings leave nothing behind."""

import mujoco
import pytest

from gori.errors import FileError
from gori.formats.mjcf.compiled import compile_model, refusal

REFUSED = {
    "an unknown attribute": ("<worldbody>\n<geom size='1' colour='red'/></worldbody>", 3, "unrecognized attribute"),
    "an unknown element": ("<worldbody>\n<gem size='1'/></worldbody>", 3, "gem"),
    "no mass": ("<worldbody>\n<body name='a'><joint/></body></worldbody>", 3, "mass and inertia of moving bodies"),
    "an unknown name": ("<worldbody/><actuator>\n<motor joint='none'/></actuator>", 3, "none"),
    "a missing mesh": ("<asset>\n<mesh name='m' file='none.stl'/></asset>", None, "none.stl"),
    "a name twice": ("<worldbody><body name='a'/>\n<body name='a'/></worldbody>", None, "repeated name 'a'"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals_have_words_and_lines(mjcf, name):
    inside, line, words = REFUSED[name]
    path = mjcf(inside)
    with pytest.raises(FileError, match=words) as caught:
        compile_model(path)
    assert caught.value.file == path and (line is None or caught.value.line == line)


def test_warnings_of_mujoco_go_nowhere(mjcf, recwarn, capfd):
    """`settotalmass` is deprecated: MuJoCo says so in MUJOCO_LOG.TXT, which the fixture of this folder looks for."""
    before = mujoco.get_mju_user_warning()
    model, written = compile_model(
        mjcf("<compiler settotalmass='3'/><worldbody><body><joint/><geom size='.1'/></body></worldbody>")
    )
    assert model.body_mass.sum() == pytest.approx(3.0) and len(written.bodies) == 2
    assert not recwarn.list and capfd.readouterr() == ("", "")
    assert mujoco.get_mju_user_warning() is before


def test_a_line_is_read_from_what_mujoco_says(tmp_path):
    assert refusal(ValueError("Error: x\nElement name 'e', id 0, line 7"), tmp_path).line == 7
    assert refusal(ValueError("Error: x\nElement name 'e', id 0, line 0"), tmp_path).line is None
    assert "MuJoCo refuses it: ValueError" in str(refusal(ValueError(""), tmp_path))
