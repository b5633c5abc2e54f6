"""What a person writes: bodies, joints, cuts, motions, forces, frames and particles, by name, in SI units."""

from gori.spec.base import Part, Placed
from gori.spec.body import Body, Frame
from gori.spec.force import Bushing, Force, JointForce, JointTorque, Motor, Spring, Torsion, Value, Wrench
from gori.spec.joint import Connection, Joint, Mimic, Pair
from gori.spec.loops.cut import Cut
from gori.spec.loops.gear import BeltDrive, GearPair, RackDrive
from gori.spec.loops.motion import Base, Motion
from gori.spec.material import Contact, Material
from gori.spec.particles.groups import Fill, Inlet, Outlet, ParticleGroup, Region
from gori.spec.run import Run, RunEvent
from gori.spec.shape import Box, Capsule, Cone, Cylinder, Ellipsoid, Gear, Mesh, Plane, Shape, Sphere
from gori.spec.spec import GROUND, Spec
from gori.spec.strut import Strut
from gori.spec.subsystem import SubsystemSettings

__all__ = [
    "GROUND",
    "Base",
    "BeltDrive",
    "Body",
    "Box",
    "Bushing",
    "Capsule",
    "Cone",
    "Connection",
    "Contact",
    "Cut",
    "Cylinder",
    "Ellipsoid",
    "Fill",
    "Force",
    "Frame",
    "Gear",
    "GearPair",
    "Inlet",
    "Joint",
    "JointForce",
    "JointTorque",
    "Material",
    "Mesh",
    "Mimic",
    "Motion",
    "Motor",
    "Outlet",
    "Pair",
    "Part",
    "ParticleGroup",
    "Placed",
    "Plane",
    "RackDrive",
    "Region",
    "Run",
    "RunEvent",
    "Shape",
    "Spec",
    "Sphere",
    "Spring",
    "Strut",
    "SubsystemSettings",
    "Torsion",
    "Value",
    "Wrench",
]
