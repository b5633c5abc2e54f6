"""MJCF, the XML of MuJoCo."""

from gori.formats.mjcf.read import read_mjcf
from gori.formats.mjcf.states import MujocoCoordinates, keyframes

__all__ = ["MujocoCoordinates", "keyframes", "read_mjcf"]
