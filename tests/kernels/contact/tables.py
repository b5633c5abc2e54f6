"""Tables of contact with random shapes, for the tests of kernels."""

import numpy as np

from gori.kernels.contact.tables import BOX, LAW, PLANE, SHAPE, SPHERE, ContactTables
from gori.model.contact.tables import contact_ground
from tests.kernels.contact.turns import random_rotation


def random_tables(rng, n, rows, materials=3, planes=1, low=0.05, high=0.5):
    """Spheres and boxes of these sizes on random rows, after a few planes on the ground; some pairs never touch."""
    shape = SHAPE.zeros(n)
    shape["row"], shape["material"] = rng.integers(0, rows, n), rng.integers(0, materials, n)
    for k, one in enumerate(shape):
        one["rotation"], one["position"] = random_rotation(rng).ravel(), 0.1 * rng.normal(size=3)
        if k < planes:
            one["kind"], one["half"], one["row"] = PLANE, np.inf, 0
        elif k % 2:
            one["kind"], one["radius"] = SPHERE, np.exp(rng.uniform(np.log(low), np.log(high)))
            one["half"] = one["radius"]
        else:
            one["kind"], one["size"] = BOX, np.exp(rng.uniform(np.log(low), np.log(high), 3))
            one["half"] = one["size"]
    law = LAW.zeros(materials, materials)
    law["touches"] = 1
    if materials > 1:
        law["touches"][0, 1] = law["touches"][1, 0] = 0
    a, b = np.sort(rng.integers(0, n, (2, n)), axis=0)
    excluded = np.unique((a * n + b)[a < b])
    return contact_tables(shape, law=law, excluded=excluded.astype(np.int64))


def contact_tables(shape, vertex=None, law=None, excluded=None, terrain=None, plane=None):
    """Tables of shapes, on the terrain of a Spec if one is given."""
    ground = contact_ground(terrain)
    return ContactTables(
        shape=shape,
        vertex=np.zeros((3, 0)) if vertex is None else vertex,
        plane=np.zeros((0, 4)) if plane is None else plane,
        law=LAW.zeros(0, 0) if law is None else law,
        excluded=np.zeros(0, np.int64) if excluded is None else excluded,
        terrain=ground.terrain,
        feature=ground.feature,
        curve=ground.curve,
        soil=ground.soil,
    )
