"""Particles in a run, on the CPU or a GPU."""
