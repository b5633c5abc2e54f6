"""Shapes of a Spec as geoms, and who touches whom by masks."""

import os
from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from gori.formats.export.elements import add, posed, relative
from gori.formats.left_out import LeftOut
from gori.formats.plain import free_name
from gori.spec import GROUND, Spec
from gori.spec.base import rotation_to
from gori.spec.material import pair_of

BITS = 31
"""contacts of two materials that the masks of MuJoCo tell apart"""
WORLD = "world"
"""the body of MJCF that is the ground"""
_HIDDEN, _SHOWN = 3, 2


class ShapeWriter:
    """Writes shapes body by body."""

    def __init__(self, spec: Spec, left: LeftOut, asset: ElementTree.Element, path: str | os.PathLike | None):
        self.spec, self.left, self.asset, self.path = spec, left, asset, path
        self.count = Counter(name for body in spec.bodies.values() for name in body.shapes)
        self.masks = self._masks()
        self.meshes: dict[tuple, str] = {}
        self.called = {GROUND: WORLD}
        if WORLD in spec.bodies:
            self.called[WORLD] = free_name(WORLD, {*spec.bodies, WORLD})
            left.note(f"the body {WORLD!r} is called {self.called[WORLD]!r}: in MJCF that is the ground")

    def write(self, body: str, element: ElementTree.Element) -> None:
        """All shapes of a body."""
        shapes = self.spec.bodies[body].shapes
        visual = any(shape.visual for shape in shapes.values())
        for name, shape in shapes.items():
            own = name if self.count[name] == 1 else f"{body}.{name}"
            geom = self._geom(shape, f"{body}.{name}", own)
            if geom is None:
                continue
            if shape.colour is not None:
                digits = shape.colour[1:] + ("ff" if len(shape.colour) == 7 else "")
                geom["rgba"] = [int(digits[k : k + 2], 16) / 255 for k in range(0, 8, 2)]
            if shape.collide:
                contype, conaffinity, friction = self.masks.get(shape.material or "", (0, 0, 1.0))
                geom |= {"contype": contype, "conaffinity": conaffinity, "friction": (friction, 0.005, 0.0001)}
                geom |= {"condim": 1} if friction == 0.0 else {}
            else:
                geom |= {"contype": 0, "conaffinity": 0}
            geom["group"] = _SHOWN if shape.visual else _HIDDEN if visual else None
            add(element, "geom", name=own, **geom)

    def write_contacts(self, root: ElementTree.Element) -> None:
        """Pairs of bodies that never touch."""
        section = ElementTree.Element("contact")
        for pair in self.spec.no_contact:
            bodies = [self.called.get(name, name) for name in pair]
            if any(name not in self.spec.bodies and name != GROUND for name in pair):
                self.left.add("no_contact of single shapes, or of the terrain", "/".join(pair))
            elif pair[0] != pair[1]:
                add(section, "exclude", body1=bodies[0], body2=bodies[1])
        if len(section):
            root.append(section)
        if touching := [name for name, joint in self.spec.joints.items() if joint.contact and self.masks]:
            self.left.add("contact of bodies that a joint joins", *touching)

    def _masks(self) -> dict[str, tuple[int, int, float]]:
        """{material: contype, conaffinity, friction}: one bit for each contact of two materials."""
        shapes = [shape for body in self.spec.bodies.values() for shape in body.shapes.values() if shape.collide]
        used = {shape.material for shape in shapes} | ({self.spec.terrain.material} if self.spec.terrain else set())
        contacts = {pair: c for key, c in self.spec.contacts.items() if (pair := pair_of(key)) and set(pair) <= used}
        if len(contacts) > BITS:
            self.left.add(f"more than {BITS} contacts of materials", *("/".join(pair) for pair in contacts))
            return {}
        own = {a: c.friction for (a, b), c in contacts.items() if a == b}
        found: dict[str, tuple[int, int, float]] = {}
        for k, ((a, b), contact) in enumerate(contacts.items()):
            for name in (a, b):
                found.setdefault(name, (0, 0, own.get(name, min(c.friction for p, c in contacts.items() if name in p))))
            contype, conaffinity, friction = found[a]
            found[a] = contype | 1 << k, conaffinity, friction
            contype, conaffinity, friction = found[b]
            found[b] = contype, conaffinity | 1 << k, friction
            for key in ("restitution", "rolling_friction", "torsional_friction", "stiffness"):
                if getattr(contact, key):
                    self.left.add(f"{key} of a contact", f"{a}/{b}")
        for (a, b), contact in contacts.items():
            if max(found[a][2], found[b][2]) != contact.friction:
                self.left.add("friction of two materials that is not the larger one of both", f"{a}/{b}")
        return found

    def _geom(self, shape: Any, who: str, own: str) -> dict[str, Any] | None:
        """Type, size and pose; None for what MJCF does not have."""
        R, p = shape.pose()
        if getattr(shape, "hollow", False) and shape.collide:
            self.left.add("hollow shape that collides", who)
        if shape.type in ("cylinder", "capsule"):
            turn = R @ rotation_to(shape.axis)
            at = p + turn[:, 2] * shape.length / 2.0
            return {"type": shape.type, "size": (shape.radius, shape.length / 2.0)} | posed((turn, at))
        if shape.type == "plane":
            return {"type": "plane", "size": (0.0, 0.0, 1.0)} | posed((R @ rotation_to(shape.normal), p))
        if shape.type == "mesh":
            return self._mesh(shape, who, own, posed((R, p)))
        sizes = {"sphere": ("radius",), "ellipsoid": ("radii",), "box": ("size",)}
        if shape.type not in sizes:
            self.left.add(f"{shape.type} shape", who)
            return None
        size = np.ravel(getattr(shape, sizes[shape.type][0])) * (0.5 if shape.type == "box" else 1.0)
        return {"type": shape.type, "size": size} | posed((R, p))

    def _mesh(self, shape: Any, who: str, own: str, pose: dict[str, Any]) -> dict[str, Any] | None:
        if Path(shape.file).suffix.lower() not in (".stl", ".obj", ".msh"):
            self.left.add("mesh that is not in an STL, OBJ or MSH file", who)
            return None
        if shape.collide and shape.pieces:
            self.left.add("mesh that collides in pieces", who)
        key = (shape.file, shape.scale)
        if key not in self.meshes:
            self.meshes[key] = own
            scale = None if shape.scale == (1.0, 1.0, 1.0) else shape.scale
            add(self.asset, "mesh", name=own, file=relative(shape.file, self.path), scale=scale, inertia="shell")
        return {"type": "mesh", "mesh": self.meshes[key]} | pose
