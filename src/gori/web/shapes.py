"""Shapes of bodies as pages draw them: primitives by their numbers, meshes and gears as triangles with colours."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from gori.errors import GoriError
from gori.spec.base import quaternion, rotation_to
from gori.web.meshes import read_triangles

PALETTE = (
    "#4f7cac", "#d98e4a", "#6a9f6c", "#b86b77", "#8a79b5", "#c2a35a", "#5fa3a3", "#a57f68", "#7f9bbf", "#9aa35b",
)  # fmt: skip
"""calm colours, one body after the other"""
GROUND_COLOUR = "#9aa0a6"
MATERIAL_COLOURS = {"rubber": "#3b3b40", "steel": "#8e99a6", "wood": "#b08a5b", "concrete": "#a9a69f", "ice": "#b9d3e0"}
"""of walls whose material has one of these words in its name"""
MOST_TRIANGLES = 100_000
"""of one mesh; finer ones are simplified"""
Put = Callable[[str, np.ndarray], str]
"""takes an array into the packet under a name, and returns that name"""


def shape_entry(
    name: str, shape: Any, put: Put, notices: list[str], most: int = MOST_TRIANGLES, moves: bool = False
) -> dict[str, Any] | None:
    """One shape of the Spec, in the frame of its body; None where it cannot be drawn, with a notice why.

    put     called with names such as "SHAPE.vertices"
    most    triangles of a mesh
    moves   of a body that moves: solid ones are told apart by colours of their bodies, not of their materials
    """
    R, p = shape.pose()
    entry: dict[str, Any] = {"type": shape.type, "name": name, "at": p}
    match shape.type:
        case "sphere":
            entry |= {"radius": shape.radius}
        case "box":
            entry |= {"size": list(shape.size)}
        case "ellipsoid":
            entry |= {"radii": list(shape.radii)}
        case "capsule" | "cylinder" | "cone":
            R = R @ rotation_to(shape.axis)
            entry |= {"radius": shape.radius, "length": shape.length}
            if shape.type == "cone":
                entry |= {"top_radius": shape.top_radius}
        case "plane":
            R = R @ rotation_to(shape.normal)
        case "gear":
            vertices, triangles = shape.mesh()
            entry |= {"type": "mesh", **_triangles(name, vertices, triangles, None, put)}
        case "mesh":
            found = _read_mesh(name, shape, put, notices, most)
            if found is None:
                return None
            entry |= found
    entry["quaternion"] = list(quaternion(R))
    if shape.type != "plane" and shape.hollow:
        entry |= {"hollow": True, "open": list(shape.open)}
    if shape.until is not None:
        entry["until"] = shape.until
    wall = not moves or shape.type == "plane" or shape.hollow
    if (colour := _own(shape.colour) or (_of_material(shape.material) if wall else None)) is not None:
        entry["colour"] = colour
    return entry


def _own(colour: str | None) -> str | list[float] | None:
    """A colour of the Spec as pages take it: with opacity as red, green, blue and opacity from 0 to 1."""
    if colour is None or len(colour) == 7:
        return colour
    return [round(part / 255.0, 4) for part in bytes.fromhex(colour[1:])]


def _of_material(material: str | None) -> str | None:
    if material is None:
        return None
    return next((colour for word, colour in MATERIAL_COLOURS.items() if word in material.lower()), None)


def _triangles(
    name: str, vertices: np.ndarray, triangles: np.ndarray, colours: np.ndarray | None, put: Put
) -> dict[str, Any]:
    entry = {
        "vertices": put(f"{name}.vertices", np.asarray(vertices, np.float32)),
        "triangles": put(f"{name}.triangles", np.asarray(triangles, np.uint32)),
    }
    if colours is not None:
        entry["colours"] = put(f"{name}.colours", np.asarray(colours, np.uint8))
    return entry


def _read_mesh(name: str, shape: Any, put: Put, notices: list[str], most: int) -> dict[str, Any] | None:
    """A mesh of a file; what cannot be read leaves a notice, since a picture without it is better than none."""
    try:
        mesh = read_triangles(shape.file, most)
    except ImportError:
        return _left_out(notices, "meshes are not shown: they need trimesh (pip install 'gori[formats]')")
    except FileNotFoundError:
        return _left_out(notices, f"mesh {Path(shape.file).name!r} is not shown: there is no such file")
    except (GoriError, Exception) as error:
        return _left_out(notices, f"mesh {Path(shape.file).name!r} is not shown: {error}")
    triangles = mesh.triangles
    if np.prod(shape.scale) < 0.0:  # mirrored: what was outside is inside
        triangles = triangles[:, ::-1]
    return _triangles(name, mesh.vertices * np.array(shape.scale), triangles, mesh.colours, put)


def _left_out(notices: list[str], words: str) -> None:
    """A notice, once: several shapes may be of one file."""
    if words not in notices:
        notices.append(words)


def body_colour(name: str, row: int, ground: str) -> str:
    """A colour for a body: those of a rigid group, one row of the Model, share it; row 0 is fixed to the ground."""
    return GROUND_COLOUR if name == ground or row == 0 else PALETTE[(row - 1) % len(PALETTE)]
