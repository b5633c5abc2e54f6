"""What of a run goes into a State and comes out of one. All parts are checked before any of them is taken over."""

import json
import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from gori.errors import InputError, RestartWarning
from gori.model import Model
from gori.model.particles.part import ParticlePart, checked_part, start_of_particles
from gori.model.state import State
from gori.sim.check import json_of, require
from gori.sim.particles.devices import Device
from gori.sim.particles.run import ParticleRun
from gori.sim.run import DriverStage
from gori.sim.stepper import Stepper
from gori.sim.subsystem import Exchange, check_exchange
from gori.sim.vehicle.vehicles import Vehicles


@runtime_checkable
class Remembering(Protocol):
    """A driver whose memory goes into a State: plain data that JSON can hold."""

    def save(self) -> dict[str, Any]: ...

    def load(self, saved: dict[str, Any]) -> None: ...


class Snapshot(NamedTuple):
    """A cheap look at a run: no State, as it holds no soil, particles or memory. `simulation.state` is the State."""

    time: float
    q: np.ndarray
    v: np.ndarray
    z: np.ndarray


class KeptParts:
    """All parts of one Simulation that keep something.

    stepper, vehicles   the compiled side
    exchanges           with subsystems in Python
    drivers             the stage of a run in which they act
    memory              the driver, if it remembers something
    particles           made when the first State is loaded; None if the Model has none
    event_log           (name, time) of all events of the present run
    counted             what the method had counted when that began
    """

    def __init__(
        self,
        model: Model,
        stepper: Stepper,
        vehicles: Vehicles,
        exchanges: Sequence[Exchange],
        drivers: DriverStage,
        memory: Remembering | None,
        device: Device | None,
    ):
        self.model, self.stepper, self.vehicles, self.exchanges = model, stepper, vehicles, exchanges
        self.drivers, self._memory, self._device = drivers, memory, device
        self.particles: ParticleRun | None = None
        self.event_log: list[tuple[str, float]] = []
        self.counted = stepper.method.counts(stepper.memory)

    def save(self) -> State:
        """The State now."""
        stepper, parts = self.stepper, self.stepper.save()
        parts["method"]["counts_at_start"] = self.counted
        parts["events"]["log"] = json.dumps(self.event_log)
        parts["clock"]["drivers_acted_at"] = self.drivers.acted_at
        if self.model.vehicle is not None:
            parts["vehicle"] = self.vehicles.state()
        if self.particles is not None:
            parts["particles"] = self.particles.particles.state()
            parts["exchange"] = self.particles.exchange.save()
        for exchange in self.exchanges:
            parts[exchange.subsystem.name] = exchange.subsystem.state()
            parts[f"exchange of {exchange.subsystem.name}"] = exchange.save()
        if self._memory is not None:
            parts["drivers"] = {"driver": json.dumps(self._memory.save())}
        return State(stepper.time, stepper.q, stepper.v, stepper.z, parts, self.model.fingerprint)

    def load(self, state: State) -> None:
        """Go on from a State; raises InputError, and then nothing is changed."""
        fits, particles = self.check(state)
        stepper, parts, method = self.stepper, state.parts, self.stepper.method
        stepper.load(state, fits)
        if "method" in parts and not fits:
            warnings.warn(
                f"the State holds the memory of another method, loop solver or events "
                f"({parts['method']['tag']}): that is dropped, and {method.kind} starts afresh from it",
                RestartWarning,
                stacklevel=3,
            )
        self.counted = np.array(parts["method"]["counts_at_start"]) if fits else method.counts(stepper.memory)
        self.event_log = [tuple(row) for row in json.loads(str(parts["events"]["log"]))] if fits else []
        self.drivers.acted_at = int(parts["clock"]["drivers_acted_at"]) if "clock" in parts else -1
        self.vehicles.load(parts.get("vehicle"))
        if not fits:
            self.vehicles.start(state.time, stepper.y)
        if particles is not None:
            self._load_particles(state, particles)
        for exchange in self.exchanges:
            name = exchange.subsystem.name
            if name in parts:
                exchange.subsystem.load(parts[name])
                exchange.load(parts[f"exchange of {name}"])
            exchange.start(stepper.time, stepper.y, loaded=name in parts)
        if self._memory is not None and "drivers" in parts:
            try:
                self._memory.load(json.loads(str(parts["drivers"]["driver"])))
            except Exception as error:
                words = f"{type(error).__name__}: {error}"
                raise InputError(f"state.drivers['driver'] is refused by the driver: {words}") from error

    def _load_particles(self, state: State, part: ParticlePart) -> None:
        stepper = self.stepper
        if self.particles is None:
            self.particles = ParticleRun(self.model, stepper.machine, stepper.data, self._device, stepper.y, part)
        else:
            self.particles.particles.go_on(part)
        self.particles.start(state.time, stepper.y, state.parts.get("exchange"))

    def check(self, state: State) -> tuple[bool, ParticlePart | None]:
        """Check every part of a State; whether it is of a run like this one, and its particles."""
        if not isinstance(state, State):
            hint = ": take simulation.state" if isinstance(state, Snapshot) else ""
            raise InputError(f"state must be a State, not a {type(state).__name__}{hint}")
        if state.model not in ("", self.model.fingerprint):
            raise InputError(
                "this State belongs to another Model, whose bodies, loops, wheels or particles differ. To use it all "
                "the same, take state.replace(model=model.fingerprint)"
            )
        parts, fits = state.parts, self.stepper.check(state)
        self.vehicles.check(parts.get("vehicle"), state.time if fits else None)
        for exchange in self.exchanges:
            name = exchange.subsystem.name
            if name in parts:
                own = f"exchange of {name}"
                check_exchange(own, parts.get(own, {}), len(exchange.wrench))
        if self._memory is not None and "drivers" in parts:
            require("drivers", parts["drivers"], ("driver",))
            json_of("drivers", "driver", parts["drivers"]["driver"], dict)
        return fits, self._checked_particles(state)

    def _checked_particles(self, state: State) -> ParticlePart | None:
        """Particles of a State; of one made by hand, packed as the Spec says."""
        tables, saved = self.model.particles, state.particles
        if tables is None:
            if saved:
                raise InputError(f"state.particles holds {', '.join(saved)}, but the Model has no particles")
            return None
        if "exchange" in state.parts:
            check_exchange("exchange", state.parts["exchange"], len(tables.rows))
        return checked_part(start_of_particles(self.model, state.q, state.v) if saved is None else saved, tables)

    def change(self, state: State) -> None:
        """Take over what the action of an event has changed."""
        self.stepper.y[:] = self.stepper.checked(state)
        self.stepper.mark_changed()
        if "vehicle" in state.parts:
            self.vehicles.load(state.parts["vehicle"])
