"""The equations of a Spec's cuts, mimic joints, gears and motions as tables for the kernels (`kernels/loops`)."""

from typing import Any, NamedTuple

import numpy as np

from gori.errors import InputError
from gori.kernels.loops import tables as t
from gori.kernels.tree import columns as col
from gori.model.loops.frames import KINDS, fill_frames, path_between
from gori.model.model import Model
from gori.spec import Cut
from gori.spec.base import rotation_to

_X, _Y, _Z = ("x", t.ALONG, 0), ("y", t.ALONG, 1), ("z", t.ALONG, 2)
_TILTS = [("rx", t.TILT_X, 0), ("ry", t.TILT_Y, 0)]
_TURNS = [("rx", t.TURNED, 0), ("ry", t.TURNED, 1), ("rz", t.TURNED, 2)]
EQUATIONS_OF_CUT = {
    "fixed": [_X, _Y, _Z, *_TURNS],
    "revolute": [_X, _Y, _Z, *_TILTS],
    "prismatic": [_X, _Y, *_TURNS],
    "helical": [_X, _Y, *_TILTS, ("screw", t.SCREWED, 2)],
    "cylindrical": [_X, _Y, *_TILTS],
    "universal": [_X, _Y, _Z, ("cross", t.CROSSED, 0)],
    "planar": [_Z, *_TILTS],
    "spherical": [_X, _Y, _Z],
    "distance": [("length", t.DISTANT, 0)],
}
"""name, kind and axis of the equations of each type of cut; z is its axis"""


class LoopTables(NamedTuple):
    """The tables, and the names of the equations."""

    cut: np.ndarray  # CUT
    equation: np.ndarray  # EQUATION
    path: np.ndarray
    along: np.ndarray  # of each axis of the path: index in q, of COUPLED
    factor: np.ndarray  # and what it is multiplied with
    mesh: np.ndarray  # MESH
    pattern: t.Pattern
    names: tuple[str, ...]  # "D.x": of the equation x of cut, mimic joint, gear or motion D
    cuts: tuple[str, ...]  # owners of the rows of `cut`


class _Group(NamedTuple):
    """One cut before its equations are counted."""

    owner: str
    cut: np.ndarray  # a row of CUT
    equations: list[tuple[str, tuple[int, int, int, int]]]  # name, row of EQUATION
    path: list[int]
    along: list[int] | None = None
    factor: list[float] | None = None
    mesh: np.ndarray | None = None  # a row of MESH


def loop_tables(model: Model, signal: dict[str, int] | None = None, kept: np.ndarray | None = None) -> LoopTables:
    """Tables of all equations, in the order of cuts, mimic joints, gears, motions; or of those that are kept.

    signal   first of the three signals of each motion
    kept     (ne,) whether each of all equations is wanted
    """
    groups = []
    if not model.open_loops:
        groups += [_cut(model, name, cut) for name, cut in model.spec.cuts.items()]
        groups += [_mimic(model, name) for name, joint in model.spec.joints.items() if joint.mimic is not None]
        groups += [_gear(model, name) for name in model.spec.gears]
        groups += [_motion(model, name, place) for name, place in (signal or {}).items()]
    cuts, equations, path, names, owners = [], [], [], [], []
    along, factor, meshes = [], [], []
    number = njac = 0
    for group in groups:
        if not group.path:
            raise InputError(
                f"cut {group.owner!r} connects two bodies that cannot move relative to each other: remove it, or give "
                "the joints between them a degree of freedom"
            )
        wanted = [eq for k, eq in enumerate(group.equations) if kept is None or kept[number + k]]
        number += len(group.equations)
        if not wanted:
            continue
        cut = group.cut
        cut["first"], cut["equations"], cut["path"] = len(equations), len(wanted), len(path)
        cut["axes"], cut["jac"] = len(group.path), njac
        if group.mesh is not None:
            group.mesh["equation"] = len(equations)
            meshes.append(group.mesh)
        cuts.append(cut)
        owners.append(group.owner)
        equations += [row for _, row in wanted]
        names += [f"{group.owner}.{name}" for name, _ in wanted]
        path += group.path
        along += group.along or [0] * len(group.path)
        factor += group.factor or [0.0] * len(group.path)
        njac += len(wanted) * len(group.path)
    cut, equation = np.concatenate([t.CUT.zeros(0), *cuts]), np.array(equations, t.EQUATION.dtype)
    axes, mesh = np.array(path, np.int64), np.concatenate([t.MESH.zeros(0), *meshes])
    coupling = np.array(along, np.int64), np.array(factor, np.float64)
    return LoopTables(cut, equation, axes, *coupling, mesh, _symbolic(model, cut, axes), tuple(names), tuple(owners))


def _cut(model: Model, name: str, cut: Cut) -> _Group:
    frames = model.tables
    row, rows = t.CUT.zeros(1), []
    axes: list[Any] = [cut.axis, cut.axis]
    if cut.type == "universal":
        axes[1] = rotation_to(cut.axis)[:, 0] if cut.axis2 is None else cut.axis2
    for side, body, pose, axis in zip("AB", (cut.parent, cut.child), (cut.pose(), cut.child_pose()), axes):
        k = model.frame(body)
        R, p = frames.frame_f[k, :9].reshape(3, 3), frames.frame_f[k, 9:]
        row[f"R_{side}"] = (R @ pose[0] @ rotation_to(axis)).ravel()
        row[f"p_{side}"] = p + R @ pose[1]
        rows.append(int(frames.frame_i[k]))
    root, path = path_between(model, *rows)
    row["row_a"], row["row_b"], row["root"], row["length"] = *rows, root, cut.length or 0.0
    row["pitch"] = (cut.pitch or 0.0) / (2.0 * np.pi)
    equations = [(word, (kind, axis, 0, 0)) for word, kind, axis in EQUATIONS_OF_CUT[cut.type]]
    return _Group(name, row, equations, path)


def _mimic(model: Model, name: str) -> _Group:
    mimic: Any = model.spec.joints[name].mimic
    cut = t.CUT.zeros(1)
    own, other = model.joint(name), model.joint(mimic.joint)
    cut["offset"] = mimic.offset
    path, along = [own.v.start, other.v.start], [own.q.start, other.q.start]
    return _Group(name, cut, [("mimic", (t.COUPLED, 0, 0, 0))], path, along, [1.0, -mimic.ratio])


def _gear(model: Model, name: str) -> _Group:
    gear, cut = model.gears[name], t.CUT.zeros(1)
    cut["offset"] = gear.offset
    return _Group(name, cut, [("mesh", (t.COUPLED, 0, 0, 0))], gear.path, gear.along, gear.factor, gear.row.copy())


def _motion(model: Model, name: str, signal: int) -> _Group:
    motion = model.spec.motions[name]
    if motion.joint in model.spec.cuts:
        (joint,) = (joint for joint in model.connections if joint.name == motion.joint)
        cut, (kind, axis) = t.CUT.zeros(1), KINDS[joint.type][motion.axis]
        path = fill_frames(cut, model, joint)
        row = (t.SLID, axis, signal, 0) if kind == t.SLIDE else (t.SPUN, kind, signal, 0)
        return _Group(name, cut, [("motion", row)], path)
    info = model.joint(motion.joint)
    q, v = info.q.start + motion.axis, info.v.start + motion.axis
    return _Group(name, t.CUT.zeros(1), [("motion", (t.DRIVEN, q, signal, v))], [v])


def _symbolic(model: Model, cuts: np.ndarray, path: np.ndarray) -> t.Pattern:
    """The pattern of the factors (`kernels/loops/factors.py`)."""
    nv, ne = model.nv, int(cuts["equations"].sum())
    above = model.tables.dof_i[:, col.DOF_PARENT]
    paths: list[tuple[np.ndarray, int]] = []  # of each equation: its axes, and its first place in jac
    for cut in cuts:
        axes = path[cut["path"] : cut["path"] + cut["axes"]]
        paths += [(axes, cut["jac"] + k * len(axes)) for k in range(cut["equations"])]

    # order: axes from the tips to the ground, each equation after the last of its axes
    done_at: dict[int, list[int]] = {}
    for e, (axes, _) in enumerate(paths):
        done_at.setdefault(int(axes.min()), []).append(e)
    order: list[int] = []
    for d in range(nv - 1, -1, -1):
        order += [d, *(nv + e for e in done_at.get(d, ()))]
    place = np.empty(nv + ne, np.int64)
    place[order] = np.arange(nv + ne)

    # entries above the diagonal: by columns, (row, source_row, source)
    columns: list[list[tuple[int, int, int]]] = [[] for _ in order]

    def add(a: int, b: int, source_row: int, source: int) -> None:
        low, high = sorted((int(place[a]), int(place[b])))
        columns[high].append((low, source_row, source))

    for d in range(nv):
        e = above[d]
        while e >= 0:
            add(d, int(e), d, int(e))
            e = above[e]
    for e, (axes, first) in enumerate(paths):
        for k, d in enumerate(axes):
            add(int(d), nv + e, -1, int(first) + k)

    # pattern of L: what a column holds, it hands on to the next one below it
    below: list[set[int]] = [set() for _ in order]
    for k, column in enumerate(columns):
        for row, _, _ in column:
            below[row].add(k)
    for k in range(len(order)):
        if below[k]:
            first = min(below[k])
            below[first] |= below[k] - {first}
    lists = [sorted(rows) for rows in below]
    starts = np.concatenate([[0], np.cumsum([len(rows) for rows in lists])])
    by_rows: list[list[tuple[int, int]]] = [[] for _ in order]
    for k, rows in enumerate(lists):
        for j, row in enumerate(rows):
            by_rows[row].append((k, int(starts[k]) + j))

    entries = [entry for column in columns for entry in column]
    cells = [cell for row in by_rows for cell in row]
    pieces = {
        "order": order,
        "start": np.concatenate([[0], np.cumsum([len(column) for column in columns])]),
        "row": [row for row, _, _ in entries],
        "source_row": [source_row for _, source_row, _ in entries],
        "source": [source for _, _, source in entries],
        "lower_start": np.concatenate([[0], np.cumsum([len(row) for row in by_rows])]),
        "column": [column for column, _ in cells],
        "at": [at for _, at in cells],
        "below": starts,
        "lower_row": [row for rows in lists for row in rows],
    }
    return t.Pattern(**{name: np.array(piece, np.int64) for name, piece in pieces.items()})
