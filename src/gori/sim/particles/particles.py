"""The grains of a Simulation: where they start, what they did, those that come in and go out."""

from collections.abc import Callable
from typing import Any

import numpy as np

from gori.errors import InputError, SimulationError, UnsupportedError
from gori.kernels.particles import grains as gr
from gori.kernels.particles import tables as c
from gori.model import Model, threads
from gori.model.particles.carriers import Carrier, carriers, row_frame
from gori.model.particles.materials import pair_table, suggested_step
from gori.model.particles.packing import check_beside, check_overlaps
from gori.model.particles.start import refuse_in_walls, start
from gori.model.particles.walls import wall_tables
from gori.record import Frame
from gori.sim.particles.domain import NOT_GIVEN, domain_of
from gori.sim.particles.engine import NO_GRID, Bed, BedState, Setup, Trouble, fresh_state
from gori.sim.particles.inlets import Inlet, in_box, velocity_at
from gori.spec import Outlet
from gori.spec.particles.groups import find_shape, radius_range
from gori.spec.subsystem import Subsystem

SKIN = 0.1
"""extra distance of the lists, in the mean radius, where a run says nothing else"""


class Grains:
    """Grains of one run, by their ident: 0, 1, 2, ... in the order in which they came.

    To look at and to change between steps: `place`, `velocity`, `spin`, `radius`, `add`, `remove`, `wall_forces`.

    poses   gives poses and velocities (n, N_POSE) now of rows (n,) of the Model
    """

    def __init__(self, model: Model, settings: dict[str, Subsystem], poses: Callable[[np.ndarray], np.ndarray]):
        self.model, spec = model, model.spec
        self.carriers: list[Carrier] = carriers(model)
        self._poses_of = poses
        self.rows = np.array([carrier.row for carrier in self.carriers], np.int64)
        self.materials, pair_f, law = pair_table(spec)
        self.settings = settings
        self.device = next((part.device for part in settings.values()), "cpu")
        steps = [part.step for part in settings.values() if not isinstance(part.step, str)]
        self.suggested = suggested_step(spec)
        self.step: float = min(steps, default=self.suggested)
        if self.step > 5.0 * self.suggested:
            raise InputError(
                f"a step of {self.step:g} s is too large for these grains: 0.2 of the Rayleigh time is "
                f"{self.suggested:.3g} s, and from about 5 times that on they explode. Leave `step: auto`, or soften "
                "the material (a smaller E)"
            )
        self._density = np.array([spec.materials[name].density or 0.0 for name in self.materials])
        begin = start(spec, self.pose_of)
        velocity, spin = begin.velocity.copy(), begin.spin.copy()
        self.names = (*begin.names, *spec.inlets)
        self.held_by = begin.carriers
        """body that held each group at the start"""
        self.group = begin.group.astype(np.int64)
        now = self.poses()
        for k, body in enumerate(begin.carriers):
            mine = begin.group == k
            velocity[mine] += velocity_at(self.motion_of(body, now), begin.place[mine, :3])
            spin[mine] += self.motion_of(body, now)[1]
        self._next = len(begin.place)
        motion = self._motion(begin.place[:, 3], velocity, spin, begin.material)
        radii = begin.place[:, 3]
        rules = [part.radius for part in (*spec.particles.values(), *spec.inlets.values())]
        largest = [radius_range(rule)[1] for rule in rules if rule is not None]
        self._inlets = {name: Inlet(name, part, self.names.index(name)) for name, part in spec.inlets.items()}
        skins = [part.skin for part in settings.values() if not isinstance(part.skin, str)]
        mean = float(radii.mean()) if len(radii) else min(largest, default=1.0)
        skin = max(skins, default=SKIN * mean)
        radius = max([*largest, *radii.tolist()])
        shapes = [(k, *shape) for k, carrier in enumerate(self.carriers) for shape in carrier.shapes]
        walls = wall_tables(shapes, radius + skin, len(self.carriers))
        self.domain = domain_of(self, begin.place, radius, walls)
        self._refuse_outside(begin.place)
        home, low, high = self.domain[:3]
        rolling = bool((pair_f[:, c.MU_ROLL] > 0.0).any())
        self.setup = Setup(
            pair_f, law, rolling, walls, np.array(spec.gravity, float), skin, radius, home, low, high, threads()
        )
        self.push = np.zeros((len(self.carriers), 6))
        """mean wrench on each carrier over the last macro step: moment about the origin of its row, force, world"""
        self.substeps, self._lists_before, self._push_before = 0, 0, None
        self._bed = _bed(self.device)(self.setup, fresh_state(begin.place, motion, np.arange(self._next), now))

    # ---- to look at

    def __len__(self) -> int:
        return self._bed.count

    @property
    def bed(self) -> Bed:
        return self._bed

    def frame(self, time: float = 0.0) -> Frame:
        """All grains now, with the poses of the bodies that carry walls."""
        ident, place, motion = self._bed.look()
        return Frame.of(place, motion, ident, time, self.matrices(), self.materials)

    @property
    def ident(self) -> np.ndarray:
        """(n,) names of the grains, ascending."""
        return self._bed.look()[0]

    @property
    def place(self) -> np.ndarray:
        """(n, 3) centres, world [m]."""
        return _fixed(self._bed.look()[1][:, :3])

    @property
    def radius(self) -> np.ndarray:
        """(n,) [m]."""
        return _fixed(self._bed.look()[1][:, c.R])

    @property
    def mass(self) -> np.ndarray:
        """(n,) [kg]."""
        return _fixed(self._bed.look()[2][:, c.MASS])

    @property
    def velocity(self) -> np.ndarray:
        """(n, 3) world [m/s]; all of them can be set."""
        return _fixed(self._bed.look()[2][:, :3])

    @velocity.setter
    def velocity(self, value: Any) -> None:
        self._set_motion(np.s_[:3], value, "velocity")

    @property
    def spin(self) -> np.ndarray:
        """(n, 3) world [rad/s]; all of them can be set."""
        return _fixed(self._bed.look()[2][:, c.WX : c.WX + 3])

    @spin.setter
    def spin(self, value: Any) -> None:
        self._set_motion(np.s_[c.WX : c.WX + 3], value, "spin")

    def _set_motion(self, columns: slice, value: Any, name: str) -> None:
        state = self._bed.state()
        try:
            numbers = np.broadcast_to(np.asarray(value, float), (len(self), 3))
        except ValueError:
            raise InputError(f"{name} must be three numbers, or three for each of {len(self)} grains") from None
        if not np.isfinite(numbers).all():
            raise InputError(f"{name} holds a number that is not finite")
        state.motion[:, columns] = numbers
        self._load(state)

    @property
    def momentum(self) -> np.ndarray:
        """(3,) of all grains [kg m/s]."""
        motion = self._bed.look()[2]
        return motion[:, c.MASS] @ motion[:, :3]

    def contacts(self) -> dict[str, Any]:
        """Counts: lists made so far, contacts between grains (each once), contacts with walls."""
        counts = self._bed.counts()
        return counts | {"rebuilds": counts["rebuilds"] + self._lists_before}

    def about(self) -> dict[str, Any]:
        """What a run tells of its grains: how many there are now, how they are computed, what they touch."""
        own = {"count": len(self), "device": self.device, "step": self.step, "substeps": self.substeps}
        inlets = {name: {"made": inlet.made, "waiting": inlet.waiting} for name, inlet in self._inlets.items()}
        return own | self.contacts() | ({"inlets": inlets} if inlets else {})

    def wall_forces(self) -> dict[str, np.ndarray]:
        """Mean force (primitives, 3) over the last step of the bodies on each primitive of each wall, world axes [N]:
        of a mesh one row for each triangle.
        """
        push = self._bed.wall_push() if self._push_before is None else self._push_before
        pushes, walls = push[:, 3:] / max(1, self.substeps), self.setup.walls
        return {name: pushes[walls.wall_i[:, c.SHAPE] == k] for k, name in enumerate(walls.names)}

    # ---- grains come and go

    def add(self, place: Any, radius: Any, material: str, velocity: Any = 0.0, spin: Any = 0.0, group: int = 0) -> None:
        """Add grains at places (n, 3) [m] of radii [m] and a material; they must not overlap others deeply."""
        place = np.atleast_2d(np.asarray(place, float))
        radii = np.broadcast_to(np.asarray(radius, float), len(place))
        if material not in self.materials:
            raise InputError(f"there is no material {material!r}: {', '.join(self.materials)}")
        if place.shape[1] != 3 or not (np.isfinite(place).all() and (radii > 0.0).all()):
            raise InputError("grains need places (n, 3) of finite numbers, and positive radii")
        if not self._density[self.materials.index(material)] > 0.0:
            raise InputError(f"grains of {material!r} have no mass: give that material a density")
        if radii.max() > self.setup.radius * (1.0 + 1e-12):
            raise InputError(
                f"a grain of radius {radii.max():g} m is larger than the largest of this run, {self.setup.radius:g} m: "
                "give a group or an inlet such a radius"
            )
        places = np.column_stack([place, radii])
        check_overlaps(places)
        check_beside(places, self._bed.look()[1])
        refuse_in_walls(self.model.spec, self.pose_of, places)
        self._refuse_outside(places)
        self.put(places, material, velocity, spin, group)

    def put(self, places: np.ndarray, material: str, velocity: Any = 0.0, spin: Any = 0.0, group: int = 0) -> None:
        """Add grains (n, 4) that have been looked at: place and radius [m]."""
        state, k = self._bed.state(), self.materials.index(material)
        velocities, spins = (np.broadcast_to(np.asarray(x, float), (len(places), 3)) for x in (velocity, spin))
        motion = self._motion(places[:, 3], velocities, spins, np.full(len(places), k))
        ident = np.arange(self._next, self._next + len(places))
        self._next += len(places)
        self.group = np.concatenate([self.group, np.full(len(places), group)])
        everything = np.concatenate([state.place, places])
        self._load(
            state._replace(
                ident=np.concatenate([state.ident, ident]),
                place=everything,
                motion=np.concatenate([state.motion, motion]),
                before=everything[:, :3].copy(),
                pose_before=self.poses(),
                grid=NO_GRID,
                due=np.False_,
            )
        )

    def _load(self, state: BedState) -> None:
        """Other grains; what is known of the last step stays."""
        self._push_before = self._bed.wall_push() if self._push_before is None else self._push_before
        self._lists_before += self._bed.lists_made
        self._bed.load(state)

    def _refuse_outside(self, places: np.ndarray) -> None:
        outside = self.domain.outside(places[:, :3], self.poses())
        if outside.any():
            k = int(np.argmax(outside))
            side = self.domain.left_by(places[k, :3], self.poses()).removeprefix(" through").rstrip(",")
            where = ", ".join(f"{x:.4g}" for x in places[k, :3])
            raise InputError(
                f"grain {k} at {where} starts outside of the domain, beyond{side}: give it another place, or a larger "
                "`domain`"
            )

    def remove(self, which: Any) -> int:
        """Take out grains: which (n,) is true for them, in the order of `ident`. Returns how many."""
        which = np.asarray(which, bool)
        if which.shape != (len(self),):
            raise InputError(f"which must be {len(self)} truth values, one for each grain, not {which.shape}")
        if which.any():
            state = self._bed.state()
            stay, gone = ~which, state.ident[which]
            pairs = ~np.isin(state.pairs, gone).any(axis=1)
            walls = ~np.isin(state.walls[:, 0], gone)
            self._load(
                BedState(
                    state.ident[stay], state.place[stay], state.motion[stay], state.place[stay, :3].copy(),
                    self.poses(), state.pairs[pairs], state.history[pairs],
                    state.walls[walls], state.wall_history[walls],
                )
            )  # fmt: skip
        return int(which.sum())

    def exchange(self, time: float) -> None:
        """Outlets take grains out, and inlets let in what is due by this time."""
        for outlet in self.model.spec.outlets.values():
            self.remove(self._inside(outlet))
        for inlet in self._inlets.values():
            inlet.let_in(self, time)

    def _inside(self, outlet: Outlet) -> np.ndarray:
        place = self.place
        if outlet.box is None:
            R, p = self.pose_of(outlet.body)
            return (place - p) @ R[:, 2] < (np.inf if outlet.below is None else outlet.below)
        return in_box(outlet.box, place, self.pose_of(outlet.box.body))

    # ---- marching

    def follow(self, table: np.ndarray, step: float, time: float) -> None:
        """Grains march along a table of poses; `push` is the mean wrench. Raises SimulationError."""
        self.substeps = len(table) - 1
        trouble = self._bed.march(table, step)
        self.push, self._push_before = self._bed.push / self.substeps, None
        if trouble is not None:
            raise self._error(trouble, time, step)

    def _error(self, trouble: Trouble, time: float, step: float) -> SimulationError:
        ident, place, motion = self._bed.look()
        k = int(np.searchsorted(ident, trouble.ident))
        known = k < len(ident) and ident[k] == trouble.ident
        who = f"grain {trouble.ident}" if trouble.ident >= 0 else "a grain"
        if known:
            x, y, z = place[k, :3]
            speed = float(np.linalg.norm(motion[k, :3]))
            who += f" at ({x:.4g}, {y:.4g}, {z:.4g}) m, moving with {speed:.3g} m/s,"
        if trouble.code == gr.LOST:
            side = self.domain.left_by(place[k, :3], self.poses()) if known else ""
            default = "" if self.domain.given else f". {NOT_GIVEN}"
            return SimulationError(
                f"{who} has left the domain{side} and is lost, by t = {time:.6g} s. Look for a hole in the walls or a "
                "wall without a material. If grains are to leave, give an outlet that takes them out; if they are to "
                f"go on, a larger `domain`, or `domain: none`{default}",
                time,
            )
        if trouble.code == gr.TOO_DEEP:
            return SimulationError(
                f"{who} overlaps another or a wall by more than half a radius, before t = {time:.6g} s: "
                f"{self._too_large(step)}the material is too soft for the load, or something hits far too hard",
                time,
            )
        return SimulationError(
            f"{who} moves by more than a quarter of its radius in one step of {step:.3g} s, before t = {time:.6g} s: "
            f"{self._too_large(step)}something hits far too hard, or grains are so fast that they need a shorter step",
            time,
        )

    def _too_large(self, step: float) -> str:
        """Of a step that is."""
        if step <= self.suggested * (1.0 + 1e-9):
            return ""
        return f"the step of {step:.3g} s is too large (suggested: {self.suggested:.3g} s), "

    # ---- saving

    def save(self) -> dict[str, Any]:
        """All that a run needs to go on."""
        arrays = {f"grains_{name}": value for name, value in self._bed.state()._asdict().items()}
        arrays |= {"grains_group": self.group, "grains_next": self._next, "grains_push": self.push}
        return arrays | {f"inlet_{name}": np.array(inlet.memory()) for name, inlet in self._inlets.items()}

    def restore(self, saved: dict[str, Any]) -> None:
        self._bed.load(BedState(*(np.asarray(saved[f"grains_{name}"]) for name in BedState._fields)))
        self.group, self._next, self.push = saved["grains_group"], int(saved["grains_next"]), saved["grains_push"]
        self._push_before = None
        for name, inlet in self._inlets.items():
            inlet.recall(saved[f"inlet_{name}"])

    # ---- bodies

    def poses(self) -> np.ndarray:
        """Poses and velocities (nbody, N_POSE) now of the rows that carry walls."""
        return self._poses_of(self.rows)

    def pose_of(self, body: str) -> tuple[np.ndarray, np.ndarray]:
        """Rotation and position of a body now."""
        row, R, p = row_frame(self.model, body)
        found = np.flatnonzero(self.rows == row)
        if not len(found):
            raise UnsupportedError(
                f"grains are placed by body {body!r}, which carries no wall: give one of its shapes a material"
            )
        pose = self.poses()[found[0]]
        R_W, p_W = pose[: gr.POS].reshape(3, 3), pose[gr.POS : gr.VEL]
        return R_W @ R, p_W + R_W @ p

    def motion_of(self, body: str, poses: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Velocity and spin of the row of a body, and its origin."""
        pose = poses[np.flatnonzero(self.rows == row_frame(self.model, body)[0])[0]]
        return pose[gr.VEL : gr.SPIN], pose[gr.SPIN :], pose[gr.POS : gr.VEL]

    def matrices(self) -> dict[str, np.ndarray]:
        """Poses (4, 4) of all bodies with walls, by name."""
        out = {}
        for carrier in self.carriers:
            for name in dict.fromkeys(find_shape(self.model.spec, shape[0])[0] for shape in carrier.shapes):  # type: ignore[index]
                R, p = self.pose_of(name)
                out[name] = np.block([[R, p[:, None]], [np.zeros((1, 3)), 1.0]])
        return out

    def _motion(self, radii: np.ndarray, velocity: Any, spin: Any, material: np.ndarray) -> np.ndarray:
        motion = np.zeros((len(radii), 8))
        motion[:, :3], motion[:, c.WX : c.WX + 3], motion[:, c.MATERIAL] = velocity, spin, material
        motion[:, c.MASS] = 4.0 / 3.0 * np.pi * radii**3 * self._density[material]
        return motion


def _fixed(numbers: np.ndarray) -> np.ndarray:
    """To look at: a change would change nothing."""
    numbers.flags.writeable = False
    return numbers


def _bed(device: str) -> Any:
    """The class that computes grains on a device."""
    if device == "cpu":
        from gori.sim.particles.cpu import CpuBed

        return CpuBed
    from gori.sim.particles.cuda import CudaBed, check_device

    check_device()
    return CudaBed
