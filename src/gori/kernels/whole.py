"""Whole numbers next to a number. On a GPU math.floor and math.ceil give floats, which index nothing."""

import math

from gori.kernels.jit import part


@part
def floor(x):
    """The largest whole number that is not above x."""
    return int(math.floor(x))  # noqa: RUF046


@part
def ceil(x):
    """The smallest whole number that is not below x."""
    return int(math.ceil(x))  # noqa: RUF046
