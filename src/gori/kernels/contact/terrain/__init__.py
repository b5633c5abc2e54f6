"""Shapes on the terrain: its surface, its walls, and the points where a shape touches them."""
