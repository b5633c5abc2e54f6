"""What a person writes: bodies, joints, cuts, motions, forces and frames, by name, in SI units."""

from gori.spec.base import Part, Placed
from gori.spec.body import Body, Frame
from gori.spec.force import Bushing, Force, JointForce, JointTorque, Motor, Spring, Torsion, Value, Wrench
from gori.spec.joint import Connection, Cut, Joint, Mimic, Pair
from gori.spec.motion import Base, Motion
from gori.spec.run import Run, RunEvent
from gori.spec.shape import Box, Capsule, Cylinder, Mesh, Shape, Sphere
from gori.spec.spec import GROUND, Spec
from gori.spec.strut import Strut

__all__ = [
    "GROUND",
    "Base",
    "Body",
    "Box",
    "Bushing",
    "Capsule",
    "Connection",
    "Cut",
    "Cylinder",
    "Force",
    "Frame",
    "Joint",
    "JointForce",
    "JointTorque",
    "Mesh",
    "Mimic",
    "Motion",
    "Motor",
    "Pair",
    "Part",
    "Placed",
    "Run",
    "RunEvent",
    "Shape",
    "Spec",
    "Sphere",
    "Spring",
    "Strut",
    "Torsion",
    "Value",
    "Wrench",
]
