"""Where frames are, and which links they are fixed to (SDFormat 1.7, pose frame semantics).

All poses are relative to the frame of the model that they stand in, so that the pose of the model itself is free to
depend on them, by its placement frame.
"""

from typing import Any, NamedTuple

import numpy as np

from gori.formats.sdf.elements import child, inverse, pose, text
from gori.formats.sdf.scope import MODEL, WORLD, Meaning, Scope
from gori.formats.xml import ElementError

DEEPEST = 64
"""frames, each relative to the next"""


class SdfLink(NamedTuple):
    """A link, by the model that it stands in."""

    scope: Scope
    name: str


class FramePoses:
    """Poses and links of all frames of a document."""

    def __init__(self) -> None:
        self._poses: dict[Any, np.ndarray] = {}
        self._links: dict[Any, SdfLink | None] = {}
        self._pending: list[Any] = []

    def pose(self, scope: Scope, name: str, at: Any) -> np.ndarray:
        """Pose (4, 4) of what has the name in a scope, in the frame of the scope. `at` is the element that says it."""
        if name == MODEL:
            return np.eye(4)
        if name == WORLD:
            return inverse(self.in_world(scope))
        found = scope.find(name, at)
        if found.kind == "model":
            return self._between(scope, found.scope)
        return self._between(scope, found.scope) @ self._own(found)

    def link(self, scope: Scope, name: str, at: Any) -> SdfLink | None:
        """The link that a frame is fixed to; None: the ground."""
        if name == WORLD:
            return None
        if name == MODEL:
            return self._canonical(scope, at)
        found = scope.find(name, at)
        if found.kind == "link":
            return SdfLink(found.scope, found.element.get("name"))
        if found.kind == "model":
            return self._canonical(found.scope, at)
        return self._guarded(self._links, found.element, lambda: self._attached(found))

    def in_world(self, scope: Scope) -> np.ndarray:
        """Pose (4, 4) of the frame of a scope in the world."""
        X = np.eye(4)
        for inner in scope.up_to(scope.world) or []:
            X = self.in_parent(inner) @ X
        return X

    def in_parent(self, scope: Scope) -> np.ndarray:
        """Pose (4, 4) of the frame of a model in that of its parent."""
        if scope.parent is None:
            return np.eye(4)
        parent = scope.parent

        def found() -> np.ndarray:
            own, relative_to = pose(scope.placed_by)
            if relative_to:
                own = self.pose(parent, relative_to, child(scope.placed_by, "pose")) @ own
            placed = self.pose(scope, scope.placement, scope.placed_by) if scope.placement else np.eye(4)
            return own @ inverse(placed)

        return self._guarded(self._poses, scope, found)

    def of_link(self, scope: Scope, link: SdfLink | None) -> np.ndarray:
        """Pose (4, 4) of a link, or of the ground, in the frame of a scope."""
        if link is None:
            return inverse(self.in_world(scope))
        return self._between(scope, link.scope) @ self._own(Meaning("link", link.scope, link.scope.links[link.name]))

    def _own(self, found: Meaning) -> np.ndarray:
        return self._guarded(self._poses, found.element, lambda: self._relative(found))

    def _relative(self, found: Meaning) -> np.ndarray:
        """Pose of a link, joint or frame: relative to the model, the child, or what the frame is attached to."""
        element = found.element
        X, relative_to = pose(element)
        default = {"link": "", "joint": text(element, "child"), "frame": element.get("attached_to", "")}[found.kind]
        base = relative_to or default
        return self.pose(found.scope, base, element) @ X if base else X

    def _attached(self, found: Meaning) -> SdfLink | None:
        element = found.element
        to = text(element, "child") if found.kind == "joint" else element.get("attached_to", "")
        if not to and found.scope.is_world:
            return None
        return self.link(found.scope, to or MODEL, element)

    def _canonical(self, scope: Scope, at: Any) -> SdfLink | None:
        """The link that a model's own frame is fixed to: the one that it names, or its first."""
        if scope.static or scope.is_world:
            return None
        if named := scope.element.get("canonical_link"):
            return self.link(scope, named, scope.element)
        for name in scope.links:
            return SdfLink(scope, name)
        for inner in scope.models.values():
            if any(within.links for within in inner.all()):
                return self._canonical(inner, at)
        raise ElementError(at, f"model {scope.name!r} has no links that a frame can be fixed to")

    def _between(self, scope: Scope, other: Scope) -> np.ndarray:
        """Pose (4, 4) of the frame of another scope in that of a scope: one is within the other."""
        down = other.up_to(scope)
        X = np.eye(4)
        for inner in (down if down is not None else scope.up_to(other)) or []:
            X = self.in_parent(inner) @ X
        return X if down is not None else inverse(X)

    def _guarded(self, known: dict, key: Any, make: Any) -> Any:
        """What is known of an element, or is now found out; frames must not depend on themselves."""
        if key in known:
            return known[key]
        at = key.element if isinstance(key, Scope) else key
        if (id(known), key) in self._pending:
            raise ElementError(at, f"the frame {at.get('name')!r} is relative to itself, by way of others")
        if len(self._pending) >= DEEPEST:
            raise ElementError(at, f"more than {DEEPEST} frames are relative to each other, one after the other")
        self._pending.append((id(known), key))
        try:
            known[key] = make()
        finally:
            self._pending.pop()
        return known[key]
