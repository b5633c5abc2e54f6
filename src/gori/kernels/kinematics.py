"""Poses and velocities of all bodies, from the ground to the tips.

World axes, each body at its own origin ("world-aligned"): a vector passes from body to body without a rotation, and
no quantity grows with the distance from the world's origin.
"""

from gori.kernels.columns import (
    ARM,
    AXIS,
    BIAS,
    KIND,
    N_BODY_I,
    NDOF,
    P_BF,
    P_WB,
    PARENT,
    Q0,
    R_BF,
    R_WB,
    ROTATION,
    SPIN,
    V0,
    VEL,
    S,
)
from gori.kernels.jit import kernel, part
from gori.kernels.joints import move_joint
from gori.kernels.lanes import WIDTH, lanes
from gori.kernels.batch import load, store


@part
def place(body_i, body_f, q, body_w, dof_w):
    """Rotations, arms from the parents' origins, and joint axes: all that follows from q alone."""
    for k in range(9):
        body_w[0, R_WB + k] = 1.0 if k % 4 == 0 else 0.0
    for i in range(1, body_i.shape[0]):
        move_joint(
            body_i[i, KIND], i, body_i[i, PARENT], body_i[i, Q0], body_i[i, V0], body_f, q, body_w, dof_w
        )
