"""Tyres of a Spec as rows."""

import numpy as np

from gori.kernels.vehicle import magic
from gori.kernels.vehicle.tables import FIALA, MAGIC
from gori.model.vehicle.tyre import tyre_row
from gori.spec.vehicle.tyre import FialaTyre, MagicTyre
from tests.reference import tyres as twin

FIELDS = {"type": "magic", "radius": 0.5, "width": 0.3, "stiffness": 4e5, "damping": 2e3, "coefficients": twin.MAGIC}


def fiala(**changes):
    return tyre_row(FialaTyre(**(twin.FIALA | changes)))[0]


def test_fiala():
    part, row = FialaTyre(**twin.FIALA), fiala()
    assert row["kind"] == FIALA and row["points"] == 0 and row["mirror"] == 1.0
    for name in ("radius", "width", "stiffness", "damping", "slip_stiffness", "friction_min", "friction_max"):
        assert row[name] == getattr(part, name), name
    assert not row["magic"].any()
    assert fiala(relaxation_x=0.1)["sigma_x"] == 0.1
    assert fiala(relaxation_x=None, relaxation_y=None)["sigma_y"] == part.radius  # a tyre that says nothing


def test_a_load_table_gives_the_slope_at_its_start():
    fields = {name: value for name, value in twin.FIALA.items() if name != "stiffness"}
    row = tyre_row(FialaTyre(**fields, load_table=[[0.0, 0.0], [0.01, 2000.0], [0.03, 9000.0]]))[0]
    assert row["points"] == 2 and row["stiffness"] == 2e5
    np.testing.assert_array_equal(row["depths"][:3], [0.01, 0.03, 0.0])
    np.testing.assert_array_equal(row["loads"][:3], [2000.0, 9000.0, 0.0])


def test_magic_coefficients_stand_in_their_columns():
    row = tyre_row(MagicTyre(**FIELDS))[0]
    assert row["kind"] == MAGIC
    for name, value in twin.MAGIC.items():
        assert row["magic"][getattr(magic, name)] == value, name
    assert row["magic"][magic.CZ] == 4e5
    # what a file leaves out: scale factors of one, no largest load, a usual speed
    bare = {name: value for name, value in twin.MAGIC.items() if name[0] != "L" and name not in ("FZMAX", "PTY2")}
    law = tyre_row(MagicTyre(**(FIELDS | {"coefficients": bare})))[0]["magic"]
    assert law[magic.LMUX] == law[magic.LKY] == 1.0 and law[magic.FZMAX] == np.inf and law[magic.LONGVL] > 0.0
    assert law[magic.PTY2] == 2.0 * law[magic.PKY2]


def test_rolling_radius_by_formula_or_by_part():
    assert tyre_row(MagicTyre(**FIELDS))[0]["roll_part"] == -1.0
    assert tyre_row(MagicTyre(**FIELDS, rolling_deflection=0.4))[0]["roll_part"] == 0.4
    none = {name: 0.0 if name in ("DREFF", "FREFF") else value for name, value in twin.MAGIC.items()}
    assert tyre_row(MagicTyre(**(FIELDS | {"coefficients": none})))[0]["roll_part"] == 1.0 / 3.0


def test_sides():
    left = MagicTyre(**FIELDS, side="left")
    assert [tyre_row(left, side)[0]["mirror"] for side in (None, "left", "right")] == [1.0, 1.0, -1.0]
    either = MagicTyre(**FIELDS, side="any")
    assert [tyre_row(either, side)[0]["mirror"] for side in ("left", "right")] == [1.0, 1.0]
