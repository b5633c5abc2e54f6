"""Tables of contact: kinds are told apart by their order."""

import numpy as np

from gori.kernels.contact.tables import BOX, CONVEX, GROUND, HULL, LAW, PLANE, SHAPE, SPHERE, ContactTables
from gori.model.machine import NO_CONTACT


def test_bounded_convex_kinds_come_first():
    assert SPHERE < BOX < HULL < CONVEX == PLANE < GROUND


def test_rows_are_declared_with_units():
    assert SHAPE.units()["half"] == "m" and LAW.units()["stiffness"] == "N/m^1.5"
    tables = ContactTables(**NO_CONTACT.members() | {"shape": SHAPE.zeros(2)})
    assert len(tables.shape) == 2 and np.all(tables.shape["half"] == 0.0)
