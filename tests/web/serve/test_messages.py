"""Messages of a page: what is taken, and what is refused with a sentence."""

import json

import pytest

from gori.web.serve.messages import LONGEST, MessageError, name_of, number, numbers, one_of, parse_message, whole

GOOD = [
    ({"ask": "grains", "frame": 12, "most": 60000}, "ask", "grains", {"frame": 12, "most": 60000}),
    ({"ask": "series", "name": "crank.q"}, "ask", "series", {"name": "crank.q"}),
    ({"ask": "arrows", "kind": "contact"}, "ask", "arrows", {"kind": "contact"}),
    ({"set": "q", "joint": "crank", "value": [0.3]}, "set", "q", {"joint": "crank", "value": [0.3]}),
    ({"set": "input", "name": "a", "value": "D"}, "set", "input", {"name": "a", "value": "D"}),
    ({"set": "parameter", "name": "a", "value": 1}, "set", "parameter", {"name": "a", "value": 1.0}),
    ({"drag": None}, "drag", "", {"body": None}),
    (
        {"drag": {"body": 3, "point": [0, 0, 0], "target": [1, 2, 3]}},
        "drag",
        "",
        {"body": 3, "point": [0, 0, 0], "target": [1, 2, 3]},
    ),
    ({"do": "speed", "value": 0.5}, "do", "speed", {"value": 0.5}),
    ({"shown": 4}, "shown", "", {"number": 4}),
]


@pytest.mark.parametrize(("data", "kind", "what", "fields"), GOOD)
def test_good(data, kind, what, fields):
    message = parse_message(json.dumps(data))
    assert (message.kind, message.what, message.fields) == (kind, what, fields)


def test_pedals_have_defaults():
    message = parse_message('{"drive": {"throttle": 1, "steering": -0.5}, "sent": 12.5}')
    assert message.fields["brake"] == 0.0 and message.fields["steering"] == -0.5 and message.fields["gear"] == "D"
    assert message.fields["sent"] == 12.5 and message.fields["low"] is False


BAD = [
    "",
    "null",
    "[]",
    "{",
    "[" * 60000,
    '{"ask": ' * 9000,
    '{"unknown": 1}',
    '{"ask": "file"}',
    '{"ask": ["grains"]}',
    '{"ask": "grains"}',
    '{"ask": "grains", "frame": -1}',
    '{"ask": "grains", "frame": 1.5}',
    '{"ask": "grains", "frame": true}',
    '{"ask": "grains", "frame": 1, "most": 1e9}',
    '{"ask": "grains", "frame": 1, "path": "/etc/passwd"}',
    '{"ask": "series", "name": ""}',
    '{"ask": "series", "name": 3}',
    '{"ask": "series", "name": "' + 300 * "a" + '"}',
    '{"ask": "arrows", "kind": "all"}',
    '{"set": "q", "joint": "a", "value": []}',
    '{"set": "q", "joint": "a", "value": [NaN]}',
    '{"set": "q", "joint": "a", "value": [1e999]}',
    '{"set": "q", "joint": "a", "value": [1,2,3,4,5,6,7,8]}',
    '{"set": "q", "joint": "a", "value": ["1"]}',
    '{"set": "parameter", "name": "a", "value": "1"}',
    '{"set": "parameter", "name": "a", "value": null}',
    '{"set": "input", "name": "a", "value": {}}',
    '{"drag": 3}',
    '{"drag": {"body": 1}}',
    '{"drag": {"body": 1, "point": [0, 0], "target": [0, 0, 0]}}',
    '{"drag": {"body": "x", "point": [0, 0, 0], "target": [0, 0, 0]}}',
    '{"do": "shutdown"}',
    '{"do": "speed", "value": [1]}',
    '{"do": "speed", "value": Infinity}',
    '{"drive": 1}',
    '{"drive": {"throttle": 2}}',
    '{"drive": {"steering": -1.01}}',
    '{"drive": {"gear": "P"}}',
    '{"drive": {"low": 1}}',
    '{"drive": {"boost": 1}}',
    '{"shown": -1}',
    '{"shown": 1e300}',
    '{"shown": ' + 5000 * "9" + "}",
    '{"set": "input", "name": "a", "value": 1' + LONGEST * " " + "}",
]


@pytest.mark.parametrize("text", BAD, ids=range(len(BAD)))
def test_bad(text):
    with pytest.raises(MessageError) as refused:
        parse_message(text)
    assert 5 < len(str(refused.value)) < 400


def test_bytes_are_no_message():
    with pytest.raises(MessageError):
        parse_message(b'{"shown": 1}')


def test_fields_of_a_request():
    assert number(1, "x") == 1.0 and whole(0, "x") == 0 and name_of("a", "x") == "a"
    assert one_of("a", "x", ("a", "b")) == "a" and numbers([1, 2], "x", 1, 2) == [1.0, 2.0]
    with pytest.raises(MessageError, match="x must be 0 to 1"):
        number(2, "x", 0, 1)
