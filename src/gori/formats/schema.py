"""The format as JSON Schema, for editors that check while typing."""

from typing import Any

from pydantic import Field

from gori.formats.dh_table import Table
from gori.formats.yaml_text import VERSION
from gori.spec import Spec
from gori.spec.spec import GROUPS

_PARTS = "#/$defs/"


class _Description(Spec):
    dh: Table = Field(description="a chain by Denavit-Hartenberg rows, beside what else there is")


_Description.__doc__ = Spec.__doc__


def json_schema() -> dict[str, Any]:
    """The format as JSON Schema. Parts may lack fields only where the file uses another, which may have them."""
    schema = _Description.model_json_schema()
    properties = schema["properties"]
    properties["gori"] |= {"const": VERSION}
    properties["use"] = {
        "type": "string",
        "description": "another description, relative to this file, that this one adds to and changes",
    }
    whole = {group: properties[group] for group in GROUPS}
    properties |= {group: _changes(part) for group, part in whole.items()}
    # of a Spec alone: the rows of a chain are always whole
    schema["$defs"] |= {f"{name}Change": _changes(part) for name, part in Spec.model_json_schema()["$defs"].items()}
    about = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Gori description"}
    rest = {"required": ["gori"], "if": {"not": {"required": ["use"]}}, "then": {"properties": whole}}
    return about | {key: value for key, value in schema.items() if key != "title"} | rest


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
