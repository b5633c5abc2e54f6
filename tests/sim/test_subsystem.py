"""The contract of a subsystem: what it must have, what is refused, what it is given."""

import numpy as np
import pytest

import gori
from gori.errors import InputError, UnsupportedError
from gori.sim import BaseSubsystem
from gori.sim.subsystem import BodyMotion, Subsystem
from tests.sim.coupled import Constant, Spring, simulate, slider


def changed(**members):
    spring = Spring()
    for name, value in members.items():
        setattr(spring, name, value)
    return spring


def test_it_is_the_contract():
    assert isinstance(Spring(), Subsystem) and isinstance(Constant(["block"], np.zeros(6)), Subsystem)


def test_two_on_one_body_and_on_the_ground():
    both = simulate(Spring(name="a"), Spring(name="b"))
    rec = both.run(0.1)
    np.testing.assert_array_equal(rec["block.wrench_from.a"], rec["block.wrench_from.b"])
    np.testing.assert_allclose(rec["rail.a"], 2.0 * rec["block.wrench_from.a"][:, 3] / 2.0, atol=1e-12)
    on_ground = simulate(Constant(["ground"], np.arange(6.0))).run(0.1)
    assert not on_ground["rail.a"].any()  # it changes nothing, but is known
    np.testing.assert_allclose(on_ground["ground.wrench_from.constant"], np.tile(np.arange(6.0), (len(on_ground), 1)))


def test_sub_steps_divide_the_step_evenly():
    seen = Constant(["block"], np.zeros(6), step=3e-4)
    steps = []
    seen.advance = lambda motion, step, time: steps.append((len(motion.position) - 1, step)) or np.zeros((1, 6))
    simulate(seen).run(1.0)
    assert set(steps) == {(4, 2.5e-4)}  # to the last bit: times of the clock are rounded, steps are not


class Half:
    name = "half"


REFUSED = {
    "half": (Half(), "Half is not a Subsystem: it has no bodies"),
    "class": (Spring, "is not a Subsystem: it has no name"),
    "typo": (Spring("blok"), r"subsystem 'spring': 'blok' is not a body or frame; did you mean 'block'"),
    "text": (changed(bodies="block"), r"subsystem 'spring': bodies must be a list of names, not 'block'"),
    "no text": (changed(bodies=(3,)), r"bodies must be a list of names"),
    "no bodies": (changed(bodies=None), r"bodies must be a list of names, not None"),
    "twice": (changed(bodies=("block", "block")), r"subsystem 'spring': 'block' is twice among its bodies"),
    "zero step": (changed(step=0.0), r"subsystem 'spring': step must be a positive number"),
    "text step": (changed(step="x"), r"subsystem 'spring': step must be a positive number of seconds, not 'x'"),
    "no step": (changed(step=None), r"subsystem 'spring': step must be a positive number"),
    "nan step": (changed(step=np.nan), r"subsystem 'spring': step must be a positive number"),
    "tiny step": (changed(step=1e-12), r"'spring': a step of 1e-12 s divides .* 0.001 s into 1e\+09 sub-steps"),
    "number name": (changed(name=3), r"the name of a subsystem must be text, not 3"),
    "list of outputs": (changed(outputs=["a"]), r"subsystem 'spring': outputs must be {channel: unit}"),
    "no outputs": (changed(outputs=None), r"subsystem 'spring': outputs must be {channel: unit}"),
    "units": (changed(outputs={"a": 1}), r"subsystem 'spring': outputs must be {channel: unit}"),
    "list of state": (changed(state=lambda: [1]), r"subsystem 'spring': state\(\) must return {name: array"),
    "ragged state": (changed(state=lambda: {"n": [1, [2, 3]]}), r"subsystem 'spring': state\(\) must return arrays"),
    "wide start": (changed(start=lambda *_: np.zeros(6)), r"'spring' failed at t = 0 s: start must .* \(1, 6\)"),
    "number at start": (changed(start=lambda *_: 7.0), r"'spring' failed .* shape \(1, 6\), not \(\)"),
    "failing start": (changed(start=lambda *_: 1 / 0), r"'spring' failed at t = 0 s: ZeroDivisionError"),
    "one output": (
        changed(outputs={"a": "m", "b": "m"}, output_values=lambda: 3.0),
        r"'spring' failed at t = 0 s: output_values must return numbers of shape \(2,\), not \(\)",
    ),
    "few outputs": (changed(outputs={"a": "m", "b": "m"}, output_values=lambda: (3.0,)), r"shape \(2,\), not \(1,\)"),
    "no values": (changed(output_values=lambda: None), r"output_values must return numbers of shape \(1,\)"),
    "time": (changed(outputs={"time": "s"}), r"there is a channel 'time' already"),
    "channel": (changed(outputs={"rail.a": "m/s2"}), r"there is a channel 'rail.a' already"),
    "wrench": (changed(outputs={"block.wrench_from.spring": "N"}), r"a channel 'block.wrench_from.spring' already"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_does_not_fit_is_refused(case):
    subsystem, words = REFUSED[case]
    with pytest.raises(InputError, match=words):
        simulate(subsystem)


def test_names_that_are_taken():
    for name in ("vehicle", "clock", "", "a/b", "exchange of pump"):
        with pytest.raises(InputError, match="a subsystem cannot be called"):
            simulate(Spring(name=name))
    with pytest.raises(InputError, match="two subsystems have the same name"):
        simulate(Spring(), Spring())
    other = Spring(name="other")
    other.outputs = {"spring.travel": "m"}
    with pytest.raises(InputError, match=r"subsystems 'spring' and 'other' both put out 'spring.travel'"):
        simulate(Spring(), other)


def test_a_list_of_them_is_wanted():
    model = slider()
    with pytest.raises(InputError, match=r"subsystems must be a list of Subsystems, not a Spring"):
        gori.Simulation(model, subsystems=Spring())
    with pytest.raises(InputError, match=r"sub_steps={train: step"):
        gori.Simulation(model, subsystems={"truck.drivetrain": 1e-4})
    assert gori.Simulation(model, subsystems=None).subsystems == ()
    assert len(gori.Simulation(model, subsystems=(spring for spring in [Spring()])).subsystems) == 1
    with pytest.raises(UnsupportedError, match="a subsystem needs a fixed-step method"):
        gori.Simulation(model, gori.Dopri5(), subsystems=[Spring()])


def test_what_it_changes_of_itself_in_a_run_changes_nothing():
    spring = Spring()

    def advance(motion, step, time):
        spring.name, spring.bodies, spring.step = "other", ("block", "ground"), 1e-12
        return np.zeros((1, 6))

    spring.advance = advance
    simulation = simulate(spring)
    assert "block.wrench_from.spring" in simulation.run(0.01)
    assert {"spring", "exchange of spring"} <= simulation.state.parts.keys()


# ---- motion


def test_motion_by_name():
    table = np.arange(2 * 3 * 18.0).reshape(2, 3, 18)
    motion = BodyMotion(table)
    assert motion.rotation.shape == (2, 3, 3, 3) and motion.rotation[1, 2, 0, 1] == table[1, 2, 1]
    assert motion.position[0, 1, 0] == table[0, 1, 9] and motion.angular_velocity[1, 0, 2] == table[1, 0, 17]
    assert motion.velocity.shape == (2, 3, 3)


def test_a_motion_may_be_kept_and_written():
    """It is the subsystem's own: later ones do not change it, and what is written into it is seen by nobody."""
    seen = Constant(["block"], [0, 0, 0, 5.0, 0, 0])
    simulation = simulate(seen)
    simulation.step()
    kept = seen.motions[-1].position.copy()
    simulation.step(5)
    np.testing.assert_array_equal(seen.motions[1].position, kept)
    other = Constant(["block"], [0, 0, 0, 5.0, 0, 0])
    again = simulate(other)
    for _ in range(6):
        again.step()
        other.motions[-1].table[:] = np.nan
    np.testing.assert_array_equal(again.q, simulation.q)


# ---- defaults


class Tank(BaseSubsystem):
    """A weight that shrinks."""

    name, bodies, step, outputs, kept = "tank", ("block",), 1e-3, {"tank.mass": "kg"}, ("mass", "label", "levels")

    def __init__(self):
        self.mass, self.label, self.levels = 5.0, "water", np.zeros(3)

    def advance(self, motion, step, time):
        self.mass -= 2.0 * step
        self.levels += step
        return [[0, 0, 0, -9.81 * self.mass, 0, 0]]

    def output_values(self):
        return (self.mass,)


def test_defaults_keep_the_attributes_that_are_named():
    one = simulate(Tank())
    one.run(0.1)
    tank = Tank()
    other = simulate(tank, state=one.state)
    assert tank.mass == pytest.approx(4.8) and isinstance(tank.mass, float) and tank.label == "water"
    one.run(0.1)
    other.run(0.1)
    assert one.state == other.state


def test_what_load_is_given_is_its_own():
    """`self.levels = saved["levels"]`, then `+=`: neither an error nor a change of the State."""
    one = simulate(Tank())
    one.run(0.1)
    state = one.state
    digest = state.digest()
    simulate(Tank(), state=state).run(0.1)
    assert state.digest() == digest
