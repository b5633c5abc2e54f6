"""Published problems with their reference values: `python -m validation` solves them and prints the report."""
