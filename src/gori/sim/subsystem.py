"""The contract of what has a rate of its own beside the bodies: start, exchange, advance, state, outputs.

Staggered co-simulation of the bodies and a sub-cycled subsystem: the bodies take a step from t to t + H under the
wrenches that are held on them; then the subsystem is given their motion over that step, advances in steps of its own,
and answers with the mean wrench over these. The bodies feel that wrench during their next step, so that they receive
all the momentum that the subsystem gave, one step later. The lag makes the exchange explicit: it is of first order in
H, and stable while H is short against the period of the bodies on the stiffness of what touches them.

A subsystem in Python is an object with the members of `Subsystem`. Particles are one; `docs/subsystems.md` shows a
hydraulic cylinder. Wheels and drive trains are compiled (`kernels/vehicle`): the same five verbs, called inside every
step of the bodies by the code that START, WRENCHES and ADVANCE name in `kernels/machine.py`, so that wrenches belong to
the state at each evaluation and a method keeps its order.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from gori.errors import InputError
from gori.kernels.machine import Data, Machine
from gori.kernels.particles.columns import N_POSE, OMEGA, POS, VEL
from gori.kernels.particles.poses import add_impulse, body_poses, interpolate
from gori.model import Model
from gori.sim.check import check_array, require


class BodyMotion(NamedTuple):
    """Motion of some bodies at the ends of sub-steps; n + 1 rows for n sub-steps, world axes.

    table   (n + 1, bodies, N_POSE)   all of it, as kernels take it
    """

    table: np.ndarray

    @property
    def rotation(self) -> np.ndarray:
        """(n + 1, bodies, 3, 3) from body to world."""
        return self.table[..., :POS].reshape(*self.table.shape[:-1], 3, 3)

    @property
    def position(self) -> np.ndarray:
        """(n + 1, bodies, 3) of the bodies' origins [m]."""
        return self.table[..., POS:VEL]

    @property
    def velocity(self) -> np.ndarray:
        """(n + 1, bodies, 3) of the origins [m/s]."""
        return self.table[..., VEL:OMEGA]

    @property
    def angular_velocity(self) -> np.ndarray:
        """(n + 1, bodies, 3) [rad/s]."""
        return self.table[..., OMEGA:]


@runtime_checkable
class Subsystem(Protocol):
    """What a program must have to be coupled to the bodies of a Simulation.

    name      of its part in a State, and of its channels
    bodies    names of the bodies whose motion it wants, and on which it acts
    step      its largest step [s]
    outputs   {channel: unit} of numbers to record
    """

    @property
    def name(self) -> str: ...

    @property
    def bodies(self) -> Sequence[str]: ...

    @property
    def step(self) -> float: ...

    @property
    def outputs(self) -> Mapping[str, str]: ...

    def start(self, motion: BodyMotion, time: float) -> np.ndarray | None:
        """Begin at this time, where the bodies have this motion (one row); what it keeps is at its start, or loaded.

        May return the wrench (bodies, 6) that acts in the first step; after `load` that of the State does.
        """
        ...

    def advance(self, motion: BodyMotion, step: float, time: float) -> np.ndarray:
        """Come to `time` along a motion, in sub-steps of `step` [s].

        Returns the mean wrench (bodies, 6) on each body: moment about its origin [N m], force [N], world axes.
        """
        ...

    def state(self) -> dict[str, Any]:
        """Arrays, numbers and texts by name: all that it needs to go on bit for bit."""
        ...

    def load(self, saved: Mapping[str, np.ndarray]) -> None:
        """Take over what `state` gave."""
        ...

    def output_values(self) -> Sequence[float]:
        """The numbers of `outputs`, now."""
        ...


RESERVED = ("vehicle", "particles", "exchange", "clock", "method", "loops", "events", "drivers")
"""parts of a State that are not a user's subsystem"""
MEMBERS = ("name", "bodies", "step", "outputs", "start", "advance", "state", "load", "output_values")


def check_subsystem(subsystem: Any) -> None:
    """Raise if something is no Subsystem."""
    missing = [member for member in MEMBERS if not hasattr(subsystem, member)]
    if missing:
        raise InputError(f"{type(subsystem).__name__} is not a Subsystem: it has no {', '.join(missing)}")
    if subsystem.name in RESERVED or not subsystem.name or "/" in subsystem.name:
        raise InputError(f"a subsystem cannot be called {subsystem.name!r}: this name is reserved, or not a valid name")
    if not (np.isfinite(subsystem.step) and subsystem.step > 0.0):
        raise InputError(f"subsystem {subsystem.name!r}: step must be a positive number, not {subsystem.step!r}")


class Exchange:
    """One Subsystem beside the bodies of one Simulation.

    rows      of its bodies in the Model's tables; 0 is the ground, on which nothing acts
    first     first row of `data.wrench` that is its own
    outputs   where its outputs are recorded
    impulse   (6,) what it has given to all bodies so far: angular about the world's origin, linear [N m s, N s]
    given     (6,) what of that the bodies have received
    """

    def __init__(
        self, subsystem: Subsystem, rows: np.ndarray, first: int, outputs: np.ndarray, machine: Machine, data: Data
    ):
        self.subsystem, self._rows, self._machine, self._data = subsystem, rows, machine, data
        self._outputs = outputs
        self._acting = rows > 0
        held = first + np.cumsum(self._acting) - 1
        self._held = held[self._acting]
        self._places = np.where(self._acting, 6 * held, -1)
        self._before, self._after = np.zeros((2, len(rows), N_POSE))
        self._table = np.zeros((2, len(rows), N_POSE))
        self.time = 0.0
        self.impulse, self.given = np.zeros(6), np.zeros(6)
        self.wrench = np.zeros((len(rows), 6))

    def poses(self, y: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """Poses and velocities (bodies, N_POSE) of the subsystem's bodies at a state."""
        out = np.zeros_like(self._before) if out is None else out
        body_poses(self._machine, self._data, y, self._rows, out)
        return out

    def start(self, time: float, y: np.ndarray, loaded: bool) -> None:
        """The bodies are here now; loaded: the wrenches of a State act on."""
        self.time = time
        self.poses(y, self._before)
        wrench = self.subsystem.start(BodyMotion(self._before[None].copy()), time)
        if not loaded:
            self.impulse[:] = self.given[:] = 0.0
            self.wrench[:] = 0.0 if wrench is None else wrench
        self.hold(self.wrench)
        self._outputs[:] = self.subsystem.output_values()

    def advance(self, time: float, y: np.ndarray) -> None:
        """The bodies have come to y at this time: the subsystem follows, and its wrenches act from now on."""
        span = time - self.time
        if span <= 0.0:
            return
        wrenches = self._data.wrench.reshape(-1)
        self.poses(y, self._after)
        add_impulse(self._after, wrenches, self._places, span, self.given)
        steps = max(1, int(np.ceil(span / self.subsystem.step - 1e-9)))
        if len(self._table) != steps + 1:
            self._table = np.zeros((steps + 1, len(self._rows), N_POSE))
        interpolate(self._before, self._after, span, self._table, steps)
        wrench = self.subsystem.advance(BodyMotion(self._table), span / steps, time)
        self.hold(np.asarray(wrench, float))
        add_impulse(self._after, wrenches, self._places, span, self.impulse)
        self._outputs[:] = self.subsystem.output_values()
        self._before, self._after, self.time = self._after, self._before, time

    def hold(self, wrench: np.ndarray) -> None:
        """These wrenches (bodies, 6) act until the next exchange."""
        if wrench.shape != self.wrench.shape:
            name = self.subsystem.name
            raise InputError(
                f"subsystem {name!r} must return wrenches of shape {self.wrench.shape}, not {wrench.shape}"
            )
        self.wrench[:] = wrench
        self._data.wrench[self._held] = wrench[self._acting]

    def save(self) -> dict[str, np.ndarray]:
        """What the exchange keeps."""
        return {"wrench": self.wrench, "impulse": self.impulse, "given": self.given}

    def load(self, saved: Mapping[str, np.ndarray]) -> None:
        """Take over what `save` gave."""
        for name, own in self.save().items():
            own[:] = saved[name]


def check_exchange(part: str, saved: Mapping[str, np.ndarray], bodies: int) -> None:
    """Refuse what an Exchange with so many bodies would not have saved; part: its name in the State."""
    for name, shape in (("wrench", (bodies, 6)), ("impulse", (6,)), ("given", (6,))):
        require(part, saved, (name,))
        check_array(part, name, saved[name], np.zeros(shape))


class Couplings(NamedTuple):
    """How the subsystems of a Simulation share the tables of wrenches and outputs.

    coupled    rows of all bodies that subsystems act on, one subsystem after the other; the Model's particles first
    rows       of the bodies of each subsystem
    channels   {channel: (first column of what is recorded, count, unit)}
    """

    coupled: tuple[int, ...]
    rows: dict[str, np.ndarray]
    channels: dict[str, tuple[int, int, str]]


def couplings(model: Model, bodies: Mapping[str, Sequence[str]], outputs: Mapping[str, str]) -> Couplings:
    """Of subsystems {name: bodies}, with outputs {channel: unit}."""
    coupled, rows, channels = list(model.coupled.values()), {}, {}
    vehicle = 0 if model.vehicle is None else model.vehicle.size
    for name, own in bodies.items():
        rows[name] = np.array([int(model.tables.frame_i[model.frame(body)]) for body in own], np.int64)
        for body, row in zip(own, rows[name]):
            if row > 0:
                channels[f"{body}.wrench_from.{name}"] = (vehicle + 6 * len(coupled), 6, "N m, N")
                coupled.append(int(row))
    first = vehicle + 6 * len(coupled)
    channels |= {channel: (first + k, 1, unit) for k, (channel, unit) in enumerate(outputs.items())}
    return Couplings(tuple(coupled), rows, channels)
