"""Springs, dampers and struts as lines between their ends."""

from typing import Any

import numpy as np

from gori.web.contents import Contents, linear
from gori.web.poses import rotations
from gori.web.usd.package import Path, Prim, UsdGeom
from gori.web.usd.prims import child
from gori.web.usd.shapes import Materials, line

STEEL = "#6d7680"


def draw_springs(materials: Materials, root: Path, contents: Contents, rate: float) -> None:
    """One curve for each; its ends at all times, if they move. rate: time codes per second."""
    if not contents.head["springs"]:
        return
    parent = child(materials.stage, UsdGeom.Scope, root, "springs").GetPath()
    for spring in contents.head["springs"]:
        ends = np.stack([end_of(contents, spring[side]) for side in "ab"], axis=1)
        curve = line(materials, parent, spring["name"], ends[0], linear(STEEL), contents.size)
        if np.ptp(ends, axis=0).any():
            _move(curve, ends, rate * contents.times)


def end_of(contents: Contents, end: dict[str, Any]) -> np.ndarray:
    """World positions (n, 3) [m] of a point of a body."""
    pose = contents.poses[:, end["body"]]
    return pose[:, :3] + rotations(pose[:, 3:]) @ np.asarray(end["at"], float)


def _move(curve: Prim, ends: np.ndarray, codes: np.ndarray) -> None:
    points, extent = curve.GetPointsAttr(), curve.GetExtentAttr()
    half = 0.5 * curve.GetWidthsAttr().Get()[0]
    for code, both in zip(codes, ends):
        points.Set(both.astype(np.float32), float(code))
        extent.Set(np.array([both.min(0) - half, both.max(0) + half], np.float32), float(code))
