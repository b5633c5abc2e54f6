"""`gori schema`."""

import json

import pytest

from tests.cli.files import FOUR_BAR


def test_schema(run):
    schema = json.loads(run("schema").stdout)
    assert schema["$schema"].startswith("https://json-schema.org/")
    assert {"gori", "gravity", "bodies", "joints", "cuts", "frames"} <= set(schema["properties"])
    assert schema["required"] == ["gori"] and schema["properties"]["gori"]["const"] == 1


def test_schema_accepts_a_good_file(run):
    jsonschema = pytest.importorskip("jsonschema")
    yaml = pytest.importorskip("yaml")
    schema = json.loads(run("schema").stdout)
    jsonschema.validate(yaml.safe_load(FOUR_BAR), schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"gori": 1, "bodys": {}}, schema)
