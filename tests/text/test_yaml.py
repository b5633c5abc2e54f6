from pathlib import Path

import pytest

from gori.errors import FileError
from gori.text import yaml as module
from gori.text.yaml import parse, read_text, read_value


def test_data_and_lines():
    data, places = parse("gori: 1\nbodies:\n  a: {mass: 2}\n  b.c:\n    com: [1, 2,\n      3]\n", "m.yaml")
    assert data == {"gori": 1, "bodies": {"a": {"mass": 2}, "b.c": {"com": [1, 2, 3]}}}
    assert places.find("bodies.a.mass")[1] == 3
    assert places.find("bodies.b.c.com.2")[1] == 6  # a name may have a dot
    assert places.find("bodies.a.colour")[1] == 3  # the nearest that is there


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("gori: 1\na: &x 1\n", 2, "anchors"),
        ("gori: 1\na: !!str 1\n", 2, "tags are not supported"),
        ("gori: 1\na: 1\na: 2\n", 3, "given twice, first in line 2"),
        ("gori: 1\n\tb: 2\n", 2, "tab"),
        ("gori: 1\n---\ngori: 1\n", 2, "more than one document"),
        ("gori: 2\n", 1, "version 2 of the format is unknown"),
        ("a: 1\n", 1, "has no format version"),
        ("- 1\n", 1, "must be a mapping at the top level"),
        ("", 1, "empty"),
    ],
)
def test_refused_with_the_line(text, line, words):
    with pytest.raises(FileError, match=words) as raised:
        parse(text, "m.yaml")
    assert raised.value.line == line and str(raised.value).startswith("m.yaml, line")


def test_values_are_those_of_yaml_1_2():
    assert [read_value(x) for x in ("1e-3", "on", "0x10", "[1, 2.5]", "true", "~")] == [
        1e-3,
        "on",
        16,
        [1, 2.5],
        True,
        None,
    ]
    with pytest.raises(ValueError, match="aliases"):
        read_value("*x")


def test_files_that_are_not_text(tmp_path):
    (tmp_path / "a.yaml").write_bytes(b"gori: 1\n\xff\xfe")
    with pytest.raises(FileError, match="not text in UTF-8") as raised:
        read_text(tmp_path / "a.yaml")
    assert raised.value.line == 2
    with pytest.raises(FileError, match="there is no such file"):
        read_text(tmp_path / "b.yaml")


def places_of(place):
    return place.line, {name: places_of(inside) for name, inside in place.inside.items()}


@pytest.mark.skipif(module.FAST is None, reason="PyYAML was built without its parser in C")
def test_both_parsers_say_the_same(monkeypatch):
    """Files of the repository, and a long list: 50,000 numbers took 3 s."""
    root = Path(__file__).parents[2]
    texts = [path.read_text() for path in sorted(root.glob("examples/**/*.yaml"))]
    texts.append(
        "gori: 1\n# \u20ac\na:\n  b: [" + ",\n  ".join(f"{k}e-3" for k in range(5000)) + "]\n  'c.d': |\n    x\n"
    )
    assert len(texts) > 3
    for text in texts:
        monkeypatch.setattr(module, "LONG", 1 << 30)
        data, places = module._document(text)
        monkeypatch.setattr(module, "LONG", 0)
        monkeypatch.setattr(module, "_Loader", None)  # it is not needed
        fast, fast_places = module._document(text)
        monkeypatch.undo()
        assert fast == data and places_of(fast_places) == places_of(places)


@pytest.mark.parametrize(
    ("line", "words"), [("b: &x 1", "anchors"), ("b: {", "flow"), ("\tb: 1", "tab"), ("b: \0", "character")]
)
def test_errors_late_in_a_long_file_are_told_alike(line, words):
    text = "gori: 1\na: [" + ",\n  ".join(map(str, range(9000))) + f"]\n{line}\n"
    assert len(text) > module.LONG
    with pytest.raises(FileError, match=words) as raised:
        parse(text, "m.yaml")
    assert raised.value.line in (9002, 9003)
