"""Recordings that several tests share."""

import matplotlib
import numpy as np

import gori
from gori.record import Recording
from tests.checks import arm, machine, states

matplotlib.use("Agg")


def recording(seed=0, count=19, **options):
    model, tree = machine(seed, **options)
    batch = states(tree, count, seed)
    return Recording(model, np.linspace(0.0, 2.0, count), batch["q"], batch["v"], info={"seed": seed})


def swing(count=200, **options):
    """An arm that turns several times around."""
    time = np.linspace(0.0, 5.0, count)
    q = np.stack([3.0 * time, np.sin(time)], axis=1)
    v = np.stack([np.full(count, 3.0), np.cos(time)], axis=1)
    return Recording(gori.compile(arm()), time, q, v, **options)
