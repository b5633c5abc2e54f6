"""A Spec written for other programs: URDF and MJCF."""

from gori.formats.export.mjcf import write_mjcf
from gori.formats.export.urdf import write_urdf

__all__ = ["write_mjcf", "write_urdf"]
