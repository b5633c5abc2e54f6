"""Particles that march: what both engines, CPU and GPU, have in common.

An engine takes its ParticleSetup and a ParticleState, marches over a table of poses of the bodies that carry walls, and
gives the wrenches on those. To the outside particles stand by their id. Other particles are another engine: it is made
aside, and put in place when it is whole, so that whatever happens meanwhile leaves the old one as it was.
"""

from typing import Any, NamedTuple, Protocol

import numpy as np

from gori.kernels.particles import columns as c
from gori.kernels.particles.arrays import SETTINGS
from gori.kernels.particles.skin import FOLLOW
from gori.model.particles.domain import Domain
from gori.model.particles.gates import without
from gori.model.particles.state import ParticleState, most_cells
from gori.model.particles.tables import ParticleTables
from gori.model.particles.walls import Walls

WALL_TABLES = (
    "wall_i", "wall_f", "rim_i", "rim_f", "bin_i", "bin_f", "bin_start", "bin_wall", "always", "extent"
)  # fmt: skip
"""arrays of the kernels that are fields of `Walls`"""
WALL_GRIDS = ("bin_i", "bin_start", "bin_wall", "always")
"""those that change when a wall vanishes"""
SPARE = 1024
"""rows for particles that come in, at least"""


class ParticleSetup(NamedTuple):
    """What does not change while particles march.

    pair_f     (nm * nm, N_PAIR_F) laws of materials
    law        HERTZ or VOIGT
    rolling    whether any contact resists rolling
    walls      in the frames of bodies, which are the rows of the tables of poses
    gravity    (3,) [m/s2]
    skin       neighbour-list skin at the start [m]
    radius     largest that will ever come [m]
    home       body on which particles ride, -1 for none: lists hold as long as they do
    low, high  (3,) corners of the domain, in the frame of that body [m]
    workers    threads on the CPU
    holder     (primitives,) whose wrench the force on each counts to; if not given, that of its body
    holders    number of these
    full_arm   1 if friction acts at the whole radius, 0 if at the contact point
    follow, narrow, wide   how the skin follows motion, its least and largest value [m]; if not given, it stays
    levels     (n,) largest radius of each level of sizes [m], falling; if not given, there is one
    outlets    carrier (n,), and (n, 18) rotation, position, lower and upper corner in its frame; None: there are none
    spare      rows for particles that are yet to come
    alike      whether all that will ever come have one radius and mass; if not given, as those that are there
    """

    pair_f: np.ndarray
    law: int
    rolling: bool
    walls: Walls
    gravity: np.ndarray
    skin: float
    radius: float
    home: int
    low: np.ndarray
    high: np.ndarray
    workers: int
    holder: np.ndarray | None = None
    holders: int = 0
    full_arm: float = 0.0
    follow: float = 0.0
    narrow: float = 0.0
    wide: float = 0.0
    levels: np.ndarray | None = None
    outlets: tuple[np.ndarray, np.ndarray] | None = None
    spare: int = 0
    alike: bool | None = None

    def skin_of(self, state: ParticleState) -> float:
        """The skin [m] of the lists of a state."""
        return float(state.skin) or self.skin

    def replaces(self, skin: float) -> bool:
        """Whether the lists to come have another skin than these, as one is given for the run."""
        return self.follow == 0.0 and skin != self.skin

    @property
    def widest(self) -> float:
        """Largest skin [m]."""
        return max(self.skin, self.wide)

    @property
    def level_radius(self) -> np.ndarray:
        """Largest radius of each level of sizes [m]."""
        return np.array([self.radius]) if self.levels is None else self.levels

    @property
    def wrenches(self) -> tuple[np.ndarray, int]:
        """Whose wrench the force on each primitive counts to (primitives,), and how many there are."""
        if self.holder is None:
            return self.walls.wall_i[:, c.BODY], len(self.walls.bin_i)
        return self.holder, self.holders

    @property
    def history(self) -> int:
        """Numbers of the history of a contact: tangential (3) and 0, with rolling (3) and 0."""
        return 8 if self.rolling else 4


def setup_of(
    tables: ParticleTables, domain: Domain, open_gates: np.ndarray, workers: int, device: str = "cpu"
) -> ParticleSetup:
    """The setup of compiled particles in a domain; open_gates (shapes,): which walls have vanished."""
    t, walls, skin = tables, without(tables.walls, open_gates), tables.skin
    return ParticleSetup(
        t.pair_f, t.law, t.rolling, walls, t.gravity, skin.start, t.radius, domain.home, domain.low, domain.high,
        workers, t.holder, len(t.holders), t.full_arm,
        follow=FOLLOW[device] if skin.follow else 0.0, narrow=skin.narrow, wide=skin.wide,
        levels=t.levels, outlets=outlet_regions(tables), spare=SPARE if t.inlets else 0, alike=t.alike,
    )  # fmt: skip


def outlet_regions(tables: ParticleTables) -> tuple[np.ndarray, np.ndarray] | None:
    """Outlets as boxes in the frames of the carriers: carrier (n,); rotation, position, corners (n, 18)."""
    if not tables.outlets:
        return None
    carrier, rows = [], []
    for outlet in tables.outlets:
        frame = tables.frame_of(outlet.body if outlet.box is None else outlet.box.body)
        R, p, half = np.eye(3), np.zeros(3), np.full(3, np.inf)
        low, high = -half, half
        if outlet.box is not None:
            R, p = outlet.box.pose()
            low, high = -0.5 * np.array(outlet.box.size), 0.5 * np.array(outlet.box.size)
        elif outlet.below is not None:
            high = np.array([np.inf, np.inf, outlet.below])
        carrier.append(frame.carrier)
        rows.append(np.concatenate([(frame.R @ R).ravel(), frame.p + frame.R @ p, low, high]))
    return np.array(carrier, np.int32), np.array(rows)


class EngineFailure(NamedTuple):
    """Why a march ended early: a result code of `kernels/particles/columns.py`, and the particle behind it, or -1."""

    code: int
    id: int


class ParticleEngine(Protocol):
    """What computes particles."""

    setup: ParticleSetup
    wrench: np.ndarray
    """(holders, 6) sum over the sub-steps of the last march of moment about the body's origin and force on its walls"""

    @property
    def count(self) -> int:
        """Number of particles."""
        ...

    @property
    def since(self) -> int:
        """Sub-steps since the lists were made."""
        ...

    def add(self, ids: np.ndarray, sphere: np.ndarray, motion: np.ndarray, poses: np.ndarray) -> bool:
        """Put in more particles, with higher ids, where the bodies stand now; False if they do not fit in here."""
        ...

    def expire(self) -> None:
        """The next march begins with new lists."""
        ...

    def with_state(self, state: ParticleState, setup: ParticleSetup | None = None) -> "ParticleEngine":
        """Another engine with these particles and contacts, to take the place of this one."""
        ...

    def march(self, poses: np.ndarray, step: float) -> EngineFailure | None:
        """Sub-steps of `step` [s] along poses (steps + 1, nbody, N_POSE)."""
        ...

    def state(self) -> ParticleState:
        """Particles and contacts, to be kept."""
        ...

    def snapshot(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """id, sphere and motion, by id; cheaper than the state."""
        ...

    def change_walls(self, walls: Walls) -> None:
        """Other walls are offered to particles (`WALL_GRIDS`), from the next march on."""
        ...

    def renew(self) -> None:
        """Make all lists anew, though they may not be due."""
        ...

    def wall_wrench(self) -> np.ndarray:
        """(primitives, 6) as `wrench`, by primitives."""
        ...

    @property
    def lists_made(self) -> int:
        """since particles were loaded."""
        ...

    def counts(self) -> dict[str, Any]:
        """rebuilds, and contacts (each once) between particles and with walls."""
        ...


def grids_of(sphere: np.ndarray, setup: ParticleSetup, skin: float) -> np.ndarray:
    """Cells in x, y, z (levels, 3) of the grid of each level of sizes."""
    return np.stack([grid_of(sphere, 2.0 * radius + skin) for radius in setup.level_radius])


def buckets_of(grid: np.ndarray) -> tuple[np.ndarray, int]:
    """First bucket of each level (levels,) of grids (levels, 3), and how many there are; none of a single grid."""
    cells = grid.prod(axis=1)
    return np.cumsum(cells) - cells, int(cells.sum()) if len(grid) > 1 else 0


def grid_of(sphere: np.ndarray, cell: float) -> np.ndarray:
    """Cells in x, y, z, powers of two, after which the grid repeats: not many more than particles."""
    sizes = np.ptp(sphere[:, :3], axis=0) / cell + 3.0 if len(sphere) else np.ones(3)
    powers = np.maximum(3, np.ceil(np.log2(sizes))).astype(int)
    most = np.log2(most_cells(len(sphere)))
    while powers.sum() > most and powers.max() > 3:
        powers[np.argmax(powers)] -= 1
    return 1 << powers


def find_pairs(pairs: np.ndarray, known: np.ndarray) -> np.ndarray:
    """For each row of pairs (n, 2) the row of known (m, 2) that is the same, -1 for none."""
    if not len(known) or not len(pairs):
        return np.full(len(pairs), -1)
    scale = int(max(known[:, 1].max(), pairs[:, 1].max())) + 1
    keys, wanted = known[:, 0] * scale + known[:, 1], pairs[:, 0] * scale + pairs[:, 1]
    order = np.argsort(keys, kind="stable")
    at = np.minimum(np.searchsorted(keys[order], wanted), len(keys) - 1)
    rows = order[at]
    return np.where(keys[rows] == wanted, rows, -1)


def full_history(history: np.ndarray) -> np.ndarray:
    """History (n, 4 or 8) of contacts as a state has it, (n, 8)."""
    out = np.zeros((len(history), 8))
    out[:, : history.shape[1]] = history
    return out


def settings_of(setup: ParticleSetup, state: ParticleState) -> np.ndarray:
    """The settings (1,) of the kernels for these particles."""
    settings = SETTINGS.zeros(1)
    s, n, walls = settings[0], len(state.id), setup.walls
    radius, mass = state.sphere[:, c.R], state.motion[:, c.MASS]
    s["materials"], s["law"] = round(len(setup.pair_f) ** 0.5), setup.law
    s["history"], s["bodies"], s["home"] = setup.history, len(walls.bin_i), setup.home
    s["full_arm"] = setup.full_arm
    # not only of those that are there: what is computed must not depend on who has left
    alike = setup.alike is not False and n > 0 and np.ptp(radius) == 0.0
    s["uniform"], s["mixed"] = alike and np.ptp(mass) == 0.0, setup.rolling or not alike
    s["follow"], s["narrow"], s["wide"] = setup.follow, setup.narrow, setup.widest
    s["radius"], s["gravity"], s["low"], s["high"] = setup.radius, setup.gravity, setup.low, setup.high
    s["least"] = radius.min(initial=setup.radius)
    s["levels"], s["outlets"] = len(setup.level_radius), 0 if setup.outlets is None else len(setup.outlets[0])
    # to the farthest corner of the domain; without one, a plane that turns may come near at once, somewhere
    roam = float(np.linalg.norm(np.maximum(np.abs(setup.low), np.abs(setup.high)))) + setup.radius + setup.widest
    elsewhere = np.delete(walls.extent, [setup.home] if setup.home >= 0 else []).max(initial=0.0)
    s["roam"] = min(roam, c.EVERYWHERE)
    s["turns"] = setup.home >= 0 and (roam < c.EVERYWHERE or elsewhere < c.EVERYWHERE)
    return settings
