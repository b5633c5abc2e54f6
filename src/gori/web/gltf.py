"""Machines and runs as glTF 2.0 (.glb): for Blender, PowerPoint, game engines, and web pages of others.

Bodies are nodes with their names, shapes are their children; a run is one animation of all bodies that move. glTF has y
up: one node at the top turns everything. Springs, forces and charts have no counterpart there.
"""

import json
import os
from typing import Any

import numpy as np

from gori.model import Model
from gori.record import Recording
from gori.text.whole import whole_file
from gori.web.contents import Contents, DrawnBody, DrawnShape, Rgba, target
from gori.web.surfaces import shaded

FLOAT, INTEGER = 5126, 5125
ARRAY, ELEMENTS = 34962, 34963
TRIANGLES, LINES = 4, 1
LENGTHS = {1: "SCALAR", 3: "VEC3", 4: "VEC4"}
UPRIGHT = [-(0.5**0.5), 0.0, 0.0, 0.5**0.5]
"""x y z w of the turn from z up to y up"""
STILL = 1e-7
"""[m, of quaternions]: less is no motion"""


def to_gltf(what: Model | Recording, path: str | os.PathLike, frames: int = 2000) -> None:
    """Write a Model where it stands, or a Recording with its motion, as one .glb file.

    frames   of a Recording, at most; between them poses are interpolated
    """
    file = target(path, (".glb",))
    contents = Contents(what, frames)
    with whole_file(file) as part:
        part.write_bytes(_Writer(contents).whole())
    contents.warn_of_rest("glTF", set())


class _Writer:
    """The parts of a glTF file as they are gathered."""

    def __init__(self, contents: Contents):
        self.contents = contents
        self.binary = bytearray()
        self.json: dict[str, Any] = {"asset": {"version": "2.0", "generator": "Gori"}, "scene": 0}
        self.colours: dict[tuple[Rgba, bool], int] = {}

    def add(self, group: str, entry: dict[str, Any]) -> int:
        self.json.setdefault(group, []).append(entry)
        return len(self.json[group]) - 1

    def put(self, array: np.ndarray, target: int | None = None) -> int:
        """An accessor of an array (n,) or (n, k)."""
        array = np.ascontiguousarray(array)
        kind = {"f": FLOAT, "u": INTEGER}[array.dtype.kind]
        self.binary += b"\0" * (-len(self.binary) % 4)
        view = {"buffer": 0, "byteOffset": len(self.binary), "byteLength": array.nbytes}
        self.binary += array.tobytes()
        width = 1 if array.ndim == 1 else array.shape[1]
        entry = {"bufferView": self.add("bufferViews", view | ({"target": target} if target else {}))}
        entry |= {"componentType": kind, "count": len(array), "type": LENGTHS[width]}
        if kind == FLOAT and width in (1, 3):
            low, high = np.atleast_1d(array.min(0)), np.atleast_1d(array.max(0))
            entry |= {"min": low.astype(float).tolist(), "max": high.astype(float).tolist()}
        return self.add("accessors", entry)

    # ---- looks

    def material(self, colour: Rgba, two_sided: bool) -> int:
        key = (colour, two_sided)
        if key not in self.colours:
            looks = {"baseColorFactor": list(colour), "metallicFactor": 0.1, "roughnessFactor": 0.7}
            entry: dict[str, Any] = {"pbrMetallicRoughness": looks}
            entry |= {"doubleSided": True} if two_sided else {}
            entry |= {"alphaMode": "BLEND"} if colour[3] < 1.0 else {}
            self.colours[key] = self.add("materials", entry)
        return self.colours[key]

    def mesh(self, shape: DrawnShape) -> int:
        points, normals, faces, of = shaded(*self.contents.surface(shape))
        attributes = {
            "POSITION": self.put(points.astype(np.float32), ARRAY),
            "NORMAL": self.put(normals.astype(np.float32), ARRAY),
        }
        if shape.colours is not None:
            attributes["COLOR_0"] = self.put(shape.colours[of].astype(np.float32), ARRAY)
        indices = self.put(faces.reshape(-1).astype(np.uint32), ELEMENTS)
        part = {"attributes": attributes, "indices": indices, "mode": TRIANGLES}
        part["material"] = self.material(shape.colour, shape.two_sided)
        return self.add("meshes", {"name": shape.name, "primitives": [part]})

    def lines(self, name: str, ends: np.ndarray, colour: Rgba) -> int:
        points = np.stack([np.zeros_like(ends), ends], axis=1).reshape(-1, 3)
        part = {"attributes": {"POSITION": self.put(points.astype(np.float32), ARRAY)}, "mode": LINES}
        return self.add("meshes", {"name": name, "primitives": [part | {"material": self.material(colour, False)}]})

    # ---- nodes

    def shape(self, shape: DrawnShape) -> int:
        w, x, y, z = shape.quaternion.tolist()
        node = {"name": shape.name, "mesh": self.mesh(shape), "translation": shape.at.tolist()}
        return self.add("nodes", node | {"rotation": [x, y, z, w]})

    def body(self, body: DrawnBody, pose: np.ndarray) -> int:
        children = [self.shape(shape) for shape in body.shapes if not shape.hidden]
        if len(body.sticks):
            name = f"{body.name}.sticks"
            children.append(self.add("nodes", {"name": name, "mesh": self.lines(name, body.sticks, body.colour)}))
        x, y, z, qw, qx, qy, qz = pose.tolist()
        node = {"name": body.name, "translation": [x, y, z], "rotation": [qx, qy, qz, qw]}
        return self.add("nodes", node | ({"children": children} if children else {}))

    def animation(self, nodes: list[int]) -> None:
        """One animation: where and how each body stands over time, if it moves."""
        times, poses = self.contents.times, self.contents.poses
        if len(times) < 2:
            return
        time = self.put((times - times[0]).astype(np.float32))
        channels, samplers = [], []
        for k, node in enumerate(nodes):
            for way, values in (("translation", poses[:, k, :3]), ("rotation", poses[:, k, [4, 5, 6, 3]])):
                if np.ptp(values, axis=0).max() > STILL:
                    samplers.append({"input": time, "output": self.put(values.astype(np.float32))})
                    channels.append({"sampler": len(samplers) - 1, "target": {"node": node, "path": way}})
        if channels:
            self.add("animations", {"name": "run", "channels": channels, "samplers": samplers})

    def whole(self) -> bytes:
        """The bytes of the file."""
        contents = self.contents
        nodes = [self.body(body, pose) for body, pose in zip(contents.bodies, contents.poses[0])]
        ground = [] if contents.terrain is None else [self.shape(contents.terrain)]
        top = {"name": contents.title, "rotation": UPRIGHT, "children": nodes + ground}
        self.json["scenes"] = [{"nodes": [self.add("nodes", top)]}]
        self.animation(nodes)
        self.json["buffers"] = [{"byteLength": len(self.binary)}]
        text = json.dumps(self.json, allow_nan=False, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        self.binary += b"\0" * (-len(self.binary) % 4)
        parts = [(b"JSON", text), (b"BIN\0", bytes(self.binary))]
        body = b"".join(len(part).to_bytes(4, "little") + kind + part for kind, part in parts)
        return b"glTF" + (2).to_bytes(4, "little") + (12 + len(body)).to_bytes(4, "little") + body
