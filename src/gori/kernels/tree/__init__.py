"""Kinematics and dynamics of a tree of bodies."""
