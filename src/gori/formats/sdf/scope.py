"""Models and worlds of SDFormat as scopes: what each name in them means.

A model sees its own links, joints, frames and models; `a::b` is b in its model a. What is merged into a model stands
among its own.
"""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from gori.formats.xml import ElementError
from gori.spec.expression import closest

MODEL, WORLD = "__model__", "world"
Version = tuple[int, int]


@dataclass(eq=False)
class Scope:
    """A model, or the world.

    element      the <model>, <world> or <sdf>
    version      of the file that it stands in
    name         in its parent
    prefix       of the names in it, as the Spec has them: "robot.arm."
    placed_by    the <model> or <include> whose <pose> places it
    placement    name of the frame in it that the pose places; empty: its own
    static       whether it is held
    merged       whether its parts count as its parent's
    """

    element: Any
    version: Version
    parent: "Scope | None" = None
    name: str = ""
    prefix: str = ""
    placed_by: Any = None
    placement: str = ""
    static: bool = False
    merged: bool = False
    links: dict[str, Any] = field(default_factory=dict)
    joints: dict[str, Any] = field(default_factory=dict)
    frames: dict[str, Any] = field(default_factory=dict)
    models: dict[str, "Scope"] = field(default_factory=dict)

    @property
    def is_world(self) -> bool:
        return self.parent is None

    @property
    def world(self) -> "Scope":
        """The outermost scope."""
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope

    def all(self) -> "list[Scope]":
        """This scope and all within, from the outside to the inside."""
        return [self, *(inner for model in self.models.values() for inner in model.all())]

    def up_to(self, outer: "Scope") -> "list[Scope] | None":
        """The scopes from this one up to `outer`, without it; None if it is not within."""
        path: list[Scope] = []
        scope: Scope | None = self
        while scope is not None and scope is not outer:
            path.append(scope)
            scope = scope.parent
        return path if scope is outer else None

    def find(self, name: str, at: Any) -> "Meaning":
        """What a name means here; `at` is the element that says it."""
        scope: Scope | None = self
        while scope is not None:
            if (found := scope._own(name)) is not None:
                return found
            scope = scope.parent if scope.merged else None
        known = [*self.links, *self.joints, *self.frames, *self.models]
        raise ElementError(at, f"<{at.tag}>: {name!r} is not a link, joint, frame or model here{closest(name, known)}")

    def _own(self, name: str) -> "Meaning | None":
        for kind in ("links", "frames", "joints"):
            if (element := getattr(self, kind).get(name)) is not None:
                return Meaning(kind[:-1], self, element)
        if name in self.models and not self.models[name].merged:
            return Meaning("model", self.models[name], None)
        for inner in self.models.values():
            if inner.merged and (found := inner._own(name)) is not None:
                return found
        head, colons, rest = name.partition("::")
        if colons and head in self.models:
            return Meaning("model", self.models[head], None) if rest == MODEL else self.models[head]._own(rest)
        return None


class Meaning(NamedTuple):
    """Something with a name: its kind ("link", "frame", "joint", "model"), the scope that holds it, and its element.

    Of a model the scope is its own.
    """

    kind: str
    scope: Scope
    element: Any
