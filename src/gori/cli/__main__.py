"""`python -m gori.cli`, where the script `gori` is not on the path."""

from gori.cli import app

app(prog_name="gori")
