"""Where cells of soft soil stand in memory: the whole grid, or a window of it that goes along with the wheels.

The window is a torus of wx by wy places. Cell (i, j) of the grid stands at (i mod wx, j mod wy) as long as no other
cell that belongs there is pressed: a place knows the cell that it holds, and takes another one when a wheel presses on
that. What the first one remembered is then forgotten, and counted; a cell that stands nowhere is as nothing has ever
touched it. The whole grid is the window that is as large as the grid, where each cell has a place of its own.

No origin has to be kept or moved, and nothing is cleared on the way. Two cells that are pressed at the same time and
need one place are an error: the window is smaller than the footprints are apart.
"""

from gori.kernels.contact.terrain.surface import between, corner
from gori.kernels.jit import part
from gori.kernels.vehicle.state import NEVER


@part
def place_of(ground, i, j):
    """The place of cell (i, j), and whether it holds it."""
    soil, window, cell = ground.soil[0], ground.window, j * ground.soil[0].nx + i
    if window.shape[0] == 0:
        return cell, True
    place = (j % soil.wy) * soil.wx + i % soil.wx
    return place, window[place].cell == cell + 1


@part
def claim(ground, place, cell, before):
    """A place of the window takes another cell, that nothing has touched. False: the one before is being pressed.

    cell     1 + its index in the grid
    before   a contact goes on if the cell was touched after this time
    """
    here, held, free = ground.cells[place], ground.window[place], True
    if held.cell != 0:
        ground.forgotten[0] += 1
        free = here.stamp < before
    here.z_max, here.p_max, here.z_dyn, here.j_max = 0.0, 0.0, 0.0, 0.0
    here.e_x, here.e_y, here.j, here.stamp = 0.0, 0.0, 0.0, NEVER
    held.cell = cell
    return free


@part
def cell_depth(ground, i, j):
    """Depth of the rut in a cell [m]; beyond the grid that of its edge."""
    soil = ground.soil[0]
    place, known = place_of(ground, min(max(i, 0), soil.nx - 1), min(max(j, 0), soil.ny - 1))
    if not known:
        return 0.0
    here = ground.cells[place]
    return here.z_max * (1.0 - soil.rebound) + here.z_dyn


@part
def depth_at(ground, x, y):
    """Depth [m] of the soil below the ground, and its slopes; outside of the grid there is no soil."""
    soil = ground.soil[0]
    inside, i, j, a, b = corner(soil, x, y)
    if not inside:
        return 0.0, 0.0, 0.0
    d00, d10 = cell_depth(ground, i, j), cell_depth(ground, i + 1, j)
    d01, d11 = cell_depth(ground, i, j + 1), cell_depth(ground, i + 1, j + 1)
    return between(soil, a, b, d00, d10, d01, d11)
