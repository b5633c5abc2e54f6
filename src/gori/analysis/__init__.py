"""What can be found out without a run in time."""

from gori.analysis.inverse import inverse_dynamics
from gori.analysis.kinematic import kinematics

__all__ = ["inverse_dynamics", "kinematics"]
