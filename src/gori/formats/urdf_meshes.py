"""Where the meshes of a URDF are: addresses by package, and the folders in which packages are looked for."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from gori.door import is_file
from gori.errors import InputError
from gori.formats.urdf_xml import ElementError
from gori.text.arguments import path_of

ROS = "ROS_PACKAGE_PATH"
"""the variable of the environment in which ROS keeps folders of packages"""


class MeshFiles:
    """Meshes of one URDF file.

    A package is a folder of that name: one of the folders given or in one of them, then likewise those in
    ROS_PACKAGE_PATH, then beside or above the file.
    """

    def __init__(self, file: Path, packages: Sequence[str | os.PathLike] = (), environment: bool = True):
        if isinstance(packages, (str, os.PathLike)):
            packages = [packages]
        self.folder, self.searched = file.resolve().parent, [path_of(folder).resolve() for folder in packages]
        if missing := [str(folder) for folder in self.searched if not folder.is_dir()]:
            raise InputError(f"packages: {missing[0]!r} is not a folder")
        if environment:
            self.searched += [Path(folder).resolve() for folder in os.environ.get(ROS, "").split(os.pathsep) if folder]

    def find(self, mesh: Any) -> Path:
        """The file that the address of a <mesh> means."""
        choices = self.choices(mesh, mesh.get("filename"), "mesh", self.folder)
        for choice in choices:
            if is_file(choice):
                return Path(os.path.normpath(choice))
        searched = ", ".join(map(str, choices))
        raise ElementError(mesh, f"the mesh {mesh.get('filename')!r} does not exist; searched for {searched}")

    def choices(self, element: Any, address: str, what: str, beside: Path) -> list[Path]:
        """Where an address that stands in an element may lead; paths are relative to the folder `beside`."""
        scheme, colon, rest = address.partition("://")
        if not colon:
            return [beside / address]
        if scheme == "file":
            return [Path(unquote(rest))]
        if scheme not in ("package", "model"):
            words = f"the {what} {address!r} is not a file: give a path, or package://, model:// or file://"
            raise ElementError(element, words)
        package, _, inside = unquote(rest).partition("/")
        roots = [folder for folder in self.searched if folder.name == package]
        roots += [folder / package for folder in self.searched]
        roots += [above for above in (beside, *beside.parents) if above.name == package]
        roots += [above / package for above in (beside, *beside.parents)]
        return list(dict.fromkeys(root / inside for root in roots))
