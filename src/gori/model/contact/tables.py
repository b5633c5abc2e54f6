"""Contact between the bodies of a Model, compiled once: shapes, laws, and pairs that never touch."""

from typing import NamedTuple

import numpy as np

from gori.kernels.contact.memory import PAIRS
from gori.kernels.contact.tables import GROUND as GROUND_KIND
from gori.kernels.contact.tables import SHAPE, ContactTables
from gori.kernels.lanes import WIDTH
from gori.kernels.tree.columns import MASS, PARENT
from gori.kernels.vehicle.tables import AREA, FEATURE, SOIL, Ground
from gori.kernels.vehicle.tables import TERRAIN as TERRAIN_ROW
from gori.model.contact.exclusions import excluded_pairs
from gori.model.contact.laws import law_table
from gori.model.contact.piece import Piece
from gori.model.contact.shapes import pieces_of
from gori.model.contact.wheels import refuse_rolling, wheel_number
from gori.model.model import Model
from gori.model.particles.carriers import row_frame
from gori.model.vehicle.soil import soil_row
from gori.model.vehicle.terrain import terrain_tables
from gori.spec.contact import TERRAIN
from gori.spec.vehicle.terrain import Terrain

POINTS_OF_SHAPE = 48
"""contact points for which there is room, for each shape that collides"""
PAIRS_OF_POINT = 2
"""candidate pairs for each of these points, where memory is small"""
N_MEASURED = 2
"""numbers that a run records of contact besides wrenches: how many points bear a force, and the smallest gap"""


class BodyContact(NamedTuple):
    """Shapes that collide, and how they touch each other.

    tables      of the kernels
    names       of the shapes, "body.shape"; pieces of one shape have the same name
    bodies      name of the body of each shape; of the terrain "terrain"
    materials   names, rows and columns of `tables.law`
    room        contact points that fit into the memory of a run
    """

    tables: ContactTables
    names: tuple[str, ...]
    bodies: tuple[str, ...]
    materials: tuple[str, ...]
    room: int

    @property
    def pairs(self) -> int:
        """Pairs of shapes that fit into it, as candidates."""
        shapes = len(self.tables.shape)
        return min(PAIRS * shapes, shapes * (shapes - 1) // 2, PAIRS_OF_POINT * self.room)

    @property
    def touched(self) -> tuple[str, ...]:
        """Bodies with shapes that collide, in the order in which forces on them are recorded."""
        return tuple(dict.fromkeys(body for body in self.bodies if body != TERRAIN))

    @property
    def rows(self) -> tuple[int, ...]:
        """Rows of `touched`."""
        rows = dict(zip(self.bodies, self.tables.shape["row"].tolist()))
        return tuple(rows[body] for body in self.touched)

    @property
    def columns(self) -> int:
        """Numbers that a run records: a wrench on each of `touched`, the number of points, the smallest gap."""
        return 6 * len(self.touched) + N_MEASURED

    def arrays(self) -> tuple:
        """What a State refers to."""
        t = self.tables
        ground = (t.terrain, t.feature, t.curve, t.soil) if len(t.terrain) else ()
        return (*self.names, *self.materials, t.shape, t.vertex, t.plane, t.law, t.excluded, *ground)


class _Placed(NamedTuple):
    body: str
    label: str
    row: int
    material: int
    R: np.ndarray
    p: np.ndarray
    piece: Piece
    wheel: int


def compile_contact(model: Model) -> BodyContact | None:
    """The shapes of the Model's Spec that collide; None where no two of them can touch."""
    spec = model.spec
    materials, law = law_table(spec)
    placed = _placed(model, materials)
    bodies, labels = [part.body for part in placed], [part.label for part in placed]
    masses = connected_masses(model)
    table, vertices, first = SHAPE.zeros(len(placed)), [np.zeros((3, 0))], 0
    for row, (_, _, carrier, material, R, p, piece, wheel) in zip(table, placed):
        row["kind"], row["row"], row["material"] = piece.kind, carrier, material
        row["rotation"], row["position"] = (R @ piece.R).ravel(), p + R @ piece.p
        row["size"], row["radius"], row["half"] = piece.size, piece.radius, piece.half
        row["curvature"], row["first"], row["mass"] = piece.curvature, first, masses[carrier]
        row["wheel"] = wheel
        if piece.vertices is not None:
            row["vertices"] = len(piece.vertices)
            vertices.append(whole_lanes(piece.vertices))
            first += vertices[-1].shape[1]
    refuse_rolling(law, materials, table)
    vertex = np.concatenate(vertices, axis=1)
    excluded = np.array(excluded_pairs(spec, bodies, labels), np.int64)
    ground = contact_ground(spec.terrain if TERRAIN in bodies else None)
    planes = hull_planes(table, vertex) if len(ground.soil) else np.zeros((0, 4))
    tables = ContactTables(
        shape=table, vertex=vertex, plane=planes, law=law, excluded=excluded,
        terrain=ground.terrain, feature=ground.feature, curve=ground.curve, soil=ground.soil,
    )  # fmt: skip
    if not can_touch(tables):
        return None
    names = tuple(TERRAIN if body == TERRAIN else f"{body}.{label}" for body, label in zip(bodies, labels))
    return BodyContact(tables, names, tuple(bodies), materials, POINTS_OF_SHAPE * len(table))


def whole_lanes(vertices: np.ndarray) -> np.ndarray:
    """Vertices (n, 3) as columns (3, m), the last one repeated so that m is a multiple of WIDTH."""
    return np.pad(np.asarray(vertices, float).T, ((0, 0), (0, -len(vertices) % WIDTH)), mode="edge")


def hull_planes(table: np.ndarray, vertices: np.ndarray) -> np.ndarray:
    """(n, 4) planes n.x <= d of the faces of all hulls, whose rows note where theirs are; vertices (3, n)."""
    from scipy.spatial import ConvexHull  # slow to import

    found = [np.zeros((0, 4))]
    for k in np.flatnonzero(table["vertices"] > 0):
        first = table["first"][k]
        own = vertices[:, first : first + table["vertices"][k]].T
        faces = np.unique(ConvexHull(own).equations.round(12), axis=0)
        table["first_plane"][k], table["planes"][k] = sum(map(len, found)), len(faces)
        found.append(faces * [1.0, 1.0, 1.0, -1.0])
    return np.concatenate(found)


def contact_ground(terrain: Terrain | None) -> Ground:
    """The terrain that shapes touch; None: empty tables."""
    if terrain is None:
        return Ground(TERRAIN_ROW.zeros(0), FEATURE.zeros(0), AREA.zeros(0), np.zeros(0), SOIL.zeros(0), None)
    ground = terrain_tables(terrain)
    if terrain.soft is not None:
        soft = terrain.soft
        ground = ground._replace(soil=soil_row(soft.soil, soft.at, soft.size, soft.cell))
    return ground


def highest_rise(terrain: Terrain) -> float:
    """How far field and features rise over the plane at most [m]."""
    field = 0.0 if terrain.field is None else max(max(row) for row in terrain.field.heights)
    return field + sum(max(0.0, feature.height) for feature in terrain.features.values())


def connected_masses(model: Model) -> np.ndarray:
    """(rows,) mass of all bodies that joints and cuts connect with those of each row [kg]; the ground: infinite."""
    spec, t = model.spec, model.kernel_tables
    whole = list(range(len(t.body_i)))  # representative of all that is connected

    def root(row: int) -> int:
        while whole[row] != row:
            row = whole[row]
        return row

    links = [(row, int(parent)) for row, parent in enumerate(t.body_i[:, PARENT])]
    links += [(row_frame(model, cut.parent)[0], row_frame(model, cut.child)[0]) for cut in spec.cuts.values()]
    for a, b in links:
        if a > 0 and b > 0:
            whole[root(a)] = root(b)
    roots = np.array([root(row) for row in range(len(whole))])
    masses = np.bincount(roots, t.body_f[:, MASS], len(whole))[roots]
    masses[0] = np.inf
    return masses


def _placed(model: Model, materials: tuple[str, ...]) -> list[_Placed]:
    """All pieces of shapes that collide in the frames of their rows, and the terrain."""
    spec, found = model.spec, []
    for name, body in spec.bodies.items():
        for label, shape in body.shapes.items():
            if shape.collide:
                row, R, p = row_frame(model, name)
                R_BS, p_BS = shape.pose()
                material = materials.index(shape.material or "")
                pieces = pieces_of(f"{name}.{label}", shape)
                inside = [piece._replace(R=R_BS @ piece.R, p=p_BS + R_BS @ piece.p) for piece in pieces]
                wheel = wheel_number(model, name, label, shape.wheel, inside)
                found += [_Placed(name, label, row, material, R @ R_BS, p + R @ p_BS, piece, wheel) for piece in pieces]
    if spec.terrain is not None and spec.terrain.material is not None:
        endless = (np.inf, np.inf, np.inf)
        size = (highest_rise(spec.terrain), 0.0, 0.0)
        piece = Piece(GROUND_KIND, np.eye(3), np.zeros(3), size, 0.0, endless, np.inf)
        material = materials.index(spec.terrain.material)
        found.append(_Placed(TERRAIN, "", 0, material, np.eye(3), np.zeros(3), piece, 0))
    return found


def can_touch(tables: ContactTables) -> bool:
    """Whether any two shapes of a table may ever touch."""
    shape, n = tables.shape, len(tables.shape)
    never = set(tables.excluded.tolist())
    # shapes that are alike in row and material stand for each other unless one of them is excluded somewhere
    named = {k for pair in never for k in divmod(pair, n)}
    alike = {(s["row"], s["material"], k if k in named else -1): k for k, s in enumerate(shape)}
    ones = sorted(alike.values())
    return any(
        shape["row"][a] != shape["row"][b]
        and tables.law["touches"][shape["material"][a], shape["material"][b]] == 1
        and a * n + b not in never
        for i, a in enumerate(ones)
        for b in ones[i + 1 :]
    )
