"""The grains of a Simulation beside its bodies: coupled with them, looked at in frames, saved and taken up again."""

import time as wall
from collections.abc import Callable
from typing import Any

import numpy as np

from gori.errors import InputError
from gori.kernels.particles.grains import N_POSE
from gori.kernels.particles.poses import body_poses
from gori.model import Model
from gori.model.state import State
from gori.sim.coupling import Coupling
from gori.sim.particles.framing import Framing
from gori.sim.particles.particles import Grains
from gori.spec import Spec
from gori.spec.subsystem import Subsystem


class Bulk:
    """Grains, their exchange with the bodies, and their frames.

    machine, data   bundles of the run of the bodies
    device             where grains are computed; None: as in the section `run`
    y                  q, v and z of the bodies, around which grains are packed as the Spec says
    """

    def __init__(self, model: Model, machine: Any, data: Any, device: str | None, y: np.ndarray):
        self._y = y

        def poses(rows: np.ndarray) -> np.ndarray:
            out = np.zeros((len(rows), N_POSE))
            body_poses(machine, data, self._y, rows, out)
            return out

        self.grains = Grains(model, _settings(model.spec, device), poses)
        self.coupling = Coupling(machine, data, self.grains)
        self._framing: Framing | None = None

    def place(self, state: State, y: np.ndarray) -> None:
        """The bodies are at y, which is kept and looked at from now on; the grains as the State tells, if it does."""
        if state.grains is not None and "left_out" in state.grains:
            raise InputError("this State does not hold the grains: take simulation.state, not what step() gives")
        self._y = y
        if state.grains is not None:
            self.grains.restore(state.grains)
        self.coupling.begin(float(state.time), y)
        self.coupling.hold()

    def follow(self, time: float) -> None:
        """Grains come to where the bodies are, and tell the wrenches of their next step."""
        self.coupling.follow(time, self._y)
        self.grains.exchange(time)
        if self._framing is not None:
            self._framing.look(time)

    # ---- frames

    def frame_time(self, asked: float | None) -> float | None:
        """Time between frames [s]: as asked for, or as in the section `run`; None if there are none."""
        told = [part.frames for part in self.grains.settings.values() if part.frames is not None]
        every = min(told, default=None) if asked is None else asked
        if every is not None and not every > 0.0:
            raise InputError(f"frames must be a positive number of seconds, not {every!r}")
        return every

    def film(self, every: float | None, path: Any, time: float, duration: float, overwrite: bool) -> None:
        """Take frames from now on, beside a recording or in memory; with None, no more."""
        self._framing = None
        if every is not None:
            self._framing = Framing(self.grains, every, path, time, duration, overwrite)
            self._framing.look(time)

    def frames(self) -> Any:
        """All frames of a run that is over; None if none were asked for."""
        return None if self._framing is None else self._framing.close()

    # ---- checkpoints

    def save(self) -> dict[str, Any]:
        """All that a run needs to go on."""
        return self.grains.save() | {"impulse": self.coupling.impulse, "given": self.coupling.given}

    def resume(self, saved: dict[str, Any], time: float, every: float | None, path: Any, start: float) -> None:
        """Go on with what was saved at this time, and with the frames of a run that had begun at `start`."""
        self.grains.restore(saved)
        self.coupling.begin(time, self._y)
        self.coupling.hold()
        self.coupling.impulse, self.coupling.given = saved["impulse"], saved["given"]
        if every is not None:
            self._framing = Framing.resume(self.grains, every, path, start, time)

    def words(self, steps: Callable[[], int]) -> Callable[[], str]:
        """What a bar tells: how many grains, on what, and the wall time of a step, of which `steps` tells the count."""
        grains, began, first = self.grains, wall.perf_counter(), steps()

        def words() -> str:
            span = (wall.perf_counter() - began) / max(1, steps() - first)
            return f"{len(grains)} grains on {grains.device}, {grains.substeps} sub-steps, {1e3 * span:.3g} ms a step"

        return words


def _settings(spec: Spec, device: str | None) -> dict[str, Subsystem]:
    """How grains are computed, by the names in the section `run`."""
    subsystems = {} if spec.run is None else spec.run.subsystems
    known = {name: part for name, part in subsystems.items() if name not in spec.drivetrains}
    if device is None:
        return known
    if not known:
        return {"grains": Subsystem.model_validate({"device": device})}
    return {name: part.model_copy(update={"device": device}) for name, part in known.items()}
