"""Shapes that turn with a wheel: which, and whether they are round about its axle."""

import numpy as np

from gori.errors import SpecError, UnsupportedError
from gori.kernels.contact import tables as t
from gori.model.contact.piece import Piece
from gori.model.model import Model

ROUND = (t.SPHERE, t.CAPSULE, t.CYLINDER, t.CONE)
OFF = 1e-6
"""how far a shape may stand beside the axle, by the radius of the wheel, and lean against it [rad]"""


def wheel_number(model: Model, body: str, label: str, wheel: str | None, pieces: list[Piece]) -> int:
    """1 + row of the wheel with which a shape of a body turns; 0: with none.

    pieces   of the shape, in the frame of the body
    """
    if wheel is None:
        return 0
    name = f"bodies.{body}.shapes.{label}: wheel {wheel!r}"
    wheels = model.spec.wheels
    if wheel not in wheels:
        raise SpecError(f"{name} is not one of the wheels ({', '.join(wheels) or 'there are none'})")
    own = wheels[wheel]
    if own.body != body:
        raise SpecError(f"{name} is on body {own.body!r}, not on {body!r}")
    axis, at = np.array(own.axis, float) / np.linalg.norm(own.axis), np.array(own.at, float)
    for piece in pieces:
        beside = piece.p - at - ((piece.p - at) @ axis) * axis
        leaning = 0.0 if piece.kind == t.SPHERE else np.linalg.norm(np.cross(piece.R[:, 2], axis))
        if piece.kind not in ROUND or leaning > OFF or np.linalg.norm(beside) > OFF * own.tyre.radius:
            raise SpecError(
                f"{name}: a shape that turns with a wheel must be round about the axle: a solid sphere, capsule, "
                f"cylinder or cone with its axis on that of the wheel, which goes through {list(own.at)} along "
                f"{list(own.axis)}"
            )
    from gori.model.vehicle.tables import wheel_order  # imports the kernels of vehicles

    return 1 + wheel_order(model.spec).index(wheel)


def refuse_rolling(law: np.ndarray, materials: tuple[str, ...], shape: np.ndarray) -> None:
    """Raise where a shape that turns with a wheel has rolling or torsional friction: that of tyres is in their law."""
    for material in {int(s["material"]) for s in shape if s["wheel"] > 0}:
        for other in range(len(materials)):
            if law["rolling"][material, other] > 0.0 or law["torsion"][material, other] > 0.0:
                raise UnsupportedError(
                    f"contacts {materials[material]}/{materials[other]}: rolling_friction and torsional_friction are "
                    "not for shapes that turn with a wheel. Set them to 0"
                )


def turning_with_friction(model: Model) -> str | None:
    """Name of a shape that turns with a wheel and has friction; None if there is none."""
    if model.contact is None:
        return None
    tables = model.contact.tables
    for k, shape in enumerate(tables.shape):
        if shape["wheel"] > 0 and (tables.law["friction"][shape["material"]] > 0.0).any():
            return model.contact.names[k]
    return None
