"""Known problems with their reference values: `python -m validation` solves them and writes one table."""
