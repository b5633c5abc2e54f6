"""The stage of a run in which bodies and subsystems in Python move: a step, then the exchange at its end."""

from collections.abc import Sequence

import numpy as np

from gori.errors import SimulationError
from gori.kernels.codes import EVENT, OK
from gori.sim.callers.interrupts import InterruptsLater
from gori.sim.exchange import Exchange
from gori.sim.particles.run import ParticleRun
from gori.sim.run import Block, SampleStage, StepStage
from gori.sim.stepper import Stepper


class ExchangeStage:
    """A step of the bodies, then subsystems in Python follow; the wrenches that they answer with act on the next step.

    A sample at the end of the step holds the wrenches that acted in it, and the outputs of its end. A subsystem that
    fails stays behind the bodies: the Simulation refuses to go on from there.
    """

    def __init__(
        self,
        stepper: Stepper,
        steps: StepStage,
        exchanges: Sequence[Exchange],
        particles: ParticleRun | None,
        samples: SampleStage,
    ):
        self._stepper, self._steps, self._samples = stepper, steps, samples
        self._exchanges, self._particles = exchanges, particles

    def __call__(self, block: Block) -> None:
        with InterruptsLater():
            for exchange in self._exchanges:
                exchange.aim()
            self._steps(block)
            if block.code in (OK, EVENT):
                self._exchange(block)
            self._samples(block)

    def _exchange(self, block: Block) -> None:
        stepper = self._stepper
        stepper.forget()  # accelerations under the wrenches before
        if len(block.samples):
            for exchange in self._exchanges:
                exchange.arrive(stepper.y)
            self._rewrite(block, stepper.data.wrench.reshape(-1), len(stepper.outputs))
        try:
            for exchange in (*self._exchanges, *([] if self._particles is None else [self._particles])):
                exchange.advance(stepper.time, stepper.y)
        except SimulationError as error:
            block.failure = error
            for exchange in self._exchanges:
                if exchange.time != stepper.time:
                    exchange.forget_outputs()
        self._rewrite(block, stepper.outputs, 0)

    @staticmethod
    def _rewrite(block: Block, values: np.ndarray, after: int) -> None:
        """Put values into the last sample, at its end but for the `after` last columns."""
        if len(block.samples):
            end = block.samples.shape[1] - after
            block.samples[-1, end - len(values) : end] = values
