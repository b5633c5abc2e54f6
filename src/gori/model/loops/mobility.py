"""How a machine with loops can move: coordinates, equations, rank, and which coordinates are independent."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gori.errors import InputError
from gori.model.model import Model
from gori.text.arguments import names_of


@dataclass(frozen=True)
class Mobility:
    """Counts and names at one pose."""

    bodies: int
    coordinates: int  # nv of the tree
    equations: int
    rank: int
    redundant: tuple[str, ...]  # equations that follow from the others at this pose
    freedom: int  # degrees of freedom of finite motions from this pose
    instantaneous: int  # of the velocities at this pose: more where branches cross, and at a dead centre
    independent: tuple[str, ...]
    dependent: tuple[str, ...]
    condition: float  # of the equations in the dependent coordinates; large near singular poses

    def __str__(self) -> str:
        lines = [
            f"{self.bodies} bodies, {self.coordinates} coordinates, {self.equations} equations of rank {self.rank}",
            f"{degrees(self.freedom)}; independent: {', '.join(self.independent) or 'none'}",
        ]
        if self.instantaneous != self.freedom:
            lines.append(f"a singular pose: {self.instantaneous} in this instant, {self.freedom} of a finite motion")
        if self.redundant:
            lines.append(f"redundant: {', '.join(self.redundant)}")
        if self.condition > 1e6:
            lines.append(f"near a singular pose: condition {self.condition:.1e}")
        return "\n".join(lines)


def degrees(count: int) -> str:
    return f"{count} degree{'' if count == 1 else 's'} of freedom"


def coordinate_names(model: Model) -> list[str]:
    """Name of each degree of freedom: the joint's, with a number if it has several."""
    return [info.name if info.nv == 1 else f"{info.name}[{k}]" for info in model.joints for k in range(info.nv)]


def mobility(model: Model, q: Any = None, independent: Iterable[str] | None = None, time: float = 0.0) -> Mobility:
    """How the Model can move at q (default: its start, assembled); q must close the loops."""
    from scipy.linalg import qr

    from gori.model.arrays import numbers_of
    from gori.model.loops.assembly import assembled, check_one
    from gori.model.loops.branches import finite_freedom, tangents

    system = model.loop_system
    q = assembled(model, time=time).q if q is None else numbers_of(q, "q")
    check_one(model, q=(q, model.nq))
    J = system.scaled(system.terms(q, time=time).J)
    rank, names = system.rank(system.terms(q, time=time).J), coordinate_names(model)
    redundant: list[str] = []
    if len(J) > rank:
        # as early as possible: an equation counts as redundant if those before it say the same
        order = qr(J.T * (1.0 - 1e-3 * np.arange(len(J)) / len(J)), mode="r", pivoting=True)[-1]
        redundant = [system.names[k] for k in sorted(order[rank:])]
    chosen = split_coordinates(model, J, rank, independent)
    inside = J[:, ~chosen]
    values = np.linalg.svd(inside, compute_uv=False)[:rank] if rank else np.ones(1)
    return Mobility(
        len(model.body_names),
        model.nv,
        len(J),
        rank,
        tuple(redundant),
        finite_freedom(tangents(model, q, time)) if len(J) else model.nv,
        model.nv - rank,
        tuple(name for name, there in zip(names, chosen) if there),
        tuple(name for name, there in zip(names, chosen) if not there),
        float(values[0] / max(values[-1], 1e-300)),
    )


def split_coordinates(model: Model, J: np.ndarray, rank: int, independent: Iterable[str] | None = None) -> np.ndarray:
    """Which coordinates are independent (nv,): by a factorisation with pivots, or as the user wishes.

    J   without units
    """
    from scipy.linalg import qr

    chosen = np.zeros(model.nv, bool)
    if independent is not None:
        names, independent = coordinate_names(model), names_of(independent, "independent coordinates")
        for name in independent:
            if name in names:
                chosen[names.index(name)] = True
            else:
                chosen[model.joint(name).v] = True
        if chosen.sum() != model.nv - rank:
            raise InputError(
                f"{', '.join(independent) or 'no joints'}: these are {chosen.sum()} independent coordinates, but in "
                f"this pose the machine has {degrees(model.nv - rank)}"
            )
        values = np.linalg.svd(J[:, ~chosen], compute_uv=False)[:rank]
        if rank and not values[-1] > 1e-9 * values[0]:
            raise InputError(
                f"{', '.join(independent)} cannot be independent in this pose: they do not determine the others. "
                f"Use {', '.join(np.array(names)[split_coordinates(model, J, rank)])}"
            )
        return chosen
    if rank == 0:
        return ~chosen
    # joints that are driven or start with a velocity make good independent coordinates
    weight = np.ones(model.nv)
    for info in model.joints:
        joint = model.spec.joints[info.name]
        pushed = any(getattr(force, "joint", None) == info.name for force in model.spec.forces.values())
        if pushed or (joint.v is not None and any(joint.v)):
            weight[info.v] = 0.3
    order = qr(J * weight, mode="r", pivoting=True)[-1]
    chosen[order[rank:]] = True
    return chosen
