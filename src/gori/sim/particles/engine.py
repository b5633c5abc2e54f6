"""Grains that march: what both machines, CPU and GPU, have in common.

A bed takes its Setup and a BedState, marches over a table of poses of the bodies that carry walls, and tells what
pushed those. To the outside grains stand by their ident.
"""

from typing import Any, NamedTuple, Protocol

import numpy as np

from gori.kernels.particles import grains as gr
from gori.kernels.particles import tables as t
from gori.model.particles.walls import Walls

NO_GRID = np.zeros(3, np.int64)


class Setup(NamedTuple):
    """What does not change while grains march.

    pair_f     (nm * nm, N_PAIR_F) laws of materials
    law        HERTZ or VOIGT
    rolling    whether any contact resists rolling
    walls      in the frames of bodies, which are the rows of the tables of poses
    gravity    (3,) [m/s2]
    skin       extra distance of the lists [m]
    radius     largest that will ever come [m]
    home       body on which grains ride, -1 for none: lists hold as long as they do
    low, high  (3,) corners of the domain, in the frame of that body [m]
    workers    threads on the CPU
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


class BedState(NamedTuple):
    """What must be saved to go on: grains by ident, touching contacts and their history.

    ident          (n,) ascending
    place          (n, 4) x y z, radius
    motion         (n, 8) velocity, mass, spin, material
    before         (n, 3) places when the lists were made, which a run that goes on bit for bit makes again
    pose_before    (nbody, N_POSE) of the bodies at that time
    pairs          (m, 2) idents, the smaller first
    history        (m, 8) as seen from the first: tangential (3), 0, rolling (3), 0
    walls          (k, 2) ident, primitive
    wall_history   (k, 8)
    grid           (3,) cells in x, y, z, which the order of grains in memory depends on; zeros: to be chosen
    due            whether a grain has moved so far that the next march begins with new lists
    """

    ident: np.ndarray
    place: np.ndarray
    motion: np.ndarray
    before: np.ndarray
    pose_before: np.ndarray
    pairs: np.ndarray
    history: np.ndarray
    walls: np.ndarray
    wall_history: np.ndarray
    grid: np.ndarray = NO_GRID
    due: Any = np.False_


class Trouble(NamedTuple):
    """Why a march ended early: a code of `kernels/particles/grains.py`, and the grain behind it."""

    code: int
    ident: int


class Bed(Protocol):
    """A machine for grains."""

    push: np.ndarray
    """(nbody, 6) sum over the sub-steps of the last march of moment about the body's origin and force on its walls"""

    @property
    def count(self) -> int:
        """Number of grains."""
        ...

    def load(self, state: BedState) -> None:
        """Take over grains and contacts."""
        ...

    def march(self, poses: np.ndarray, step: float) -> Trouble | None:
        """Sub-steps of `step` [s] along poses (steps + 1, nbody, N_POSE)."""
        ...

    def state(self) -> BedState: ...

    def look(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """ident, place, motion, by ident."""
        ...

    def wall_push(self) -> np.ndarray:
        """(primitives, 6) as `push`, by primitives."""
        ...

    @property
    def lists_made(self) -> int:
        """since grains were loaded."""
        ...

    def counts(self) -> dict[str, Any]:
        """rebuilds, and contacts (each once) with grains and with walls."""
        ...


def fresh_state(place: np.ndarray, motion: np.ndarray, ident: np.ndarray, poses: np.ndarray) -> BedState:
    """Grains that touch nothing they remember."""
    none = np.zeros((0, 8))
    return BedState(
        np.asarray(ident, np.int64),
        np.ascontiguousarray(place, float),
        np.ascontiguousarray(motion, float),
        np.array(place[:, :3], float),
        np.array(poses, float),
        np.zeros((0, 2), np.int64),
        none,
        np.zeros((0, 2), np.int64),
        none.copy(),
    )


def grid_of(place: np.ndarray, cell: float) -> np.ndarray:
    """Cells in x, y, z, powers of two, after which the grid repeats: over the grains, but not many more than them."""
    sizes = np.ptp(place[:, :3], axis=0) / cell + 3.0 if len(place) else np.ones(3)
    powers = np.maximum(3, np.ceil(np.log2(sizes))).astype(int)
    most = np.log2(max(4.0 * len(place), 4096.0))
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


def run_numbers(setup: Setup, count: int, materials: int, history: int) -> tuple[np.ndarray, np.ndarray]:
    """run_i and run_f of the kernels."""
    run_i, run_f = np.zeros(gr.N_RUN_I, np.int64), np.zeros(gr.N_RUN_F)
    bodies = len(setup.walls.bin_i)
    run_i[[gr.COUNT, gr.MATERIALS, gr.LAW, gr.HISTORY]] = count, materials, setup.law, history
    run_i[[gr.BODIES, gr.HOME]] = bodies, setup.home
    run_f[[gr.SKIN, gr.REACH]] = setup.skin, setup.radius
    run_f[gr.GX : gr.GX + 3], run_f[gr.LOW : gr.LOW + 3] = setup.gravity, setup.low
    run_f[gr.HIGH : gr.HIGH + 3] = setup.high
    # to the farthest corner of the domain; without one, a plane that turns may come near at once, somewhere
    roam = float(np.linalg.norm(np.maximum(np.abs(setup.low), np.abs(setup.high)))) + setup.radius + setup.skin
    elsewhere = np.delete(setup.walls.extent, [setup.home] if setup.home >= 0 else []).max(initial=0.0)
    run_f[gr.ROAM] = min(roam, t.EVERYWHERE)
    run_i[gr.TURNS] = setup.home >= 0 and (roam < t.EVERYWHERE or elsewhere < t.EVERYWHERE)
    return run_i, run_f
