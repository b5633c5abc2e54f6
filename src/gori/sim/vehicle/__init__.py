"""Vehicles in a run."""
