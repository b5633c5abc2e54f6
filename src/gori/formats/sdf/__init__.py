"""SDFormat, the XML of Gazebo."""

from gori.formats.sdf.read import read_sdf

__all__ = ["read_sdf"]
