"""Shapes of bodies -> the tables of walls that hold particles (`kernels/particles/walls.py`).

Every shape is a closed shell of primitives, less the faces that are open, and acts from both sides; a plane is a
half-space. Primitives of one shape know their neighbours: a particle on an edge between two faces has one contact.

shape      primitives                         faces that can be open
box        a rectangle for each face          x- x+ y- y+ z- z+
cylinder   a tube and two discs               base, top
cone       a tube and two discs               base, top
sphere, capsule, plane   one
mesh, gear   a triangle for each triangle, curved where it stands for a smooth surface
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from gori.errors import InputError, SpecError, UnsupportedError
from gori.kernels.particles import columns as t
from gori.kernels.particles.facets import CURVED_BIT
from gori.model.particles.bins import make_bins
from gori.model.particles.facets import Facets, facet_rows
from gori.model.particles.meshes import clean_mesh, read_mesh

BOX_FACES = ("x-", "x+", "y-", "y+", "z-", "z+")


class Walls(NamedTuple):
    """Primitives of all walls in the frames of their bodies, and the grids to find them; columns in `columns.py`.

    wall_i, wall_f   (n, N_WALL_I) int32 and (n, N_WALL_F) float64
    rim_i, rim_f     edges that leave the corners of facets
    bin_i, bin_f, bin_start, bin_wall, always   which primitives may touch a particle, by body and cell
    extent           (nbody,) largest distance of a primitive's point from the origin of its body [m], EVERYWHERE with a
                     plane; -1 where there is no wall
    shape_of         name of the shape that each primitive belongs to
    names            names of the shapes; a primitive's SHAPE is its index in them
    """

    wall_i: np.ndarray
    wall_f: np.ndarray
    rim_i: np.ndarray
    rim_f: np.ndarray
    bin_i: np.ndarray
    bin_f: np.ndarray
    bin_start: np.ndarray
    bin_wall: np.ndarray
    always: np.ndarray
    extent: np.ndarray
    shape_of: tuple[str, ...]
    names: tuple[str, ...]


def wall_tables(
    shapes: Iterable[tuple[int, str, Any, np.ndarray, np.ndarray, int]], reach: float, bodies: int | None = None
) -> Walls:
    """Tables of the walls that these shapes make.

    shapes   (body's row, name such as "tray.bin", shape, R, p, row of its material) of each; R (3, 3) and p (3,) [m]
             place the shape's own frame, in which its axis and its vertices are given, in the frame of the body's row
    reach    how far from a facet the centre of a particle may be and still be offered that facet [m]
    bodies   number of rows of bodies; default: as many as the shapes name
    """
    shapes = list(shapes)
    if not (np.isfinite(reach) and reach > 0.0):
        raise InputError(f"reach must be a positive length [m], is {reach}")
    least = max((shape[0] for shape in shapes), default=-1) + 1
    bodies = least if bodies is None else bodies
    if least > bodies or any(shape[0] < 0 for shape in shapes):
        raise InputError(f"a shape is on a body outside the rows 0 to {bodies - 1}")

    wall_i, wall_f = [np.zeros((0, t.N_WALL_I), np.int32)], [np.zeros((0, t.N_WALL_F))]
    rim_i, rim_f = [np.zeros((0, 2), np.int32)], [np.zeros((0, 3))]
    corners, extent = [np.zeros((0, 4, 3))], np.full(bodies, -1.0)
    rims, edges, most = 0, 0, 0.0
    for k, (body, name, shape, R, p, material) in enumerate(shapes):
        made = _primitives(name, shape, np.asarray(R, float), np.asarray(p, float))
        bulge = _bulge(made)
        far = _extent(made) + bulge
        if not (np.isfinite(made.wall_f).all() and np.isfinite(made.rim_f).all() and np.isfinite(far)):
            raise SpecError(
                f"{name} cannot be a wall: it is {np.abs(p).max():.3g} m away from its body, where its faces vanish in "
                "rounding, or its size is beyond the range of numbers"
            )
        rows = made.wall_i.copy()
        rows[:, t.BODY], rows[:, t.WALL_MATERIAL], rows[:, t.SHAPE] = body, material, k
        linked = rows[:, t.CORNER : t.CORNER + 4]
        linked[linked >= 0] += rims
        wall_i.append(rows)
        wall_f.append(made.wall_f)
        rim_i.append(made.rim_i + np.array([edges, 0], np.int32))
        rim_f.append(made.rim_f)
        rims, edges = rims + len(made.rim_i), edges + len(made.rim_f)
        corners.append(np.concatenate([made.corners, made.corners[:, -1:]], axis=1)[:, :4])
        extent[body], most = max(extent[body], far), max(most, bulge)
    table = np.concatenate(wall_i)
    bins = make_bins(table, np.concatenate(corners), reach + most, bodies)
    names = tuple(shape[1] for shape in shapes)
    return Walls(
        table,
        np.concatenate(wall_f),
        np.concatenate(rim_i),
        np.concatenate(rim_f),
        *bins,
        extent,
        tuple(names[k] for k in table[:, t.SHAPE].tolist()),
        names,
    )


def _primitives(name: str, shape: Any, R: np.ndarray, p: np.ndarray) -> Facets:
    """Rows of one shape in the frame of its body."""
    match shape.type:
        case "plane":
            return _rows([_row(t.PLANE, p, _unit(R @ shape.normal))])
        case "sphere":
            return _rows([_row(t.SPHERE, p, radius=shape.radius)])
        case "capsule":
            return _rows([_row(t.CAPSULE, p, _unit(R @ shape.axis), shape.radius, shape.length)])
        case "cylinder":
            return _bar(p, _unit(R @ shape.axis), shape.length, shape.radius, shape.radius, shape.open)
        case "cone":
            return _bar(p, _unit(R @ shape.axis), shape.length, shape.radius, shape.top_radius, shape.open)
        case "box":
            vertices, faces = _box(shape.size, shape.open)
            if len(faces) == 0:
                raise SpecError(f"{name}: all faces of the box are open, so it has no wall")
        case "mesh":
            vertices, faces = read_mesh(shape.file, shape.scale, shape.surface)
        case "gear":
            vertices, faces = clean_mesh(*shape.mesh(), what=name)
        case other:
            article = "an" if other[0] in "aeiou" else "a"
            raise UnsupportedError(
                f"{name}: {article} {other} cannot be a wall for particles: use a mesh, or remove its material"
            )
    crease = 0.0 if shape.type == "box" else np.radians(shape.crease_deg)
    return facet_rows(vertices @ R.T + p, faces, crease)


def _unit(vector: np.ndarray) -> np.ndarray:
    return vector / np.linalg.norm(vector)


def _row(kind: int, point, axis=(0.0, 0.0, 1.0), radius=0.0, length=0.0, top=0.0, owned=0) -> tuple[int, int, list]:
    """Kind, OWNED, and the numbers of a primitive that is no facet: they stand in one order for all kinds."""
    return kind, owned, [*point, *axis, radius, length, top]


def _rows(made: list[tuple[int, int, list]]) -> Facets:
    wall_i, wall_f = np.zeros((len(made), t.N_WALL_I), np.int32), np.zeros((len(made), t.N_WALL_F))
    wall_i[:, t.CORNER : t.CORNER + 4] = -1
    for k, (kind, owned, numbers) in enumerate(made):
        wall_i[k, t.KIND], wall_i[k, t.OWNED] = kind, owned
        wall_f[k, : len(numbers)] = numbers
    return Facets(wall_i, wall_f, np.zeros((0, 2), np.int32), np.zeros((0, 3)), np.zeros((len(made), 4, 3)))


def _bar(p: np.ndarray, axis: np.ndarray, length: float, base: float, top: float, is_open: Iterable[str]) -> Facets:
    """Side and ends of a cylinder or cone. An end without a disc, open or a tip, leaves the rim of the side free."""
    ends = [
        (bit, point, radius)
        for bit, end, point, radius in ((1, "base", p, base), (2, "top", p + length * axis, top))
        if radius > 0.0 and end not in is_open
    ]
    free = 3 - sum(bit for bit, _, _ in ends)
    side = _row(t.TUBE, p, axis, base, length, top, free)
    return _rows([side, *(_row(t.DISC, point, axis, radius) for _, point, radius in ends)])


def _box(size: Iterable[float], is_open: Iterable[str]) -> tuple[np.ndarray, np.ndarray]:
    """Corners (8, 3) of a box about its origin, and its faces (n, 4)."""
    corners = np.array([[x, y, z] for z in (-0.5, 0.5) for y in (-0.5, 0.5) for x in (-0.5, 0.5)]) * np.array(size)
    faces = []
    for k, face in enumerate(BOX_FACES):
        if face not in is_open:
            a, b = (1 << axis for axis in range(3) if axis != k // 2)
            first = (k % 2) << (k // 2)
            faces.append([first, first + a, first + a + b, first + b])
    return corners, np.array(faces, int).reshape(-1, 4)


def _bulge(made: Facets) -> float:
    """Farthest that a curved facet reaches beyond its plane triangle [m]."""
    curved = (made.wall_i[:, t.KIND] >= t.RECT) & (made.wall_i[:, t.OWNED] >> CURVED_BIT & 1 == 1)
    return float(made.wall_f[curved, t.BULGE].max(initial=0.0))


def _extent(made: Facets) -> float:
    """Largest distance of a point of these primitives from the origin [m]."""
    if made.wall_i[0, t.KIND] >= t.RECT:
        return float(np.linalg.norm(made.corners, axis=2).max())
    far = 0.0
    for (kind, *_), (*numbers,) in zip(made.wall_i, made.wall_f):
        p, axis = np.array(numbers[:3]), np.array(numbers[3:6])
        radius, length, top = numbers[6:9]
        tip = p + length * axis
        if kind == t.PLANE:
            return t.EVERYWHERE
        if kind in (t.SPHERE, t.CAPSULE):
            far = max(far, radius + max(float(np.linalg.norm(p)), float(np.linalg.norm(tip))))
        elif kind in (t.TUBE, t.DISC):
            far = max(far, _rim_extent(p, axis, radius), _rim_extent(tip, axis, top))
    return far


def _rim_extent(center: np.ndarray, axis: np.ndarray, radius: float) -> float:
    along = float(center @ axis)
    return float(np.hypot(along, np.linalg.norm(center - along * axis) + radius))
