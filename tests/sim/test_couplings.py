"""All subsystems of a Simulation: States that hold them, files that hold their channels."""

import warnings

import numpy as np
import pytest

import gori
from gori.errors import InputError, RestartWarning, SimulationError
from gori.sim import BaseSubsystem
from gori.sim.couplings import couplings, model_columns
from tests.sim.coupled import STEP, Constant, Spring, simulate, slider


class Pair(BaseSubsystem):
    """Pushes one of two bodies."""

    name, step = "pair", STEP

    def __init__(self, *bodies):
        self.bodies = bodies

    def advance(self, motion, step, time):
        return [[0, 0, 0, float(body == "block"), 0, 0] for body in self.bodies]


def ran(*subsystems, **options):
    simulation = simulate(*subsystems, **options)
    simulation.run(0.1)
    return simulation


# ---- States


def test_a_state_goes_on_bit_for_bit(tmp_path):
    one = ran(Spring())
    one.state.save(tmp_path / "s.npz")
    other = simulate(Spring(), state=gori.State.load(tmp_path / "s.npz"))
    other.run(0.4)
    one.run(0.4)
    assert one.state == other.state


def test_a_subsystem_without_memory_goes_on_from_a_file(tmp_path):
    """Its part of the State is empty, and so not in a file; what it has on its way to the bodies is."""
    one = ran(Constant(["block"], np.arange(6.0)))
    one.state.save(tmp_path / "s.npz")
    loaded = gori.State.load(tmp_path / "s.npz")
    other = simulate(Constant(["block"], np.arange(6.0)), state=loaded)
    one.run(0.1)
    other.run(0.1)
    assert one.state == other.state
    with pytest.warns(RestartWarning, match="memory of subsystem 'constant', which is not given"):
        simulate(state=loaded)


def test_a_state_within_a_step_goes_on_bit_for_bit():
    events = {"e": gori.Event("rail.q - 0.0511", action="stop")}
    one = ran(Spring(), events=events)
    assert one.event_log and one.time % STEP > 1e-6
    other = simulate(Spring(), events=events, state=one.state)
    one.run(0.05)
    other.run(0.05)
    assert one.state == other.state


def test_a_part_that_nobody_takes_is_warned_of():
    state = ran(Spring(), Spring(name="motor")).state
    with pytest.warns(RestartWarning, match=r"memory of subsystem 'motor', which is not given: that is dropped$"):
        simulate(Spring(), state=state)
    renamed = r"'spring', which is not given: that is dropped, and 'coil' is not in it and starts afresh"
    with pytest.warns(RestartWarning, match=renamed):
        simulate(Spring(name="coil"), Spring(name="motor"), state=state)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        simulate(Spring(), Spring(name="motor"), state=state)
        simulate(Spring(), state=slider().state())
        simulate(Spring(), state=ran().state)  # a run without it: that it starts is no surprise


def test_other_bodies_than_those_of_the_state_are_refused():
    state = ran(Pair("ground", "block")).state
    with pytest.raises(InputError, match=r"exchange of pair.*: it is with ground, block, in this order; .* has block"):
        simulate(Pair("block", "ground"), state=state)
    parts = {name: part for name, part in state.parts.items() if name != "exchange of pair"}
    torn = gori.State(state.time, state.q, state.v, state.z, parts)
    with pytest.raises(InputError, match=r"exchange of pair'\]\['bodies'\] is missing"):
        simulate(Pair("ground", "block"), state=torn)


def test_a_part_that_the_subsystem_does_not_understand():
    state = ran(Spring()).state.replace(spring={"nonsense": 1})
    with pytest.raises(InputError, match=r"subsystem 'spring' refuses its part of the State: KeyError: 'travel'"):
        simulate(Spring(), state=state)


def test_the_action_of_an_event_may_change_the_memory():
    def wind(state):
        return state.replace(spring={**state.parts["spring"], "calls": 1000})

    simulation = ran(Spring(), events={"wind": gori.Event("rail.q - 0.05", action=wind)})
    assert len(simulation.event_log) == 1 and 1000 < simulation.subsystems[0].calls < 1100


def test_a_start_without_memory_is_the_same_every_time():
    """`simulation.state = model.state()` sets a subsystem back, too, though its `start` does not."""
    simulation = ran(Spring())
    first = simulation.state
    simulation.state = slider().state()
    assert simulation.subsystems[0].calls == 0
    simulation.run(0.1)
    assert simulation.state == first


def test_a_subsystem_has_one_memory():
    spring = Spring()
    one = ran(spring)
    with pytest.warns(RestartWarning, match=r"'spring' has been advanced by another Simulation"):
        two = simulate(spring)
    two.step()
    with pytest.raises(SimulationError, match=r"'spring' was given to another Simulation meanwhile"):
        one.step()


def test_a_subsystem_that_knows_its_state_after_start_only():
    class Late(Constant):
        kept = ("level",)

        def start(self, motion, time):
            self.level = time

    simulation = ran(Late(["block"], np.zeros(6)))
    with pytest.raises(InputError, match=r"'constant' cannot start again: before start\(\) its state\(\) failed"):
        simulation.state = slider().state()


# ---- channels and files


def test_channels_of_a_file(tmp_path):
    """What a subsystem has put out and done is there when a recording is loaded, under its name."""
    model = slider(child_at=[0.0, 0.2, 0.1])
    simulation = gori.Simulation(model, gori.RK4(step=STEP), subsystems=[Spring(), Constant(["block"], np.arange(6.0))])
    rec = simulation.run(0.05, path=tmp_path / "run.h5")
    rec.save(tmp_path / "saved.h5")
    for file in ("run.h5", "saved.h5"):
        loaded = gori.Recording.load(tmp_path / file)
        for name in ("spring.travel", "block.wrench_from.spring", "block.wrench_from.constant"):
            np.testing.assert_array_equal(loaded[name], rec[name])
            assert loaded.units(name) == rec.units(name)
        with pytest.raises(InputError, match=r"no channel 'rail.a': accelerations.*gori.open_run"):
            loaded["rail.a"]
        whole = gori.open_run(tmp_path / file)
        np.testing.assert_array_equal(whole["rail.a"], rec["rail.a"])
        np.testing.assert_array_equal(whole["rail.reaction"], rec["rail.reaction"])
        assert set(whole.channels()) == set(rec.channels())
    np.testing.assert_allclose(rec["block.wrench_from.constant"], np.tile(np.arange(6.0), (len(rec), 1)), atol=1e-12)


def test_resuming_without_the_subsystems_of_the_run(tmp_path):
    path = tmp_path / "run.h5"
    simulate(Spring(), Pair("block")).run(0.05, path=path)
    cases = {
        r"this run had subsystem 'spring', 'pair': give it to resume": [],
        r"this run had subsystem 'pair': give it to resume": [Spring()],
        r"this run had no subsystem 'motor'": [Spring(), Pair("block"), Spring(name="motor")],
        r"subsystem 'pair' of this run had the bodies block, not ground, block": [Spring(), Pair("ground", "block")],
    }
    for words, subsystems in cases.items():
        with pytest.raises(InputError, match=words):
            gori.Simulation.resume(path, subsystems=subsystems, progress=False)
    other = Spring()
    other.outputs = {"spring.length": "m"}
    with pytest.raises(InputError, match="recorded with other outputs"):
        gori.Simulation.resume(path, subsystems=[other, Pair("block")], progress=False)


def test_columns_of_all():
    model = slider()
    assert model_columns(model) == {}
    shared = couplings(model, {"a": ["ground", "block"], "b": ["block"]}, {"x": "m", "y": "N"})
    row = int(shared.frames["b"].rows[0])
    assert shared.coupled == (0, row, row)
    columns = {name: tuple(place) for name, place in shared.channels.items()}
    assert columns == {
        "ground.wrench_from.a": (0, 6, "N m, N"),
        "block.wrench_from.a": (6, 6, "N m, N"),
        "block.wrench_from.b": (12, 6, "N m, N"),
        "x": (18, 1, "m"),
        "y": (19, 1, "N"),
    }
