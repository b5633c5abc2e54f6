"""The files of an SDFormat description, as scopes: the one that is loaded, and those that it includes.

Nothing is fetched. Files must lie in the folder of the main file, or in one of those that are given; a model is a
folder whose model.config names its file.
"""

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gori.door import contents, is_file, resolved
from gori.errors import FileError
from gori.formats.left_out import LeftOut
from gori.formats.plain import free_name
from gori.formats.sdf.elements import child, flag, name_of, needed, text, truth
from gori.formats.sdf.scope import WORLD, Scope, Version
from gori.formats.urdf_meshes import MeshFiles
from gori.formats.urdf_odd import clean
from gori.formats.xml import ElementError, file_of, root_tag, tree_of, without_comments

OLDEST, NEWEST = (1, 4), (1, 12)
MOST_ELEMENTS = 100_000
"""in all files together, counted as often as they are included"""
DEEPEST = 32
"""models in models"""
_ROOT = re.compile(rb"<sdf\b")
_DECLARED = re.compile(rb"\bxmlns:([A-Za-z_][\w.-]*)")
_PREFIX = re.compile(rb"</?([A-Za-z_][\w.-]*):[A-Za-z_]")


class SdfFiles(MeshFiles):
    """Files that a description names, by URIs or paths: all inside of the given folders."""

    def __init__(self, file: Path, packages: Sequence[str | os.PathLike] = ()):
        super().__init__(file, packages, environment=False)
        self.allowed = [self.folder, *self.searched]

    def at(self, element: Any, address: str, what: str) -> Path:
        """The file or folder that an address in an element means."""
        beside = resolved(file_of(element)).parent
        choices = self.choices(element, address, what, beside)
        inside = [choice for choice in choices if any(map(resolved(choice).is_relative_to, self.allowed))]
        if found := next((choice for choice in inside if os.path.exists(choice)), None):
            return Path(os.path.normpath(found))
        searched = ", ".join(map(str, inside))
        words = f"does not exist; searched for {searched}" if inside else "is outside of the folder of the file"
        raise ElementError(element, f"the {what} {address!r} {words}: give packages=[FOLDER], one that holds it")


class Reader:
    """Reads a file and all that it includes."""

    def __init__(self, file: Path, packages: Sequence[str | os.PathLike], left: LeftOut):
        self.file, self.left = file, left
        self.files = SdfFiles(file, packages)
        self.count = 0
        self.users: list[Path] = []

    def world(self) -> Scope:
        """The world of the file: its <world>, or one around its models."""
        root, version = self.parsed(self.file)
        worlds = root.findall("world")
        if len(worlds) > 1:
            raise ElementError(worlds[1], "has more than one <world>: leave one in the file")
        world = Scope(worlds[0] if worlds else root, version)
        for beside in root.iterchildren("model", "light", "actor") if worlds else ():
            self.left.add(f"{beside.tag} beside the world", beside.get("name", ""))
        self.users.append(resolved(self.file))
        models = list(world.element.iterchildren("model", "include"))
        if not models:
            raise ElementError(world.element, f"<{world.element.tag}> has no <model>")
        # the names of a file with one model are those of its parts
        self.fill(world, plain=not worlds and len(models) == 1)
        return world

    def parsed(self, path: Path) -> tuple[Any, Version]:
        """The <sdf> of a file, and its version."""
        raw = contents(path)
        if root_tag(raw) == "robot":
            raise FileError("is URDF: SDFormat can include it, Gori cannot; load it by itself", path)
        root = tree_of(declared(clean(raw, lambda line, words: self.left.note(f"{path.name}: {words}"))), path)
        _plain_planar(root)
        self.count += sum(1 for _ in root.iter())
        if self.count > MOST_ELEMENTS:
            raise FileError(f"has more than {MOST_ELEMENTS:,} elements, with all that is included", path)
        if root.tag != "sdf":
            raise ElementError(root, f"the root element is <{root.tag}>, not <sdf>: this is not SDFormat")
        word = root.get("version", "")
        major, _, minor = word.partition(".")
        version = (int(major), int(minor)) if major.isdecimal() and minor.isdecimal() else (0, 0)
        if not OLDEST <= version <= NEWEST:
            raise ElementError(root, f"is SDFormat of version {word!r}: Gori reads 1.4 to 1.12")
        return root, version

    def fill(self, scope: Scope, plain: bool = False) -> None:
        """All that has a name in a scope; `plain`: its models leave their names out."""
        parts = {"frame": scope.frames, "joint": scope.joints} | ({} if scope.is_world else {"link": scope.links})
        for element in scope.element.iterchildren(*parts, "model", "include"):
            if element.tag == "link" and name_of(element) == WORLD:
                self.world_link(scope, element)
            elif element.tag in parts:
                _put(parts[element.tag], name_of(element), element, element)
            elif element.tag == "model":
                self.model(scope, element, scope.version, element, plain)
            else:
                self.include(scope, element, plain)

    def model(self, parent: Scope, element: Any, version: Version, placed_by: Any, plain: bool = False) -> Scope:
        """A <model> within a scope; `placed_by` is itself, or the <include> that brought it."""
        include = placed_by if placed_by is not element else None
        name = (text(include, "name") if include is not None else "") or name_of(element)
        merged = include is not None and truth(include, "merge", include.get("merge", "false"))
        placement = element.get("placement_frame", "")
        if include is not None and child(include, "pose") is None:
            if text(include, "placement_frame"):
                raise ElementError(include, "<include> has a <placement_frame> and no <pose> that would place it")
            placed_by = element
        elif include is not None:
            placement = text(include, "placement_frame") or placement
        static = flag(element, "static")
        if include is not None:
            static = flag(include, "static", static)
        prefix = parent.prefix if plain or merged else f"{parent.prefix}{name}."
        if name in parent.models and version < (1, 7):
            self.left.note(f"a second model {name!r} is called {(name := free_name(name, parent.models))!r}")
            prefix = f"{parent.prefix}{name}."
        scope = Scope(element, version, parent, name, prefix, placed_by, placement, static or parent.static, merged)
        _put(parent.models, name, scope, placed_by)
        if len(scope.up_to(scope.world) or []) > DEEPEST:
            raise ElementError(element, f"more than {DEEPEST} models are within each other")
        self.fill(scope)
        return scope

    def world_link(self, scope: Scope, link: Any) -> None:
        """A link that is called like the world, as before SDFormat 1.7: it is the world, if there is nothing to it."""
        if scope.version >= (1, 7) or len(link):
            raise ElementError(link, "a link must not be called 'world', which is the name of the ground: rename it")
        self.left.note("the link 'world' is the world itself")

    def include(self, scope: Scope, include: Any, plain: bool) -> None:
        """The model that an <include> brings in."""
        uri = needed(include, "uri")
        path = self.files.at(include, uri, "model")
        if os.path.isdir(path):
            path = self.config(include, path)
        if resolved(path) in self.users:
            raise ElementError(include, f"<include>: {uri!r} includes itself, by way of other files")
        root, version = self.parsed(path)
        models = root.findall("model")
        for other in root.iterchildren("light", "actor") if not models else ():
            self.left.add(other.tag, text(include, "name") or name_of(other))
            return
        if len(models) != 1:
            raise ElementError(include, f"<include>: {uri!r} has {len(models)} models; it must have one")
        self.users.append(resolved(path))
        self.model(scope, models[0], version, include, plain)
        self.users.pop()

    def config(self, include: Any, folder: Path) -> Path:
        """The file of a model's folder: of those in its model.config, the newest that Gori reads."""
        config = folder / "model.config"
        if not is_file(config):
            raise ElementError(include, f"the model {needed(include, 'uri')!r} has no model.config in {folder}")
        found: dict[tuple[int, ...], str] = {}
        for sdf in tree_of(contents(config), config).iter("sdf"):
            words = (sdf.get("version") or "1.4").split(".")
            if all(map(str.isdecimal, words)) and OLDEST <= (version := tuple(map(int, words))) <= NEWEST:
                found[version] = (sdf.text or "").strip()
        if not found:
            raise FileError("names no <sdf> of a version from 1.4 to 1.12", config)
        return self.files.at(include, str(folder / found[max(found)]), "model")


def declared(raw: bytes) -> bytes:
    """The bytes of a document with all prefixes of names declared: many files have drake:... without it."""
    known = set(_DECLARED.findall(raw)) | {b"xml", b"xmlns"}
    missing = sorted(set(_PREFIX.findall(without_comments(raw))) - known)
    names = b"".join(b' xmlns:%s="%s"' % (prefix, prefix) for prefix in missing)
    return _ROOT.sub(lambda found: found[0] + names, raw, count=1) if missing else raw


def _plain_planar(root: Any) -> None:
    """Planar joints, which Drake adds to SDFormat as drake:joint, become <joint>."""
    for joint in root.iter("{*}joint"):
        if joint.prefix == "drake" and joint.get("type") == "planar":
            for element in (joint, *joint.iterchildren("{*}*")):
                element.tag = element.tag.rpartition("}")[2]


def _put(parts: dict[str, Any], name: str, part: Any, element: Any) -> None:
    if name in parts:
        raise ElementError(element, f"{element.tag} {name!r} is given twice")
    parts[name] = part
