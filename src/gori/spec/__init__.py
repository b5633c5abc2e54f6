"""What a person writes: bodies, joints, cuts and frames, by name, in SI units."""

from gori.spec.base import Part, Placed
from gori.spec.body import Body, Frame
from gori.spec.joint import Cut, Joint, Mimic
from gori.spec.shape import Box, Capsule, Cylinder, Mesh, Shape, Sphere
from gori.spec.spec import GROUND, Spec

__all__ = [
    "GROUND",
    "Body",
    "Box",
    "Capsule",
    "Cut",
    "Cylinder",
    "Frame",
    "Joint",
    "Mesh",
    "Mimic",
    "Part",
    "Placed",
    "Shape",
    "Spec",
    "Sphere",
]
