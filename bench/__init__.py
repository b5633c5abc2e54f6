"""Benchmarks: `python -m bench.NAME` prints a table and, as its last line, one JSON object of its figures."""
