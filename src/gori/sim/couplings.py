"""All subsystems of a Simulation together: tables that they share, their parts of a State, the work of their lag."""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from gori.errors import CouplingWarning, InputError, RestartWarning
from gori.model import Model
from gori.model.body_frames import BodyFrames
from gori.model.state import State
from gori.record import Recording
from gori.record.channels import turns_channel
from gori.record.outputs import CONTACT, Columns, wrench_channel
from gori.sim.exchange import Exchange, Work
from gori.sim.subsystem import EXCHANGE_OF, RESERVED, Subsystem

LARGE_LAG = 0.05
"""share of the work of a subsystem from which on the work of its lag is warned of"""
NOTABLE = 0.01
"""share of the largest kinetic energy below which it is not"""


class Couplings(NamedTuple):
    """How the subsystems of a Simulation share the tables of wrenches and outputs.

    coupled    rows of all bodies that subsystems act on, one subsystem after the other; the Model's particles first
    frames     of the bodies of each subsystem
    channels   {channel: (first column of what is recorded, width, unit)}, of vehicles, particles and contact too
    """

    coupled: tuple[int, ...]
    frames: dict[str, BodyFrames]
    channels: dict[str, Columns]


def couplings(model: Model, bodies: Mapping[str, Sequence[str]], outputs: Mapping[str, str]) -> Couplings:
    """Of subsystems {name: bodies}, with outputs {channel: unit}."""
    coupled, frames, first = list(model.coupled.values()), {}, before_wrenches(model)
    channels = model_columns(model)
    for name, own in bodies.items():
        try:
            frames[name] = BodyFrames.of(model, own)
        except InputError as error:
            raise InputError(f"subsystem {name!r}: {error}") from None
        for body, row in zip(own, frames[name].rows):
            channels[wrench_channel(body, name)] = Columns(first + 6 * len(coupled), 6, "N m, N")
            coupled.append(int(row))
    first += 6 * len(coupled)
    channels |= contact_columns(model, first)
    first += 0 if model.contact is None else model.contact.columns
    for k, (channel, unit) in enumerate(outputs.items()):
        if channel in channels:
            raise InputError(f"there is a channel {channel!r} already: a subsystem must call its output otherwise")
        channels[channel] = Columns(first + k, 1, unit)
    return Couplings(tuple(coupled), frames, channels)


def before_wrenches(model: Model) -> int:
    """Count of columns in what is recorded before those of wrenches: of vehicles, and of turns of cuts."""
    return (0 if model.vehicle is None else model.vehicle.size) + model.cut_coordinates.turns


def model_columns(model: Model) -> dict[str, Columns]:
    """What a Model itself records besides its states: outputs of vehicles, full turns of the angles of cuts (or
    signs of their quaternions), and wrenches of particles.
    """
    vehicle, particles = model.vehicle, model.particles
    known = {} if vehicle is None else vehicle.channels()
    columns = {name: Columns(int(column), 1, unit) for name, (column, unit) in known.items()}
    first, groups = 0 if vehicle is None else vehicle.size, () if particles is None else particles.names
    for info in model.cut_coordinates.joints:
        if own := model.cut_coordinates.columns(info.name):
            columns[turns_channel(info.name)] = Columns(first + own[0], len(own), "")
    first += model.cut_coordinates.turns
    for k, holder in enumerate(() if particles is None else particles.holders):
        for name in ("particles", *(groups if len(groups) == 1 else ())) if holder.walls else ():
            columns[wrench_channel(holder.name, name)] = Columns(first + 6 * k, 6, "N m, N")
    return columns


def contact_columns(model: Model, first: int) -> dict[str, Columns]:
    """What a Model records of contact from this column on.

    BODY.contact                force of all contacts on a body that collides, world axes [N]
    BODY.wrench_from.contact    with the moment about its origin
    contact.points              number of points that bear a force
    contact.gap                 smallest gap [m], negative: depth; nan where nothing is near
    """
    if model.contact is None:
        return {}
    columns, bodies = {}, model.contact.touched
    for k, body in enumerate(bodies):
        columns[f"{body}.contact"] = Columns(first + 6 * k + 3, 3, "N")
        columns[wrench_channel(body, CONTACT)] = Columns(first + 6 * k, 6, "N m, N")
    first += 6 * len(bodies)
    return columns | {"contact.points": Columns(first, 1, ""), "contact.gap": Columns(first + 1, 1, "m")}


def refuse_taken_names(recording: Recording, couplings: Couplings) -> None:
    """Raise if an output of a subsystem is called as a channel that every Recording of the Model has."""
    if taken := [name for name in couplings.channels if name in recording]:
        raise InputError(f"there is a channel {taken[0]!r} already: a subsystem must call its output otherwise")


# ---- States


def warn_of_dropped(state: State, names: Sequence[str]) -> None:
    """Warn of parts of a State that none of the subsystems of these names takes over."""
    held = dict.fromkeys(name.removeprefix(EXCHANGE_OF) for name in state.parts if name not in RESERVED)
    if dropped := [name for name in held if name not in names]:
        afresh = [name for name in names if name not in held]
        more = f", and {_quoted(afresh)} is not in it and starts afresh" if afresh else ""
        warnings.warn(
            f"the State holds the memory of subsystem {_quoted(dropped)}, which is not given: that is dropped{more}",
            RestartWarning,
            stacklevel=4,
        )


def refuse_other_subsystems(info: Mapping[str, Any], subsystems: Iterable[Subsystem]) -> None:
    """Raise unless these are the subsystems of a recorded run."""
    given, run = {part.name: part for part in subsystems}, info.get("subsystems", {})
    if missing := [name for name in run if name not in given]:
        raise InputError(f"this run had subsystem {_quoted(missing)}: give it to resume (subsystems=[...])")
    if more := [name for name in given if name not in run]:
        raise InputError(f"this run had no subsystem {_quoted(more)}: resume it without")
    for name, part in given.items():
        if list(part.bodies) != list(run[name]):
            raise InputError(
                f"subsystem {name!r} of this run had the bodies {', '.join(run[name])}, not {', '.join(part.bodies)}"
            )


def _quoted(names: Iterable[str]) -> str:
    return ", ".join(map(repr, names))


# ---- the work of the lag


def warn_of_lag(exchanges: Iterable[Exchange], before: Mapping[str, Work], recording: Recording) -> None:
    """Warn of subsystems whose lag has made or lost much energy in a run."""
    found = []
    for exchange in exchanges:
        now, then = exchange.work, before[exchange.name]
        lag, turnover = now.of_lag - then.of_lag, now.turnover - then.turnover
        if abs(lag) > LARGE_LAG * turnover:
            found.append((exchange, lag, turnover))
    if not found:
        return
    few = np.unique(np.linspace(0, len(recording) - 1, 200).astype(int)) if len(recording) else slice(0)
    kinetic = float(np.max(recording.part(few)["energy.kinetic"], initial=0.0))
    for exchange, lag, turnover in found:
        if abs(lag) > NOTABLE * kinetic:
            share = f", {100.0 * abs(lag) / turnover:.2g} % of the work that went through it" if turnover > 0.0 else ""
            warnings.warn(
                f"subsystem {exchange.name!r}: its lag of one step of {exchange.step:g} s has "
                f"{'given the bodies' if lag > 0.0 else 'taken from the bodies'} {abs(lag):.3g} J{share}. Take a "
                "shorter step; where it is stiff (k), damping of more than k times the step keeps it stable",
                CouplingWarning,
                stacklevel=4,
            )
