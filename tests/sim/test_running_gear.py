"""Inputs, drivers, schedules, channels and soil memory of a Simulation with a vehicle."""

import numpy as np
import pytest

import gori
from gori import vehicle
from gori.errors import InputError, SimulationError, UnsupportedError
from gori.kernels.vehicle.patch import NEVER, STAMP, Z_MAX
from gori.model.vehicle.running_gear import TRAIN_CHANNELS, WHEEL_CHANNELS

ADAMS = gori.Adams(step=1e-3, order=2)


@pytest.fixture(scope="module")
def model():
    return gori.compile(vehicle.spec("hmmwv"))


@pytest.fixture(scope="module")
def rest(model):
    return gori.at_rest(model)


@pytest.fixture(scope="module")
def soft():
    ground = {"soil": gori.soil("lete_sand"), "at": [-4, -3], "size": [14, 6], "cell": 0.1}
    model = gori.compile(vehicle.spec("hmmwv", terrain={"soft": ground}))
    return model, gori.at_rest(model)


def test_inputs_by_name(model):
    inputs = gori.Simulation(model, ADAMS).inputs
    assert set(inputs) == {f"truck.{name}" for name in ("throttle", "brake", "selector", "transfer", "steer")}
    assert len(inputs) == 5 and inputs["truck.transfer"] == 1.0 and inputs["truck.selector"] == 0.0
    inputs.update({"truck.selector": "R", "truck.throttle": 0.4, "truck.steer": -1, "truck.transfer": "low"})
    assert (inputs["truck.selector"], inputs["truck.throttle"], inputs["truck.transfer"]) == (-1.0, 0.4, 2.0)
    for name, bad, words in (
        ("truck.throttle", 1.1, "must be a number from 0 to 1, not 1.1"),
        ("truck.throttle", np.nan, "must be a number from 0 to 1"),
        ("truck.throttle", "full", "must be a number from 0 to 1, not 'full'"),
        ("truck.brake", True, "must be a number from 0 to 1"),
        ("truck.steer", -1.01, "must be a number from -1 to 1"),
        ("truck.selector", "low", "must be one of R, P, N, D, a gear from 1 to 4"),
        ("truck.selector", 5, "must be one of R, P, N, D"),
        ("truck.transfer", "D", "must be one of neutral, high, low, high_locked, not 'D'"),
        ("truck.trottle", 1.0, "there is no input 'truck.trottle'; did you mean 'truck.throttle'?"),
    ):
        with pytest.raises(InputError) as caught:
            inputs[name] = bad
        assert words in str(caught.value)
    with pytest.raises(InputError, match="cannot be removed"):
        del inputs["truck.steer"]
    assert inputs["truck.throttle"] == 0.4


def test_a_machine_without_vehicle():
    joint = {"type": "revolute", "parent": "ground", "child": "a"}
    pendulum = gori.compile(gori.Spec(bodies={"a": {"mass": 1, "inertia": [1, 1, 1]}}, joints={"j": joint}))
    simulation = gori.Simulation(pendulum)
    assert not simulation.inputs and simulation.state.ground is None
    with pytest.raises(InputError, match="none: the Spec has no drive train and no steering"):
        simulation.inputs["throttle"] = 1.0
    with pytest.raises(InputError, match=r"no wheel or drive train tells 'a.load'"):
        simulation.channel("a.load")
    with pytest.raises(InputError, match="has no wheels"):
        gori.at_rest(pendulum)


def test_the_driver_is_asked_in_time_whatever_the_blocks(model, rest):
    asked = []

    def driver(simulation):
        asked.append((simulation.time, simulation.channel("truck.drivetrain.engine_speed")))
        simulation.inputs["truck.selector"] = "D"
        simulation.inputs["truck.throttle"] = min(1.0, simulation.time)

    whole = gori.Simulation(model, ADAMS, state=rest, driver=driver, control=0.02)
    rec = whole.run(0.3, sample=0.01)
    np.testing.assert_allclose([t for t, _ in asked], 0.02 * np.arange(15), atol=1e-12)
    np.testing.assert_allclose([w for _, w in asked], rec["truck.drivetrain.engine_speed"][:-1:2], rtol=1e-12)
    np.testing.assert_allclose(rec["truck.drivetrain.throttle"][1::2], 0.02 * np.arange(15), atol=1e-12)
    pieces = gori.Simulation(model, ADAMS, state=rest, driver=driver, control=0.02)
    for count in (7, 50, 43, 200):
        pieces.step(count)
    np.testing.assert_array_equal(pieces.state.z, whole.state.z)
    assert pieces.q.flags.writeable is False and np.array_equal(pieces.q, whole.state.q)
    assert np.array_equal(pieces.v, whole.state.v)


def test_a_driver_that_fails_loses_nothing(model, rest):
    def driver(simulation):
        simulation.inputs["truck.throttle"] = 10.0 * simulation.time

    with pytest.raises(
        SimulationError, match=r"the driver failed at t = 0.11 s: InputError: input 'truck.throttle'"
    ) as caught:
        gori.Simulation(model, ADAMS, state=rest, driver=driver).run(0.5, sample=0.01)
    assert caught.value.recording.time[-1] == pytest.approx(0.11)
    assert isinstance(caught.value.__cause__, InputError)
    with pytest.raises(UnsupportedError, match="a driver needs a method of a fixed step"):
        gori.Simulation(model, gori.Dopri5(), state=rest, driver=driver)
    with pytest.raises(InputError, match="control must be a positive number"):
        gori.Simulation(model, ADAMS, driver=driver, control=0.0)


def test_channels_of_a_recording_are_those_of_the_simulation(model, rest):
    simulation = gori.Simulation(model, ADAMS, state=rest)
    rec = simulation.run(0.05, sample=0.01)
    names = [f"truck.wheel_{c}.{n}" for c in vehicle.CORNERS for n in WHEEL_CHANNELS]
    for name in [*names, *(f"truck.drivetrain.{n}" for n in TRAIN_CHANNELS)]:
        assert rec[name].shape == (6,) and rec[name][-1] == simulation.channel(name), name
    assert rec.units("truck.wheel_fl.load") == ("N",)
    weight = 9.81 * model.mass
    assert sum(rec[f"truck.wheel_{c}.load"] for c in vehicle.CORNERS)[-1] == pytest.approx(weight, rel=1e-4)
    with pytest.raises(InputError, match=r"did you mean 'truck.wheel_fl.load'"):
        simulation.channel("truck.wheel_fl.lod")


def test_schedules_drive(model, rest):
    control = {"type": "schedule", "throttle": [[0, 0.2], [0.2, 0.6]], "steer": "2*t", "brake": "step(t-0.2) - 0.5"}
    control |= {"selector": [[0, "N"], [0.1, "D"]], "transfer": "high", "every": 0.02}
    driven = gori.compile(model.spec.set("controls", {"truck.driver": control}))
    simulation = gori.Simulation(driven, ADAMS, state=rest)
    rec = simulation.run(0.3, sample=0.02)
    # what is set at a time counts in the step that follows
    t = np.maximum(rec.time - 0.02, 0.0)[1:]
    np.testing.assert_allclose(rec["truck.drivetrain.throttle"][1:], np.interp(t, [0, 0.2], [0.2, 0.6]), atol=1e-12)
    np.testing.assert_allclose(
        rec["truck.drivetrain.brake"][1:], np.where(t > 0.199, 0.5, 0.0), atol=1e-12
    )  # held in range
    np.testing.assert_array_equal(rec["truck.drivetrain.selector"][1:], np.where(t > 0.099, 10.0, 0.0))
    assert simulation.inputs["truck.steer"] == pytest.approx(0.56)
    assert simulation.control == 0.02

    def more(sim):
        sim.inputs["truck.throttle"] = 1.0

    both = gori.Simulation(driven, ADAMS, state=rest, driver=more)
    both.step(30)
    assert both.channel("truck.drivetrain.throttle") == 1.0 and both.inputs["truck.steer"] == pytest.approx(0.04)
    broken = gori.compile(model.spec.set("controls", {"truck.driver": {"type": "schedule", "throttle": "log(t-1)"}}))
    with pytest.raises(SimulationError, match=r"the schedule of truck.throttle gives no number at t = 0 s"):
        gori.Simulation(broken, ADAMS, state=rest).step()
    unknown = gori.compile(model.spec.set("controls", {"truck.driver": {"type": "schedule", "throttle": "a.q"}}))
    with pytest.raises(InputError, match=r"controls.truck.driver.throttle: 'a' is not a joint"):
        gori.Simulation(unknown, ADAMS)


def test_own_steps_of_the_drive_train(model, rest):
    """From the run section, or from here; finer ones come nearer to the finest."""
    speeds = {}
    for own in (1e-3, 5e-4, 2.5e-4, 2e-5):
        simulation = gori.Simulation(model, ADAMS, state=rest, subsystems={"truck.drivetrain": own})
        simulation.inputs.update({"truck.selector": "D", "truck.throttle": 1.0})
        simulation.step(800)
        speeds[own] = simulation.v[model.joint("truck").v][3]
    errors = [abs(speeds[own] - speeds[2e-5]) for own in (1e-3, 5e-4, 2.5e-4)]
    assert errors[0] > errors[1] > errors[2] > 0.0 and errors[0] < 0.02 * speeds[2e-5]
    spec = model.spec.set("run", {"duration": 1, "subsystems": {"truck.drivetrain": {"step": 5e-4}}})
    simulation = gori.Simulation(gori.compile(spec), ADAMS, state=rest)
    simulation.inputs.update({"truck.selector": "D", "truck.throttle": 1.0})
    simulation.step(800)
    assert simulation.v[model.joint("truck").v][3] == speeds[5e-4]
    for bad, words in (({"truck.train": 1e-4}, "is not a drive train"), ({"truck.drivetrain": 0.0}, "positive number")):
        with pytest.raises(InputError, match=words):
            gori.Simulation(model, ADAMS, subsystems=bad)


def test_soil_remembers_and_is_in_the_state(soft):
    model, rest = soft
    places, cells = rest.ground
    assert 0 < len(places) < 140 * 60 and len(cells) == len(places) and (cells[:, STAMP] > NEVER).all()
    assert 0.002 < cells[:, Z_MAX].max() < 0.2
    simulation = gori.Simulation(model, ADAMS, state=rest)
    np.testing.assert_array_equal(simulation.state.ground[0], places)
    np.testing.assert_array_equal(simulation.state.ground[1], cells)
    simulation.inputs.update({"truck.selector": "D", "truck.throttle": 0.5})
    simulation.step(300)
    middle = simulation.state
    assert len(middle.ground[0]) > len(places)
    simulation.step(300)
    end = simulation.state
    again = gori.Simulation(model, ADAMS, state=middle)
    again.inputs.update({"truck.selector": "D", "truck.throttle": 0.5})
    with pytest.raises(InputError, match="does not hold the soft soil"):
        gori.Simulation(model, ADAMS, state=again.step(300))
    other = again.state
    np.testing.assert_allclose(other.q, end.q, atol=1e-5)  # the method starts anew
    np.testing.assert_array_equal(other.ground[0], end.ground[0])
    np.testing.assert_allclose(other.ground[1][:, Z_MAX], end.ground[1][:, Z_MAX], atol=1e-4)
    kept = middle.copy()
    kept.ground[1][:] = 0.0
    assert middle.ground[1].any()
    fresh = gori.Simulation(model, ADAMS)
    assert len(fresh.state.ground[0]) < len(places)


def test_leaving_the_soil_is_told(soft):
    model, _ = soft
    state = gori.at_rest(model, 10.0)
    with pytest.raises(
        SimulationError, match=r"a wheel leaves the grid of soft soil .* Make terrain.soft.size larger"
    ) as caught:
        gori.Simulation(model, ADAMS, state=state).run(2.0, sample=0.01)
    x = caught.value.recording["truck.wheel_fl.load"]
    assert len(x) > 50 and np.isfinite(x).all()


def test_killed_and_resumed_bit_for_bit(model, rest, tmp_path):
    """A run with a schedule goes on from its file as if nothing had been."""
    control = {"type": "schedule", "throttle": "min(1, t)", "steer": "0.3*sin(3*t)", "selector": "D"}
    driven = gori.compile(model.spec.set("controls", {"truck.driver": control}))
    whole = gori.Simulation(driven, ADAMS, state=rest).run(1.0, sample=0.01)

    def killer(simulation):
        if simulation.time > 0.5:
            raise KeyboardInterrupt

    path = tmp_path / "run.h5"
    simulation = gori.Simulation(driven, ADAMS, state=rest, driver=killer)
    rec = simulation.run(1.0, sample=0.01, path=path)
    assert rec.info["interrupted"] and rec.time[-1] < 0.6
    end = gori.Simulation.resume(path)
    np.testing.assert_array_equal(end.q, whole.q)
    np.testing.assert_array_equal(end.z, whole.z)
