"""Subsystems in Python beside the bodies: exchange, momentum, outputs, States."""

import numpy as np
import pytest

import gori
from gori.errors import InputError, SimulationError, UnsupportedError
from gori.sim.subsystem import BodyMotion, Subsystem

STIFFNESS, MASS = 400.0, 2.0


class Spring:
    """A spring from the ground to a body's origin along x, in sub-steps."""

    def __init__(self, body="block", name="spring", fail_at=np.inf):
        self.name, self.bodies, self.step, self.outputs = name, (body,), 3e-4, {f"{name}.travel": "m"}
        self.travel, self.calls, self.fail_at = 0.0, 0, fail_at

    def start(self, motion, time):
        self.travel = float(motion.position[0, 0, 0])

    def advance(self, motion, step, time):
        self.calls += 1
        if time > self.fail_at:
            raise SimulationError(f"the spring broke at {time:.3f} s", time)
        assert motion.table.shape[:2] == (int(np.ceil(1e-3 / 3e-4)) + 1, 1)
        force = -STIFFNESS * motion.position[1:, 0, 0].mean()
        self.travel = float(motion.position[-1, 0, 0])
        return np.array([[0.0, 0.0, 0.0, force, 0.0, 0.0]])

    def state(self):
        return {"travel": self.travel, "calls": self.calls}

    def load(self, saved):
        self.travel, self.calls = float(saved["travel"]), int(saved["calls"])

    def output_values(self):
        return (self.travel,)


def slider():
    return gori.compile(
        gori.Spec(
            bodies={"block": {"mass": MASS, "inertia": [1.0, 1.0, 1.0]}},
            joints={"rail": {"type": "prismatic", "parent": "ground", "child": "block", "axis": [1, 0, 0], "q": 0.1}},
        )
    )


def simulate(*subsystems, **options):
    return gori.Simulation(slider(), gori.RK4(step=1e-3), subsystems=subsystems, **options)


def test_it_is_the_contract():
    assert isinstance(Spring(), Subsystem)


def test_an_oscillator_of_first_order_in_the_step():
    """A force that lags by T acts as a negative damping of k T: the amplitude grows by it, to first order.

    The mean over the ends of four sub-steps is taken H / 8 after the middle of the step, so T is 7/8 of H.
    """
    rec = simulate(Spring()).run(2.0, sample=1e-3)
    omega, grows = np.sqrt(STIFFNESS / MASS), 0.5 * 0.875e-3 * STIFFNESS / MASS
    exact = 0.1 * np.exp(grows * rec.time) * np.cos(omega * rec.time)
    assert np.abs(rec["rail.q"] - exact).max() < 0.02 * np.abs(exact).max()
    np.testing.assert_allclose(rec["spring.travel"], rec["rail.q"], atol=1e-12)  # outputs are those of the sample
    assert rec.units("spring.travel") == ("m",)
    # the wrench of a sample acted in the step that ended there: so the accelerations found afterwards are the run's
    np.testing.assert_allclose(rec["rail.a"], rec["block.wrench_from.spring"][:, 3] / MASS, atol=1e-12)


def test_bodies_receive_what_was_given():
    simulation = simulate(Spring())
    simulation.run(0.5)
    exchange = simulation.exchanges["spring"]
    momentum = MASS * simulation.v[0]
    np.testing.assert_allclose(exchange.given[3], momentum, rtol=1e-12)
    pending = exchange.impulse - exchange.given
    np.testing.assert_allclose(pending, 1e-3 * exchange.wrench[0], atol=1e-15)


def test_a_state_goes_on_bit_for_bit(tmp_path):
    one = simulate(Spring())
    one.run(0.3)
    one.state.save(tmp_path / "s.npz")
    other = simulate(Spring(), state=gori.State.load(tmp_path / "s.npz"))
    other.run(0.4)
    one.run(0.4)
    assert one.state == other.state


def test_two_on_one_body_and_on_the_ground():
    both = simulate(Spring(name="a"), Spring(name="b"))
    rec = both.run(0.1)
    np.testing.assert_array_equal(rec["block.wrench_from.a"], rec["block.wrench_from.b"])
    np.testing.assert_allclose(rec["rail.a"], 2.0 * rec["block.wrench_from.a"][:, 3] / MASS, atol=1e-12)
    on_ground = simulate(Spring("ground")).run(0.1)
    assert not on_ground["rail.a"].any() and "ground.wrench_from.spring" not in on_ground


def test_its_failure_ends_the_run_and_keeps_what_was_recorded():
    with pytest.raises(SimulationError, match=r"the spring broke at 0\.05") as caught:
        simulate(Spring(fail_at=0.05)).run(0.1, sample=1e-3)
    assert caught.value.recording.time[-1] == pytest.approx(0.051)


def test_what_does_not_fit_is_refused():
    class Half:
        name = "half"

    with pytest.raises(InputError, match="Half is not a Subsystem: it has no bodies"):
        simulate(Half())
    with pytest.raises(InputError, match=r"'blok' is not a body or frame.*block"):
        simulate(Spring("blok"))
    with pytest.raises(UnsupportedError, match="a subsystem needs a fixed-step method"):
        gori.Simulation(slider(), gori.Dopri5(), subsystems=[Spring()])
    wrong = Spring()
    wrong.advance = lambda motion, step, time: np.zeros(6)
    with pytest.raises(InputError, match=r"'spring' must return wrenches of shape \(1, 6\), not \(6,\)"):
        simulate(wrong).run(0.01)
    for name in ("vehicle", "clock", "", "a/b"):
        with pytest.raises(InputError, match="a subsystem cannot be called"):
            simulate(Spring(name=name))
    with pytest.raises(InputError, match="two subsystems have the same name"):
        simulate(Spring(), Spring())
    lame = Spring()
    lame.step = 0.0
    with pytest.raises(InputError, match="step must be a positive number"):
        simulate(lame)


def test_motion_by_name():
    table = np.arange(2 * 3 * 18.0).reshape(2, 3, 18)
    motion = BodyMotion(table)
    assert motion.rotation.shape == (2, 3, 3, 3) and motion.rotation[1, 2, 0, 1] == table[1, 2, 1]
    assert motion.position[0, 1, 0] == table[0, 1, 9] and motion.angular_velocity[1, 0, 2] == table[1, 0, 17]
    assert motion.velocity.shape == (2, 3, 3)
