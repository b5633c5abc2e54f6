"""What was recorded besides the states: outputs of vehicles and subsystems, and wrenches that were held on bodies.

`extra["outputs"]` is one table; `info["outputs"]` names its columns, so that a file can be read without the program
that wrote it.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gori.errors import InputError
from gori.model.body_frames import BodyFrames, moved_moment
from gori.record.channels import Channel

if TYPE_CHECKING:
    from gori.record.recording import Recording


CONTACT = "contact"
"""in place of a subsystem: contact between bodies"""


class Columns(NamedTuple):
    """Where a channel stands in the table: first column, how many, and their unit."""

    first: int
    width: int
    unit: str

    @property
    def units(self) -> str | tuple[str, ...]:
        """One unit for all columns, or one for each: of a wrench, three of its moment and three of its force."""
        parts = self.unit.split(", ")
        return self.unit if self.width % len(parts) else tuple(np.repeat(parts, self.width // len(parts)).tolist())


def wrench_channel(body: str, name: str) -> str:
    """The channel of the wrench of a subsystem on a body."""
    return f"{body}.wrench_from.{name}"


def output_channels(recording: "Recording") -> dict[str, Channel]:
    """Channels of the columns that the recording names."""
    named = recording.info.get("outputs")
    if "outputs" not in recording.extra or named is None:
        return {}
    width = recording.width("extra/outputs")
    bodies, channels = wrench_bodies(recording), {}
    for name, columns in named.items():
        place = Columns(*columns)
        if place.first + place.width > width:
            raise InputError(f"channel {name!r} stands in column {place.first} of outputs, which have {width}")
        channels[name] = Channel(column_reader(place, bodies.get(name)), place.units, by_sample=name in bodies)
    return channels


def wrench_bodies(recording: "Recording") -> dict[str, str]:
    """Body of each channel of a wrench, of particles, contact and subsystems."""
    particles = recording.model.particles
    owners = dict(recording.info.get("subsystems", {}))
    if particles is not None:
        owners |= dict.fromkeys(("particles", *particles.names), tuple(recording.model.coupled))
    if recording.model.contact is not None:
        owners[CONTACT] = recording.model.contact.touched
    return {wrench_channel(body, name): body for name, own in owners.items() for body in own}


def column_reader(place: Columns, body: str | None) -> Callable[["Recording", str], np.ndarray]:
    """How a channel is computed; of a wrench on a body, with the moment about the origin of the body."""

    def compute(recording: "Recording", _: str) -> np.ndarray:
        wrench = recording.numbers("extra/outputs", slice(place.first, place.first + place.width))
        if place.width == 1:
            return wrench[:, 0]
        return wrench if body is None else about_body(recording, wrench, body)

    return compute


def about_body(recording: "Recording", wrench: np.ndarray, body: str) -> np.ndarray:
    """Wrenches (N, 6) about the origin of a body's row of the Model, with the moment about the body's own origin."""
    (arm,) = BodyFrames.of(recording.model, [body]).arms
    return moved_moment(wrench, recording[f"{body}.rotation"] @ arm) if arm.any() else wrench
