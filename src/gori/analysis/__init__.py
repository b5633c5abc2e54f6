"""What can be found out without a run in time."""

from gori.analysis.curves import Curves
from gori.analysis.inverse import inverse_dynamics
from gori.analysis.kinematic import kinematics
from gori.analysis.suspension import axle_loads, bump_curves, ride, steer_curves

__all__ = ["Curves", "axle_loads", "bump_curves", "inverse_dynamics", "kinematics", "ride", "steer_curves"]
