"""Impacts by events: settings, and what is watched for them."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from gori.errors import InputError, UnsupportedError
from gori.integrate import Method
from gori.kernels.contact.tables import GROUND
from gori.kernels.impacts.memory import JOINT_STOP
from gori.model import Model
from gori.sim.contact.impulses import refuse_turning
from gori.text.arguments import is_one_of

LAWS = ("stronge", "poisson", "newton")
ORDERS = ("simultaneous", "sequential")
ABLE = ("dopri5", "rk4", "adams", "adams_moulton", "semi_implicit")
"""methods that take impacts"""
MOST_PAIRS = 200
FASTEST, OF_STEP = 1000.0, 0.4
"""rate with which gaps and slips of resting contacts decay [1/s], and at most, by the step of a fixed-step method"""
LIFT = 1e-7
"""gap at which a contact has ceased to rest [m, rad]"""
REFERENCE, SMALLEST = 0.1, 1e-4
"""size of bodies that FASTEST and LIFT are meant for [m]: smaller ones have shorter lengths and times; and the least
share of it
"""


@dataclass(frozen=True)
class Impacts:
    """Rigid impacts at exact times, for few contacts: gaps are events, velocities jump there.

    law                 "stronge" (energy), "poisson" (impulse) or "newton" (velocity): what restitution is a ratio of
    order               of contacts that touch at the same time: "simultaneous", or "sequential", the fastest first
    rest_speed          approach speed below which nothing rebounds, and a contact comes to rest [m/s, rad/s]
    chatter_rate        impacts of one pair per second from which on they have no restitution
    limits              whether limits of joints are stops
    limit_restitution   of these stops
    """

    law: Literal["stronge", "poisson", "newton"] = "stronge"
    order: Literal["simultaneous", "sequential"] = "simultaneous"
    rest_speed: float = 1e-5
    chatter_rate: float = 1e4
    limits: bool = True
    limit_restitution: float = 0.0

    def __post_init__(self):
        for name, known in (("law", LAWS), ("order", ORDERS)):
            if not is_one_of(getattr(self, name), known):
                raise InputError(f"impacts: {name} must be one of {', '.join(known)}, not {getattr(self, name)!r}")
        for name, most in (("rest_speed", np.inf), ("limit_restitution", 1.0)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 <= value <= most:
                raise InputError(f"impacts: {name} must be a number from 0 to {most:g}, not {value!r}")
        if not 0.0 < self.rest_speed < np.inf:
            raise InputError("impacts: rest_speed must be positive: bounces without end would never come to rest")
        rate = self.chatter_rate
        if isinstance(rate, bool) or not isinstance(rate, int | float) or not 0.0 < rate < np.inf:
            raise InputError(f"impacts: chatter_rate must be a positive number, not {rate!r}")
        if not isinstance(self.limits, bool):
            raise InputError(f"impacts: limits must be true or false, not {self.limits!r}")

    def settings(self) -> dict[str, Any]:
        """As in a run file."""
        return asdict(self)


def impacts_of(given: object) -> Impacts | None:
    """Settings as an Impacts; {"law": "stronge"} as in a run file, or True for the defaults."""
    if given is None or given is False:
        return None
    if isinstance(given, Impacts):
        return given
    if given is True:
        return Impacts()
    if not isinstance(given, Mapping):
        raise InputError(f"impacts must be an Impacts or its settings, such as {{'law': 'stronge'}}, not {given!r}")
    try:
        return Impacts(**given)
    except TypeError as error:
        known = ", ".join(Impacts.__dataclass_fields__)
        raise InputError(f"impacts: {error}: its settings are {known}") from None


class Watched(NamedTuple):
    """Gaps that a run with impacts watches.

    pairs   (n, 2) shapes;  stops (m,) JOINT_STOP;  names "A/B" of pairs, then "JOINT lower" or "JOINT upper"
    scale   of lengths; times scale with its root
    """

    pairs: np.ndarray
    stops: np.ndarray
    names: tuple[str, ...]
    scale: float = 1.0


def scale_of(model: Model) -> float:
    """Size of the smallest moving body that collides, by REFERENCE; at most 1.

    The size of a body is how far its shapes reach from its origin: a rod with a small tip is as long as it is.
    """
    if model.contact is None:
        return 1.0
    shape = model.contact.tables.shape
    reach = np.linalg.norm(shape["position"], axis=1) + shape["half"].max(axis=1)
    sizes = [reach[shape["row"] == row].max() for row in set(shape["row"].tolist()) - {0}]
    return float(np.clip(min(sizes, default=REFERENCE) / REFERENCE, SMALLEST, 1.0))


def watched(model: Model, impacts: Impacts) -> Watched:
    """All pairs of shapes that can touch, and limits of joints. Raises where there are too many, or none."""
    pairs, names, stops = [], [], []
    refuse_turning(model, "impacts")
    if model.contact is not None:
        tables, n = model.contact.tables, len(model.contact.tables.shape)
        shape, never = tables.shape, set(tables.excluded.tolist())
        if (shape["kind"] == GROUND).any():
            raise UnsupportedError("impacts with the terrain are not supported: use a plane, or method time_stepping")
        touches = tables.law["touches"][shape["material"][:, None], shape["material"][None, :]] == 1
        touches &= shape["row"][:, None] != shape["row"][None, :]
        pairs = [(a, b) for a, b in np.argwhere(np.triu(touches, 1)).tolist() if a * n + b not in never]
        names = [f"{model.contact.names[a]}/{model.contact.names[b]}" for a, b in pairs]
    if len(pairs) > MOST_PAIRS:
        raise UnsupportedError(
            f"{len(pairs)} pairs of shapes can touch: impacts by events are for at most {MOST_PAIRS}. Exclude pairs, "
            "or use method time_stepping, or contact by penalty (without impacts)"
        )
    for info in model.joints if impacts.limits else ():
        if info.nv != 1 or info.nq != 1:
            continue
        dof, at = info.v.start, info.q.start
        for side, bound, word in ((1.0, model.lower[dof], "lower"), (-1.0, model.upper[dof], "upper")):
            if np.isfinite(bound):
                stops.append((dof, at, side, bound))
                names.append(f"{info.name} {word}")
    table = JOINT_STOP.zeros(len(stops))
    for row, values in zip(table, stops):
        row["dof"], row["coordinate"], row["side"], row["bound"] = values
    if not names:
        raise InputError("impacts: no two shapes of the Model can touch, and no joint has limits")
    return Watched(np.array(pairs, np.int64).reshape(-1, 2), table, tuple(names), scale_of(model))


def refuse_unable(method: Method) -> None:
    """Raise if the method does not take impacts."""
    if method.kind not in ABLE:
        raise UnsupportedError(f"method {method.kind} does not support: impacts. Use one of {', '.join(ABLE)}")


def rate_of(method: Method, scale: float = 1.0) -> float:
    """Rate with which gaps and slips of resting contacts decay [1/s]. scale: of lengths."""
    fastest = FASTEST / float(np.sqrt(scale))
    return fastest if method.adaptive else min(fastest, OF_STEP / float(method.settings()["step"]))
