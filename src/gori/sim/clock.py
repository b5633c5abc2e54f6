"""A Simulation paced by the wall clock, for people and controllers in the loop.

Every frame of, say, 16 ms: outputs are read, the other side sets inputs, and the simulation takes the steps of the
frame; then it waits until the wall clock has come as far. A frame that took longer than it lasts is an overrun: it is
counted, and the next ones catch up, as far as they can.
"""

import time as wall
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gori.errors import InputError
from gori.sim.grid import MOST, require_seconds
from gori.sim.simulation import Simulation
from gori.spec.expression import closest
from gori.text.arguments import names_of

SLOWEST = 1e-6
"""simulated seconds for each second of the wall clock, at least"""
SPIN = 2e-4
"""at the end of a wait, for so long [s] it is looked at the clock instead of sleeping"""


@dataclass
class ClockReport:
    """How well the pace was kept."""

    frame: float
    """[s]"""
    frames: int = 0
    overruns: int = 0
    """frames that ended later than they should"""
    latest: float = 0.0
    """how late the last frame ended [s]; negative: so much time was left"""
    worst: float = -np.inf
    """how late the latest of all ended [s]"""
    busy: list[float] = field(default_factory=list, repr=False)
    """time that each frame took [s], without waiting"""

    @property
    def load(self) -> float:
        """Mean share of a frame that was needed."""
        return float(np.mean(self.busy)) / self.frame if self.busy else 0.0

    def __str__(self) -> str:
        if not self.frames:
            return "no frame was run"
        most = max(self.busy) / self.frame
        late = f"worst {1e3 * self.worst:.3g} ms late" if self.worst > 0.0 else "none late"
        return (
            f"{self.frames} frames of {1e3 * self.frame:g} ms: {self.overruns} overruns, {late}, "
            f"load {100.0 * self.load:.3g} % on average, {100.0 * most:.3g} % at most"
        )


class Ports:
    """Inputs and outputs of a Simulation by name.

    inputs    as `simulation.inputs`: ports.inputs["truck.throttle"] = 0.5
    outputs   {name: value}, of the start of this frame: time, JOINT.q and JOINT.v (numbers or arrays), and what wheels
              and drive trains tell (truck.wheel_fl.load)
    """

    def __init__(self, simulation: Simulation, outputs: Iterable[str] = ()):
        self.simulation, self.inputs = simulation, simulation.inputs
        self._read = {name: _reader(simulation, name) for name in names_of(outputs, "outputs")}
        self.outputs: dict[str, Any] = {}
        self.read()

    def read(self) -> dict[str, Any]:
        """Outputs now."""
        self.outputs = {name: read() for name, read in self._read.items()}
        return self.outputs


def _reader(simulation: Simulation, name: str) -> Callable[[], Any]:
    """A function that gives an output."""
    if name == "time":
        return lambda: simulation.time
    owner, _, kind = name.rpartition(".")
    joints = {info.name: info for info in simulation.model.joints}
    if kind in ("q", "v") and owner in joints:
        info = joints[owner]
        place = info.q if kind == "q" else info.v

        def coordinates() -> Any:
            row = (simulation.q if kind == "q" else simulation.v)[place]
            return float(row[0]) if len(row) == 1 else row.copy()

        return coordinates
    known = ["time", *simulation.outputs, *(f"{joint}.{end}" for joint in joints for end in "qv")]
    if name not in simulation.outputs:
        raise InputError(f"there is no output {name!r}{closest(name, known)}")
    return lambda: simulation.channel(name)


class Clock:
    """Runs a Simulation at the pace of the wall clock.

    frame      time of a frame [s]: whole steps of the method
    outputs    names of outputs, see Ports
    exchange   called with the Ports at the start of each frame, to take outputs and set inputs; True ends the run
    pace       simulated seconds for each second of the wall clock
    """

    def __init__(
        self,
        simulation: Simulation,
        frame: float = 0.016,
        outputs: Iterable[str] = (),
        exchange: Callable[[Ports], bool | None] | None = None,
        pace: float = 1.0,
    ):
        if not isinstance(simulation, Simulation):
            raise InputError(f"a Clock takes a Simulation, not a {type(simulation).__name__}")
        require_seconds("frame", frame)
        if simulation.method.adaptive:
            raise InputError(f"{simulation.method.kind} uses adaptive steps: a Clock needs a fixed step")
        step = simulation.method.settings()["step"]
        self.steps = round(min(frame / step, float(MOST)))
        if self.steps < 1 or abs(self.steps * step - frame) > 1e-6 * frame:
            raise InputError(f"a frame must be a whole number of steps of {step:g} s, not {frame!r} s")
        if not isinstance(pace, (int, float, np.number)) or not SLOWEST <= pace < np.inf:
            raise InputError(f"pace must be positive, from {SLOWEST:g} on, not {pace!r}")
        if exchange is not None and not callable(exchange):
            raise InputError(f"exchange must be a function, not {exchange!r}")
        self.simulation, self.frame, self.pace = simulation, frame, pace
        self.ports, self.exchange = Ports(simulation, outputs), exchange

    @staticmethod
    def _ends(answer: bool | None) -> bool:
        if not isinstance(answer, bool | np.bool_ | None):
            raise InputError(f"exchange must return True to end the run, else False or None, not {answer!r:.100}")
        return bool(answer)

    def run(self, duration: float | None = None) -> ClockReport:
        """Run for a duration of simulated time [s], or without end; until `exchange` ends it, or Ctrl-C."""
        if duration is not None:
            require_seconds("duration", duration)
        last = None if duration is None else max(1, round(duration / self.frame))
        period = self.frame / self.pace
        report = ClockReport(period)
        began = wall.perf_counter()
        try:
            while last is None or report.frames < last:
                start = wall.perf_counter()
                self.ports.read()
                if self.exchange is not None and self._ends(self.exchange(self.ports)):
                    break
                self.simulation.advance(self.steps)
                now = wall.perf_counter()
                report.frames += 1
                report.busy.append(now - start)
                due = began + report.frames * period
                report.latest = now - due
                report.worst = max(report.worst, report.latest)
                report.overruns += report.latest > 0.0
                _wait(due)
        except KeyboardInterrupt:
            pass
        return report


def _wait(until: float) -> None:
    """Until a time of the wall clock: asleep, and awake for the last moment."""
    left = until - wall.perf_counter()
    if left > SPIN:
        wall.sleep(left - SPIN)
    while wall.perf_counter() < until:
        pass
