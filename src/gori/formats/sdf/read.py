"""A Spec out of an SDFormat file."""

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from gori.errors import FileError, InputError, SpecError
from gori.formats.left_out import LeftOut
from gori.formats.sdf.contact import let_collide
from gori.formats.sdf.document import Reader
from gori.formats.sdf.elements import child, numbers
from gori.formats.sdf.joints import carriers, joints
from gori.formats.sdf.links import frames, inertial, weightless
from gori.formats.sdf.rest import list_the_rest
from gori.formats.sdf.shapes import shapes
from gori.formats.sdf.source import SdfSource
from gori.formats.xml import ElementError
from gori.spec import Spec
from gori.text.arguments import path_of

GRAVITY = (0.0, 0.0, -9.8)
"""of a world that does not say; a model alone has Gori's own"""


def read_sdf(
    path: str | os.PathLike,
    base: str = "free",
    meshes: bool = False,
    strict: bool = False,
    collide: str | None = None,
    packages: Sequence[str | os.PathLike] = (),
) -> Spec:
    """The Spec of the models in an SDFormat file.

    base     what carries models that no joint connects to the world: "free" lets them fly, "fixed" holds them
    meshes   read mesh shapes as well; those that are not there are left out with a warning
    strict   refuse what is otherwise only warned of: parts that a Spec does not hold
    collide  name of a material: collision shapes are of it, or of others by their friction, and collide
    packages folders in which model://NAME/... is looked for; files elsewhere than in these, or in the folder of the
             file, are refused
    """
    if collide is not None and (not isinstance(collide, str) or not collide):
        raise InputError(f"collide must be the name of a material, not {collide!r}")
    if base not in ("fixed", "free"):
        raise InputError(f"base must be 'fixed' or 'free', not {base!r}")
    file, left = path_of(path), LeftOut()
    try:
        reader = Reader(file, packages, left)
        parts = _parts(SdfSource(reader.world(), reader.files, left, meshes, collide), base)
    except ElementError as problem:
        raise FileError(problem.reason, problem.file or file, problem.line) from None
    try:
        spec = Spec(gori=1, **parts)
    except SpecError as error:
        raise FileError(str(error), file) from None
    left.tell(file, strict)
    return spec


def _parts(source: SdfSource, base: str) -> dict[str, Any]:
    """All sections of the Spec as plain data."""
    drawn = {link: shapes(source, link) for link in source.bodies}
    bodies = {name: inertial(source, link, drawn[link]) for link, name in source.bodies.items()}
    made, between = joints(source)
    made = carriers(source, made, between, base) | made
    touch = let_collide(source, drawn)
    for link, name in source.bodies.items():
        bodies[name] |= {"shapes": drawn[link]} if drawn[link] else {}
    gravity = _gravity(source)
    forces = weightless(source, bodies, gravity)
    placed = frames(source)
    list_the_rest(source)
    sections = {"bodies": bodies | between, "joints": made, "forces": forces, "frames": placed} | touch
    return {"gravity": gravity.tolist()} | {name: section for name, section in sections.items() if section}


def _gravity(source: SdfSource) -> np.ndarray:
    world = source.world.element
    if world.tag != "world":
        return np.array(Spec.model_fields["gravity"].default)
    for element in (world, child(world, "physics") if source.world.version < (1, 6) else None):
        if element is not None and (given := numbers(element, "gravity", 3)) is not None:
            return given
    return np.array(GRAVITY)
