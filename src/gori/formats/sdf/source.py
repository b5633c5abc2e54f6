"""An SDFormat description while it is read: its scopes, where everything is, and its names in the Spec."""

import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gori.formats.left_out import LeftOut
from gori.formats.plain import free_name
from gori.formats.sdf.document import SdfFiles
from gori.formats.sdf.frames import FramePoses, SdfLink
from gori.formats.sdf.scope import Scope
from gori.spec import GROUND

_UNFIT = re.compile(r"[\s*?]")


@dataclass
class SdfSource:
    """What all readers of parts share.

    meshes    whether mesh shapes are read
    collide   name of the material of collision shapes, or None if nothing collides
    """

    world: Scope
    files: SdfFiles
    left: LeftOut
    meshes: bool = False
    collide: str | None = None
    frames: FramePoses = field(default_factory=FramePoses)
    bodies: dict[SdfLink, str] = field(default_factory=dict)
    joints: dict[Any, str] = field(default_factory=dict)
    taken: dict[str, set[str]] = field(default_factory=lambda: {"link": {GROUND}, "joint": set(), "frame": {GROUND}})

    def __post_init__(self) -> None:
        for scope in self.world.all():
            for name in scope.links:
                self.bodies[SdfLink(scope, name)] = self.name("link", scope.prefix + name)
            for name, element in scope.joints.items():
                self.joints[element] = self.name("joint", scope.prefix + name)

    def name(self, kind: str, wanted: str) -> str:
        """A name of a Spec: without spaces, * and ?, with dots between scopes, and not taken by another of its kind."""
        wanted = wanted.replace("::", ".")
        fit = _UNFIT.sub("_", wanted)
        others = [self.taken[kind], *([self.taken["link"]] if kind == "frame" else [])]
        if any(fit in taken for taken in others):
            fit = free_name(f"{fit}_{kind}", set().union(*others))
        self.taken[kind].add(fit)
        if fit != wanted:
            self.left.note(f"{kind} {wanted!r} is called {fit!r}")
        return fit

    def body(self, link: SdfLink | None) -> str:
        """The name of a link, or of the ground."""
        return GROUND if link is None else self.bodies[link]

    def pose(self, link: SdfLink) -> np.ndarray:
        """Pose (4, 4) of a link in the world."""
        return self.frames.in_world(link.scope) @ self.frames.of_link(link.scope, link)
