"""`gori schema`."""

import json

import typer


def schema() -> None:
    """Print the JSON Schema of the YAML format, for editors that check while typing."""
    from gori.formats import json_schema

    typer.echo(json.dumps(json_schema(), indent=2))
