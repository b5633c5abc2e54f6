"""Rows of the Model that carry walls."""

import numpy as np

from gori.model import compile
from gori.model.particles.carriers import Carrier, Holder, carriers, holders, row_frame
from tests.spec.particles.tray import tray


def test_the_ground_is_first_and_bodies_with_walls_follow():
    model = compile(tray())
    ground, moving = carriers(model)
    assert (ground.row, ground.shapes) == (0, []) and moving.name == "tray" and moving.row == 1
    name, shape, R, p, material = moving.shapes[0]
    assert name == "tray.bin" and shape.type == "box" and material == 0
    row, R_B, p_B = row_frame(model, "tray")
    assert row == 1 and np.allclose(R, R_B) and np.allclose(p, p_B)
    assert row_frame(model, "ground")[0] == 0


def test_without_particles_nothing_is_carried():
    assert carriers(compile(tray(particles={}))) == []


def test_bodies_that_are_one_row_hold_their_own_walls():
    ground, cart = Carrier(0, "ground", [], []), Carrier(3, "a", [], ["a", "b", "a"])
    found, of_shape = holders((ground, cart))
    assert found == (Holder("ground", 0, 0, 0), Holder("a", 3, 1, 2), Holder("b", 3, 1, 1))
    assert of_shape.tolist() == [1, 2, 1]
