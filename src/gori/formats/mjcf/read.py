"""A Spec out of an MJCF file.

Numbers are those of MuJoCo's own compiled model, so that defaults, frames, inertia from geoms and all else in the file
mean what they mean there.
"""

import os
from pathlib import Path
from typing import Any

from gori.errors import FileError, InputError, SpecError
from gori.formats.mjcf.actuators import actuators
from gori.formats.mjcf.bodies import bodies, frames, gravity_compensation
from gori.formats.mjcf.compiled import compile_model
from gori.formats.mjcf.contact import let_collide
from gori.formats.mjcf.equality import equalities
from gori.formats.mjcf.files import as_text, read_document
from gori.formats.mjcf.guards import check_sizes
from gori.formats.mjcf.hills import take_terrain
from gori.formats.mjcf.joints import joints, note_what_is_nonlinear
from gori.formats.mjcf.rest import list_the_rest
from gori.formats.mjcf.shapes import mesh_frames, shapes
from gori.formats.mjcf.source import MjcfSource
from gori.formats.mjcf.tendons import tendons
from gori.spec import GROUND, Spec
from gori.spec.expression import closest
from gori.text.arguments import path_of


def read_mjcf(
    path: str | os.PathLike,
    within: str | os.PathLike | None = None,
    collide: str | None = None,
    keyframe: str | None = None,
    strict: bool = False,
) -> Spec:
    """The Spec of a machine in MJCF, MuJoCo's XML.

    within     folder that holds all files which the model includes or attaches, and its meshes; default: the file's own
    collide    name of a material: geoms are of it and collide where their masks let them; default: nothing collides
    keyframe   name of the keyframe with the start; default: the pose that the file describes
    strict     refuse what is otherwise only warned of: parts that a Spec does not hold
    """
    if collide is not None and (not isinstance(collide, str) or not collide):
        raise InputError(f"collide must be the name of a material, not {collide!r}")
    file = path_of(path)
    model, written = checked_model(file, within)
    source = MjcfSource(model, file, collide, mesh_frames=mesh_frames(written))
    source.start = _keyframe(source, keyframe)
    parts = _parts(source)
    try:
        spec = Spec(gori=1, **parts)
    except SpecError as error:
        raise FileError(str(error), file) from None
    source.left.tell(file, strict)
    return spec


def checked_model(file: Path, within: str | os.PathLike | None = None) -> tuple[Any, Any]:
    """MjModel and MjSpec of a file, once it is known to be of a reasonable size, and to name no files elsewhere."""
    folder = file.parent if within is None else path_of(within)
    document = read_document(file, folder)
    check_sizes(document)
    model, written = compile_model(file, None if file.suffix.lower() == ".xml" else as_text(document))
    if model.nflex:
        raise FileError(f"has {model.nflex} flexes: deformable bodies have no counterpart in a Spec", file)
    return model, written


def _keyframe(source: MjcfSource, name: str | None) -> int | None:
    if name is None:
        return None
    known = source.names.keys
    if name not in known:
        hint = closest(str(name), known) or (f"; known: {', '.join(known)}" if known else ": the file has none")
        raise InputError(f"{name!r} is not a keyframe of {source.file}{hint}")
    return known.index(name)


def _parts(source: MjcfSource) -> dict[str, Any]:
    """All sections of the Spec as plain data."""
    own, (moved, between), drawn = bodies(source), joints(source), shapes(source)
    note_what_is_nonlinear(source)
    touch = let_collide(source, drawn, moved) | take_terrain(source, drawn)
    for body, solids in drawn.items():
        if not solids:
            continue
        own.setdefault(body, {})["shapes"] = solids
    cuts, motions = equalities(source, moved)
    forces = gravity_compensation(source) | actuators(source) | tendons(source)
    list_the_rest(source)
    gravity = [0.0, 0.0, 0.0] if source.disabled("gravity") else source.m.opt.gravity.tolist()
    ground = {GROUND: own.pop(GROUND)} if GROUND in own else {}
    sections = {"bodies": ground | own | between, "joints": moved, "cuts": cuts, "motions": motions, "forces": forces,
                "frames": frames(source)}  # fmt: skip
    return {"gravity": gravity} | {name: section for name, section in (sections | touch).items() if section}
