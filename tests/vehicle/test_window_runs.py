"""Vehicles on a window of soft soil, against the same on the whole grid."""

import numpy as np
import pytest

import gori
from gori.errors import InputError, SimulationError, UnsupportedError
from tests.vehicle.trucks import soft, truck

METHOD = gori.SemiImplicit(step=1e-3)


def terrain(window=None, **given) -> dict:
    found = soft(at=(-4.0, -5.0), size=(20.0, 10.0), **given)
    found["soft"] |= {} if window is None else {"window": window}
    return found


@pytest.fixture(scope="module")
def models() -> tuple[gori.Model, gori.Model]:
    return truck(terrain()), truck(terrain((4.0, 3.0)))


def driven(model: gori.Model, state: gori.State, steps: int, steer: float = 0.0, method=METHOD) -> gori.Simulation:
    run = gori.Simulation(model, method, state=state)
    run.inputs["truck.selector"], run.inputs["truck.throttle"], run.inputs["truck.steer"] = "D", 1.0, steer
    run.step(steps)
    return run


@pytest.mark.parametrize("method", [METHOD, gori.RK4(step=1e-3)], ids=lambda method: method.kind)
def test_to_the_last_bit_until_what_it_forgot_is_met(models, method):
    whole, small = (driven(model, gori.at_rest(model), 1000, method=method) for model in models)
    forgotten = small.state.vehicle["forgotten"][0]
    assert forgotten > 100 and np.array_equal(whole.q, small.q) and np.array_equal(whole.v, small.v)
    assert whole.channel("truck.wheel_rl.sinkage") == small.channel("truck.wheel_rl.sinkage") > 0.0
    cells, kept = whole.state.vehicle, small.state.vehicle
    there = np.isin(cells["cell_index"], kept["cell_index"])
    assert np.array_equal(cells["cells"][there], kept["cells"])
    assert len(cells["cells"]) - len(kept["cells"]) == forgotten


def test_rear_wheels_run_in_the_ruts_of_front_wheels(models):
    """More than a wheelbase on. A window that is shorter than the vehicle has forgotten them by then, and tells."""
    whole, small = (driven(model, gori.at_rest(model), 1800) for model in models)
    assert small.q[4] - gori.at_rest(models[1]).q[4] > 3.4
    assert np.array_equal(whole.q, small.q) and np.array_equal(whole.v, small.v)
    short = truck(terrain((2.5, 3.0)))
    run = driven(short, gori.at_rest(short), 1800)
    counts = [one.state.vehicle["forgotten"][0] for one in (small, run)]
    assert counts[1] > counts[0] > 0
    depths = [one.channel("truck.wheel_rl.sinkage") for one in (small, run)]
    assert abs(depths[1] - depths[0]) > 1e-4


def test_a_second_pass_is_another_one_where_ruts_were_forgotten(models):
    found = []
    for model in models:
        start = gori.at_rest(model)
        run = driven(model, start, 1200)
        again = gori.Simulation(model, METHOD, state=run.state.replace(q=start.q, v=start.v))
        again.step(150)
        found.append(again)
    whole, small = found
    assert small.state.vehicle["forgotten"][0] > 0 and "forgotten" not in whole.state.vehicle
    assert abs(whole.q[6] - small.q[6]) > 1e-4


def test_a_state_is_whole(models):
    """Saved, loaded, and gone on with to the last bit; cells that nothing holds are no part of it."""
    run = driven(models[1], gori.at_rest(models[1]), 900, steer=0.3)
    other = gori.Simulation(models[1], METHOD, state=run.state)
    assert other.state == run.state
    for one in (run, other):
        one.step(200)
    assert other.state == run.state and run.state.vehicle["forgotten"][0] > 0
    other.state = gori.at_rest(models[1])
    assert other.state.vehicle["forgotten"].tolist() == [0] and not (other.stepper.data.window["cell"] > 0).sum() > 300
    damaged = run.state.vehicle | {"forgotten": np.array([-1])}
    with pytest.raises(InputError, match=r"'forgotten'.*must not be negative"):
        other.state = run.state.replace(vehicle=damaged)
    index = run.state.vehicle["cell_index"].copy()
    index[-1] = index[0] + 60 * 400
    order = np.argsort(index)
    damaged = run.state.vehicle | {"cell_index": index[order]}
    with pytest.raises(InputError, match="one place"):
        other.state = run.state.replace(vehicle=damaged)


def test_a_world_without_end():
    """The grid may be as large as wanted: memory is that of the window."""
    wide = terrain((4.0, 3.0)) | {}
    wide["soft"] = wide["soft"] | {"at": (-4e6, -5e6), "size": (2e7, 1e7)}
    far, near = truck(wide), truck(terrain((4.0, 3.0)))
    assert len(gori.Simulation(far, METHOD).stepper.data.cells) == 80 * 60 + 1
    runs = [driven(model, gori.at_rest(model), 300) for model in (far, near)]
    assert np.abs(runs[0].q - runs[1].q).max() < 1e-5  # positions of cells are rounded


def test_wheels_that_are_as_far_apart_as_the_window():
    model = truck(terrain((3.3, 3.0)))
    with pytest.raises(SimulationError, match=r"farther apart than the window of soft soil, 3\.3 m by 3 m.*increase"):
        gori.at_rest(model)


def test_windows_that_cannot_be():
    with pytest.raises(InputError, match=r"terrain\.soft\.window must be longer than a wheel, 1\.\d+ m"):
        truck(terrain((4.0, 0.5)))
    with pytest.raises(InputError, match="at most"):
        truck(terrain((4.0, 3.0)) | {"soft": terrain((4.0, 3.0))["soft"] | {"size": (1e9, 1e9)}})
    ball = {"type": "sphere", "radius": 0.1, "material": "steel", "collide": True, "density": 1e3}
    spec = {
        "materials": {"steel": {}},
        "contacts": {"steel/steel": {"friction": 0.5, "restitution": 0.5, "stiffness": 1e6}},
        "bodies": {"ball": {"shapes": {"solid": ball}}},
        "joints": {"free": {"type": "free", "parent": "ground", "child": "ball"}},
        "terrain": terrain((4.0, 3.0)) | {"material": "steel"},
    }
    with pytest.raises(UnsupportedError, match=r"terrain\.soft\.window: shapes that collide"):
        gori.compile(gori.Spec.model_validate(spec))
