"""Drivers, channels and what vehicles keep in a Simulation."""

import numpy as np
import pytest

import gori
from gori import vehicle
from gori.errors import InputError, SimulationError, UnsupportedError
from gori.kernels.vehicle.state import NEVER

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


def test_a_machine_without_vehicle():
    joint = {"type": "revolute", "parent": "ground", "child": "a"}
    pendulum = gori.compile(gori.Spec(bodies={"a": {"mass": 1, "inertia": [1, 1, 1]}}, joints={"j": joint}))
    simulation = gori.Simulation(pendulum)
    assert not simulation.inputs and simulation.state.vehicle is None
    with pytest.raises(InputError, match="none: the Spec has no drive train and no steering"):
        simulation.inputs["throttle"] = 1.0
    with pytest.raises(InputError, match=r"unknown channel 'a.load' of a wheel or drive train"):
        simulation.channel("a.load")
    with pytest.raises(InputError, match="has no wheels"):
        gori.at_rest(pendulum)


def test_the_driver_is_asked_in_time_whatever_the_blocks(model, rest):
    asked = []

    def driver(simulation):
        asked.append((simulation.time, simulation.channel("truck.drivetrain.engine_speed")))
        simulation.inputs["truck.selector"] = "D"
        simulation.inputs["truck.throttle"] = min(1.0, simulation.time)

    whole = gori.Simulation(model, ADAMS, state=rest, driver=driver, driver_period=0.02)
    rec = whole.run(0.3, sample=0.01)
    np.testing.assert_allclose([t for t, _ in asked], 0.02 * np.arange(15), atol=1e-12)
    np.testing.assert_allclose([w for _, w in asked], rec["truck.drivetrain.engine_speed"][:-1:2], rtol=1e-12)
    np.testing.assert_allclose(rec["truck.drivetrain.throttle"][1::2], 0.02 * np.arange(15), atol=1e-12)
    pieces = gori.Simulation(model, ADAMS, state=rest, driver=driver, driver_period=0.02)
    for count in (7, 50, 43, 200):
        pieces.step(count)
    for name, part in whole.state.vehicle.items():
        np.testing.assert_array_equal(pieces.state.vehicle[name], part)
    assert pieces.q.flags.writeable is False and np.array_equal(pieces.q, whole.state.q)
    assert np.array_equal(pieces.v, whole.state.v)


def test_a_driver_that_fails_loses_nothing(model, rest):
    def driver(simulation):
        simulation.inputs["truck.throttle"] = 10.0 * simulation.time

    with pytest.raises(
        SimulationError, match=r"the driver raised an exception at t = 0.11 s: InputError: input 'truck.throttle'"
    ) as caught:
        gori.Simulation(model, ADAMS, state=rest, driver=driver).run(0.5, sample=0.01)
    assert caught.value.recording.time[-1] == pytest.approx(0.11)
    assert isinstance(caught.value.__cause__, InputError)
    with pytest.raises(UnsupportedError, match="a driver needs a fixed-step method"):
        gori.Simulation(model, gori.Dopri5(), state=rest, driver=driver)
    for method in (gori.Dopri5(), gori.Radau5()):  # wheels advance with steps of a fixed length
        with pytest.raises(UnsupportedError, match=r"5 does not support: vehicles. Use one of semi_implicit, rk4"):
            gori.Simulation(model, method, state=rest)
    with pytest.raises(InputError, match="driver_period must be a positive number"):
        gori.Simulation(model, ADAMS, driver=driver, driver_period=0.0)


def test_a_file_names_its_channels(model, rest, tmp_path):
    """Wheels and drive trains are there when a recording is loaded; columns of another layout do not act again."""
    rec = gori.Simulation(model, ADAMS, state=rest).run(0.02)
    rec.save(tmp_path / "run.h5")
    loaded = gori.Recording.load(tmp_path / "run.h5")
    for name in ("truck.wheel_fl.load", "truck.drivetrain.engine_speed"):
        np.testing.assert_array_equal(loaded[name], rec[name])
        assert loaded.units(name) == rec.units(name)
    assert np.abs(gori.open_run(tmp_path / "run.h5")["a"]).max() < 10.0
    info = {**rec.info, "outputs": dict(rec.info["outputs"])}
    first, second = info["outputs"]["truck.wheel_fl.load"], info["outputs"]["truck.wheel_fl.fx"]
    info["outputs"] |= {"truck.wheel_fl.load": second, "truck.wheel_fl.fx": first}
    gori.Recording(model, rec.time, rec.q, rec.v, rec.z, rec.extra, info).save(tmp_path / "old.h5")
    old = gori.open_run(tmp_path / "old.h5")
    np.testing.assert_array_equal(old["truck.wheel_fl.load"], rec["truck.wheel_fl.fx"])
    with pytest.raises(InputError, match="other outputs of wheels"):
        old["a"]


def test_own_steps_of_the_drive_train(model, rest):
    """From the run section, or from here; finer ones come nearer to the finest."""
    speeds = {}
    for own in (1e-3, 5e-4, 2.5e-4, 2e-5):
        simulation = gori.Simulation(model, ADAMS, state=rest, sub_steps={"truck.drivetrain": own})
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
            gori.Simulation(model, ADAMS, sub_steps=bad)


def test_soil_remembers_and_is_in_the_state(soft):
    model, rest = soft
    places, cells = rest.vehicle["cell_index"], rest.vehicle["cells"]
    assert 0 < len(places) < 140 * 60 and len(cells) == len(places) and (cells["stamp"] > NEVER).all()
    assert 0.002 < cells["z_max"].max() < 0.2
    simulation = gori.Simulation(model, ADAMS, state=rest)
    np.testing.assert_array_equal(simulation.state.vehicle["cell_index"], places)
    np.testing.assert_array_equal(simulation.state.vehicle["cells"], cells)
    simulation.inputs.update({"truck.selector": "D", "truck.throttle": 0.5})
    simulation.step(300)
    middle = simulation.state
    assert len(middle.vehicle["cell_index"]) > len(places)
    simulation.step(300)
    end = simulation.state
    again = gori.Simulation(model, ADAMS, state=middle)
    again.step(300)
    assert again.state == end
    afresh = gori.Simulation(model, ADAMS, state=middle.replace(v=middle.v))
    with pytest.raises(InputError, match="not a Snapshot"):
        gori.Simulation(model, ADAMS, state=afresh.step(300))
    other = afresh.state
    np.testing.assert_allclose(other.q, end.q, atol=1e-5)  # the method starts anew
    np.testing.assert_array_equal(other.vehicle["cell_index"], end.vehicle["cell_index"])
    np.testing.assert_allclose(other.vehicle["cells"]["z_max"], end.vehicle["cells"]["z_max"], atol=1e-4)
    fresh = gori.Simulation(model, ADAMS)
    assert len(fresh.state.vehicle["cell_index"]) < len(places)


def test_leaving_the_soil_is_told(soft):
    model, _ = soft
    state = gori.at_rest(model, 10.0)
    with pytest.raises(
        SimulationError, match=r"a wheel leaves the grid of soft soil .* Increase terrain.soft.size"
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
    end = gori.Simulation.resume(path, changed=True)
    np.testing.assert_array_equal(end.q, whole.q)
    np.testing.assert_array_equal(end.extra["outputs"], whole.extra["outputs"])


WORK = ("wheel_work", "stage_contact", "stage_output", "footprint", "patch", "dof_w", "tau")
"""arrays of Data that can be computed again"""


@pytest.mark.parametrize("method", [ADAMS, gori.RK4(step=1e-3)], ids=["adams", "rk4"])
def test_a_saved_state_goes_on_bit_for_bit(soft, method):
    """On dry sand, into another Simulation whose work arrays hold nothing of use."""
    model, rest = soft
    first = gori.Simulation(model, method, state=rest)
    first.inputs.update({"truck.selector": "D", "truck.throttle": 0.8, "truck.steer": 0.3})
    first.step(150)
    saved = first.state
    first.step(100)

    other = gori.Simulation(model, method, state=saved)
    for name in WORK:
        work = getattr(other.stepper.data, name)
        for field in work.dtype.names or (...,):
            work[field] = np.nan if work.dtype.names is None or work.dtype[field].kind == "f" else 0
    other.step(100)
    for name, part in first.state.arrays().items():
        np.testing.assert_array_equal(other.state.arrays()[name], part, name)
    assert other.state.digest() == first.state.digest()
    assert other.channel("truck.wheel_fl.sinkage") > 0.0


def test_what_cannot_be_loaded_is_named(soft, model, rest):
    hard = gori.Simulation(model, ADAMS, state=rest).vehicles
    sand, at_rest = soft
    vehicles = gori.Simulation(sand, ADAMS, state=at_rest).vehicles
    saved = vehicles.state()

    def changed(name, field, value):
        part = saved[name].copy()
        part[field] = value
        return saved | {name: part}

    for bad, words in (
        (changed("wheel", "angular_velocity", np.nan), r"\['wheel'\]: angular_velocity must be finite"),
        (changed("cells", "z_max", np.inf), r"\['cells'\]: z_max must be finite"),
        (saved | {"train": saved["train"][:0]}, r"\['train'\] must be records"),
        (saved | {"driver": saved["driver"].view("f8")}, r"\['driver'\] must be records"),
        (saved | {"cell_index": saved["cell_index"] + 10**6}, r"\['cell_index'\] must be whole numbers from 0 to"),
        ({name: part for name, part in saved.items() if name != "contact"}, r"\['contact'\] is missing"),
        (saved | {"wheels": saved["wheel"]}, "there is no 'wheels'; did you mean 'wheel'"),
        (hard.state(), "has no soft soil"),
    ):
        with pytest.raises(InputError, match=words):
            vehicles.load(bad)
    after = vehicles.state()
    assert all(np.array_equal(after[name], part) for name, part in saved.items())  # nothing was touched
    with pytest.raises(InputError, match="there is no 'cell_index'"):
        hard.load(saved)


def test_the_model_stays_as_it_is(model, rest):
    """Own steps and what helps to come to rest belong to a run."""
    before = [table.copy() for table in model.vehicle.records]
    simulation = gori.Simulation(model, ADAMS, state=rest, sub_steps={"truck.drivetrain": 1e-4})
    with simulation.vehicles.lock_free_wheels(), simulation.vehicles.without_friction():
        assert simulation.stepper.machine.terrain["friction"] == 1e-6
    assert simulation.stepper.machine.terrain["friction"] == 0.8
    assert simulation.stepper.data.vehicle_setting["sub_step"] == 1e-4
    for table, kept in zip(model.vehicle.records, before):
        np.testing.assert_array_equal(table, kept)


def test_an_event_within_a_step(model, rest):
    """Wheels go back to where it was met, and on from there."""
    ends, met = [], []
    for events in (None, {"mark": gori.Event("t - 0.3004", action=met.append)}):
        simulation = gori.Simulation(model, ADAMS, state=rest, events=events)
        simulation.inputs.update({"truck.selector": "D", "truck.throttle": 1.0})
        simulation.step(300)
        before = simulation.vehicles.state()["wheel"]["angular_velocity"]
        simulation.step(300)
        ends.append((simulation.state.vehicle["wheel"]["angular_velocity"], simulation.q.copy()))
    (state,) = met
    assert state.time == pytest.approx(0.3004) and state.vehicle["vehicle_clock"]["time"] == state.time
    speed = state.vehicle["wheel"]["angular_velocity"]
    assert (speed > before).all() and (speed - before < 0.1).all()
    np.testing.assert_allclose(ends[1][0], ends[0][0], rtol=2e-3)
    np.testing.assert_allclose(ends[1][1], ends[0][1], atol=2e-3)


def test_the_clock_of_a_state_may_differ_in_its_last_bit(model, rest):
    """It is computed at two places: compilers may round it differently."""
    simulation = gori.Simulation(model, ADAMS, state=rest)
    simulation.step(10)
    state = simulation.state
    clock = state.vehicle["vehicle_clock"].copy()
    for time, good in ((np.nextafter(state.time, 1.0), True), (state.time + 1e-9, False)):
        clock["time"] = time
        parts = {**state.parts, "vehicle": {**state.vehicle, "vehicle_clock": clock.copy()}}
        other = gori.State(state.time, state.q, state.v, state.z, parts, state.model)
        if good:
            simulation.state = other
        else:
            with pytest.raises(InputError, match="must show the time of the State"):
                simulation.state = other
