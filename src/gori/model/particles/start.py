"""All grains of a Spec at the start of a run, in the world."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gori.errors import FileError, InputError
from gori.model.particles.clearance import Obstacle, clear_of
from gori.model.particles.container import Room, room_of
from gori.model.particles.packing import check_overlaps, draw_radii, poured, random, regular
from gori.spec import Fill, Grains, Spec
from gori.spec.particles.groups import COLUMNS, find_shape

Pose = tuple[np.ndarray, np.ndarray]
"""rotation (3, 3) and position (3,) of a body in the world"""


class Start(NamedTuple):
    """Grains at the start, group by group in the order of the Spec; their index is their ident.

    place      (n, 4)   x y z, radius, world [m]
    velocity   (n, 3)   world [m/s], to which that of the body that holds them is to be added
    spin       (n, 3)   world [rad/s], likewise
    material   (n,)     index among the materials of the Spec
    group      (n,)     index in `names`
    names               of the groups
    carriers            body that holds each group
    """

    place: np.ndarray
    velocity: np.ndarray
    spin: np.ndarray
    material: np.ndarray
    group: np.ndarray
    names: tuple[str, ...]
    carriers: tuple[str, ...]


def start(spec: Spec, pose: Callable[[str], Pose] | None = None) -> Start:
    """All grains of a Spec, packed, in the world; refused if they overlap.

    pose   of bodies at the start: pose("tray") -> R, p; if not given, all bodies are where the ground is
    """
    pose = pose or (lambda body: (np.eye(3), np.zeros(3)))
    packed = _packed(spec, pose)
    names, materials = tuple(spec.particles), list(spec.materials)
    rows, carriers = [], []
    for name, part in spec.particles.items():
        carrier, local = packed[name] if part.fill is not None else (part.body, places_of(part, name))
        R, p = pose(carrier)
        world = np.concatenate([local[:, :3] @ R.T + p, local[:, 3:4], local[:, 4:7] @ R.T, local[:, 7:] @ R.T], axis=1)
        world[:, 4:7] += part.velocity
        rows.append(world)
        carriers.append(carrier)
    counts = [len(world) for world in rows]
    everything = np.concatenate(rows) if rows else np.zeros((0, 10))
    group = np.repeat(np.arange(len(rows)), counts)
    material = np.array([materials.index(part.material) for part in spec.particles.values()], int)
    check_overlaps(everything[:, :4], names=names, group=group)
    for k, part in enumerate(spec.particles.values()):
        if part.fill is None:
            refuse_in_walls(spec, pose, everything[group == k, :4], f" of {names[k]!r}")
    place, velocity, spin = (np.ascontiguousarray(everything[:, k]) for k in (np.s_[:4], np.s_[4:7], np.s_[7:]))
    return Start(place, velocity, spin, material[group], group, names, tuple(carriers))


def _packed(spec: Spec, pose: Callable[[str], Pose]) -> dict[str, tuple[str, np.ndarray]]:
    """{group: body, rows (n, 10) in its frame} of all groups that fill something.

    Groups that fill the same room stand above each other; those at random are mixed.
    """
    rooms: dict[Any, tuple[str, Room, list[str]]] = {}
    for name, part in spec.particles.items():
        if part.fill is not None:
            body, room = _room(spec, part.fill, pose, name)
            rooms.setdefault(part.fill.shape or part.fill.box, (body, room, []))[2].append(name)
    packed = {}
    for body, room, groups in rooms.values():
        mixed = [name for name in groups if _fill(spec, name).packing == "random"]
        if mixed:
            rngs = [np.random.default_rng(_fill(spec, name).seed) for name in mixed]
            drawn = [_radii(spec, name, rng) for name, rng in zip(mixed, rngs)]
            points = random(room, np.concatenate(drawn), rngs[0])
            for name, radii in zip(mixed, drawn):
                packed[name] = body, _rows(room, points[: len(radii)], radii)
                points = points[len(radii) :]
        floor, (axis, sign) = None, room.up
        for name in groups:
            if name not in mixed:
                fill = _fill(spec, name)
                rng = np.random.default_rng(fill.seed)
                radii = _radii(spec, name, rng)
                points = {"regular": regular, "poured": poured}[fill.packing](room, radii, rng, fill.spacing, floor)
                packed[name] = body, _rows(room, points, radii)
                floor = (sign * points[:, axis] + radii).max()
        for name in groups:
            _refuse_inside(room, packed[name][1], name)
    return packed


def refuse_in_walls(spec: Spec, pose: Callable[[str], Pose], place: np.ndarray, whose: str = "") -> None:
    """Refuse grains (n, 4) in the world that overlap a wall by more than 5 % of their radius."""
    for wall, obstacle in walls_of(spec, pose).items():
        inside = ~clear_of([obstacle], place[:, :3], 0.95 * place[:, 3], shells=True)
        if inside.any():
            k = int(np.argmax(inside))
            more = f", and {inside.sum() - 1} more" if inside.sum() > 1 else ""
            raise InputError(
                f"grain {k}{whose} at {', '.join(f'{x:.4g}' for x in place[k, :3])} stands in the wall {wall!r}{more}: "
                "it would be shot out. Give it a place at least a radius away"
            )


def walls_of(
    spec: Spec,
    pose: Callable[[str], Pose],
    filled: str | None = None,
    body: Pose | None = None,
) -> dict[str, Obstacle]:
    """{"body.shape": Obstacle} of all walls but one that is filled, in the frame of a body of a pose, or the world."""
    R, p = body or (np.eye(3), np.zeros(3))
    found = {}
    for name, part in spec.bodies.items():
        for label, shape in part.shapes.items():
            if shape.material is not None and f"{name}.{label}" != filled:
                (R_W, p_W), (R_S, p_S) = pose(name), shape.pose()
                found[f"{name}.{label}"] = Obstacle(shape, R.T @ R_W @ R_S, R.T @ (p_W + R_W @ p_S - p))
    return found


def _refuse_inside(room: Room, rows: np.ndarray, name: str) -> None:
    """Packings at random do not look at shapes that stand in the room."""
    count = int((~clear_of(room.others, rows[:, :3], 0.95 * rows[:, 3])).sum())
    if count:
        raise InputError(
            f"{count} grains of {name!r} stand in other walls at the start: packings at random do not see those. "
            "Take `regular` or `poured`, and so few that they fit, or fill a box beside the walls"
        )


def _fill(spec: Spec, name: str) -> Fill:
    fill = spec.particles[name].fill
    assert fill is not None
    return fill


def _radii(spec: Spec, name: str, rng: np.random.Generator) -> np.ndarray:
    radius = spec.particles[name].radius
    assert radius is not None  # as the Spec has checked
    return draw_radii(radius, _fill(spec, name).count, rng)


def _rows(room: Room, points: np.ndarray, radii: np.ndarray) -> np.ndarray:
    return np.concatenate([room.to_body(points), radii[:, None], np.zeros((len(radii), 6))], axis=1)


def _room(spec: Spec, fill: Fill, pose: Callable[[str], Pose], name: str) -> tuple[str, Room]:
    """Body that holds what is filled, and its inside."""
    if fill.box is not None:
        body, part, called = fill.box.body, fill.box, f"the box of {name!r}"
    else:
        found = find_shape(spec, fill.shape or "")
        assert found is not None
        body, part, called = found[0], spec.bodies[found[0]].shapes[found[1]], repr(fill.shape)
    room = room_of(part, called, pose(body)[0].T @ np.array(spec.gravity))
    return body, room._replace(others=tuple(walls_of(spec, pose, fill.shape, pose(body)).values()))


def places_of(part: Grains, name: str) -> np.ndarray:
    """Rows (n, 10) of a group whose positions are given: x y z, radius, velocity, spin, in the frame of its body."""
    given = part.positions
    rows = _read(given, name) if isinstance(given, str) else np.array(given, float)
    full = np.zeros((len(rows), COLUMNS[-1]))
    full[:, : rows.shape[1]] = rows
    if rows.shape[1] == 3:
        if part.radius is None:
            raise InputError(f"the positions of {name!r} have no radius: give it, or a fourth column in {given}")
        full[:, 3] = draw_radii(part.radius, len(rows), np.random.default_rng(0))
    if not (full[:, 3] > 0.0).all():
        row = int(np.flatnonzero(~(full[:, 3] > 0.0))[0])
        raise InputError(f"the fourth column of positions is the radius: grain {row} of {name!r} has {full[row, 3]:g}")
    return full


def _read(file: str, name: str) -> np.ndarray:
    try:
        if Path(file).suffix == ".npy":
            rows = np.load(file, allow_pickle=False)
        else:
            rows = np.loadtxt(file, delimiter="," if Path(file).suffix == ".csv" else None, ndmin=2)
    except FileNotFoundError:
        raise FileError(f"there is no such file, for the positions of {name!r}", file) from None
    except (OSError, ValueError) as error:
        raise FileError(f"holds no rows of numbers: {error}", file) from None
    if rows.ndim != 2 or rows.shape[1] not in COLUMNS or not len(rows) or rows.dtype.kind not in "fiu":
        raise FileError(
            f"must hold rows of x y z, to which radius, velocity and spin can be added ({COLUMNS} numbers), "
            f"not an array of shape {rows.shape}",
            file,
        )
    if not np.isfinite(rows).all():
        raise FileError(f"holds a number that is not finite in row {int(np.argwhere(~np.isfinite(rows))[0][0])}", file)
    return rows.astype(float)
