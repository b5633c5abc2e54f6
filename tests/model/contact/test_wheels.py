"""Shapes that turn with a wheel: the row of that wheel, and what is not round about its axle."""

import pytest

import gori
from gori.errors import SpecError, UnsupportedError
from gori.model.contact.shapes import pieces_of
from gori.model.contact.wheels import refuse_rolling, turning_with_friction, wheel_number
from tests.sim.contact.test_wheels_on_bodies import machine


def test_number_of_the_wheel():
    model = gori.compile(machine())
    shape = model.spec.bodies["carrier"].shapes["tread"]
    R, p = shape.pose()
    pieces = [piece._replace(R=R @ piece.R, p=p + R @ piece.p) for piece in pieces_of("carrier.tread", shape)]
    assert wheel_number(model, "carrier", "tread", "w", pieces) == 1
    assert wheel_number(model, "carrier", "tread", None, pieces) == 0
    assert model.contact.tables.shape["wheel"].tolist() == [1, 0]
    with pytest.raises(SpecError, match="is on body 'carrier'"):
        wheel_number(model, "plank", "tread", "w", pieces)
    with pytest.raises(SpecError, match="round about the axle"):
        wheel_number(model, "carrier", "tread", "w", [pieces[0]._replace(p=pieces[0].p + 0.01)])
    box = pieces_of("plank.top", model.spec.bodies["plank"].shapes["top"])
    with pytest.raises(SpecError, match="round about the axle"):
        wheel_number(model, "carrier", "top", "w", box)


def test_friction_and_rolling_friction():
    model = gori.compile(machine())
    assert turning_with_friction(model) == "carrier.tread"
    assert turning_with_friction(gori.compile(machine(friction=0.0))) is None
    law, shape = model.contact.tables.law.copy(), model.contact.tables.shape
    refuse_rolling(law, model.contact.materials, shape)
    law["torsion"] = 0.1
    with pytest.raises(UnsupportedError, match="torsional_friction"):
        refuse_rolling(law, model.contact.materials, shape)
