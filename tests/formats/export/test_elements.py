"""Numbers in XML, and what happens to what is left out."""

from xml.etree import ElementTree

import numpy as np
import pytest

import gori
from gori.errors import FileError, FormatWarning, InputError
from gori.formats.export.elements import add, finish, placed, posed, relative, require_spec, text
from gori.formats.left_out import LeftOut
from gori.formats.plain import free_name


def test_numbers_come_back_to_the_last_bit():
    numbers = np.random.default_rng(0).normal(size=100) * 10.0 ** np.arange(-50, 50)
    assert [float(word) for word in text(numbers).split()] == numbers.tolist()
    assert text((1.0, -2.0, 0.5)) == "1 -2 0.5" and text(True) == "true" and text("a") == "a"
    assert posed((np.eye(3), np.zeros(3))) == {"pos": None, "quat": None}
    assert placed((0, 1e-17, 0)) is None and placed((0, 1, 0)) == [0, 1, 0]


def test_attributes_without_value_are_not_written():
    root = ElementTree.Element("a")
    assert add(root, "b", class_="c", d=None, e=1.5).attrib == {"class": "c", "e": "1.5"}


def test_what_is_left_out_is_refused_or_told(tmp_path):
    left, root = LeftOut(), ElementTree.Element("robot")
    assert finish(gori.Spec(), root, left, None, False) == "<robot />\n"
    left.add("gears", "g")
    with pytest.raises(FileError, match=r"URDF cannot say all.*lossy=True \(--lossy\)"):
        finish(gori.Spec(), root, left, None, False)
    with pytest.warns(FormatWarning, match="gears: g"):
        finish(gori.Spec(), root, left, tmp_path / "a.urdf", True)
    assert (tmp_path / "a.urdf").read_text().startswith("<?xml")
    only_noted = LeftOut()
    only_noted.note("q is left out")
    with pytest.warns(FormatWarning, match="q is left out"):
        finish(gori.Spec(), root, only_noted, None, False)
    assert free_name("a", {"a", "a_2"}) == "a_3" and free_name("b", {"a"}) == "b"
    assert relative(str(tmp_path / "x" / "m.stl"), tmp_path / "y" / "a.urdf") == "../x/m.stl"
    assert relative("m.stl", None) == "m.stl"
    with pytest.raises(InputError, match="takes a Spec, not a dict"):
        require_spec({})
