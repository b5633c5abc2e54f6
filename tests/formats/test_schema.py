from gori.formats.schema import json_schema
from gori.spec import Spec


def test_every_section_of_the_spec_is_described():
    schema = json_schema()
    assert set(Spec.model_fields) <= set(schema["properties"]) and "dh" in schema["properties"]


def test_all_references_lead_somewhere():
    schema = json_schema()
    todo, seen = [schema], set()
    while todo:
        node = todo.pop()
        if isinstance(node, dict):
            if isinstance(reference := node.get("$ref"), str):
                seen.add(reference.removeprefix("#/$defs/"))
            todo += node.values()
        elif isinstance(node, list):
            todo += node
    assert seen and seen <= set(schema["$defs"])
