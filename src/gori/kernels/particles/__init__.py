"""Particles: spheres by the hundred thousand, and the walls that hold them."""
