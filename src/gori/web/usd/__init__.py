"""Machines and runs as USD: for Blender, Isaac Sim, Houdini and what else reads OpenUSD. It needs usd-core."""

import os
from typing import TYPE_CHECKING

from gori.errors import InputError
from gori.web.contents import Contents, target

if TYPE_CHECKING:
    from gori.model import Model
    from gori.record import Recording

SUFFIXES = (".usda", ".usdc", ".usd", ".usdz")


def to_usd(
    what: "Model | Recording",
    path: str | os.PathLike,
    frames: int = 2000,
    grains: int = 100_000,
    physics: bool = True,
) -> None:
    """Write a Model where it stands, or a Recording with its motion: text (.usda), binary (.usdc, .usd) or .usdz.

    frames    of a Recording, at most; between them poses are interpolated
    grains    particles that are drawn, at most; the same ones at all times
    physics   of a Model: masses, joints with their limits and shapes that collide, as UsdPhysics
    """
    file = target(path, SUFFIXES)
    if isinstance(grains, bool) or not isinstance(grains, int) or grains < 0:
        raise InputError(f"grains must be a whole number, 0 or more, not {grains!r}")
    from gori.web.usd.stage import saved, stage_of  # raises MissingPackageError without usd-core

    contents = Contents(what, frames)
    saved(stage_of(contents, grains, physics), file)
