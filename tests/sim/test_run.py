"""The stages of a run: each knows only what it is given."""

import numpy as np
import pytest

import gori
from gori.errors import SimulationError
from gori.kernels.codes import NEAR_SINGULAR, OK, POOR_CHOICE, SINGULAR, STEP_TOO_SMALL
from gori.sim import Simulation
from gori.sim.run import (
    ATTEMPTS,
    HARD,
    Block,
    CreepStage,
    DriverStage,
    FailureStage,
    LoopStage,
    SampleStage,
    run_blocks,
)  # fmt: skip
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


class Adaptive:
    """The clock of an adaptive method."""

    def __init__(self):
        self.steps_done = self.steps_refused = 0
        self.time = self.start_time = 0.0
        self.end_time = 1.0


def creep(code, done, refused, covered, blocks):
    """Result of so many blocks, each with the same steps."""
    stepper = Adaptive()
    stage, codes = CreepStage(stepper), []
    for _ in range(blocks):
        stepper.steps_done += done
        stepper.steps_refused += refused
        stepper.time += covered
        block = Block(code=code)
        stage(block)
        codes.append(block.code)
    return codes


def test_steps_that_are_refused_again_and_again_end_a_run():
    assert STEP_TOO_SMALL in creep(OK, 10, 90, 1e-3, ATTEMPTS // 50)
    assert STEP_TOO_SMALL in creep(OK, 100, 0, 1e-12, ATTEMPTS // 50)  # would take forever
    assert set(creep(OK, 50, 50, 1e-3, ATTEMPTS)) == {OK}
    assert set(creep(OK, 100, 0, 1e-8, ATTEMPTS)) == {OK}


def test_a_run_that_meets_nothing_but_difficult_poses_ends():
    codes = creep(POOR_CHOICE, 0, 1, 1e-9, 2 * HARD)
    assert codes.index(STEP_TOO_SMALL) == HARD - 1 and codes.count(STEP_TOO_SMALL) == 2
    assert set(creep(POOR_CHOICE, 1, 1, 1e-9, 2 * HARD)) == {POOR_CHOICE}
    assert set(creep(POOR_CHOICE, 0, 1, 1e-4, 2 * HARD)) == {POOR_CHOICE}
