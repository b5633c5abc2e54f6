"""The files of an MJCF model: the one that is loaded, those that it includes or attaches, and its assets.

Includes are spliced in as MuJoCo does, so that what follows sees one document. Every file must lie in one folder, by
default that of the main file; links that lead out of it count as outside.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gori.door import DEEPEST, contents, is_file, resolved
from gori.errors import FileError
from gori.formats.xml import tree_of, without_comments

MOST_FILES = 1000
_FILE = "file-of-gori"
"""attribute with the file of what was included, beside which its lines count; no MJCF has it"""


@dataclass
class Document:
    """One MJCF model: its elements with all includes in place, and the models that it attaches, by name."""

    path: Path
    root: Any
    attached: dict[str, "Document"] = field(default_factory=dict)

    def refuse(self, element: Any, reason: str) -> FileError:
        """An error at an element, in the file that holds it."""
        return FileError(reason, *place(element, self.path))


def place(element: Any, main: Path) -> tuple[Path, int]:
    """File and line of an element."""
    owner = next((above for above in (element, *element.iterancestors()) if above.get(_FILE)), None)
    return (main if owner is None else Path(owner.get(_FILE)), element.sourceline)


def read_document(path: Path, within: Path) -> Document:
    """The document in a file, which must be MJCF; all that it names lies in the folder `within`."""
    return _Reader(resolved(within)).document(path, ())


class _Reader:
    def __init__(self, within: Path):
        self.within, self.count = within, 0

    def document(self, path: Path, users: tuple[Path, ...]) -> Document:
        root = self.parsed(path)
        if root.tag not in ("mujoco", "mujocoinclude"):
            raise FileError(f"the root element is <{root.tag}>, not <mujoco>: this is not MJCF", path, root.sourceline)
        if root.tag == "mujocoinclude":
            raise FileError("<mujocoinclude> is a part for other files to include: load one of them", path, 1)
        document = Document(path, root)
        self.splice(document, path, {resolved(path)})
        self.check_assets(document, (*users, resolved(path)))
        return document

    def parsed(self, path: Path) -> Any:
        self.count += 1
        if self.count > MOST_FILES:
            raise FileError(f"includes or attaches more than {MOST_FILES} files", path)
        return tree_of(without_comments(contents(path)), path, extra="mjcf")

    def splice(self, document: Document, path: Path, seen: set[Path]) -> None:
        """Put what is included in the place of each <include>."""
        while (include := document.root.find(".//include")) is not None:
            owner, line = place(include, document.path)
            file = self.inside(document, include, include.get("file") or "", (path.parent, owner.parent))
            if file is None:
                raise FileError(f"<include>: there is no file {include.get('file')!r}", owner, line)
            if resolved(file) in seen:
                raise document.refuse(include, f"<include>: {include.get('file')!r} is included already")
            seen.add(resolved(file))
            part = self.parsed(file)
            for child in part:
                child.set(_FILE, str(file))
            above = include.getparent()
            if above is None:
                raise document.refuse(include, "<include> must stand inside <mujoco>")
            at = above.index(include)
            above[at : at + 1] = list(part)

    def check_assets(self, document: Document, users: tuple[Path, ...]) -> None:
        folder = document.path.parent
        for element, name, dirs in asset_files(document.root):
            file = self.inside(document, element, name, [folder / d for d in dirs])
            if element.tag != "model" or file is None:
                continue
            if resolved(file) in users:
                raise document.refuse(element, f"<model>: {name!r} attaches itself, by way of other files")
            if len(users) > DEEPEST:
                raise document.refuse(element, f"<model>: models attach each other more than {DEEPEST} deep")
            key = element.get("name") or file.stem
            document.attached[key] = self.document(file, users)

    def inside(self, document: Document, element: Any, name: str, folders: Any) -> Path | None:
        """The file of that name in the first folder that has it; all places where it may be are inside."""
        found = None
        for folder in folders:
            file = folder / name
            if not resolved(file).is_relative_to(self.within):
                raise document.refuse(
                    element,
                    f"<{element.tag}>: {name!r} is outside of the folder {self.within}: give within=FOLDER, one that "
                    "holds all files of the model, if you trust it",
                )
            if os.path.exists(file) and not is_file(file):
                raise document.refuse(element, f"<{element.tag}>: {name!r} is not a file")
            if found is None and is_file(file):
                found = file
        return found


def as_text(document: Document) -> str:
    """The document in one piece: includes in place, and models that it attaches by their full names."""
    from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]

    root = etree.fromstring(etree.tostring(document.root))
    for element in root.iter():
        element.attrib.pop(_FILE, None)
    for model in root.iter("model"):
        model.set("file", str(resolved(document.path.parent / model.get("file", ""))))
    return etree.tostring(root, encoding="unicode")


def asset_files(root: Any) -> Iterator[tuple[Any, str, list[str]]]:
    """All elements that name files, less includes: the element, the name, and folders that it may be relative to."""
    folders: dict[str, list[str]] = {"meshdir": [], "texturedir": []}
    strip = False
    for compiler in root.iter("compiler"):
        for key, found in folders.items():
            if (folder := compiler.get(key) or compiler.get("assetdir")) is not None:
                found.append(folder)
        strip = strip or compiler.get("strippath") == "true"
    for element in root.iter("mesh", "hfield", "skin", "texture", "flexcomp", "model"):
        for key in [key for key in element.attrib if key.startswith("file") and key != _FILE]:
            name = element.get(key)
            if strip and element.tag != "model":
                name = name.replace("\\", "/").rpartition("/")[2]
            dirs = [] if element.tag == "model" else folders["texturedir" if element.tag == "texture" else "meshdir"]
            yield element, name, dirs or [""]
