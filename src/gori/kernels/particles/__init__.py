"""Discrete elements: spheres and the walls around them."""
