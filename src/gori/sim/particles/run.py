"""The particles of a Simulation beside its bodies: coupled with them, and stored in frames."""

import time as wall
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from gori.errors import InputError
from gori.kernels.machine import Data, Machine
from gori.kernels.particles.columns import N_POSE
from gori.kernels.particles.poses import body_poses
from gori.model import Model
from gori.model.body_frames import BodyFrames
from gori.model.particles.part import ParticlePart
from gori.record import Frames, ParticleFrame
from gori.sim.callers.pickled import Bound
from gori.sim.callers.signals import without_interrupts
from gori.sim.exchange import Exchange
from gori.sim.particles.framing import Framing
from gori.sim.particles.particles import Particles


class ParticleRun(Bound):
    """Particles, their exchange with the bodies, and their frames.

    machine, data   bundles of the run of the bodies
    device          where particles are computed; None: as in the section `run`
    step            of the bodies [s]
    y               q, v and z of the bodies
    part            what particles keep
    """

    def __init__(
        self,
        model: Model,
        machine: Machine,
        data: Data,
        device: str | None,
        step: float,
        y: np.ndarray,
        part: ParticlePart,
    ):
        assert model.particles is not None
        self._y, self._spec = y, model.spec

        def poses(rows: np.ndarray) -> np.ndarray:
            out = np.zeros((len(rows), N_POSE))
            body_poses(machine, data, self._y, rows, out)
            return out

        self.particles = Particles(model.particles, poses, part, device)
        rows = BodyFrames.of_rows([holder.row for holder in model.particles.holders])  # in whose frames walls stand
        self.exchange = Exchange(self.particles, rows, 0, np.zeros(0), step, machine, data)
        self._framing: Framing | None = None
        self.broken = False
        """a march has failed: particles are neither at the start of a step nor at its end"""

    def start(self, time: float, y: np.ndarray, exchange: Mapping[str, np.ndarray] | None) -> None:
        """The bodies are at y, which is read from now on; exchange: the wrenches that act, and the momentum so far."""
        self._y, self.broken = y, False
        if exchange is not None:
            self.exchange.load(exchange)
        self.exchange.start(time, y, loaded=exchange is not None)

    def advance(self, time: float, y: np.ndarray) -> None:
        """Particles follow the bodies to this time, and give the wrenches of the next step. Ctrl-C waits until then."""
        with without_interrupts():
            self.broken = True
            self.exchange.advance(time, y)
            self.particles.exchange(time)
            self.broken = False
            if self._framing is not None:
                self._framing.take(time)

    # ---- frames

    def frame_time(self, asked: float | None) -> float | None:
        """Time between frames [s]: as asked for, or as in the section `run`; None if there are none."""
        every = self.particles.tables.frames if asked is None else asked
        if every is not None and not every > 0.0:
            raise InputError(f"frames must be a positive number of seconds, not {every!r}")
        return every

    def store_frames(
        self, every: float | None, path: str | Path | None, time: float, duration: float, overwrite: bool
    ) -> None:
        """Store frames from now on, beside a recording or in memory; with None, no more."""
        self._framing = None
        if every is not None:
            self._framing = Framing(self.particles, self._spec, every, path, time, duration, overwrite)
            self._framing.take(time)

    def resume_frames(self, every: float | None, path: str | Path, start: float, time: float) -> None:
        """Go on with the frames of a run that had begun at `start`."""
        if every is not None:
            self._framing = Framing.resume(self.particles, every, path, start, time)

    def frames(self) -> Frames | list[ParticleFrame] | None:
        """All frames of a run that is over; None if none were asked for."""
        framing, self._framing = self._framing, None  # what comes after is not of this run
        return None if framing is None else framing.close()

    def words(self, steps: Callable[[], int]) -> Callable[[], str]:
        """Text of a progress bar: number of particles, device, and wall time of a step; `steps` gives their count."""
        particles, began, first = self.particles, wall.perf_counter(), steps()

        def words() -> str:
            each = 1e3 * (wall.perf_counter() - began) / max(1, steps() - first)
            count = f"{len(particles)} particles on {particles.device}"
            return f"{count}, {particles.substeps} sub-steps, {each:.3g} ms per step"

        return words
