"""Particles as one UsdGeomPointInstancer: a sphere for each group, and where it stands at each frame."""

import numpy as np

from gori.errors import FormatWarning
from gori.record import ParticleFrame, Recording
from gori.spec.explain import warn
from gori.web.contents import linear
from gori.web.film import even_rows
from gori.web.grains import thinned
from gori.web.shapes import PALETTE
from gori.web.usd.package import Path, Prim, UsdGeom, Vt
from gori.web.usd.prims import bound, child, colour_attr
from gori.web.usd.shapes import Materials


def draw_grains(materials: Materials, root: Path, recording: Recording, most: int, frames: int, rate: float) -> None:
    """Particles of the frames of a Recording, at most so many of each.

    rate   time codes per second
    """
    found = recording.frames
    if found is None or not len(found) or not most:
        return
    times = np.array([frame.time for frame in found]) if isinstance(found, list) else found.times
    chosen = [found[int(k)] for k in even_rows(times, frames)]
    ids, group, radius = all_grains(chosen)
    if len(keep := thinned(ids, most)) < len(ids):
        warn(f"{len(keep)} of {len(ids)} particles are written: more with a larger `grains` (--grains)", FormatWarning)
        ids, group, radius = ids[keep], group[keep], radius[keep]
    instancer = child(materials.stage, UsdGeom.PointInstancer, root, "particles")
    names = chosen[0].groups or ("grains",)
    for k, name in enumerate(names):
        sphere = child(materials.stage, UsdGeom.Sphere, instancer.GetPath(), name)
        sphere.CreateRadiusAttr(1.0)
        colour = linear(PALETTE[(k + 1) % len(PALETTE)])
        colour_attr(sphere, np.array(colour[:3]))
        materials.bind(sphere, colour)
        bound(sphere)
        instancer.CreatePrototypesRel().AddTarget(sphere.GetPath())
    instancer.CreateProtoIndicesAttr(group.astype(np.int32))
    instancer.CreateIdsAttr(Vt.Int64Array.FromNumpy(ids.astype(np.int64)))
    instancer.CreateScalesAttr(np.repeat(radius.astype(np.float32)[:, None], 3, axis=1))
    _move(instancer, chosen, ids, radius.max(initial=0.0), rate)


def all_grains(frames: list[ParticleFrame]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ids (n,), groups and radii of all particles that are in some frame, each once."""
    ids, first = np.unique(np.concatenate([frame.id for frame in frames]), return_index=True)
    group = np.concatenate([frame.group for frame in frames])[first]
    return ids, group, np.concatenate([frame.radius for frame in frames])[first]


def _move(instancer: Prim, frames: list[ParticleFrame], ids: np.ndarray, radius: float, rate: float) -> None:
    """Positions at each frame. All particles are listed at all times, so that those of two frames belong together: one
    that is not there, or not yet, is invisible, where it was or will be.
    """
    positions, extent = instancer.CreatePositionsAttr(), instancer.CreateExtentAttr()
    invisible = instancer.CreateInvisibleIdsAttr()
    here, before = np.zeros((len(ids), 3)), np.zeros(0)
    for frame in reversed(frames):  # where those that come later will be
        rows, mine = _rows(frame, ids)
        here[mine] = frame.position[rows]
    for frame in frames:
        rows, mine = _rows(frame, ids)
        here[mine] = frame.position[rows]
        code = rate * frame.time
        positions.Set(here.astype(np.float32), code)
        if not np.array_equal(missing := np.setdiff1d(ids, ids[mine]), before):
            invisible.Set(Vt.Int64Array.FromNumpy(missing.astype(np.int64)), code)
        before = missing
        box = [here.min(0, initial=np.inf) - radius, here.max(0, initial=-np.inf) + radius]
        extent.Set(np.array(box, np.float32), code)


def _rows(frame: ParticleFrame, ids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows in a frame, and among all ids, of the particles that are in both."""
    _, rows, mine = np.intersect1d(frame.id, ids, assume_unique=True, return_indices=True)
    return rows, mine
