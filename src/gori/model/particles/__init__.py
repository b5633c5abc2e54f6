"""Particles and walls of a Model, compiled; packings at the start."""
