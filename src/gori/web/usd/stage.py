"""A stage of USD: z up, in metres; bodies side by side below one prim, with their motion in world axes."""

import tempfile
from pathlib import Path

import numpy as np

from gori.errors import RecordError
from gori.spec.base import quaternion
from gori.text.whole import whole_file
from gori.web.contents import Contents, DrawnBody, DrawnShape
from gori.web.usd.carriers import carriers_of
from gori.web.usd.grains import draw_grains
from gori.web.usd.package import Prim, Sdf, Stage, Tf, Usd, UsdGeom, UsdUtils
from gori.web.usd.physics import add_physics
from gori.web.usd.prims import child, place, quatd, vector
from gori.web.usd.shapes import Materials, draw_shape, draw_sticks
from gori.web.usd.springs import draw_springs

RATE = 60.0
"""time codes per second; samples stand at their own times, also between two codes"""


def stage_of(contents: Contents, grains: int, physics: bool) -> Stage:
    """All that is written of a scene."""
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    top = child(stage, UsdGeom.Xform, Sdf.Path.absoluteRootPath, contents.title)
    stage.SetDefaultPrim(top.GetPrim())
    root = top.GetPath()
    materials = Materials(stage, root)
    shapes: dict[str, Prim] = {}
    bodies: dict[str, Prim] = {}
    carriers = carriers_of(contents)
    numbered = list(enumerate(contents.bodies))
    for k, body in sorted(numbered, key=lambda entry: entry[1].name in carriers.poses):  # carriers first
        carried = carriers.poses.get(body.name)
        parent = root if carried is None else bodies[carriers.of[body.name]].GetPath()
        bodies[body.name] = child(stage, UsdGeom.Xform, parent, body.name)
        shapes |= _draw(materials, bodies[body.name], contents, body)
        if carried is None:
            _move(bodies[body.name], contents.times, contents.poses[:, k])
        else:
            place(bodies[body.name], carried[1], quaternion(carried[0]))
    if contents.terrain is not None:
        shapes["terrain"] = draw_shape(materials, root, "terrain", contents, contents.terrain)
    draw_springs(materials, root, contents, RATE)
    recording = contents.recording
    if recording is not None:
        _times(stage, contents.times)
        draw_grains(materials, root, recording, grains, len(contents.times), RATE)
    elif physics:
        add_physics(stage, root, contents, carriers, bodies, shapes)
    contents.warn_of_rest("USD", {"particles", "springs", "gates"})
    return stage


def _draw(materials: Materials, prim: Prim, contents: Contents, body: DrawnBody) -> dict[str, Prim]:
    """The shapes of a body, by their names."""
    parent, drawn = prim.GetPath(), {}
    for shape in body.shapes:
        name = shape.name.removeprefix(f"{body.name}.")
        drawn[shape.name] = draw_shape(materials, parent, name, contents, shape)
        if contents.recording is not None:
            _vanish(drawn[shape.name], shape, contents.times)
    if len(body.sticks):
        draw_sticks(materials, parent, body, contents.size)
    return drawn


def _move(prim: Prim, times: np.ndarray, poses: np.ndarray) -> None:
    """Where a body stands over time: poses (n, 7) x y z w x y z."""
    translate, orient = place(prim, poses[0, :3], poses[0, 3:])
    for attribute, value, columns in ((translate, vector, poses[:, :3]), (orient, quatd, poses[:, 3:])):
        if np.ptp(columns, axis=0).any():
            for time, row in zip(times, columns):
                attribute.Set(value(row), RATE * float(time))


def _vanish(gprim: Prim, shape: DrawnShape, times: np.ndarray) -> None:
    """A wall that is there until some time."""
    until = shape.entry.get("until")
    if until is not None and times[0] < until <= times[-1]:
        seen = gprim.CreateVisibilityAttr()
        seen.Set(UsdGeom.Tokens.inherited, RATE * float(times[0]))
        seen.Set(UsdGeom.Tokens.invisible, RATE * float(until))


def _times(stage: Stage, times: np.ndarray) -> None:
    stage.SetTimeCodesPerSecond(RATE)
    stage.SetFramesPerSecond(RATE)
    stage.SetStartTimeCode(RATE * float(times[0]))
    stage.SetEndTimeCode(RATE * float(times[-1]))


def saved(stage: Stage, file: Path) -> None:
    """Write a stage; a package (.usdz) holds it in binary form."""
    with whole_file(file) as part:
        try:
            if part.suffix.lower() != ".usdz":
                stage.GetRootLayer().Export(str(part))
                return
            with tempfile.TemporaryDirectory(prefix=".", dir=part.parent) as folder:
                inner = Path(folder) / f"{file.stem}.usdc"
                stage.GetRootLayer().Export(str(inner))
                UsdUtils.CreateNewUsdzPackage(Sdf.AssetPath(str(inner)), str(part))
        except Tf.ErrorException as error:
            raise RecordError(f"{file} cannot be written: {error.args[0].commentary}") from None
