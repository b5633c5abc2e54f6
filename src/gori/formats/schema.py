"""The format as JSON Schema, for editors that check while typing."""

from typing import Any

from pydantic import Field

from gori.formats.dh_table import DHTable
from gori.formats.parts import Use
from gori.spec import Spec
from gori.spec.base import Named, ReadOnly
from gori.spec.spec import GROUPS
from gori.text.yaml import VERSION

_PARTS = "#/$defs/"


class _Description(Spec):
    dh: DHTable = Field(description="a Denavit-Hartenberg chain, in addition to the rest")
    parts: Named[Use] = Field(default_factory=ReadOnly, description="vehicles, each under its own name")


_Description.__doc__ = Spec.__doc__


def json_schema() -> dict[str, Any]:
    """The format as JSON Schema. Parts may lack fields only where the file uses another, which may have them."""
    schema = _Description.model_json_schema()
    properties = schema["properties"]
    _allow_names(schema)
    properties["gori"] |= {"const": VERSION}
    properties["use"] = {
        "type": "string",
        "description": "another file, relative to this one, that this one extends",
    }
    whole = {group: properties[group] for group in GROUPS}
    properties |= {group: _changes(part) for group, part in whole.items()}
    # of a Spec alone: the rows of a chain are always whole
    own = Spec.model_json_schema()
    _allow_names(own)
    schema["$defs"] |= {f"{name}Change": _changes(part) for name, part in own["$defs"].items()}
    about = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Gori description"}
    rest = {"required": ["gori"], "if": {"not": {"required": ["use"]}}, "then": {"properties": whole}}
    return about | {key: value for key, value in schema.items() if key != "title"} | rest


def _allow_names(schema: dict[str, Any]) -> None:
    """Where a file may name what the Spec holds (`library.py`)."""
    parts = schema["$defs"]
    for owner, name, words in (
        (schema, "terrain", "or a .yaml file"),
        (parts["SoftGround"], "soil", "or a name from the library, or a .yaml file"),
        (parts["HeightField"], "heights", "or a .csv or .npy file"),
        (parts["Wheel"], "tyre", "or a .yaml or .tir file"),
    ):
        owner["properties"][name] = {"anyOf": [{"type": "string", "description": words}, owner["properties"][name]]}
    train = parts["DriveTrain"]
    train["properties"]["use"] = {"type": "string", "description": "a name from the library, or a .yaml file"}
    train["anyOf"] = [{"required": ["use"]}, {"required": train.pop("required")}]


def _changes(part: Any, key: str = "") -> Any:
    """The schema of a part of which only some fields are given."""
    if isinstance(part, list):
        return [_changes(item) for item in part]
    if not isinstance(part, dict):
        return f"{part}Change" if key == "$ref" and part.startswith(_PARTS) else part
    if key == "properties":  # here the keys are names of fields
        return {name: _changes(field) for name, field in part.items()}
    # without its type, a part may be several of its kind
    new = {"anyOf" if name == "oneOf" else name: _changes(value, name) for name, value in part.items()}
    return {name: value for name, value in new.items() if name not in ("required", "discriminator")}
