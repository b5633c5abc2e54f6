"""Closed loops in a run."""
