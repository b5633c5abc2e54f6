"""Parameters of force elements: the columns of element_f by name, declared once for each kind.

    p[SPRING_F.stiffness]      in kernels, with p the row of an element
    row(SPRING_F, stiffness=...)   in Python: a new row

Springs, limits and motors of joints take N m/rad and N m s/rad on an axis that turns, N/m and N s/m on one that slides.
"""

from collections import namedtuple
from typing import Any

import numpy as np

from gori.kernels.layout import Field, field

N_ELEMENT_F = 36


def columns(name: str, *fields: Field) -> Any:
    """The first column of each parameter, by name."""
    starts, at = [], 0
    for parameter in fields:
        starts.append(at)
        at += parameter.shape or 1
    if at > N_ELEMENT_F:
        raise ValueError(f"{name} has {at} parameters, a row has {N_ELEMENT_F}")
    return namedtuple(name, [parameter.name for parameter in fields])(*starts)


def row(kind: Any, **values: Any) -> np.ndarray:
    """A row of element_f (N_ELEMENT_F,) with all parameters of a kind."""
    if set(values) != set(kind._fields):
        raise TypeError(f"{type(kind).__name__} takes {', '.join(kind._fields)}")
    out = np.zeros(N_ELEMENT_F)
    for name, value in values.items():
        numbers, start = np.ravel(value), getattr(kind, name)
        out[start : start + len(numbers)] = numbers
    return out


SPRING_F = columns(
    "Spring",
    field("stiffness", "N m/rad, N/m", ""),
    field("rest", "rad, m", "coordinate without spring force"),
    field("damping", "N m s/rad, N s/m", ""),
    field("preload", "N m, N", "force at rest"),
)
BALL_SPRING_F = columns(
    "BallSpring",
    field("stiffness", "N m/rad", "for all directions"),
    field("rest", "", "quaternion w x y z without spring moment", 4),
    field("damping", "N m s/rad", ""),
)
FRICTION_F = columns(
    "Friction",
    field("coulomb", "N m, N", "largest friction force"),
    field("stiffness", "N m/rad, N/m", "while sticking"),
    field("damping", "N m s/rad, N s/m", "while sticking"),
)
LIMIT_F = columns(
    "Limit",
    field("lower", "rad, m", ""),
    field("upper", "rad, m", ""),
    field("stiffness", "N m/rad, N/m", ""),
    field("damping", "N m s/rad, N s/m", ""),
)
MOTOR_F = columns(
    "Motor",
    field("kp", "N m/rad, N/m", "gain of the position error"),
    field("kd", "N m s/rad, N s/m", "gain of the velocity error"),
    field("limit", "N m, N", "largest effort"),
)
_POINTS = (
    field("point_a", "m", "in the frame of row A", 3),
    field("point_b", "m", "in the frame of row B", 3),
)
LINE_F = columns(
    "Line",
    *_POINTS,
    field("stiffness", "N/m", ""),
    field("damping", "N s/m", ""),
    field("free_length", "m", ""),
)
STRUT_F = columns(
    "Strut",
    *_POINTS,
    field("stiffness", "N/m", ""),
    field("free_length", "m", ""),
    field("shortest", "m", "length at which the compression stop touches; -inf for none"),
    field("longest", "m", "length at which the rebound stop touches; inf for none"),
    field("midstroke_from", "m", ""),
    field("midstroke_to", "m", ""),
    field("blend", "m", "length over which the damping changes outside of the midstroke"),
    field("compression", "N s/m", "damping in the midstroke"),
    field("rebound", "N s/m", "damping in the midstroke"),
    field("end_compression", "N s/m", "damping at the ends"),
    field("end_rebound", "N s/m", "damping at the ends"),
    field("stop_rows", "", "rows of the stops' table"),
    field("stop_table", "m, N", "rows of travel and force of the stops, after (0, 0)", 18),
)
BUSHING_F = columns(
    "Bushing",
    field("R_A", "", "rotation of frame A in the frame of row A, by rows", 9),
    field("p_A", "m", "its origin", 3),
    field("R_B", "", "rotation of frame B in the frame of row B, by rows", 9),
    field("p_B", "m", "its origin", 3),
    field("stiffness", "N m/rad, N/m", "about, then along the axes of A", 6),
    field("damping", "N m s/rad, N s/m", "about, then along the axes of A", 6),
)
WRENCH_F = columns(
    "Wrench",
    field("R", "", "rotation of the frame in the frame of the row, by rows", 9),
    field("p", "m", "its origin", 3),
    field("own_axes", "", "1 if moment and force are given in the axes of the frame, 0 for world axes"),
)
