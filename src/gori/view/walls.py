"""Walls as lines: edges of shapes, and the outlines and creases of meshes."""

from typing import Any

import numpy as np

from gori.errors import MissingPackageError
from gori.model import Model
from gori.spec import GROUND, Spec
from gori.view.skeleton import edges

Lines = list[tuple[str, np.ndarray]]
"""name of a body, and points (n, 3) [m] of a line in its frame"""
CREASE_DEG = 25.0
"""an edge between two triangles that turn more than this is drawn"""


def wall_lines(walls: Any, bodies: tuple[str, ...] | None = None, time: float = 0.0) -> Lines:
    """Lines of the shapes of a machine, without those that are only drawn.

    walls    a Model or Spec; or Lines, taken as they are; or None
    bodies   only of these, and the ground; default: all
    time     [s]: without walls that have vanished by then
    """
    if walls is None or walls is False:
        return []
    spec = walls.spec if isinstance(walls, Model) else walls
    if not isinstance(spec, Spec):
        return [(str(body), np.asarray(line, float)) for body, line in spec]
    lines: Lines = []
    for name, body in spec.bodies.items():
        if bodies is None or name in (*bodies, GROUND):
            for shape in body.shapes.values():
                if not shape.visual and (shape.until is None or time < shape.until):
                    lines += [(name, line) for line in _lines(shape)]
    return lines


def vanishing_times(walls: Any) -> list[float]:
    """Times at which walls of a Model or Spec vanish, in their order [s]."""
    spec = walls.spec if isinstance(walls, Model) else walls
    if not isinstance(spec, Spec):
        return []
    return sorted({s.until for body in spec.bodies.values() for s in body.shapes.values() if s.until is not None})


def _lines(shape: Any) -> list[np.ndarray]:
    """A shape as lines in the frame of its body; a plane, which has no end, has none."""
    if shape.type != "mesh":
        return edges(shape)
    mesh = _trimesh().load_mesh(shape.file)
    R, p = shape.pose()
    return [
        line @ R.T + p for line in mesh_lines(np.array(mesh.vertices) * np.array(shape.scale), np.array(mesh.faces))
    ]


def mesh_lines(vertices: np.ndarray, faces: np.ndarray) -> list[np.ndarray]:
    """Borders and creases of a mesh, vertices (n, 3) [m] and faces (m, 3); each a line of two points."""
    mesh = _trimesh().Trimesh(vertices, faces, process=True)
    sharp = mesh.face_adjacency_edges[mesh.face_adjacency_angles > np.radians(CREASE_DEG)]
    pairs, count = np.unique(mesh.edges_sorted, axis=0, return_counts=True)
    return list(np.array(mesh.vertices)[np.concatenate([sharp, pairs[count == 1]])])


def _trimesh() -> Any:
    try:
        import trimesh
    except ImportError as error:
        raise MissingPackageError("meshes need trimesh: pip install 'gori[formats]'; or pass walls=False") from error
    return trimesh


def placed(lines: Lines, poses: dict[str, np.ndarray]) -> list[np.ndarray]:
    """Lines in the world; a body without a pose, such as the ground, stands at the origin."""
    world = []
    for body, line in lines:
        T = poses.get(body, np.eye(4))
        world.append(line @ T[:3, :3].T + T[:3, 3])
    return world
