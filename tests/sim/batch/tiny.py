"""A program that compiles in a second: machines of one number and a law of two."""

from typing import Any

import numpy as np

from gori.integrate.batch.many import MANY
from gori.kernels.batch.members import APART, SHARED, SIDE_BY_SIDE, Laid
from gori.kernels.codes import OK
from gori.kernels.forces.signals import N_SIGNAL_I
from gori.kernels.jit import part
from gori.kernels.tree.columns import N_BODY_I, NQ
from gori.kernels.vehicle.state import DRIVER
from gori.sim.batch.program import ProgramSource

NO_SIGNALS = np.zeros((0, N_SIGNAL_I), np.int64)


@part
def grow(machine, data, memory, t, h, y):
    """y grows by h times a factor of all, and by a number of its own."""
    y[0] += h * machine.law[1] + data.own[0]
    data.tau[0] = t
    return OK


def tiny_source(step: Any = grow, name: str = "tiny", turning: bool = False, **machine: Any) -> ProgramSource:
    """Three numbers in y: coordinate, velocity, work."""
    body_i = np.zeros((1, N_BODY_I), np.int64)
    body_i[0, NQ] = 1
    law = Laid(np.array([0.0, 2.0]), SHARED)
    numbers = {"tau": Laid(np.zeros(1), SIDE_BY_SIDE), "own": Laid(np.zeros(1), SIDE_BY_SIDE)}
    tree = {
        "machine": {"body_i": Laid(body_i, SHARED), "law": law, "signal_i": Laid(NO_SIGNALS, SHARED), "penalty": None}
        | machine,
        "data": numbers
        | {"driver": Laid(DRIVER.zeros(0), APART), "values": Laid(np.zeros(0), SIDE_BY_SIDE)}
        | {"idle": Laid(np.zeros((3, 2)), SIDE_BY_SIDE)},
        "memory": {},
        "many": Laid(MANY.zeros(1), APART),
        "y": Laid(np.zeros(3), SIDE_BY_SIDE),
        "before": Laid(np.zeros(3), SIDE_BY_SIDE),
    }
    return ProgramSource(tree, step, name, turning)
