"""What time stepping refuses."""

import pytest

import gori
from gori.errors import UnsupportedError
from gori.integrate import TimeStepping
from gori.sim.contact.impulses import refuse_for_impulses


def test_loops_are_refused():
    model = gori.compile(gori.load("examples/four_bar.yaml"))
    with pytest.raises(UnsupportedError, match=r"time_stepping does not keep loops closed \(.*\)\. Use a method"):
        refuse_for_impulses(model, TimeStepping())
    with pytest.raises(UnsupportedError, match="loops"):
        gori.Simulation(model, TimeStepping())


def test_rolling_friction_is_refused_by_name():
    solid = {"material": "rubber", "collide": True}
    spec = {
        "gori": 1, "materials": {"rubber": {"E": 1e7}},
        "contacts": {"rubber/rubber": {"friction": 0.5, "restitution": 0.0, "rolling_friction": 0.01}},
        "bodies": {
            "ground": {"shapes": {"floor": {"type": "plane", **solid}}},
            "ball": {"shapes": {"ball": {"type": "sphere", "radius": 0.1, "density": 1000, **solid}}},
        },
        "joints": {"free": {"type": "free", "parent": "ground", "child": "ball"}},
    }  # fmt: skip
    model = gori.compile(gori.Spec.model_validate(spec))
    with pytest.raises(UnsupportedError, match="as the contact rubber/rubber asks for"):
        refuse_for_impulses(model, TimeStepping())
