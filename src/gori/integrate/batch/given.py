"""What is given to a machine among many from outside, and may be no number."""

from gori.kernels.codes import NOT_FINITE, OK
from gori.kernels.forces.signals import HELD, SIGNAL_KIND
from gori.kernels.jit import part


@part
def given(machine, data):
    """OK, or NOT_FINITE: of what drivers do, which has limits that would hide a NaN, and of signals that are held."""
    total = 0.0
    for k in range(data.driver.shape[0]):
        driver = data.driver[k]
        total += driver.throttle + driver.brake + driver.steer + driver.selector + driver.transfer
    for k in range(machine.signal_i.shape[0]):
        if machine.signal_i[k, SIGNAL_KIND] == HELD:
            total += data.values[k]
    return NOT_FINITE if total * 0.0 != 0.0 else OK
