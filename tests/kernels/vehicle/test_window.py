"""A window of soft soil: places of cells, what they forget, and ruts of cells that are not there."""

import numpy as np
import pytest

import gori
from gori.kernels.contact.terrain.surface import rut
from gori.kernels.vehicle.state import NEVER
from gori.kernels.vehicle.tables import AREA, FEATURE, TERRAIN, Ground
from gori.kernels.vehicle.window import cell_depth, claim, depth_at, place_of
from gori.model.vehicle.soil import soil_memory, soil_row
from tests.plain import plain, rows

SAND = gori.soil("lete_sand")
SIZE = (1.0, 0.6)


def ground(window: tuple[float, float] | None) -> Ground:
    """Ten by six cells of 0.1 m, of which a window is kept."""
    soil = soil_row(SAND, (0.0, 0.0), SIZE, 0.1, window)
    memory = soil_memory(soil)
    hard = rows(TERRAIN.zeros(1)), rows(FEATURE.zeros(0)), rows(AREA.zeros(0)), np.zeros(0)
    return Ground(*hard, rows(soil), rows(memory["cells"]), rows(memory["window"]), memory["forgotten"])


def press(ground: Ground, i: int, j: int, depth: float, t: float = 1.0, before: float = 0.0) -> bool:
    """A cell gets a rut; whether it had a place."""
    place, known = plain(place_of)(ground, i, j)
    free = known or plain(claim)(ground, place, 1 + j * 10 + i, before)
    ground.cells[place].z_dyn, ground.cells[place].stamp = depth, t
    return free


def test_the_whole_grid_has_a_place_for_each_cell():
    whole = ground(None)
    found = [plain(place_of)(whole, i, j) for j in range(6) for i in range(10)]
    assert found == [(k, True) for k in range(60)] and len(whole.cells) == 60 and not len(whole.window)


def test_cells_within_a_window_have_places_of_their_own():
    """Wherever it lies: four by three cells, and one that nothing touches."""
    small = ground((0.4, 0.3))
    assert len(small.cells) == 13 and len(small.window) == 12
    for i0 in range(7):
        for j0 in range(4):
            places = {plain(place_of)(small, i0 + i, j0 + j)[0] for i in range(4) for j in range(3)}
            assert places == set(range(12))


def test_a_place_forgets_the_cell_before_and_counts_it():
    small = ground((0.4, 0.3))
    assert press(small, 1, 1, 0.05) and press(small, 2, 1, 0.04) and small.forgotten[0] == 0
    assert plain(place_of)(small, 1, 1)[1] and not plain(place_of)(small, 5, 1)[1]
    assert press(small, 5, 4, 0.03, t=3.0, before=2.0)
    assert small.forgotten[0] == 1 and not plain(place_of)(small, 1, 1)[1] and plain(place_of)(small, 5, 4)[1]
    here = small.cells[plain(place_of)(small, 5, 4)[0]]
    assert (here.z_dyn, here.z_max, here.j_max) == (0.03, 0.0, 0.0)
    assert small.cells[12].stamp == NEVER and small.cells[12].z_dyn == 0.0


def test_two_cells_that_are_pressed_at_once_have_no_place():
    small = ground((0.4, 0.3))
    assert press(small, 0, 0, 0.05, t=1.0, before=0.9)
    assert not press(small, 4, 0, 0.05, t=1.0, before=0.9)


def test_ruts_are_those_of_the_whole_grid_where_they_are_remembered():
    whole, small = ground(None), ground((0.4, 0.3))
    for i, j, depth in ((4, 2, 0.02), (5, 2, 0.05), (4, 3, 0.03), (6, 4, 0.01)):
        for one in (whole, small):
            press(one, i, j, depth)
    for x, y in np.random.default_rng(0).uniform([0.3, 0.2], [0.8, 0.6], (40, 2)):
        expected = plain(rut)(whole.soil[0], whole.cells, x, y)
        for one in (whole, small):
            assert plain(depth_at)(one, x, y) == pytest.approx(expected, abs=1e-15)
    assert plain(cell_depth)(small, 5, 2) == 0.05 and plain(cell_depth)(small, 1, 2) == 0.0
    assert plain(depth_at)(small, -0.01, 0.3) == (0.0, 0.0, 0.0)
