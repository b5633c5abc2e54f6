"""The Model: a machine compiled into frozen tables, with its kinematics and dynamics.

Conventions, for all of Gori:
- SI units, radians. World axes unless a name says otherwise.
- Rotation before translation: a twist is (angular; linear), a wrench (moment; force), a Jacobian has its angular rows
  first, a free joint's q is the quaternion, then the position.
- Quaternions are w x y z and unit.
- Velocities of spherical and free joints are in the axes of the moving body; the linear part is that of its origin.
- Joints stand in depth-first order from the ground, siblings in the order of the description. Fixed joints have no
  coordinates.
- Stiffness, damping, friction and limits of joints are forces of a simulation: the dynamics here take tau as the
  whole of the joint forces. Armature is inertia and is included.
"""

import hashlib
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gori.errors import InputError
from gori.model.dynamics import Dynamics
from gori.model.state import State
from gori.model.tables import Names, Tables
from gori.spec import Spec

if TYPE_CHECKING:
    from gori.model.connections import Connected, Drive
    from gori.model.contact.query import ContactPoint
    from gori.model.contact.tables import BodyContact
    from gori.model.forces import ForceTables
    from gori.model.loops.coordinates import CutCoordinates
    from gori.model.loops.gears import Meshed
    from gori.model.loops.mobility import Mobility
    from gori.model.loops.system import LoopSystem
    from gori.model.particles.tables import ParticleTables
    from gori.model.vehicle.tables import VehicleTables
    from gori.spec.run import Run


class Compiled(NamedTuple):
    """What a Model holds besides its tree."""

    forces: "ForceTables"
    vehicle: "VehicleTables | None"  # wheels, drive trains, steering, drag, terrain and soil
    particles: "ParticleTables | None"  # materials, walls, groups, inlets and outlets
    contact: "BodyContact | None" = None  # shapes that collide; None where nothing can touch


class Model(Dynamics):
    """A compiled machine. Made by `gori.compile`; never changes. Every method takes one state, q (nq,), or a batch of
    states, q (B, nq), which runs over threads; one-dimensional arguments then count for the whole batch.
    """

    def __init__(self, spec: Spec, tables: Tables, names: Names, values: dict[str, np.ndarray]):
        super().__init__(tables, names, values)
        self.spec, self._names, self._start = spec, names, values

    def complete(self, compiled: Compiled) -> "Model":
        """Add what was compiled with the help of the tree; from now on nothing changes."""
        self.compiled, self.forces, self.vehicle = compiled, compiled.forces, compiled.vehicle
        self.particles, self.contact = compiled.particles, compiled.contact
        holders = () if self.particles is None else self.particles.holders
        self.coupled = {holder.name: holder.row for holder in holders}
        """bodies on which particles act, and their rows; on row 0, the ground, they change nothing but reactions"""
        self.nz = self.forces.states
        self._sealed = True
        return self

    def with_compiled(self, compiled: Compiled) -> "Model":
        """The same tree and loops with something else compiled."""
        return Model(self.spec, self._t, self._names, self._start).complete(compiled)

    def __setattr__(self, name: str, value: Any) -> None:
        if "_sealed" in self.__dict__:
            raise AttributeError("a Model is immutable: change its Spec (spec.set) and compile that")
        super().__setattr__(name, value)

    def __repr__(self) -> str:
        return f"<gori.Model: {len(self.body_names)} bodies, {len(self.joints)} joints, nq {self.nq}, nv {self.nv}>"

    def __copy__(self) -> "Model":
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> "Model":
        return self  # it never changes

    def __reduce__(self):
        from gori.model.compile import compile

        return compile, (self.spec, self.open_loops)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of what a State refers to: names, tree, loops, wheels, soil, walls and shapes that collide; not the
        values of forces.
        """
        parts = [self.joint_names, self.body_names, self.frame_names, self.loops, *self._t, self.forces.element_i]
        if self.loops:
            tables = self.loop_system.tables
            parts += [tables.cut, tables.equation, tables.path, tables.names]  # the pattern follows from them
            parts += [tables.along, tables.factor]
        parts += [self.cut_coordinates.table]
        parts += [() if self.vehicle is None else tuple(self.vehicle.records)]
        parts += [() if self.particles is None else self.particles.arrays()]
        parts += [() if self.contact is None else self.contact.arrays()]
        total = hashlib.sha256()
        for part in _flat(parts):
            total.update(part.encode() if isinstance(part, str) else np.ascontiguousarray(part).tobytes())
        return total.hexdigest()[:32]

    def state(self, q: Any = None, v: Any = None, time: float = 0.0) -> State:
        """A State to start from: at q and v, or where the Spec starts, with loops closed.

        Wheels roll with the bodies that carry them, engines idle, soil is untouched, and particles are packed around
        the bodies, which may take seconds. The Model keeps none of it: keep the State to start from it again.
        """
        from gori.model.start import start_state

        return start_state(self, q, v, time)

    def elastic_energy(self, q: Any) -> Any:
        """Energy [J] that springs, struts, bushings, and stiffness and limits of joints store at q."""
        from gori.model.elastic import elastic_energies

        x = self.rows(q=(q, self.nq))
        total = x.shaped(elastic_energies(self, x["q"]).sum(axis=1)[:, None])[..., 0]
        return float(total) if total.ndim == 0 else total

    def total_energy(self, q: Any, v: Any) -> Any:
        """Kinetic, potential and elastic energy together [J]."""
        kinetic, potential = self.energy(q, v)
        return kinetic + potential + self.elastic_energy(q)

    @property
    def all_joint_names(self) -> tuple[str, ...]:
        """Names of all joints of the tree, fixed ones too."""
        return tuple(self.spec.joints)

    @property
    def cut_names(self) -> tuple[str, ...]:
        """Names of the cuts; none where loops are open."""
        return () if self.open_loops else tuple(self.spec.cuts)

    @property
    def motion_names(self) -> tuple[str, ...]:
        """Names of the given motions; none where loops are open."""
        return () if self.open_loops else tuple(self.spec.motions)

    @cached_property
    def connections(self) -> "tuple[Connected, ...]":
        """All joints of the tree, then the cuts, as they were written, whichever way the tree runs."""
        from gori.model.connections import connections

        return connections(self.spec, self.open_loops)

    @cached_property
    def drives(self) -> "tuple[Drive, ...]":
        """What moves as given: coordinates of joints and cuts; none where loops are open."""
        from gori.model.connections import drives

        return () if self.open_loops else drives(self.spec)

    @cached_property
    def gears(self) -> "dict[str, Meshed]":
        """Gears, racks and belts by name; none where loops are open."""
        from gori.model.loops.gears import gear_mesh

        return {} if self.open_loops else {name: gear_mesh(self, name) for name in self.spec.gears}

    @property
    def run_settings(self) -> "Run | None":
        """The section `run` of the Spec."""
        return self.spec.run

    def contacts(self, q: Any, reach: float = 1e-3) -> "list[ContactPoint]":
        """Where shapes that collide touch at q (nq,), or are nearer than the reach [m]; ordered by shapes.

        Each has the names of the shapes, position, normal from a to b, gap, and the Jacobian (3, nv) of the velocity of
        b against a along the normal and two tangents.
        """
        from gori.model.contact.query import contact_points

        return contact_points(self, q, reach)

    # ---- loops

    @cached_property
    def tree(self) -> "Model":
        """The Model without its loops: the tree that remains, with every joint free."""
        if not self.loops:
            return self
        names = self._names._replace(loops=(), open_loops=True)
        return Model(self.spec, self._t, names, self._start).complete(self.compiled)

    def _forward_dynamics(self, q, v, tau, wrenches, method) -> np.ndarray:
        if not self.loops:
            return super()._forward_dynamics(q, v, tau, wrenches, method)
        self._require_method(method)
        x = self.rows(q=(q, self.nq), v=(v, self.nv), tau=(tau, self.nv), **self._wrenches(wrenches))
        for k in range(x.count):
            self.loop_system.refuse_open(x["q"][k], x["v"][k])
        free = x["tau"] - self.tree.inverse_dynamics(x["q"], x["v"], np.zeros(self.nv), wrenches)
        out = self.loop_system.accelerations(x["q"], x["v"], free)
        self._require_finite(out, "accelerations")
        return x.shaped(out)

    @cached_property
    def loop_system(self) -> "LoopSystem":
        """The equations of cuts, mimic joints and motions."""
        from gori.model.loops.system import LoopSystem

        return LoopSystem(self)

    @cached_property
    def cut_coordinates(self) -> "CutCoordinates":
        """Coordinates of cuts, which the tree does not have."""
        from gori.model.loops.coordinates import cut_coordinates

        return cut_coordinates(self)

    @cached_property
    def travels(self) -> np.ndarray:
        """Which degrees of freedom are lengths, not angles (nv,)."""
        reach = {"prismatic": [1], "cylindrical": [0, 1], "planar": [1, 1, 0], "free": [0, 0, 0, 1, 1, 1]}
        flags = [flag for info in self.joints for flag in reach.get(info.type, [0] * info.nv)]
        return np.array(flags, bool)

    def mobility(self, q: Any = None, independent: Iterable[str] | None = None) -> "Mobility":
        """Degrees of freedom, redundant equations and independent coordinates at q; default: the start, closed."""
        from gori.model.loops.mobility import mobility

        return mobility(self, q, independent)


def require_model(model: Any) -> None:
    """Refuse what is not a Model; the Spec of one is often meant."""
    if isinstance(model, Spec):
        raise InputError("a Model is needed here, not a Spec: gori.compile(spec) makes it")
    if not isinstance(model, Model):
        what = f"the class {model.__name__}" if isinstance(model, type) else f"a {type(model).__name__}"
        raise InputError(f"a Model is needed here, as gori.compile makes it, not {what}")


def _flat(parts: Any) -> Iterator[Any]:
    """Texts and arrays out of nested tuples and lists."""
    for part in parts:
        if isinstance(part, (tuple, list)):
            yield from _flat(part)
        else:
            yield part
