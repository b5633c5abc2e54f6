"""Closed loops of a Model: equations, assembly, mobility, given motions."""
