"""Machines and runs as glTF 2.0 (.glb): for Blender, PowerPoint, game engines, and web pages of others.

Bodies are nodes with their names, shapes are their children; a run is one animation of all bodies that move. glTF has y
up: one node at the top turns everything. Springs, forces and charts have no counterpart there.
"""

import json
import os
from typing import Any

import numpy as np

from gori.errors import FileError, InputError
from gori.model import Model
from gori.record import Recording
from gori.spec.base import quaternion, rotation_to
from gori.spec.explain import warn
from gori.text.arguments import file_of
from gori.web.film import Film
from gori.web.gltf_shapes import shaded, surface_of, turned
from gori.web.packet import unpack
from gori.web.scene import Scene

FLOAT, INTEGER, BYTE = 5126, 5125, 5121
ARRAY, ELEMENTS = 34962, 34963
TRIANGLES, LINES = 4, 1
LENGTHS = {1: "SCALAR", 3: "VEC3", 4: "VEC4"}
UPRIGHT = [-(0.5**0.5), 0.0, 0.0, 0.5**0.5]
"""x y z w of the turn from z up to y up"""


def to_gltf(what: Model | Recording, path: str | os.PathLike, frames: int = 2000) -> None:
    """Write a Model where it stands, or a Recording with its motion, as one .glb file.

    frames   of a Recording, at most; between them poses are interpolated
    """
    file = file_of(path)
    if file.suffix.lower() != ".glb":
        raise InputError(f"a scene is written as .glb, not {file.suffix!r}")
    if isinstance(what, Recording):
        film = Film(what, most_frames=frames)
        content = _Writer(film.scene()).whole(film)
    elif isinstance(what, Model):
        content = _Writer(Scene(what)).whole(None)
    else:
        raise InputError(f"to_gltf takes a Model or a Recording, not a {type(what).__name__}")
    try:
        file.write_bytes(content)
    except OSError as error:
        raise FileError(f"cannot be written: {error.strerror or error}", file) from None


class _Writer:
    """The parts of a glTF file as they are gathered."""

    def __init__(self, scene: Scene):
        self.scene, self.head = scene, scene.head()
        self.binary = bytearray()
        self.json: dict[str, Any] = {"asset": {"version": "2.0", "generator": "Gori"}, "scene": 0}
        self.colours: dict[tuple[float, ...], int] = {}

    def add(self, group: str, entry: dict[str, Any]) -> int:
        self.json.setdefault(group, []).append(entry)
        return len(self.json[group]) - 1

    def put(self, array: np.ndarray, target: int | None = None) -> int:
        """An accessor of an array (n,) or (n, k)."""
        array = np.ascontiguousarray(array)
        kind = {"f": FLOAT, "u": BYTE if array.itemsize == 1 else INTEGER}[array.dtype.kind]
        self.binary += b"\0" * (-len(self.binary) % 4)
        view = {"buffer": 0, "byteOffset": len(self.binary), "byteLength": array.nbytes}
        self.binary += array.tobytes()
        width = 1 if array.ndim == 1 else array.shape[1]
        entry = {"bufferView": self.add("bufferViews", view | ({"target": target} if target else {}))}
        entry |= {"componentType": kind, "count": len(array), "type": LENGTHS[width]}
        if kind == FLOAT and width in (1, 3):
            low, high = np.atleast_1d(array.min(0)), np.atleast_1d(array.max(0))
            entry |= {"min": low.astype(float).tolist(), "max": high.astype(float).tolist()}
        return self.add("accessors", entry | ({"normalized": True} if kind == BYTE else {}))

    # ---- looks

    def material(self, colour: Any, two_sided: bool) -> int:
        rgba = _linear(colour)
        key = (*rgba, float(two_sided))
        if key not in self.colours:
            looks = {"baseColorFactor": list(rgba), "metallicFactor": 0.1, "roughnessFactor": 0.7}
            entry: dict[str, Any] = {"pbrMetallicRoughness": looks}
            entry |= {"doubleSided": True} if two_sided else {}
            entry |= {"alphaMode": "BLEND"} if rgba[3] < 1.0 else {}
            self.colours[key] = self.add("materials", entry)
        return self.colours[key]

    def mesh(self, name: str, vertices: Any, triangles: Any, colour: Any, two_sided: bool, colours: Any = None) -> int:
        points, normals, faces, of = shaded(np.asarray(vertices, float), np.asarray(triangles, int))
        attributes = {
            "POSITION": self.put(points.astype(np.float32), ARRAY),
            "NORMAL": self.put(normals.astype(np.float32), ARRAY),
        }
        if colours is not None:
            full = np.column_stack([colours[of][:, :3], np.full(len(of), 255)]).astype(np.uint8)
            attributes["COLOR_0"] = self.put(full, ARRAY)
        indices = self.put(faces.reshape(-1).astype(np.uint32), ELEMENTS)
        part = {"attributes": attributes, "indices": indices, "mode": TRIANGLES}
        return self.add("meshes", {"name": name, "primitives": [part | {"material": self.material(colour, two_sided)}]})

    def lines(self, name: str, ends: Any, colour: Any) -> int:
        points = np.concatenate([np.zeros((len(ends), 1, 3)), np.array(ends, float)[:, None]], axis=1).reshape(-1, 3)
        part = {"attributes": {"POSITION": self.put(points.astype(np.float32), ARRAY)}, "mode": LINES}
        return self.add("meshes", {"name": name, "primitives": [part | {"material": self.material(colour, False)}]})

    # ---- nodes

    def shape(self, entry: dict[str, Any], colour: Any) -> int | None:
        if entry.get("collision"):
            return None
        vertices, triangles = surface_of(entry, self.scene.arrays, self.scene.extent.size)
        if not len(triangles):
            return None
        painted = self.scene.arrays[entry["colours"]] if "colours" in entry else None
        own = "#ffffff" if painted is not None else entry.get("colour") or colour
        two_sided = bool(entry.get("hollow")) or entry["type"] in ("plane", "mesh")
        mesh = self.mesh(entry["name"], vertices, triangles, own, two_sided, painted)
        w, x, y, z = entry["quaternion"]
        at = np.asarray(entry["at"], float).tolist()
        return self.add("nodes", {"name": entry["name"], "mesh": mesh, "translation": at, "rotation": [x, y, z, w]})

    def body(self, entry: dict[str, Any], pose: np.ndarray) -> int:
        colour = entry["colour"] or "#9aa0a6"
        children = [node for shape in entry["shapes"] if (node := self.shape(shape, colour)) is not None]
        if len(entry["sticks"]):
            name = f"{entry['name']}.sticks"
            children.append(self.add("nodes", {"name": name, "mesh": self.lines(name, entry["sticks"], colour)}))
        x, y, z, qw, qx, qy, qz = pose.astype(float)
        node = {"name": entry["name"], "translation": [x, y, z], "rotation": [qx, qy, qz, qw]}
        return self.add("nodes", node | ({"children": children} if children else {}))

    def tyres(self, nodes: list[int]) -> None:
        """A cylinder for each wheel, on the node of its body."""
        for wheel in self.head.get("wheels", ()):
            radius, width = wheel["radius"], wheel["width"]
            mesh = self.mesh(wheel["name"], *turned(_tyre(radius, width), 1.0), "#2f2f33", False)
            w, x, y, z = quaternion(rotation_to(tuple(np.asarray(wheel["axis"], float))))
            at = np.asarray(wheel["at"], float).tolist()
            node = {"name": wheel["name"], "mesh": mesh, "translation": at, "rotation": [x, y, z, w]}
            body = wheel["body"] if isinstance(wheel["body"], int) else self.scene.names.index(wheel["body"])
            self.json["nodes"][nodes[body]].setdefault("children", []).append(self.add("nodes", node))

    def terrain(self) -> list[int]:
        entry = self.head.get("terrain")
        if not entry:
            return []
        height = self.scene.arrays[entry["height"]].astype(float)
        ny, nx = height.shape
        x, y = np.meshgrid(
            entry["low"][0] + entry["cell"] * np.arange(nx), entry["low"][1] + entry["cell"] * np.arange(ny)
        )
        k = np.arange(nx * ny).reshape(ny, nx)
        a, b, c, d = k[:-1, :-1].ravel(), k[:-1, 1:].ravel(), k[1:, 1:].ravel(), k[1:, :-1].ravel()
        triangles = np.concatenate([np.column_stack([a, b, c]), np.column_stack([a, c, d])])
        points = np.column_stack([x.ravel(), y.ravel(), height.ravel()])
        mesh = self.mesh("terrain", points, triangles, "#b9ab8c" if entry["soft"] else "#9aa0a6", True)
        return [self.add("nodes", {"name": "terrain", "mesh": mesh})]

    def animation(self, film: Film, nodes: list[int]) -> None:
        """One animation: where and how each body stands at the times of the film, if it moves."""
        head, arrays = unpack(film.packet())
        poses, times = arrays[head["poses"]].astype(float), arrays[head["times"]]
        if len(times) < 2:
            return
        time = self.put((times - times[0]).astype(np.float32))
        channels, samplers = [], []
        for k, node in enumerate(nodes):
            turns = poses[:, k, [4, 5, 6, 3]]
            signs = np.cumprod(np.where(np.sum(turns[1:] * turns[:-1], axis=1) < 0.0, -1.0, 1.0))
            turns[1:] *= signs[
                :, None
            ]  # a quaternion and its opposite are one pose, and interpolation tells them apart
            turns /= np.linalg.norm(turns, axis=1, keepdims=True)
            for way, values in (("translation", poses[:, k, :3]), ("rotation", turns)):
                if np.ptp(values, axis=0).max() > 1e-7:
                    samplers.append({"input": time, "output": self.put(values.astype(np.float32))})
                    channels.append({"sampler": len(samplers) - 1, "target": {"node": node, "path": way}})
        if channels:
            self.add("animations", {"name": "run", "channels": channels, "samplers": samplers})

    def whole(self, film: Film | None) -> bytes:
        """The bytes of the file."""
        nodes = [self.body(entry, pose) for entry, pose in zip(self.scene.bodies, self.scene.start)]
        self.tyres(nodes)
        top = {"name": self.scene.title or "machine", "rotation": UPRIGHT, "children": nodes + self.terrain()}
        self.json["scenes"] = [{"nodes": [self.add("nodes", top)]}]
        if film is not None:
            self.animation(film, nodes)
        for name in self.scene.model.spec.particles:
            warn(f"particles {name!r} are not written: glTF has no spheres by the thousand")
        self.json["buffers"] = [{"byteLength": len(self.binary)}]
        text = json.dumps(self.json, allow_nan=False, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        self.binary += b"\0" * (-len(self.binary) % 4)
        parts = [(b"JSON", text), (b"BIN\0", bytes(self.binary))]
        body = b"".join(len(part).to_bytes(4, "little") + kind + part for kind, part in parts)
        return b"glTF" + (2).to_bytes(4, "little") + (12 + len(body)).to_bytes(4, "little") + body


def _tyre(radius: float, width: float) -> list[tuple[float, float]]:
    """Outline (r, z) of a tyre about its axis, with rounded shoulders."""
    shoulder = 0.15 * width
    edges = [(0.0, -0.5 * width), (radius - shoulder, -0.5 * width), (radius, -0.5 * width + shoulder)]
    return edges + [(r, -z) for r, z in reversed(edges)]


def _linear(colour: Any) -> tuple[float, ...]:
    """Red, green, blue and opacity, linear as glTF has them, of #rrggbb or of shares of 1."""
    if isinstance(colour, str):
        parts = [part / 255.0 for part in bytes.fromhex(colour[1:])]
    else:
        parts = [float(part) for part in colour]
    rgb = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts[:3]]
    return (*(round(c, 5) for c in rgb), round(parts[3], 4) if len(parts) > 3 else 1.0)
