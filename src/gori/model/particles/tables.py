"""Particles of a Model, compiled once: materials and laws, walls, groups, inlets, outlets, domain and settings.

Positions are not in here: they are found when a State is made (`start.py`), around the bodies as they stand then.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from gori.errors import UnsupportedError
from gori.kernels.particles import columns as c
from gori.kernels.particles.skin import NARROW, WIDE
from gori.model.arrays import frozen
from gori.model.model import Model
from gori.model.particles.carriers import Carrier, Holder, carriers, holders, row_frame
from gori.model.particles.gates import vanishing_times
from gori.model.particles.materials import pair_table, suggested_step
from gori.model.particles.packing import OVERLAP, draw_radii
from gori.model.particles.positions import given_rows
from gori.model.particles.sizes import size_levels
from gori.model.particles.walls import Walls, wall_tables
from gori.spec import GROUND, Region, Spec
from gori.spec.material import particle_materials
from gori.spec.particles.groups import find_shape, radius_range

FIRST_SKIN = 0.1
"""neighbour-list skin, in the mean radius, with which a run begins that says nothing else"""


class SkinTable(NamedTuple):
    """The neighbour-list skin [m]: at the start, its least and its largest value; follow: whether it follows motion.

    radius   mean of all particles [m], of which it is measured
    """

    start: float
    narrow: float
    wide: float
    follow: bool
    radius: float


class BodyFrame(NamedTuple):
    """Frame of a body in that of its row: R (3, 3), p (3,) [m]; carrier is the index of that row, -1 without walls."""

    carrier: int
    R: np.ndarray
    p: np.ndarray


class WallShape(NamedTuple):
    """A shape with a material: its name ("tray.bin"), its body, and its geometry."""

    name: str
    body: str
    shape: Any


class FillTable(NamedTuple):
    """What a group fills: a shape by its name, or a box.

    geometry   the shape or box, in the frame of the body
    called     for messages
    """

    shape: str | None
    geometry: Any
    called: str
    number: int
    packing: str
    seed: int
    spacing: float | None


class GroupTable(NamedTuple):
    """A group of particles at the start: filled, or at given positions.

    body       that holds it
    material   index among the materials
    radius     rule of the radii
    velocity   (3,) world [m/s], added to that of the body
    rows       (n, 10) x y z, radius, velocity, angular velocity in the frame of the body; None if it is filled
    max_overlap   share of a radius by which particles may overlap at the start
    """

    name: str
    body: str
    material: int
    radius: Any
    velocity: np.ndarray
    rows: np.ndarray | None
    fill: FillTable | None
    max_overlap: float


class InletTable(NamedTuple):
    """An inlet; `group` is the index of its particles' group, behind those of the start."""

    name: str
    group: int
    material: int
    radius: Any
    box: Region
    rate: float
    start: float
    stop: float | None
    number: int | None
    velocity: np.ndarray
    seed: int


class OutletTable(NamedTuple):
    """An outlet: a box, or all below a height [m] in the frame of a body."""

    box: Region | None
    below: float | None
    body: str


class DomainTable(NamedTuple):
    """The domain of the Spec: a box; without one all of space, or if nothing is given, around what is at the start.

    body    in whose frame it is
    """

    body: str
    box: Region | None
    given: bool


class ParticleTables(NamedTuple):
    """All that the Spec says of particles, as tables.

    materials   names; density (nm,) [kg/m3], 0 of walls
    pair_f      (nm * nm, N_PAIR_F) laws of materials; law HERTZ or VOIGT; rolling: whether any contact resists it
    carriers    rows of the Model that carry walls, `rows` (nbody,) their numbers; the ground is the first
    holders     bodies that have the walls, on which wrenches are told apart; the ground is the first
    holder      (primitives,) index of the holder of each
    bodies      {name: BodyFrame} of all bodies that walls, groups, inlets, outlets and the domain name
    walls       primitives in the frames of the carriers
    until       (shapes,) time at which each shape of `walls.names` vanishes [s], inf if it stays
    gravity     (3,) [m/s2]
    radius      largest that will ever come [m]
    alike       whether all particles that will ever come have one radius and mass
    levels      (n,) largest radius of each level of sizes [m], falling
    skin        neighbour-list skin
    step        sub-step at most [s]; `suggested` is that of `step: auto`
    device      "cpu" or "cuda"
    frames      time between frames [s], or None; of them each `decimate`-th particle
    full_arm    1 if friction acts at the whole radius, 0 if at the contact point
    """

    materials: tuple[str, ...]
    density: np.ndarray
    pair_f: np.ndarray
    law: int
    rolling: bool
    carriers: tuple[Carrier, ...]
    rows: np.ndarray
    holders: tuple[Holder, ...]
    holder: np.ndarray
    bodies: Mapping[str, BodyFrame]
    walls: Walls
    until: np.ndarray
    wall_shapes: tuple[WallShape, ...]
    gravity: np.ndarray
    radius: float
    alike: bool
    levels: np.ndarray
    skin: SkinTable
    step: float
    suggested: float
    device: str
    frames: float | None
    decimate: int
    full_arm: float
    groups: tuple[GroupTable, ...]
    inlets: tuple[InletTable, ...]
    outlets: tuple[OutletTable, ...]
    domain: DomainTable

    def arrays(self) -> tuple:
        """What a State refers to: names, laws and walls."""
        walls = (x for x in self.walls if isinstance(x, np.ndarray))
        return (*self.materials, self.pair_f, self.rows, self.holder, self.levels, *walls)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all groups, those of inlets last."""
        return (*(group.name for group in self.groups), *(inlet.name for inlet in self.inlets))

    def frame_of(self, body: str) -> BodyFrame:
        """The frame of a body that carries walls."""
        frame = self.bodies[body]
        if frame.carrier < 0:
            raise UnsupportedError(
                f"particles are attached to body {body!r}, which has no wall: give one of its shapes a material"
            )
        return frame

    def pose_of(self, body: str, poses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rotation and position of a body; poses (nbody, N_POSE) of the carriers."""
        frame = self.frame_of(body)
        R_W, p_W = pose_frame(poses[frame.carrier])
        return R_W @ frame.R, p_W + R_W @ frame.p

    def motion_of(self, body: str, poses: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Velocity and angular velocity of the row of a body, and its origin."""
        pose = poses[self.frame_of(body).carrier]
        return pose[c.VEL : c.OMEGA], pose[c.OMEGA :], pose[c.POS : c.VEL]


def pose_frame(pose: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rotation and position out of a row of poses."""
    return pose[: c.POS].reshape(3, 3), pose[c.POS : c.VEL]


def velocity_at(motion: tuple[np.ndarray, np.ndarray, np.ndarray], points: np.ndarray) -> np.ndarray:
    """Velocities (n, 3) of points of a body, of which velocity, angular velocity and origin are given."""
    velocity, spin, origin = motion
    return velocity + np.cross(spin, points - origin)


def compile_particles(model: Model) -> ParticleTables | None:
    """The tables of the Model's Spec; None if it has neither particles nor inlets."""
    spec = model.spec
    if not (spec.particles or spec.inlets):
        return None
    materials, pair_f, law = pair_table(spec)
    carried = tuple(carriers(model))
    rows = np.array([carrier.row for carrier in carried], np.int64)
    groups = tuple(_group(spec, name, materials) for name in spec.particles)
    settings = [] if spec.run is None else [
        part for name, part in spec.run.subsystems.items() if name not in spec.drivetrains
    ]  # fmt: skip
    radii = _radii(spec, groups)
    radius, densities = float(radii.max()), {spec.materials[name].density for name in particle_materials(spec)}
    skin = _skin(radii, groups, [part.skin for part in settings if not isinstance(part.skin, str)])
    shapes = [(k, *shape) for k, carrier in enumerate(carried) for shape in carrier.shapes]
    walls = wall_tables(shapes, radius + skin.wide, len(carried))
    held, of_shape = holders(carried)
    domain = _domain(spec, groups)
    suggested = suggested_step(spec)
    frames = [part.frames for part in settings if part.frames is not None]
    return ParticleTables(
        materials=materials,
        density=frozen(np.array([spec.materials[name].density or 0.0 for name in materials])),
        pair_f=frozen(pair_f),
        law=law,
        rolling=bool((pair_f[:, c.MU_ROLL] > 0.0).any()),
        carriers=carried,
        rows=frozen(rows),
        holders=held,
        holder=frozen(of_shape[walls.wall_i[:, c.SHAPE]]),
        bodies=_bodies(model, rows, groups, domain),
        walls=walls._replace(**{k: frozen(v) for k, v in walls._asdict().items() if isinstance(v, np.ndarray)}),
        until=frozen(vanishing_times(shape[2] for shape in shapes)),
        wall_shapes=tuple(
            WallShape(f"{name}.{label}", name, shape)
            for name, body in spec.bodies.items()
            for label, shape in body.shapes.items()
            if shape.material is not None
        ),
        gravity=frozen(np.array(spec.gravity, float)),
        radius=radius,
        alike=float(np.ptp(radii)) == 0.0 and len(densities) == 1,
        levels=frozen(size_levels(radii, skin.start)),
        skin=skin,
        step=min((part.step for part in settings if not isinstance(part.step, str)), default=suggested),
        suggested=suggested,
        device=next((part.device for part in settings), "cpu"),
        frames=min(frames, default=None),
        decimate=max((part.decimate for part in settings), default=1),
        full_arm=float(any(part.torque_arm == "radius" for part in settings)),
        groups=groups,
        inlets=_inlets(spec, materials),
        outlets=tuple(OutletTable(part.box, part.below, part.body) for part in spec.outlets.values()),
        domain=domain,
    )


def _group(spec: Spec, name: str, materials: tuple[str, ...]) -> GroupTable:
    part = spec.particles[name]
    material, velocity = materials.index(part.material), frozen(np.array(part.velocity, float))
    if (fill := part.fill) is None:
        rows = frozen(given_rows(part, name))
        return GroupTable(name, part.body, material, part.radius, velocity, rows, None, part.max_overlap)
    if fill.box is not None:
        body, geometry, called = fill.box.body, fill.box, f"the box of {name!r}"
    else:
        found = find_shape(spec, fill.shape or "")
        assert found is not None  # as the Spec has checked
        body, geometry, called = found[0], spec.bodies[found[0]].shapes[found[1]], repr(fill.shape)
    table = FillTable(fill.shape, geometry, called, fill.count, fill.packing, fill.seed, fill.spacing)
    return GroupTable(name, body, material, part.radius, velocity, None, table, OVERLAP)


def _inlets(spec: Spec, materials: tuple[str, ...]) -> tuple[InletTable, ...]:
    return tuple(
        InletTable(
            name,
            len(spec.particles) + k,
            materials.index(part.material),
            part.radius,
            part.box,
            part.rate,
            part.start,
            part.stop,
            part.count,
            frozen(np.array(part.velocity, float)),
            part.seed,
        )
        for k, (name, part) in enumerate(spec.inlets.items())
    )


def radii_of(group: GroupTable) -> np.ndarray:
    """Radii (n,) of a group [m]: as given, or as drawn first of all by its seed."""
    if group.rows is not None:
        return group.rows[:, 3]
    assert group.fill is not None
    return draw_radii(group.radius, group.fill.number, np.random.default_rng(group.fill.seed))


def _radii(spec: Spec, groups: tuple[GroupTable, ...]) -> np.ndarray:
    """Radii of all particles of the start, and some as others may come [m], the smallest and largest among them."""
    found = [radii_of(group) for group in groups]
    for part in (*spec.particles.values(), *spec.inlets.values()):
        if part.radius is not None:
            found.append(np.array(radius_range(part.radius)))
    found += [draw_radii(part.radius, 256, np.random.default_rng(part.seed)) for part in spec.inlets.values()]
    return np.concatenate(found)


def _skin(radii: np.ndarray, groups: tuple[GroupTable, ...], given: list[float]) -> SkinTable:
    start = np.concatenate([radii_of(group) for group in groups]) if groups else radii
    mean = float(start.mean())
    if given:
        return SkinTable(max(given), max(given), max(given), False, mean)
    return SkinTable(FIRST_SKIN * mean, NARROW * mean, WIDE * mean, True, mean)


def _domain(spec: Spec, groups: tuple[GroupTable, ...]) -> DomainTable:
    """The first domain that a group or an inlet gives counts for all."""
    parts = (*spec.particles.values(), *spec.inlets.values())
    given = [part.domain for part in parts if "domain" in part.model_fields_set]
    box = next((domain for domain in given if domain is not None), None)
    body = box.body if box is not None else groups[0].body if groups else GROUND
    return DomainTable(body, box, bool(given))


def _bodies(
    model: Model, rows: np.ndarray, groups: tuple[GroupTable, ...], domain: DomainTable
) -> Mapping[str, BodyFrame]:
    spec = model.spec
    names = [name for name, body in spec.bodies.items() if any(s.material is not None for s in body.shapes.values())]
    names += [GROUND, domain.body, *(group.body for group in groups)]
    names += [inlet.box.body for inlet in spec.inlets.values()]
    names += [outlet.body if outlet.box is None else outlet.box.body for outlet in spec.outlets.values()]
    found = {}
    for name in dict.fromkeys(names):
        row, R, p = row_frame(model, name)
        at = np.flatnonzero(rows == row)
        found[name] = BodyFrame(int(at[0]) if len(at) else -1, R, p)
    return MappingProxyType(found)
