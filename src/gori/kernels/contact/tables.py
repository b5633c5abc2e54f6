"""The tables of contact between bodies, compiled once: shapes, their vertices, and the law of each pair of materials.

A shape stands in a frame of its own: its origin is the middle of the shape, and z is its axis. Convex shapes are a core
and a radius about it, so that a sphere is a point, and a capsule a segment.

kind        core, in the shape's own frame
SPHERE      the origin
CAPSULE     from (0, 0, -size[2]) to (0, 0, size[2])
BOX         half edges `size`
CYLINDER    radius size[0], from z = -size[2] to size[2]
CONE        a frustum: radius size[0] at z = -size[2], size[1] at z = size[2]
ELLIPSOID   half axes `size`
HULL        the convex hull of its vertices
PLANE       the half-space z <= 0
TUBE        seen from inside: the side of a cylinder or cone, as CONE; what is outside of it counts as its inside
BOWL        seen from inside: a sphere of radius size[0]
GROUND      the terrain of the machine: what is below its surface, in world axes. size[0]: how far field and features
            rise over its plane at most
"""

from typing import Annotated, Any

from numba import types

from gori.kernels.bundle import Bundle
from gori.kernels.layout import field, record
from gori.kernels.vehicle.tables import FEATURE, SOIL, TERRAIN

SPHERE, CAPSULE, BOX, CYLINDER, CONE, ELLIPSOID, HULL, PLANE, TUBE, BOWL, GROUND = range(11)
CONVEX = PLANE
"""kinds below this one are bounded and convex"""

SHAPE = record(
    "ContactShape",
    field("kind", "", "SPHERE, ...", dtype="i8"),
    field("row", "", "of the body that carries it; 0: the ground", dtype="i8"),
    field("material", "", "row and column of LAW", dtype="i8"),
    field("group", "", "bits of the groups that it belongs to", dtype="i8"),
    field("first", "", "of its vertices", dtype="i8"),
    field("vertices", "", "number of them", dtype="i8"),
    field("rotation", "", "from the shape's frame to that of its row, by rows", shape=9),
    field("position", "m", "of its origin in the frame of its row", shape=3),
    field("size", "m", "by kind", shape=3),
    field("radius", "m", "how far the surface lies outside the core"),
    field("half", "m", "half edges of the box about it, radius included, own frame; infinite: without an end", shape=3),
    field("curvature", "m", "radius of its surface for the law of Hertz: its own, or half of its smallest half edge"),
    field("first_plane", "", "of the planes of its faces", dtype="i8"),
    field("planes", "", "number of them: of hulls on soft soil", dtype="i8"),
    field("wheel", "", "1 + row of the wheel that it turns with; 0: it does not turn", dtype="i8"),
    field("mass", "kg", "of all bodies that joints and cuts connect with its own; infinite: the ground"),
)

LAW = record(
    "ContactLaw",
    field("touches", "", "1: these materials touch each other", dtype="i8"),
    field("stiffness", "N/m^1.5", "k of k d^1.5 for an effective radius of 1 m; times its root"),
    field("fixed_stiffness", "N/m^1.5", "k where it is given; 0: from the materials"),
    field("restitution", "", "normal coefficient of restitution"),
    field("damping", "", "c v0 of the penalty law, from the restitution (`law.py`)"),
    field("damping_ratio", "", "damping by critical damping where a collision is deepest, likewise"),
    field("friction", "", "Coulomb friction coefficient"),
    field("rolling", "", "largest rolling torque / (normal force x effective radius)"),
    field("torsion", "", "largest torque about the normal / (normal force x effective radius)"),
)

FOUND = record(
    "ContactFound",
    field("position", "m", "midway between the two surfaces, world axes", shape=3),
    field("normal", "", "unit vector from A to B, world axes", shape=3),
    field("gap", "m", "between the surfaces; negative: depth"),
    field("feature", "", "which features of A and B meet: the same from step to step", dtype="i8"),
)
MOST_POINTS = 8
"""of one pair of shapes"""


class ContactTables(Bundle):
    """Contact in a Model."""

    in_lanes = frozenset({"vertex"})
    shape: Annotated[Any, SHAPE.type[::1]]
    # (3, n) of hulls, own frame [m]; those of each begin at a multiple of WIDTH, and the last one fills up
    vertex: Annotated[Any, types.float64[:, ::1]]
    plane: Annotated[Any, types.float64[:, ::1]]  # (n, 4) of hulls, own frame: n.x <= d [m]
    law: Annotated[Any, LAW.type[:, ::1]]  # (materials, materials), symmetric
    excluded: Annotated[Any, types.int64[::1]]  # pairs of shapes a * shapes + b, a < b, that never touch; sorted
    # the terrain, as `kernels/vehicle/terrain.py` reads it; empty where no shape touches it
    terrain: Annotated[Any, TERRAIN.type[::1]]
    feature: Annotated[Any, FEATURE.type[::1]]
    curve: Annotated[Any, types.float64[::1]]  # heights of its field
    soil: Annotated[Any, SOIL.type[::1]]  # empty on hard ground
