import pytest

pytest.importorskip("lxml")
from lxml import etree

from gori.formats.urdf_xml import ElementError, check, number, numbers, only, parse

ROBOT = "<robot name='r'><link name='a'/><link name='b'/>{}</robot>"
JOINT = "<joint name='j' type='{}'><parent link='a'/><child link='{}'/></joint>"


def test_numbers_of_an_attribute():
    element = etree.fromstring("<origin xyz='1 2.5 -3e-1' one='4'/>")
    assert numbers(element, "x", "xyz", 3) == [1.0, 2.5, -0.3] and number(element, "x", "one") == 4.0
    assert numbers(element, "x", "rpy", 3) is None
    with pytest.raises(ElementError, match="xyz needs 2 numbers"):
        numbers(element, "x", "xyz", 2)
    for text, words in (("a", "not a number"), ("${x}", "run xacro"), ("nan", "must be finite")):
        with pytest.raises(ElementError, match=words):
            numbers(etree.fromstring(f"<o v='{text}'/>"), "x", "v", 1)
    with pytest.raises(ElementError, match="must not be negative"):
        number(etree.fromstring("<o v='-1'/>"), "x", "v", low=0.0)


def refuse(line, words):
    raise AssertionError(words)


def test_only_one_child():
    element = etree.fromstring("<link name='a'><x/><x/><y/></link>")
    assert only(element, "y").tag == "y" and only(element, "z") is None
    with pytest.raises(ElementError, match="'a' has more than one <x>"):
        only(element, "x")


def test_a_tree_is_checked(tmp_path):
    path = tmp_path / "r.urdf"
    path.write_text(ROBOT.format(JOINT.format("fixed", "b")))
    check(parse(path, refuse))
    with pytest.raises(ElementError, match="'c'"):
        check(etree.fromstring(ROBOT.format(JOINT.format("fixed", "c"))))
