"""All particles at the start of a run, packed around the bodies as they stand, in the world."""

from collections.abc import Callable, Collection
from typing import Any, NamedTuple

import numpy as np

from gori.errors import InputError
from gori.kernels.particles import columns as c
from gori.model.particles.clearance import Obstacle, clear_of
from gori.model.particles.container import Container, container_of
from gori.model.particles.packing import OVERLAP, check_overlaps, draw_radii, poured, random, regular
from gori.model.particles.state import ParticleState, fresh_state
from gori.model.particles.tables import FillTable, GroupTable, ParticleTables, velocity_at

Pose = tuple[np.ndarray, np.ndarray]
"""rotation (3, 3) and position (3,) of a body in the world"""


class Start(NamedTuple):
    """Particles at the start, group by group in the order of the Spec; their index is their id.

    sphere             (n, 4)   centre and radius, world [m]
    velocity           (n, 3)   world [m/s], to which that of the body that holds them is to be added
    angular_velocity   (n, 3)   world [rad/s], likewise
    material           (n,)     index among the materials of the Spec
    group              (n,)     index among the groups
    """

    sphere: np.ndarray
    velocity: np.ndarray
    angular_velocity: np.ndarray
    material: np.ndarray
    group: np.ndarray


def initial_state(tables: ParticleTables, poses: np.ndarray) -> tuple[ParticleState, np.ndarray]:
    """The state at the start, and the group of each particle (n,); the same for the same tables and poses.

    poses   (nbody, N_POSE) of the carriers: particles move with the body that holds them
    """
    begin = start(tables, lambda body: tables.pose_of(body, poses))
    velocity, spin = begin.velocity.copy(), begin.angular_velocity.copy()
    for k, group in enumerate(tables.groups):
        mine = begin.group == k
        motion = tables.motion_of(group.body, poses)
        velocity[mine] += velocity_at(motion, begin.sphere[mine, :3])
        spin[mine] += motion[1]
    motion = motion_rows(tables, begin.sphere[:, 3], velocity, spin, begin.material)
    return fresh_state(begin.sphere, motion, np.arange(len(motion)), poses), begin.group.astype(np.int64)


def motion_rows(
    tables: ParticleTables, radii: np.ndarray, velocity: Any, spin: Any, material: np.ndarray
) -> np.ndarray:
    """Rows (n, 8) of particles of these radii [m] and materials."""
    motion = np.zeros((len(radii), 8))
    motion[:, :3], motion[:, c.WX : c.WX + 3], motion[:, c.MATERIAL] = velocity, spin, material
    motion[:, c.MASS] = 4.0 / 3.0 * np.pi * radii**3 * tables.density[material]
    return motion


def start(tables: ParticleTables, pose: Callable[[str], Pose] | None = None) -> Start:
    """All particles, packed, in the world; refused if they overlap.

    pose   of bodies at the start: pose("tray") -> R, p; if not given, all bodies are where the ground is
    """
    pose = pose or (lambda body: (np.eye(3), np.zeros(3)))
    packed = _packed(tables, pose)
    rows = [np.zeros((0, 10))]
    for k, part in enumerate(tables.groups):
        local = packed[k] if part.rows is None else part.rows
        R, p = pose(part.body)
        world = np.concatenate([local[:, :3] @ R.T + p, local[:, 3:4], local[:, 4:7] @ R.T, local[:, 7:] @ R.T], axis=1)
        world[:, 4:7] += part.velocity
        rows.append(world)
    everything = np.concatenate(rows)
    group = np.repeat(np.arange(len(tables.groups)), [len(world) for world in rows[1:]])
    material = np.array([part.material for part in tables.groups], int)
    allowed = np.array([part.max_overlap for part in tables.groups])
    check_overlaps(everything[:, :4], allowed[group], names=tables.names, group=group)
    for k, part in enumerate(tables.groups):
        if part.rows is not None:
            refuse_in_walls(tables, pose, everything[group == k, :4], f" of {part.name!r}", allowed=part.max_overlap)
    sphere, velocity, spin = (np.ascontiguousarray(everything[:, k]) for k in (np.s_[:4], np.s_[4:7], np.s_[7:]))
    return Start(sphere, velocity, spin, material[group], group)


def _packed(tables: ParticleTables, pose: Callable[[str], Pose]) -> dict[int, np.ndarray]:
    """{group: rows (n, 10) in the frame of its body} of all groups that fill something.

    Groups that fill the same container stand above each other; those at random are mixed.
    """
    containers: dict[Any, tuple[Container, list[tuple[int, GroupTable, FillTable]]]] = {}
    for k, group in enumerate(tables.groups):
        if (fill := group.fill) is not None:
            known = containers.setdefault(fill.shape or fill.geometry, (_container(tables, group, fill, pose), []))
            known[1].append((k, group, fill))
    packed = {}
    for container, groups in containers.values():
        mixed = [one for one in groups if one[2].packing == "random"]
        if mixed:
            rngs = [np.random.default_rng(fill.seed) for _, _, fill in mixed]
            drawn = [draw_radii(group.radius, fill.number, rng) for (_, group, fill), rng in zip(mixed, rngs)]
            points = random(container, np.concatenate(drawn), rngs[0])
            for (k, _, _), radii in zip(mixed, drawn):
                packed[k] = _rows(container, points[: len(radii)], radii)
                points = points[len(radii) :]
        floor, (axis, sign) = None, container.up
        for k, group, fill in groups:
            if k not in packed:
                rng = np.random.default_rng(fill.seed)
                radii = draw_radii(group.radius, fill.number, rng)
                points = {"regular": regular, "poured": poured}[fill.packing](
                    container, radii, rng, fill.spacing, floor
                )
                packed[k] = _rows(container, points, radii)
                floor = (sign * points[:, axis] + radii).max()
        for k, group, _ in groups:
            _refuse_inside(container, packed[k], group.name)
    return packed


def refuse_in_walls(
    tables: ParticleTables,
    pose: Callable[[str], Pose],
    sphere: np.ndarray,
    whose: str = "",
    gone: Collection[str] = (),
    allowed: float = OVERLAP,
) -> None:
    """Refuse particles (n, 4) in the world that overlap a wall, but those that are gone, by more than a share `allowed`
    of their radius.
    """
    for wall, obstacle in walls_of(tables, pose, gone).items():
        inside = ~clear_of([obstacle], sphere[:, :3], (1.0 - allowed) * sphere[:, 3], shells=True)
        if inside.any():
            k = int(np.argmax(inside))
            more = f", and {inside.sum() - 1} more" if inside.sum() > 1 else ""
            where = ", ".join(f"{x:.4g}" for x in sphere[k, :3])
            raise InputError(
                f"particle {k}{whose} at {where} overlaps the wall {wall!r} by more than {allowed:.0%} of its radius"
                f"{more}: it would be ejected. Move it at least a radius away, or for a bed that has settled so raise "
                "`max_overlap`"
            )


def walls_around(
    tables: ParticleTables, pose: Callable[[str], Pose], sphere: np.ndarray, but: Collection[str] = ()
) -> list[str]:
    """Names of the walls that a particle (4,) overlaps."""
    where, radius = sphere[None, :3], float(sphere[3])
    obstacles = walls_of(tables, pose, but).items()
    return [name for name, obstacle in obstacles if not clear_of([obstacle], where, radius, shells=True)[0]]


def walls_of(
    tables: ParticleTables,
    pose: Callable[[str], Pose],
    but: Collection[str] = (),
    body: Pose | None = None,
) -> dict[str, Obstacle]:
    """{"body.shape": Obstacle} of all walls but some, in the frame of a body of a pose, or the world."""
    R, p = body or (np.eye(3), np.zeros(3))
    found = {}
    for wall in tables.wall_shapes:
        if wall.name not in but:
            (R_W, p_W), (R_S, p_S) = pose(wall.body), wall.shape.pose()
            found[wall.name] = Obstacle(wall.shape, R.T @ R_W @ R_S, R.T @ (p_W + R_W @ p_S - p))
    return found


def _refuse_inside(container: Container, rows: np.ndarray, name: str) -> None:
    """Packings at random do not look at shapes that stand in the container."""
    count = int((~clear_of(container.others, rows[:, :3], 0.95 * rows[:, 3])).sum())
    if count:
        raise InputError(
            f"{count} particles of {name!r} initially overlap other walls, which random packings ignore. "
            "Use `regular` or `poured` with a number that fits, or fill a box clear of the walls"
        )


def _rows(container: Container, points: np.ndarray, radii: np.ndarray) -> np.ndarray:
    return np.concatenate([container.to_body(points), radii[:, None], np.zeros((len(radii), 6))], axis=1)


def _container(tables: ParticleTables, group: GroupTable, fill: FillTable, pose: Callable[[str], Pose]) -> Container:
    """The inside of what is filled."""
    container = container_of(fill.geometry, fill.called, pose(group.body)[0].T @ tables.gravity)
    return container._replace(others=tuple(walls_of(tables, pose, (fill.shape or "",), pose(group.body)).values()))
