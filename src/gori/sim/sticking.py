"""Joint friction that sticks faster than an explicit method with a fixed step can follow."""

import warnings
from typing import NamedTuple

import numpy as np

from gori.errors import FrictionWarning
from gori.integrate import Method
from gori.kernels.forces.elements import E_KIND, JOINT_FRICTION
from gori.kernels.forces.parameters import FRICTION_F
from gori.model import Model
from gori.model.forces import stick_rate


class Hasty(NamedTuple):
    """The joint that sticks fastest, and what would be slow enough."""

    joint: str
    rate: float  # natural frequency of the joint while it sticks [rad/s]
    longest: float  # step with which the method follows it [s]
    stiffness: float  # that the method follows with its step [N m/rad, N/m]

    @property
    def words(self) -> str:
        """What is wrong."""
        return f"friction of joint {self.joint!r} sticks with {self.rate:.3g} rad/s"

    @property
    def cure(self) -> str:
        """What to change besides the method."""
        return f"steps of at most {self.longest:.2g} s, or a stick_stiffness of at most {self.stiffness:.2g} there"


def too_fast(model: Model, method: Method) -> Hasty | None:
    """The joint whose friction sticks too fast for the step of the method, if there is one."""
    limit, forces = method.decay_limit(), model.forces
    rows = np.flatnonzero(forces.element_i[:, E_KIND] == JOINT_FRICTION)
    if not np.isfinite(limit) or not len(rows):
        return None
    row = max(rows, key=lambda row: stick_rate(forces.element_f[row]))
    rate, step = stick_rate(forces.element_f[row]), method.settings()["step"]
    if rate * step <= limit:
        return None
    stiffness = forces.element_f[row, FRICTION_F.stiffness] * (limit / (rate * step)) ** 2
    return Hasty(forces.names[row], rate, limit / rate, stiffness)


def warn_of_friction(model: Model, method: Method) -> None:
    """A FrictionWarning where a joint would tremble and not stick."""
    if (found := too_fast(model, method)) is not None:
        step = method.settings()["step"]
        warnings.warn(
            f"{found.words}: {method.kind} with steps of {step:g} s lets it tremble and creep where it should hold. "
            f"Take {found.cure}, or an implicit or adaptive method",
            FrictionWarning,
            stacklevel=3,
        )
