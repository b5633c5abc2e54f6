"""The part `particles` of a State: all that particles keep, as it is at the start, and as a saved State has it."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from gori.errors import InputError
from gori.kernels.particles.columns import N_POSE
from gori.kernels.particles.poses import body_poses
from gori.model.machine import machine_of
from gori.model.model import Model
from gori.model.particles.domain import Domain, domain_of, refuse_outside
from gori.model.particles.inlets import checked_memory, fresh_memory
from gori.model.particles.start import initial_state
from gori.model.particles.state import ParticleState, checked_array, checked_state
from gori.model.particles.tables import ParticleTables

WIDEST = 10.0
"""largest neighbour-list skin of a state, in the largest radius"""
KEPT = {
    "group": "i8 all",
    "next_id": "i8",
    "substeps": "i8",
    "wrench": "f8 holders 6",
    "wall_wrench": "f8 primitives 6",
    "open_gates": "b1 shapes",
    "domain_low": "f8 3",
    "domain_high": "f8 3",
}
"""dtype and shape of what a State holds besides the fields of ParticleState and the inlets"""


class ParticlePart(NamedTuple):
    """All that particles keep.

    state         particles and their contacts
    group         (next_id,) index of the group of each particle that ever was, by its id
    next_id       of the next particle that comes
    substeps      of the last step
    wrench        (holders, 6) mean wrench of the last step on the bodies that have walls
    wall_wrench   (primitives, 6) sum over its sub-steps of the wrench on each primitive
    open_gates    (shapes,) which walls have vanished
    inlets        {name: memory (12,)}
    """

    state: ParticleState
    group: np.ndarray
    next_id: int
    substeps: int
    wrench: np.ndarray
    wall_wrench: np.ndarray
    open_gates: np.ndarray
    domain: Domain
    inlets: Mapping[str, np.ndarray]

    def arrays(self) -> dict[str, Any]:
        """Arrays and numbers by name, as a State holds them."""
        kept = {
            "group": self.group,
            "next_id": np.int64(self.next_id),
            "substeps": np.int64(self.substeps),
            "wrench": self.wrench.copy(),
            "wall_wrench": self.wall_wrench,
            "open_gates": self.open_gates,
            "domain_low": self.domain.low,
            "domain_high": self.domain.high,
        }
        return self.state._asdict() | kept | {f"inlet_{name}": memory for name, memory in self.inlets.items()}


def start_of_particles(model: Model, q: np.ndarray, v: np.ndarray) -> dict[str, Any]:
    """The part at the start of a run, packed around the bodies at q and v; the same for the same Model, q and v.

    Nothing of it is kept in the Model, since a packing may be large: who starts twice from it keeps the State.
    """
    assert model.particles is not None
    return initial_part(model.particles, carrier_poses(model, q, v)).arrays()


def carrier_poses(model: Model, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Poses and velocities (bodies, N_POSE) of the rows that carry walls."""
    assert model.particles is not None
    rows = np.array(model.particles.rows)
    poses, (machine, data) = np.zeros((len(rows), N_POSE)), machine_of(model, wheels=False)
    body_poses(machine, data, np.concatenate([q, v, np.zeros(model.nz)]), rows, poses)
    return poses


def initial_part(tables: ParticleTables, poses: np.ndarray) -> ParticlePart:
    """Particles packed as the Spec says, with no contacts and no forces yet; poses (bodies, N_POSE) of the carriers."""
    state, group = initial_state(tables, poses)
    if tables.outlets:  # which act when lists are made
        state = state._replace(due=np.True_)
    domain = domain_of(tables, poses, state.sphere)
    refuse_outside(domain, state.sphere, poses)
    wrenches = np.zeros((len(tables.holders), 6)), np.zeros((len(tables.walls.wall_i), 6))
    inlets = {inlet.name: fresh_memory(inlet) for inlet in tables.inlets}
    closed = np.zeros(len(tables.until), bool)
    return ParticlePart(state, group, len(state.id), 0, *wrenches, closed, domain, inlets)


def checked_part(saved: Mapping[str, Any], tables: ParticleTables) -> ParticlePart:
    """The ParticlePart of a saved one, a copy; raises an InputError that names the field that is wrong."""
    bodies, primitives = len(tables.rows), len(tables.walls.wall_i)
    if "next_id" not in saved:
        raise InputError("state.particles['next_id'] is missing")
    ever = int(checked_array("next_id", saved["next_id"], KEPT["next_id"], {}))
    state = checked_state(saved, bodies, primitives, len(tables.materials), ever, WIDEST * tables.radius)
    inlets = {inlet.name: f"inlet_{inlet.name}" for inlet in tables.inlets}
    if missing := [name for name in (*KEPT, *inlets.values()) if name not in saved]:
        raise InputError(f"state.particles[{missing[0]!r}] is missing")
    sizes = {"bodies": bodies, "primitives": primitives, "holders": len(tables.holders), "shapes": len(tables.until)}
    kept = {name: checked_array(name, saved[name], declared, sizes) for name, declared in KEPT.items()}
    memories = {name: checked_memory(key, saved[key]) for name, key in inlets.items()}
    groups, next_id, low, high = len(tables.names), int(kept["next_id"]), kept["domain_low"], kept["domain_high"]
    wrong = {
        "next_id": len(state.id) and next_id <= state.id[-1] and "is taken already",
        "group": not (len(kept["group"]) == next_id and np.isin(kept["group"], np.arange(groups)).all())
        and "must give a group to each of the ids up to 'next_id'",
        "substeps": kept["substeps"] < 0 and "must be a count",
        "open_gates": kept["open_gates"][np.isinf(tables.until)].any() and "holds a wall that does not vanish",
        "domain_high": not (low < high).all() and "must be beyond 'domain_low'",
        "sphere": (state.sphere[:, 3] > tables.radius * (1.0 + 1e-12)).any()
        and f"holds a radius beyond the largest of the Model, {tables.radius:g} m",
    }  # fmt: skip
    for name, words in wrong.items():
        if words:
            raise InputError(f"state.particles[{name!r}] {words}")
    frame, given = tables.bodies[tables.domain.body], tables.domain
    domain = Domain(frame.carrier, low, high, given.body, (frame.R, frame.p), given.given)
    last = int(kept["substeps"]), kept["wrench"], kept["wall_wrench"], kept["open_gates"]
    return ParticlePart(state, kept["group"], next_id, *last, domain, memories)
