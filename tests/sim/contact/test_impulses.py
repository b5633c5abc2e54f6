"""What time stepping refuses, and what it warns of."""

import numpy as np
import pytest

import gori
from gori.errors import ContactWarning, UnsupportedError
from gori.integrate import TimeStepping
from gori.sim.contact.impulses import refuse_for_impulses, warn_of_depth
from tests.integrate.closed_contact import four_bar
from tests.integrate.test_time_stepping import STILL, at, scene


def test_a_joint_without_inertia_of_its_own_is_refused_by_name():
    """Loops determine how it moves, but the tree alone does not."""
    spec = four_bar().model_dump(exclude_unset=True)
    spec["bodies"]["rocker"] = {}
    model = gori.compile(gori.Spec.model_validate(spec))
    with pytest.raises(UnsupportedError, match="time_stepping: joint 'D' moves no inertia of its own"):
        refuse_for_impulses(model, TimeStepping())
    refuse_for_impulses(gori.compile(four_bar()), TimeStepping())
    box = ({"type": "box", "size": [0.2, 0.2, 0.1]}, at(z=0.05), STILL)
    shaken = scene(box=box).set("base", {"position": ["0.1*sin(t)", 0, 0], "rpy": [0, "0.1*sin(t)", 0]})
    refuse_for_impulses(gori.compile(shaken), TimeStepping())  # a base that only carries free bodies needs none


def stacked(ratio):
    box = {"type": "box", "size": [0.2, 0.2, 0.1]}
    light, heavy = {**box, "density": 1000.0}, {**box, "density": 1000.0 * ratio}
    return gori.Simulation(
        gori.compile(scene(light=(light, at(z=0.05), STILL), heavy=(heavy, at(z=0.15), STILL))), TimeStepping(5e-3)
    )


@pytest.mark.parametrize("ratio, steps, depth", [(100.0, 400, 1e-4), (1000.0, 400, 4e-4)])
def test_a_heavy_weight_is_carried(ratio, steps, depth):
    simulation = stacked(ratio)
    simulation.step(steps)
    assert np.abs(simulation.q.reshape(2, 7)[:, 6] - [0.05, 0.15]).max() < depth and np.abs(simulation.v).max() < 2e-5
    warn_of_depth(simulation.model, simulation.method, simulation.stepper.data.contact_memory, 0.0)  # says nothing


@pytest.mark.filterwarnings("ignore::gori.errors.EnergyWarning")
@pytest.mark.parametrize("ratio", [1e4, 1e5, 1e6])
def test_a_weight_that_crushes_what_is_below_it_is_named(ratio):
    with pytest.warns(
        ContactWarning, match=r"(light|heavy|ground)\.\w+ and (light|heavy|ground)\.\w+ got .* deep into each"
    ):
        stacked(ratio).run(1.0, progress=False)
