"""What has no counterpart in a Spec: listed by name."""

from typing import Any

from gori.formats.sdf.elements import flag, number, text
from gori.formats.sdf.scope import Scope
from gori.formats.sdf.source import SdfSource

_READ = {
    "sdf": {"model", "include", "frame", "joint", "world"},
    "world": {"model", "include", "frame", "joint", "gravity"},
    "model": {"pose", "static", "link", "joint", "frame", "model", "include"},
    "link": {"pose", "inertial", "collision", "visual", "gravity"},
    "joint": {"parent", "child", "pose", "axis", "axis2", "thread_pitch", "screw_thread_pitch", "gearbox_ratio",
              "gearbox_reference_body", "damping"},
    "include": {"uri", "name", "pose", "static", "placement_frame"},
}  # fmt: skip
_SILENT = {"allow_auto_disable", "gui", "scene", "audio"}
"""what says how others simulate and draw"""
_IF_TRUE = {"enable_wind", "kinematic", "must_be_base_link", "self_collide"}


def list_the_rest(source: SdfSource) -> None:
    """Add all elements that nothing was made of."""
    for scope in source.world.all():
        _list(source, scope.element, scope.element.tag, scope.prefix.removesuffix("."))
        for kind, parts in (("link", scope.links), ("joint", scope.joints)):
            for name, element in parts.items():
                _list(source, element, kind, scope.prefix + name)
        for include in scope.element.iterchildren("include"):
            _list(source, include, "include", scope.prefix + (text(include, "name") or text(include, "uri")))
        _list_frames_of_poses(source, scope)


def _list(source: SdfSource, element: Any, kind: str, owner: str) -> None:
    for part in element.iterchildren():
        if not isinstance(part.tag, str) or part.tag in _READ[kind] or part.tag in _SILENT:
            continue
        if part.tag in _IF_TRUE and (not flag(element, part.tag) or (part.tag == "self_collide" and source.collide)):
            continue
        if part.tag == "velocity_decay" and not any(number(part, key, 0.0) for key in ("linear", "angular")):
            continue
        tag = part.tag.partition("}")[2] or part.tag  # of a namespace, such as drake:
        tag = f"{part.prefix}:{tag}" if part.prefix else tag
        name = part.get("name")
        source.left.add(tag, *([".".join(filter(None, (owner, name)))] if owner or name else []))


def _list_frames_of_poses(source: SdfSource, scope: Scope) -> None:
    """Older versions had an attribute for them that nothing gave a meaning to."""
    for part in (*scope.links.values(), *scope.joints.values()) if scope.version < (1, 7) else ():
        if any(pose.get("frame") for pose in part.iter("pose")):
            source.left.add("frames of poses before SDFormat 1.7", scope.prefix + part.get("name"))
