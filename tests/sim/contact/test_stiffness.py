"""Whether penalty contact has a stiffness, and whether steps are short enough for it."""

import warnings

import pytest

import gori
from gori.errors import ContactWarning, InputError
from gori.integrate import RK4, Dopri5, GeneralizedAlpha, SemiImplicit, TimeStepping
from gori.sim import Simulation
from gori.sim.contact.stiffness import require_stiffness, too_stiff, touching_pairs, warn_of_contact
from tests.model.contact.machines import machine
from tests.model.contact.machines import solid as solid_of
from tests.sim.contact.machines import ball, box


def without_stiffness():
    """Two rigid materials."""
    return gori.compile(
        machine({"stone": {"s": solid_of("sphere", "stone", radius=0.1)}}, ground={"floor": solid_of("plane", "stone")})
    )


def test_contact_without_stiffness_is_refused_with_the_pair_and_the_cure():
    model = without_stiffness()
    with pytest.raises(InputError, match=r"stone\.s.*stone/stone.*E and nu of stone, or `stiffness`.*time_stepping"):
        Simulation(model, RK4())
    Simulation(model, TimeStepping())  # needs none


def test_contact_with_stiffness_is_not():
    for spec in (
        ball(),
        machine({"a": {"s": solid_of("sphere", radius=0.1)}, "b": {"s": solid_of("box", size=[1] * 3)}}),
    ):
        require_stiffness(gori.compile(spec))


def test_pairs_that_never_touch_need_no_stiffness():
    spec = machine(
        {name: {"s": solid_of("sphere", "stone", radius=0.1)} for name in "ab"}
        | {"c": {"s": solid_of("sphere", radius=1)}},
        no_contact=[["a", "b"]],
    )
    model = gori.compile(spec)
    pairs = {tuple(sorted((model.contact.names[a], model.contact.names[b]))) for a, b in touching_pairs(model.contact)}
    assert pairs == {("a.s", "c.s"), ("b.s", "c.s")}
    require_stiffness(model)


def test_shapes_that_are_alike_stand_for_each_other():
    model = gori.compile(machine({f"ball{k}": {"s": solid_of("sphere", radius=0.1)} for k in range(50)}))
    assert len(list(touching_pairs(model.contact))) == 1


def test_a_step_that_is_too_long_is_warned_of():
    model = gori.compile(ball(stiffness=1e9))
    with pytest.warns(ContactWarning, match=r"ball\.s.*rk4 with steps of 0\.01 s.*N/m\^1\.5"):
        warn_of_contact(model, RK4(step=0.01))
    found = too_stiff(model, RK4(step=0.01))
    assert found is not None
    assert found.rate == pytest.approx((1.5e9) ** 0.5 * (9.81 / 1e9) ** (1 / 6), rel=1e-6)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_contact(model, RK4(step=0.99 * found.longest))
        softer = gori.compile(ball(stiffness=0.99 * found.stiffness))
        warn_of_contact(softer, RK4(step=0.01))
        for method in (GeneralizedAlpha(step=0.01), Dopri5(), TimeStepping(step=0.01)):
            warn_of_contact(model, method)


def test_a_flat_body_needs_shorter_steps_than_a_ball():
    longest = []
    for spec in (ball(), box()):
        found = too_stiff(gori.compile(spec), SemiImplicit(step=1.0))
        assert found is not None
        longest.append(found.longest)
    assert longest[1] < longest[0] / 5


def test_without_gravity_nothing_is_known_of_the_load():
    assert too_stiff(gori.compile(ball(gravity=0.0, stiffness=1e12)), RK4(step=1.0)) is None
