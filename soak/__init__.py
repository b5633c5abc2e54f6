"""Runs that are killed, stopped, starved of disk and cache, and forked: `make soak`, `python -m soak --kills 1000`."""
