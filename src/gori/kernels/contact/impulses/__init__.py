"""Impulses of all points at once, at the level of velocities: the solver of `integrate/time_stepping.py`."""
