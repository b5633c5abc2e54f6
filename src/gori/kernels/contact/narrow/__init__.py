"""Narrow phase: from two shapes and their poses to the points where they touch."""
