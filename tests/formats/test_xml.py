"""XML files: strict, and with the lines of their mistakes."""

from pathlib import Path

import pytest

pytest.importorskip("lxml")

from gori.errors import FileError
from gori.formats.xml import ElementError, file_of, numbers_of, root_tag, tree_of, without_comments

FILE = Path("a.xml")


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("<a>\n<b>\n</a>", 3, "not valid XML"),
        ("", None, "not valid XML"),
        ("<?xml version='1.0'?>\n<!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;</a>", 2, "DOCTYPE"),
        ("<a>\n<!-- b -- c -->\n</a>", 2, "not valid XML"),
    ],
)
def test_what_is_malformed_is_refused_at_its_line(text, line, words):
    with pytest.raises(FileError, match=words) as caught:
        tree_of(text.encode(), FILE)
    assert line is None or caught.value.line == line


def test_comments_go_and_lines_stay():
    raw = without_comments(b"<a>\n<!-- b -- c\n--><!---->\n<d/><!-- no end </a>")
    assert raw == b"<a>\n\n\n<d/><!-- no end </a>"
    assert tree_of(without_comments(b"<a>\n<!-- b -- c\n--><d/></a>"), FILE)[0].sourceline == 3


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        ("<mujoco/>", "mujoco"),
        ("\ufeff<?xml version='1.0'?><!-- <robot> --><!DOCTYPE x>\n<mujoco model='a'>", "mujoco"),
        ("<robot\nname='a'>", "robot"),
        ("text", ""),
        ("<!-- <robot>", ""),
        ("<", ""),
        ("<></a>", ""),
        ("< robot>", "robot"),
    ],
)
def test_the_root_element_is_found_without_reading_the_rest(text, tag):
    assert root_tag(text.encode()) == tag


def test_many_comments_take_no_time():
    assert root_tag(b"<!--" * 10_000_000) == ""
    assert len(without_comments(b"<!--" * 10_000_000)) == 40_000_000


def test_elements_know_their_file_and_line():
    element = tree_of(b"<a>\n<b/>\n</a>", Path("some folder/a.xml"))[0]
    assert file_of(element) == "some folder/a.xml"
    assert numbers_of(element, "b", "1 -2e3", 2) == [1.0, -2000.0]
    for text, words in (("1 x", "b is '1 x', which is not a number"), ("1", "b needs 2 numbers, and '1' has 1"),
                        ("1 inf", "b must be finite, not '1 inf'")):  # fmt: skip
        with pytest.raises(ElementError) as caught:
            numbers_of(element, "b", text, 2)
        assert (caught.value.line, caught.value.file, caught.value.reason) == (2, "some folder/a.xml", words)
