"""The contract of a subsystem beside the bodies: start, advance (motion in, mean wrench out), state and load, outputs.

A subsystem in Python is an object with the members of `Subsystem`; `BaseSubsystem` has defaults for those that may be
left out. `sim/exchange.py` couples it to the bodies. Particles are one; `docs/subsystems.md` shows how to write yours.

Wheels and drive trains are compiled (`kernels/vehicle`): the same contract, called inside every step of the bodies by
the code that START, ADD_WRENCHES and ADVANCE name in `kernels/machine.py`, so that wrenches belong to the state at each
evaluation and a method keeps its order.
"""

import sys
from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import Any, ClassVar, NamedTuple, Protocol, runtime_checkable

import numpy as np

from gori.errors import InputError
from gori.kernels.particles.columns import OMEGA, POS, VEL

RESERVED = (
    "vehicle",
    "particles",
    "exchange",
    "clock",
    "method",
    "loops",
    "cuts",
    "events",
    "energy",
    "drivers",
    "contact",
)
"""parts of a State that are not a user's subsystem"""
EXCHANGE_OF = "exchange of "
"""how the part of a State begins that holds the exchange with a subsystem"""
MEMBERS = ("name", "bodies", "step", "outputs", "start", "advance", "state", "load", "output_values")
MOST_SUB_STEPS = 100_000
"""of a subsystem in one step of the bodies"""


class BodyMotion(NamedTuple):
    """Motion of some bodies or frames at the ends of sub-steps; n + 1 rows for n sub-steps, world axes.

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
    bodies    names of the bodies or frames whose motion it wants, and on which it acts
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
        """Begin at this time, where the bodies have this motion (one row); memory is as made, or as loaded.

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
        """Take over what `state` gave: arrays of its own, which may be kept and written."""
        ...

    def output_values(self) -> Sequence[float]:
        """The numbers of `outputs`, now."""
        ...


class BaseSubsystem:
    """A Subsystem with defaults; a class that derives from it needs name, bodies, step and `advance`.

    kept   names of its attributes that are its memory: numbers, texts and arrays. `state` and `load` follow from them
    """

    outputs: Mapping[str, str] = {}
    kept: ClassVar[Sequence[str]] = ()

    def start(self, motion: BodyMotion, time: float) -> np.ndarray | None:
        """No wrench acts in the first step."""
        return None

    def state(self) -> dict[str, Any]:
        """The attributes of `kept`."""
        return {name: getattr(self, name) for name in self.kept}

    def load(self, saved: Mapping[str, np.ndarray]) -> None:
        """Set the attributes of `kept`."""
        for name in self.kept:
            setattr(self, name, saved[name].item() if saved[name].ndim == 0 else saved[name])

    def output_values(self) -> Sequence[float]:
        """None; a class with `outputs` gives its own."""
        return ()


def checked_subsystems(subsystems: object, step: float | None) -> tuple[Subsystem, ...]:
    """The subsystems of a Simulation as a tuple; raises InputError where something is none.

    step   of the bodies [s]; None if it is not fixed
    """
    if subsystems is None:
        return ()
    if isinstance(subsystems, Mapping):
        raise InputError(
            "subsystems are objects in a list. The own steps of drive trains are sub_steps={train: step [s]}"
        )
    if isinstance(subsystems, str | np.ndarray) or not isinstance(subsystems, Iterable):
        raise InputError(f"subsystems must be a list of Subsystems, not a {type(subsystems).__name__}")
    subsystems = tuple(subsystems)
    for subsystem in subsystems:
        _check_members(subsystem)
        if step is not None and step / subsystem.step > MOST_SUB_STEPS:
            raise InputError(
                f"subsystem {subsystem.name!r}: a step of {subsystem.step:g} s divides the step of the bodies of "
                f"{step:g} s into {step / subsystem.step:.3g} sub-steps; there may be {MOST_SUB_STEPS}"
            )
    names = [subsystem.name for subsystem in subsystems]
    if len(set(names)) < len(names):
        raise InputError("two subsystems have the same name")
    owner: dict[str, str] = {}
    for subsystem in subsystems:
        for channel in subsystem.outputs:
            if channel in owner:
                raise InputError(f"subsystems {owner[channel]!r} and {subsystem.name!r} both put out {channel!r}")
            owner[channel] = subsystem.name
    return subsystems


def _check_members(subsystem: Any) -> None:
    """Raise if something is no Subsystem."""
    missing = [member for member in MEMBERS if not hasattr(subsystem, member)]
    if missing:
        raise InputError(f"{type(subsystem).__name__} is not a Subsystem: it has no {', '.join(missing)}")
    name, bodies, step, outputs = subsystem.name, subsystem.bodies, subsystem.step, subsystem.outputs
    if not isinstance(name, str):
        raise InputError(f"the name of a subsystem must be text, not {name!r}")
    if name in RESERVED or not name or "/" in name or name.startswith(EXCHANGE_OF):
        raise InputError(f"a subsystem cannot be called {name!r}: this name is reserved, or not a valid name")
    if isinstance(bodies, str) or not isinstance(bodies, Sequence) or not all(isinstance(x, str) for x in bodies):
        raise InputError(f"subsystem {name!r}: bodies must be a list of names, not {bodies!r}")
    if twice := [body for k, body in enumerate(bodies) if body in bodies[:k]]:
        raise InputError(f"subsystem {name!r}: {twice[0]!r} is twice among its bodies: give it once, and add wrenches")
    if isinstance(step, bool) or not isinstance(step, Real) or not 0.0 < step <= sys.float_info.max:  # pyright: ignore[reportOperatorIssue]
        raise InputError(f"subsystem {name!r}: step must be a positive number of seconds, not {step!r}")
    texts = isinstance(outputs, Mapping) and all(isinstance(x, str) and x for x in outputs)
    if not (texts and all(isinstance(unit, str) for unit in outputs.values())):
        raise InputError(f"subsystem {name!r}: outputs must be {{channel: unit}}, both texts, not {outputs!r}")
