"""The particles of a Simulation: read and changed between steps, marched along with the bodies, saved and loaded."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from gori.errors import InputError
from gori.kernels.particles import columns as c
from gori.model import threads
from gori.model.arrays import numbers_of, whole
from gori.model.particles.domain import refuse_outside
from gori.model.particles.gates import without
from gori.model.particles.packing import OVERLAP, check_beside, check_overlaps
from gori.model.particles.part import ParticlePart, checked_part
from gori.model.particles.start import motion_rows, refuse_in_walls, walls_around
from gori.model.particles.state import NEW, NO_GRID, ParticleState
from gori.model.particles.tables import ParticleTables
from gori.record import ParticleFrame
from gori.sim.callers.pickled import Bound
from gori.sim.callers.signals import without_interrupts
from gori.sim.particles.engine import ParticleEngine, setup_of
from gori.sim.particles.failures import march_error
from gori.sim.particles.inlets import InletFlow, drains
from gori.sim.subsystem import BodyMotion
from gori.text.arguments import is_one_of

FARTHEST = 1e100
"""positions whose squares are still numbers [m]"""
LARGEST_STEP = 5.0
"""suggested steps from which on particles explode"""
DRAINED = 400
"""sub-steps after which outlets act, if nothing else has made new lists, when they do"""


class Particles(Bound):
    """Particles of one run, by their id: 0, 1, 2, ... in the order in which they came.

    To read, and to change between steps: `position`, `velocity`, `angular_velocity`, `radius`, `add`, `remove`,
    `wall_forces`.

    tables   of the Model
    poses    gives poses and velocities (nbody, N_POSE) now of the rows that carry walls
    part     what they keep, to go on from
    device   "cpu" or "cuda"; default: as in the section `run`
    """

    def __init__(
        self,
        tables: ParticleTables,
        poses: Callable[[np.ndarray], np.ndarray],
        part: ParticlePart,
        device: str | None = None,
    ):
        self.tables, self._poses_of = tables, poses
        self.materials, self.rows = tables.materials, np.array(tables.rows)
        of = [holder.carrier for holder in tables.holders]
        first = [of.index(k) for k in range(len(tables.carriers))]
        self._carriers = slice(None) if first == list(range(len(tables.holders))) else np.array(first)
        self.device = tables.device if device is None else device
        self.step = tables.step
        """largest sub-step [s]"""
        if self.step > LARGEST_STEP * tables.suggested:
            raise InputError(
                f"a step of {self.step:g} s is too large for these particles: 0.2 of the Rayleigh time is "
                f"{tables.suggested:.3g} s, and beyond about 5 times that the simulation is unstable. Leave `step: "
                "auto`, or soften the material (a smaller E)"
            )
        self._inlets = [InletFlow(inlet) for inlet in tables.inlets]
        self._lists_before = 0
        state = self._take_over(part)
        self.setup = setup_of(tables, self.domain, self._open, threads(), self.device)
        self.engine: ParticleEngine = _engine(self.device)(self.setup, state)

    # ---- reading

    def __len__(self) -> int:
        return self.engine.count

    def frame(self, time: float = 0.0) -> ParticleFrame:
        """All particles now, with the poses of the bodies that carry walls."""
        ids, sphere, motion = self.engine.snapshot()
        groups = self.group[ids], self.tables.names
        return ParticleFrame.of(sphere, motion, ids, time, self.matrices(), self.materials, *groups)

    @property
    def id(self) -> np.ndarray:
        """(n,) ids of the particles, ascending."""
        return self.engine.snapshot()[0]

    @property
    def position(self) -> np.ndarray:
        """(n, 3) centres, world [m]."""
        return _read_only(self.engine.snapshot()[1][:, :3])

    @property
    def radius(self) -> np.ndarray:
        """(n,) [m]."""
        return _read_only(self.engine.snapshot()[1][:, c.R])

    @property
    def mass(self) -> np.ndarray:
        """(n,) [kg]."""
        return _read_only(self.engine.snapshot()[2][:, c.MASS])

    @property
    def velocity(self) -> np.ndarray:
        """(n, 3) world [m/s]; all of them can be set."""
        return _read_only(self.engine.snapshot()[2][:, :3])

    @velocity.setter
    def velocity(self, value: Any) -> None:
        self._set_motion(np.s_[:3], value, "velocity")

    @property
    def angular_velocity(self) -> np.ndarray:
        """(n, 3) world [rad/s]; all of them can be set."""
        return _read_only(self.engine.snapshot()[2][:, c.WX : c.WX + 3])

    @angular_velocity.setter
    def angular_velocity(self, value: Any) -> None:
        self._set_motion(np.s_[c.WX : c.WX + 3], value, "angular_velocity")

    def _set_motion(self, columns: slice, value: Any, name: str) -> None:
        numbers, state = _vectors(value, len(self), name), self.engine.state()
        state.motion[:, columns] = numbers
        self._load(state)

    @property
    def momentum(self) -> np.ndarray:
        """(3,) of all particles [kg m/s]."""
        motion = self.engine.snapshot()[2]
        return motion[:, c.MASS] @ motion[:, :3]

    @property
    def energy(self) -> tuple[float, float]:
        """Kinetic energy, of translation and rotation, and potential energy in gravity, of all particles [J]."""
        _, sphere, motion = self.engine.snapshot()
        mass, spin = motion[:, c.MASS], 0.4 * np.square(motion[:, c.WX : c.WX + 3]).sum(axis=1) * sphere[:, c.R] ** 2
        kinetic = 0.5 * mass @ (np.square(motion[:, :3]).sum(axis=1) + spin)
        return float(kinetic), -float(mass @ (sphere[:, :3] @ self.tables.gravity))

    def contacts(self) -> dict[str, Any]:
        """Counts: lists made so far, contacts between particles (each once), contacts with walls."""
        counts = self.engine.counts()
        return counts | {"rebuilds": counts["rebuilds"] + self._lists_before}

    def about(self) -> dict[str, Any]:
        """Summary: how many there are now, how they are computed, what they touch."""
        own = {"count": len(self), "device": self.device, "step": self.step, "substeps": self.substeps}
        inlets = {inlet.table.name: {"made": inlet.made, "waiting": inlet.waiting} for inlet in self._inlets}
        return own | self.contacts() | ({"inlets": inlets} if inlets else {})

    def _wrench_by_primitive(self) -> np.ndarray:
        """Sum over the sub-steps of the last step."""
        return self.engine.wall_wrench() if self._wall_wrench is None else self._wall_wrench

    def wall_forces(self) -> dict[str, np.ndarray]:
        """Mean force (primitives, 3) over the last step of the bodies on each primitive of each wall, world axes [N]:
        of a mesh one row for each triangle.
        """
        forces, walls = self._wrench_by_primitive()[:, 3:] / max(1, self.substeps), self.tables.walls
        return {name: forces[walls.wall_i[:, c.SHAPE] == k] for k, name in enumerate(walls.names)}

    # ---- particles come and go

    def add(
        self,
        position: Any,
        radius: Any,
        material: str,
        velocity: Any = 0.0,
        angular_velocity: Any = 0.0,
        group: int = 0,
        max_overlap: float = OVERLAP,
    ) -> None:
        """Add particles at positions (n, 3) [m] of radii [m] and a material; they must not overlap each other, those
        that are there or a wall by more than a share `max_overlap` of the smaller radius.
        """
        position = np.atleast_2d(numbers_of(position, "position"))
        radius = numbers_of(radius, "radius")
        if position.ndim != 2 or radius.shape not in ((), (len(position),)) or not np.isfinite(radius).all():
            raise InputError("particles need positions (n, 3), and one radius or one for each")
        radii = np.broadcast_to(radius, len(position))
        if not len(position):
            return
        if not (isinstance(max_overlap, (int, float)) and 0.0 <= max_overlap < 1.0):
            raise InputError(f"max_overlap must be a share of a radius, from 0 to less than 1, not {max_overlap!r}")
        if whole("group", group) not in range(len(self.tables.names)):
            raise InputError(f"group must be from 0 to {len(self.tables.names) - 1}, not {group!r}")
        if not is_one_of(material, self.materials):
            raise InputError(f"there is no material {material!r}: {', '.join(self.materials)}")
        if position.shape[1] != 3 or not ((np.abs(position) < FARTHEST).all() and (radii > 0.0).all()):
            raise InputError("particles need positions (n, 3) of finite numbers, and positive radii")
        if not self.tables.density[self.materials.index(material)] > 0.0:
            raise InputError(f"particles of {material!r} have no mass: give that material a density")
        if radii.max() > self.setup.radius * (1.0 + 1e-12):
            raise InputError(
                f"a particle of radius {radii.max():g} m is larger than the largest of this run, {self.setup.radius:g} "
                "m: give a group or an inlet such a radius"
            )
        sphere = np.column_stack([position, radii])
        ids, there, _ = self.engine.snapshot()
        check_overlaps(sphere, max_overlap)
        check_beside(sphere, there, max_overlap, ids)
        refuse_in_walls(self.tables, self.pose_of, sphere, gone=self.gone_walls, allowed=max_overlap)
        refuse_outside(self.domain, sphere, self.poses())
        self.put(sphere, self.materials.index(material), velocity, angular_velocity, group)

    def put(
        self, sphere: np.ndarray, material: int, velocity: Any = 0.0, angular_velocity: Any = 0.0, group: int = 0
    ) -> None:
        """Add particles (n, 4), centre and radius [m], that are known to fit."""
        n, poses = len(sphere), self.poses()
        velocities, spins = _vectors(velocity, n, "velocity"), _vectors(angular_velocity, n, "angular_velocity")
        motion = motion_rows(self.tables, sphere[:, 3], velocities, spins, np.full(n, material))
        ids, groups = np.arange(self._next, self._next + n), np.concatenate([self.group, np.full(n, group)])
        with without_interrupts():
            wrench = self._wrench_by_primitive()
            if not self.engine.add(ids, sphere, motion, poses):
                self._load(self._joined(ids, sphere, motion, poses))
            self.group, self._next, self._wall_wrench = groups, self._next + n, wrench

    def _joined(self, ids: np.ndarray, sphere: np.ndarray, motion: np.ndarray, poses: np.ndarray) -> ParticleState:
        """The state with more particles."""
        state = self.engine.state()
        everything = np.concatenate([state.sphere, sphere])
        return state._replace(
            id=np.concatenate([state.id, ids]),
            sphere=everything,
            motion=np.concatenate([state.motion, motion]),
            listed_position=everything[:, :3].copy(),
            listed_pose=poses,
            grid=NO_GRID,
            due=np.False_,
            since=NEW,
        )

    def _load(self, state: ParticleState) -> None:
        """Other particles; what is known of the last step stays."""
        wrench, lists = self._wrench_by_primitive(), self._lists_before + self.engine.lists_made
        engine = self.engine.with_state(state)
        with without_interrupts():
            self.engine, self._wall_wrench, self._lists_before = engine, wrench, lists

    def remove(self, which: Any) -> int:
        """Take out particles: which (n,) is true for them, in the order of `id`. Returns how many."""
        which = numbers_of(which, "which") != 0.0
        if which.shape != (len(self),):
            raise InputError(f"which must be {len(self)} booleans, one for each particle, not {which.shape}")
        if which.any():
            state = self.engine.state()
            stay, gone = ~which, state.id[which]
            pairs = ~np.isin(state.pairs, gone).any(axis=1)
            walls = ~np.isin(state.walls[:, 0], gone)
            self._load(
                ParticleState(
                    state.id[stay], state.sphere[stay], state.motion[stay], state.sphere[stay, :3].copy(),
                    self.poses(), state.pairs[pairs], state.history[pairs],
                    state.walls[walls], state.wall_history[walls], skin=state.skin,
                )
            )  # fmt: skip
        return int(which.sum())

    def exchange(self, time: float) -> None:
        """Gates open, outlets take particles out, and inlets let in what is due by this time."""
        self.open_gates(time)
        if self.tables.outlets and self.engine.since >= DRAINED and drains(self.tables.outlets, self):
            self.engine.expire()
        for inlet in self._inlets:
            inlet.let_in(self, time)

    def open_gates(self, time: float) -> None:
        """Walls whose time has come vanish."""
        opened = self._open | (self.tables.until <= time + 1e-9 * abs(time))
        if (opened != self._open).any():
            with without_interrupts():
                self.engine.change_walls(without(self.tables.walls, opened))
                self.setup, self._open = self.engine.setup, opened

    @property
    def gone_walls(self) -> tuple[str, ...]:
        """Names of the walls that have vanished."""
        return tuple(name for name, gone in zip(self.tables.walls.names, self._open) if gone)

    # ---- as a Subsystem

    name = "particles"
    outputs: Mapping[str, str] = {}

    @property
    def bodies(self) -> list[str]:
        """Names of the bodies that have walls."""
        return [holder.name for holder in self.tables.holders]

    def start(self, motion: BodyMotion, time: float) -> np.ndarray:
        """Particles stand where they were packed or loaded; the wrench of the last step acts on."""
        self.open_gates(time)
        return self.wrench

    def advance(self, motion: BodyMotion, step: float, time: float) -> np.ndarray:
        """Follow a motion of the bodies to `time`; the mean wrench (bodies, 6) on them."""
        self.follow(np.ascontiguousarray(motion.table[:, self._carriers]), step, time)
        return self.wrench

    def output_values(self) -> tuple[float, ...]:
        """Nothing but the wrenches is recorded."""
        return ()

    # ---- marching

    def follow(self, table: np.ndarray, step: float, time: float) -> None:
        """March along a table of poses to `time`; `wrench` is the mean wrench. Raises SimulationError."""
        with without_interrupts():
            self.substeps = len(table) - 1
            failure = self.engine.march(table, step)
            self.wrench, self._wall_wrench = self.engine.wrench / self.substeps, None
        if failure is not None:
            suggested, advice = self.tables.suggested, ""
            if step > suggested * (1.0 + 1e-9):
                advice = f"the step of {step:.3g} s is too large (suggested: {suggested:.3g} s), "
            domain, walls_at = self.domain, partial(walls_around, self.tables, self.pose_of, but=self.gone_walls)
            raise march_error(failure, self.engine, domain, self.poses(), time, step, advice, walls_at)

    # ---- state

    def state(self) -> dict[str, Any]:
        """All that a run needs to go on bit for bit: arrays and numbers by name."""
        last = self.substeps, self.wrench, self._wrench_by_primitive(), self._open
        inlets = {inlet.table.name: inlet.memory() for inlet in self._inlets}
        part = ParticlePart(self.engine.state(), self.group, self._next, *last, self.domain, inlets)
        return part.arrays()

    def load(self, saved: Mapping[str, Any]) -> None:
        """Go on from a state; every array is checked. Raises an InputError that names the field that is wrong."""
        self.go_on(checked_part(saved, self.tables))

    def go_on(self, part: ParticlePart) -> None:
        """Go on from what was checked."""
        setup = setup_of(self.tables, part.domain, part.open_gates, self.setup.workers, self.device)
        engine = self.engine.with_state(part.state, setup)
        with without_interrupts():
            self._take_over(part)
            self.setup, self.engine = setup, engine

    def _take_over(self, part: ParticlePart) -> ParticleState:
        """All but the engine as a State has it; what the engine has to load."""
        for inlet in self._inlets:
            inlet.recall(part.inlets[inlet.table.name])
        self.domain, self.group, self._next, self.substeps = part.domain, part.group, part.next_id, part.substeps
        self._open = part.open_gates  # (shapes,) walls that have vanished
        self.wrench = part.wrench
        """mean wrench on each holder over the last macro step: moment about the origin of its row, force, world"""
        self._wall_wrench: np.ndarray | None = part.wall_wrench  # of the last step, until the engine has made one
        return part.state

    # ---- bodies

    def poses(self) -> np.ndarray:
        """Poses and velocities (nbody, N_POSE) now of the rows that carry walls."""
        return self._poses_of(self.rows)

    def pose_of(self, body: str) -> tuple[np.ndarray, np.ndarray]:
        """Rotation and position of a body now."""
        return self.tables.pose_of(body, self.poses())

    def matrices(self) -> dict[str, np.ndarray]:
        """Poses (4, 4) of all bodies with walls, by name."""
        out, poses = {}, self.poses()
        for name in dict.fromkeys(wall.body for wall in self._walls_by_carrier()):
            R, p = self.tables.pose_of(name, poses)
            out[name] = np.block([[R, p[:, None]], [np.zeros((1, 3)), 1.0]])
        return out

    def _walls_by_carrier(self) -> list[Any]:
        """Walls in the order of the carriers."""
        return sorted(self.tables.wall_shapes, key=lambda wall: self.tables.bodies[wall.body].carrier)


def _read_only(numbers: np.ndarray) -> np.ndarray:
    """A copy that cannot be written: a change would change nothing."""
    numbers.flags.writeable = False
    return numbers


def _engine(device: str) -> Any:
    """The class that computes particles on a device."""
    if device == "cpu":
        from gori.sim.particles.cpu import CpuEngine

        return CpuEngine
    from gori.sim.particles.cuda import CudaEngine, check_device

    check_device()
    return CudaEngine


def _vectors(value: Any, count: int, name: str) -> np.ndarray:
    """Three finite numbers for each of some particles, of one number, of three, or of three for each."""
    try:
        numbers = np.broadcast_to(numbers_of(value, name), (count, 3))
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{name} must be three numbers, or three for each of {count} particles") from None
    if not np.isfinite(numbers).all():
        raise InputError(f"{name} holds a number that is not finite")
    return numbers
