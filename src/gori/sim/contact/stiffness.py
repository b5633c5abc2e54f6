"""Stiffness of penalty contact: whether there is one, and whether the step of a method is short enough for it."""

import warnings
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from gori.errors import ContactWarning, InputError
from gori.integrate import Method
from gori.kernels.contact.tables import SPHERE
from gori.kernels.tree.columns import GRAVITY
from gori.model import Model
from gori.model.contact.tables import BodyContact

ROOM = 0.5
"""share of the limit of a method that a contact under its weight may take: impacts are stiffer"""
FLAT = 9.0
"""fastest rate of a body on four points, which turns and is damped by each, by that of one point"""


class StiffContact(NamedTuple):
    """The pair of shapes that is the stiffest for its mass, and what would be slow enough."""

    pair: str
    rate: float  # fastest rate of the lighter body under its weight [rad/s]
    longest: float  # step with which the method follows it [s]
    stiffness: float  # that the method follows with its step [N/m^1.5]

    @property
    def words(self) -> str:
        """What is wrong."""
        return f"contact of {self.pair} answers with {self.rate:.3g} rad/s"

    @property
    def cure(self) -> str:
        """What to change besides the method."""
        return f"steps of at most {self.longest:.2g} s, or a stiffness of at most {self.stiffness:.2g} N/m^1.5 there"


def touching_pairs(contact: BodyContact) -> Iterator[tuple[int, int]]:
    """Pairs of shapes that may touch; of shapes that are alike in mass, material and curvature only one."""
    shape, law, n = contact.tables.shape, contact.tables.law, len(contact.tables.shape)
    never = set(contact.tables.excluded.tolist())
    named = {k for pair in never for k in divmod(pair, n)}
    alike: dict[tuple, list[int]] = {}
    for k, (mass, material, curvature) in enumerate(zip(shape["mass"], shape["material"], shape["curvature"])):
        alike.setdefault((mass, material, curvature, k if k in named else -1), []).append(k)
    kinds = list(alike.values())
    for i, ones in enumerate(kinds):
        for others in kinds[i:]:
            a = ones[0]
            if law["touches"][shape["material"][a], shape["material"][others[0]]] != 1:
                continue
            b = next((k for k in others if shape["row"][k] != shape["row"][a]), None)
            if b is not None and min(a, b) * n + max(a, b) not in never:
                yield a, b


def require_stiffness(model: Model) -> None:
    """Raise InputError if two shapes may touch of which nothing says how they yield."""
    if model.contact is None:
        return
    tables, materials = model.contact.tables, model.contact.materials
    for a, b in touching_pairs(model.contact):
        i, j = tables.shape["material"][[a, b]]
        law = tables.law[i, j]
        if law["stiffness"] > 0.0 or law["fixed_stiffness"] > 0.0:
            continue
        names, both = f"{model.contact.names[a]} and {model.contact.names[b]}", (materials[i], materials[j])
        raise InputError(
            f"{names} may touch, but nothing says how stiff contact {'/'.join(both)} is: give E and nu of "
            f"{' or '.join(dict.fromkeys(both))}, or `stiffness` [N/m^1.5] of the contact; or take method "
            "time_stepping, which needs neither"
        )


def too_stiff(model: Model, method: Method) -> StiffContact | None:
    """The contact that is too fast for the step of the method, if there is one."""
    limit = ROOM * method.decay_limit()
    gravity = float(np.linalg.norm(model.kernel_tables.body_f[0, GRAVITY : GRAVITY + 3]))
    if model.contact is None or method.contact != "penalty" or not np.isfinite(limit) or gravity == 0.0:
        return None
    worst, names, tables = None, model.contact.names, model.contact.tables
    for a, b in touching_pairs(model.contact):
        one, other = tables.shape[a], tables.shape[b]
        law = tables.law[one["material"], other["material"]]
        with np.errstate(divide="ignore"):
            radius = 1.0 / (1.0 / one["curvature"] + 1.0 / other["curvature"])
            mass = 1.0 / (1.0 / one["mass"] + 1.0 / other["mass"])
        k = float(law["fixed_stiffness"] or law["stiffness"] * np.sqrt(radius))
        if not (0.0 < mass < np.inf and 0.0 < k < np.inf):
            continue
        rate = float(np.sqrt(1.5 * k / mass) * (mass * gravity / k) ** (1.0 / 6.0))  # at the depth of the weight
        rate *= 1.0 if SPHERE in (one["kind"], other["kind"]) else FLAT
        if worst is None or rate > worst[0]:
            worst = rate, k, f"{names[a]} and {names[b]}"
    if worst is None or worst[0] * method.settings()["step"] <= limit:
        return None
    rate, k, pair = worst
    return StiffContact(pair, rate, limit / rate, k * (limit / (rate * method.settings()["step"])) ** 3)


def warn_of_contact(model: Model, method: Method) -> None:
    """A ContactWarning where a contact is too stiff for the step."""
    if (found := too_stiff(model, method)) is not None:
        step = method.settings()["step"]
        warnings.warn(
            f"{found.words} under its weight: {method.kind} with steps of {step:g} s does not follow that, and energy "
            f"may appear. Take {found.cure}, an implicit or adaptive method, or time_stepping",
            ContactWarning,
            stacklevel=3,
        )
