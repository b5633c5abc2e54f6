"""What of a run goes into a State and comes out of one. All parts are checked before any of them is taken over."""

import json
import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable
from weakref import ReferenceType, ref

import numpy as np

from gori.errors import InputError, RestartWarning, SimulationError
from gori.model import Model
from gori.model.particles.part import ParticlePart, checked_part, start_of_particles
from gori.model.state import COUNTED, State
from gori.sim.callers.pickled import Bound
from gori.sim.check import check_array, json_of, require
from gori.sim.contact.impact_stage import ImpactLog
from gori.sim.contact.impacts import Impacts
from gori.sim.contact.points import ContactPoints
from gori.sim.couplings import warn_of_dropped
from gori.sim.exchange import Exchange, check_exchange
from gori.sim.particles.devices import Device
from gori.sim.particles.run import ParticleRun
from gori.sim.run import DriverStage
from gori.sim.stepper import Stepper
from gori.sim.subsystem import EXCHANGE_OF
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


class KeptParts(Bound):
    """All parts of one Simulation that keep something.

    stepper, vehicles   the compiled side
    exchanges           with subsystems in Python
    drivers             the stage of a run in which they act
    driver              of the user; if it is Remembering, the State holds its memory
    particles           made when the first State is loaded; None if the Model has none
    event_log           (name, time) of all events of the present run
    counted             what the method had counted when that began; below zero if it counts from nothing since
    """

    def __init__(
        self,
        model: Model,
        stepper: Stepper,
        vehicles: Vehicles,
        exchanges: Sequence[Exchange],
        drivers: DriverStage,
        driver: Callable | None,
        device: Device | None,
        impacts: Impacts | None = None,
    ):
        self.model, self.stepper, self.vehicles, self.exchanges = model, stepper, vehicles, exchanges
        self.drivers, self._driver, self._device = drivers, driver, device
        self.contact = ContactPoints(model, stepper.machine, stepper.data)
        self.impacts = ImpactLog(stepper, impacts)
        self._memory = driver if isinstance(driver, Remembering) else None
        self.particles: ParticleRun | None = None
        self.event_log: list[tuple[str, float]] = []
        self.counted = stepper.method.counts(stepper.memory)
        self._own: ReferenceType[State] | None = None  # the State that this run gave or took over last

    def save(self) -> State:
        """The State now."""
        self.refuse_torn()
        stepper, parts = self.stepper, self.stepper.save()
        parts["method"][COUNTED] = stepper.method.counts(stepper.memory) - self.counted
        parts["events"]["log"] = json.dumps(self.event_log)
        parts["events"] |= self.impacts.state()
        parts["clock"]["drivers_acted_at"] = self.drivers.acted_at
        if self.drivers.there():
            parts["clock"]["driver_period"] = self.drivers.period
        if self.model.vehicle is not None:
            parts["vehicle"] = self.vehicles.state()
        if self.model.contact is not None:
            parts["contact"] = self.contact.state()
        if self.particles is not None:
            parts["particles"] = self.particles.particles.state()
            parts["exchange"] = self.particles.exchange.save()
        for exchange in self.exchanges:
            parts[exchange.name] = exchange.guarded.state()
            parts[f"{EXCHANGE_OF}{exchange.name}"] = exchange.save()
        if self._memory is not None:
            parts["drivers"] = {"driver": json.dumps(self._memory.save())}
        state = State(stepper.time, stepper.q, stepper.v, stepper.z, parts, self.model.fingerprint)
        self._own = ref(state)
        return state

    def load(self, state: State) -> None:
        """Go on from a State; raises InputError, and then nothing is changed."""
        fits, particles = self.check(state)
        self._own = ref(state) if fits else None
        stepper, parts, method = self.stepper, state.parts, self.stepper.method
        stepper.load(state, fits)
        if "method" in parts and not fits:
            warnings.warn(
                f"the State holds the memory of another method, loop solver or events "
                f"({parts['method']['tag']}): that is dropped, and {method.kind} starts afresh from it",
                RestartWarning,
                stacklevel=3,
            )
        self.counted = method.counts(stepper.memory) - (np.array(parts["method"][COUNTED]) if fits else 0.0)
        self.event_log = [tuple(row) for row in json.loads(str(parts["events"]["log"]))] if fits else []
        self.impacts.load(parts["events"] if fits else None)
        self.drivers.acted_at = int(parts["clock"]["drivers_acted_at"]) if "clock" in parts else -1
        if not self.drivers.fixed and "driver_period" in parts.get("clock", {}):
            self.drivers.period = float(parts["clock"]["driver_period"])
        self.vehicles.load(parts.get("vehicle"), stepper.y)
        self.contact.load(parts.get("contact") if fits else None, state.time, stepper.y)
        if not fits:
            self.vehicles.start(state.time, stepper.y)
        if particles is not None:
            self._load_particles(state, particles)
        warn_of_dropped(state, [exchange.name for exchange in self.exchanges])
        for exchange in self.exchanges:
            exchange.take_up(parts, stepper.time, stepper.y)
        if "drivers" in parts and self._memory is None:
            words = "no driver is given" if self._driver is None else "the driver that is given has no load"
            warnings.warn(f"the State holds the memory of a driver, but {words}", RestartWarning, stacklevel=3)
        if self._memory is not None and "drivers" in parts:
            try:
                self._memory.load(json.loads(str(parts["drivers"]["driver"])))
            except Exception as error:
                words = f"{type(error).__name__}: {error}"
                raise InputError(f"state.drivers['driver'] is refused by the driver: {words}") from error

    def _load_particles(self, state: State, part: ParticlePart) -> None:
        stepper = self.stepper
        if self.particles is None:
            bundles, step = (stepper.machine, stepper.data), stepper.method.settings()["step"]
            self.particles = ParticleRun(self.model, *bundles, self._device, step, stepper.y, part)
        else:
            self.particles.particles.go_on(part)
        self.particles.start(state.time, stepper.y, state.parts.get("exchange"))

    def check(self, state: State) -> tuple[bool, ParticlePart | None]:
        """Check every part of a State; whether it is of a run like this one, and its particles."""
        if self.particles is None and self._own is not None and self._own() is state:
            return True, None  # a State does not change
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
        self.contact.check(parts.get("contact"))
        self.impacts.check(parts.get("events", {}))
        for exchange in self.exchanges:
            own = f"{EXCHANGE_OF}{exchange.name}"
            if exchange.name in parts or own in parts:
                check_exchange(own, parts.get(own, {}), exchange.guarded.bodies)
        if "driver_period" in parts.get("clock", {}):
            period = parts["clock"]["driver_period"]
            check_array("clock", "driver_period", period, np.zeros(()))
            if period <= 0.0:
                raise InputError("state.clock['driver_period'] must be positive")
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
            check_exchange("exchange", state.parts["exchange"], [holder.name for holder in tables.holders])
        return checked_part(start_of_particles(self.model, state.q, state.v) if saved is None else saved, tables)

    def change(self, state: State) -> None:
        """Take over what the action of an event has changed. The energy that it gave or took is work."""
        stepper, model = self.stepper, self.model
        before, work = model.total_energy(stepper.q, stepper.v), stepper.work
        stepper.y[:] = stepper.checked(state)
        stepper.y[-1] = work + model.total_energy(stepper.q, stepper.v) - before
        stepper.mark_changed()
        self.impacts.fresh = self.impacts.there
        if "vehicle" in state.parts:
            self.vehicles.load(state.parts["vehicle"])
        if "contact" not in state.parts:
            self.contact.load(None, stepper.time, stepper.y)
        for exchange in self.exchanges:
            exchange.relocate(self.stepper.y, state.parts.get(exchange.name))
        if self.particles is not None:
            self.particles.exchange.relocate(self.stepper.y, None)

    def refuse_torn(self) -> None:
        """Raise if a subsystem has not followed the bodies: it failed, or was interrupted by force.

        Particles that have only not begun to follow, as the bodies were interrupted, do so now.
        """
        time, particles = self.stepper.time, self.particles
        behind = [exchange for exchange in self.exchanges if exchange.time != time]
        if particles is not None and not behind and not particles.broken and particles.exchange.time != time:
            self.stepper.forget()
            particles.advance(time, self.stepper.y)
        for exchange in (*behind, *([] if particles is None else [particles.exchange])):
            if exchange.time != time or (particles is not None and particles.broken):
                raise SimulationError(
                    f"this run cannot go on, and has no State: subsystem {exchange.name!r} failed at t = {time:.6g} s "
                    "and stays behind the bodies. Set simulation.state to a State from before, or resume from the "
                    "file of the run",
                    exchange.time,
                )
