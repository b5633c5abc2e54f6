"""A bullet and a plate, for tests of bodies that go through each other."""

import numpy as np

import gori
from gori.spec import GROUND
from tests.sim.contact.machines import solid

MASS, SIZE = 0.01, 0.01


def bullet(speed=500.0, plate=0.002, shape="sphere", height=1.0, stiffness=1e10, restitution=0.5, moving=False):
    """A sphere or box of 1 cm above a plate of 1 m, without gravity; moving: the plate flies free, towards it."""
    if shape == "sphere":
        body = solid("sphere", radius=SIZE / 2, density=MASS / (np.pi / 6 * SIZE**3))
    else:
        body = solid("box", size=[SIZE] * 3, density=MASS / SIZE**3)
    board = solid("box", size=[1.0, 1.0, plate], density=1000.0)
    bodies = {GROUND: {"shapes": {} if moving else {"plate": board}}, "bullet": {"shapes": {"s": body}}}
    joints = {"flight": {"type": "free", "parent": GROUND, "child": "bullet", "q": [1, 0, 0, 0, 0, 0, height]}}
    joints["flight"]["v"] = [0, 0, 0, 0, 0, -speed]
    if moving:
        bodies["board"] = {"shapes": {"plate": board}}
        joints["board"] = {"type": "free", "parent": GROUND, "child": "board", "v": [0, 0, 0, 0, 0, 0.3 * speed]}
    return gori.Spec(
        gravity=[0, 0, 0],
        materials={"a": {"rigid": True}},
        contacts={"a/a": {"friction": 0.5, "restitution": restitution, "stiffness": stiffness}},
        bodies=bodies,
        joints=joints,
    )
