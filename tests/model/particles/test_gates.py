"""Walls that vanish: no particle is offered them any more, all others as before."""

import numpy as np

from gori.kernels.particles import columns as t
from gori.model import compile
from gori.model.particles.gates import vanishing_times, without
from tests.spec.particles.tray import TRAY, tray

BALL = {"type": "sphere", "radius": 0.02, "material": "steel"}
GEAR = {"type": "gear", "teeth": 12, "module": 5e-3, "width": 0.01, "at": [0, 0, 0.5], "material": "steel"}


def walls_of(**shapes):
    bodies = {
        "tray": TRAY | {"shapes": TRAY["shapes"] | shapes},
        "ground": {"shapes": {"ball": BALL | {"at": [0, 0, 3]}}},
    }
    return compile(tray(bodies=bodies)).particles


def offered(walls):
    """Primitives that are always tested, and those of the cells, by body."""
    always = [walls.always[row[t.FIRST_ALWAYS] :][: row[t.ALWAYS]].tolist() for row in walls.bin_i]
    cells = [walls.bin_wall[a:b].tolist() for a, b in zip(walls.bin_start, walls.bin_start[1:])]
    return always, cells


def test_what_is_gone_is_not_offered():
    tables = walls_of(gate=GEAR | {"until": 2.0}, wheel=GEAR | {"at": [0, 0, 0.52]}, ball=BALL | {"until": 3.0})
    walls = tables.walls
    assert walls.names == ("ground.ball", "tray.bin", "tray.gate", "tray.wheel", "tray.ball")
    assert tables.until.tolist() == [np.inf, np.inf, 2.0, np.inf, 3.0]
    gone = tables.until <= 3.0
    left = without(walls, gone)
    always, cells = offered(walls)
    shape = walls.wall_i[:, t.SHAPE]
    kept = lambda lists: [[k for k in few if not gone[shape[k]]] for few in lists]  # noqa: E731
    assert offered(left) == (kept(always), kept(cells)) and offered(left) != (always, cells)
    assert left.wall_i is walls.wall_i and len(left.bin_wall) < len(walls.bin_wall)
    assert without(walls, np.zeros(5, bool)) is walls


def test_times():
    tables = walls_of(gate=BALL | {"until": 0.5})
    assert vanishing_times(wall.shape for wall in tables.wall_shapes).tolist() == [np.inf, 0.5, np.inf]
