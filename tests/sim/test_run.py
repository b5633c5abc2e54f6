"""The stages of a run: each knows only what it is given."""

import numpy as np
import pytest

import gori
from gori.errors import SimulationError
from gori.kernels.codes import NEAR_SINGULAR, OK, POOR_CHOICE, SINGULAR, STEP_TOO_SMALL
from gori.sim import Simulation
from gori.sim.run import Block, DriverStage, FailureStage, LoopStage, SampleStage, run_blocks
from tests.integrate.closed_machines import rockers


class Stub:
    """An engine of so many steps, which counts."""

    def __init__(self, steps, step=0.01):
        self.left, self.steps_done, self.step, self.time, self.calls = steps, 0, step, 0.0, []

    def steps_left(self):
        return self.left

    def take(self, block):
        self.calls.append(block.most)
        self.left -= block.most
        self.steps_done += block.most
        self.time = self.steps_done * self.step

    def columns(self, rows):
        return (rows,)

    def forget(self):
        self.calls.append("forget")


def test_blocks_until_the_end():
    stepper = Stub(10)
    assert run_blocks(stepper, [stepper.take]) is None
    assert stepper.calls == [10]


def test_drivers_act_on_their_grid_and_may_end_the_run():
    stepper, times = Stub(100), []

    def driver():
        times.append(stepper.time)
        return stepper.time >= 0.5

    stage = DriverStage(stepper, driver, lambda: True, period=0.2)
    assert run_blocks(stepper, [stage, stepper.take]) is None
    np.testing.assert_allclose(times, [0.0, 0.2, 0.4, 0.6])
    assert stepper.calls == [20, 20, 20] and stage.acted_at == 60


def test_a_driver_that_fails_ends_the_run():
    stepper = Stub(100)
    failure = run_blocks(stepper, [DriverStage(stepper, lambda: 1 / 0, lambda: True, 0.2), stepper.take])
    assert "the driver raised an exception at t = 0 s: ZeroDivisionError" in str(failure) and stepper.calls == []


def test_the_first_failure_ends_the_run():
    stepper = Stub(3)

    def breaks(block):
        block.code = SINGULAR

    stages = [breaks, FailureStage(stepper, lambda code: SimulationError(f"code {code}")), stepper.take]
    assert str(run_blocks(stepper, stages)) == f"code {SINGULAR}" and stepper.calls == ["forget"]


def test_samples_go_to_all_sinks():
    stepper, rows, file = Stub(1), [], []

    class File:
        def append(self, part):
            file.append(part)

    sink = SampleStage(stepper, rows, File())
    sink(Block(samples=np.zeros((0, 3))))
    sink(Block(samples=np.ones((2, 3)), code=OK))
    assert len(rows) == len(file) == 1 and rows[0].shape == (2, 3)


DIFFICULT = (POOR_CHOICE, NEAR_SINGULAR, STEP_TOO_SMALL)


@pytest.mark.parametrize("method", [gori.RK4(), gori.Dopri5(), gori.Radau5()], ids=lambda method: method.kind)
@pytest.mark.parametrize("which", [*DIFFICULT, "all", "at random"])
def test_difficult_poses_are_not_tried_for_ever(method, which):
    """Steps that never get anywhere, whatever they complain about, end the run after some hundred blocks."""
    simulation = Simulation(gori.compile(rockers()), method)
    stepper, rng, codes = simulation.stepper, np.random.default_rng(1), []
    if method.adaptive:
        stepper.plan_run(1.0, None)
    else:
        stepper.plan_steps(1000)
    stepper.closure.head.pivot = 1e-5

    def refuse(block):
        assert len(codes) < 1000
        code = {"all": DIFFICULT[len(codes) % 3], "at random": rng.choice(DIFFICULT)}.get(which, which)
        codes.append(int(code))
        block.code = codes[-1]

    stages = [
        refuse,
        LoopStage(stepper, stepper.closure, lambda: simulation.state),
        FailureStage(stepper, lambda code: SimulationError(f"code {code}")),
    ]
    failure = run_blocks(stepper, stages)
    assert str(failure) in (f"code {SINGULAR}", f"code {STEP_TOO_SMALL}") and len(codes) < 500
